// Makes chosen calls of the pretended driver fail. `pretend.c` is compiled with each of its functions called
// `pretended_NAME`; the entry points are defined here, for the names in ENTRIES, and count every call before they pass
// it on.
#include <string.h>

#define CALLS 65536

enum {
#define X(name) AT_##name,
    ENTRIES
#undef X
        COUNT
};
static const char* const names[] = {
#define X(name) #name,
    ENTRIES
#undef X
};
/// Calls since the last `inject`, how many of each function passed or failed, and the function of each call.
static unsigned entered, passed[COUNT], failed[COUNT];
static unsigned char entry[CALLS];
/// The calls from `first` to `last`, counted from 1, fail with `code`.
static unsigned first, last;
/// Each run gets contexts of its own, so that no state of one run reaches the next.
static unsigned runs;
static int code;
static void (*kernel)(void** parameters);

/// Makes the call with that number fail, and all later ones if it `lasts`. 0 means no call. Restarts all counts.
void inject(unsigned call, int error, int lasts) {
    entered = 0, ++runs;
    memset(passed, 0, sizeof passed), memset(failed, 0, sizeof failed);
    first = call, last = lasts && call ? ~0u : call, code = error;
}
/// Sets the function that replaces every kernel. It gets the parameters of a launch.
void compute(void (*call)(void** parameters)) { kernel = call; }
unsigned calls_entered(void) { return entered; }
const char* call_name(unsigned call) { return names[entry[call % CALLS]]; }

static unsigned count(const unsigned* of, const char* name) {
    for (int i = 0; i < COUNT; ++i)
        if (!strcmp(names[i], name)) return of[i];
    return ~0u;
}
unsigned calls_passed(const char* name) { return count(passed, name); }
unsigned calls_failed(const char* name) { return count(failed, name); }

static int fails(int at) {
    unsigned call = __atomic_add_fetch(&entered, 1, __ATOMIC_SEQ_CST);
    entry[call % CALLS] = at;
    int now = first <= call && call <= last;
    __atomic_fetch_add(&(now ? failed : passed)[at], 1, __ATOMIC_SEQ_CST);
    return now;
}

/// No function takes more than eight words, and none takes a float. Words that the caller did not pass are garbage.
typedef unsigned long word;
#define X(name)                                                                               \
    int pretended_##name(word, word, word, word, word, word, word, word);                     \
    int name(word a, word b, word c, word d, word e, word f, word g, word h) {                \
        if (fails(AT_##name)) return code;                                                    \
        int result = pretended_##name(a, b, c, d, e, f, g, h);                                \
        if (!result && kernel && AT_##name == AT_cuLaunchKernelEx) kernel((void**)c);         \
        if (!result && AT_##name == AT_cuDevicePrimaryCtxRetain) *(word*)a += 0x10000 * runs; \
        return result;                                                                        \
    }
ENTRIES
