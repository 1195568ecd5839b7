// A libcuda that pretends to have a GPU of sm_90: memory is that of the host, kernels are noted and not run. `calls` says
// how often a function was called, `argument` what a launch was given.
#include <stdlib.h>
#include <string.h>

#define LAUNCHES 4096
#define ARGUMENTS 16

enum { LOADS, LAUNCHED, ALLOCATIONS, WAITS, EVENTS, COPIES, UNLOADS, ATTRIBUTES, KINDS };

static unsigned counts[KINDS];
static unsigned long long arguments[LAUNCHES][ARGUMENTS + 3];
static int refusals, failures;
static __thread void* current;

static unsigned next(int kind) { return __atomic_fetch_add(&counts[kind], 1, __ATOMIC_SEQ_CST); }

unsigned calls(int kind) { return counts[kind]; }
/// The grid and block of a launch, whether it is a dependent one, then its arguments.
unsigned long long argument(unsigned launch, unsigned place) { return arguments[launch % LAUNCHES][place]; }
/// So many of the next images are refused.
void refuse(int images) { refusals = images; }
/// So many of the next launches fail.
void fail(int launches) { failures = launches; }

int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int* version) { return *version = 13000, 0; }
int cuDeviceGetCount(int* count) { return *count = 2, 0; }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char* name, int length, int device) { return strncpy(name, "a pretended GPU", length), 0; }
int cuDeviceTotalMem_v2(size_t* bytes, int device) { return *bytes = 1 << 30, 0; }
int cuDeviceGetAttribute(int* value, int attribute, int device) {
    return *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 1, 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) { return *context = (void*)(size_t)(0x1000 + device), 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
int cuCtxGetCurrent(void** context) { return *context = current, 0; }
int cuCtxSetCurrent(void* context) { return current = context, 0; }
int cuCtxSynchronize(void) { return next(WAITS), 0; }
int cuEventCreate(void** event, unsigned flags) { return next(EVENTS), *event = (void*)1, 0; }
int cuEventDestroy_v2(void* event) { return 0; }
int cuEventRecord(void* event, void* stream) { return next(EVENTS), 0; }
int cuGetErrorName(int error, const char** name) { return *name = "CUDA_ERROR_SAMPLE", 0; }
int cuGetErrorString(int error, const char** text) { return *text = "a sample", 0; }
int cuMemAlloc_v2(unsigned long long* at, size_t bytes) {
    size_t whole = (bytes + 255) / 256 * 256;
    *at = (unsigned long long)(size_t)aligned_alloc(256, whole);
    return next(ALLOCATIONS), memset((void*)(size_t)*at, 0xff, whole), 0;
}
int cuMemAllocAsync(unsigned long long* at, size_t bytes, void* stream) { return cuMemAlloc_v2(at, bytes); }
int cuMemFree_v2(unsigned long long at) { return free((void*)(size_t)at), 0; }
int cuMemFreeAsync(unsigned long long at, void* stream) { return cuMemFree_v2(at); }
int cuMemGetInfo_v2(size_t* free, size_t* total) { return *free = *total = 1 << 30, 0; }
int cuMemcpyDtoHAsync_v2(void* to, unsigned long long from, size_t bytes, void* stream) {
    return next(COPIES), memcpy(to, (void*)(size_t)from, bytes), 0;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from, size_t bytes, void* stream) {
    return next(COPIES), memcpy((void*)(size_t)to, from, bytes), 0;
}
int cuMemsetD8Async(unsigned long long at, unsigned char value, size_t count, void* stream) {
    return memset((void*)(size_t)at, value, count), 0;
}
int cuMemsetD32Async(unsigned long long at, unsigned value, size_t count, void* stream) {
    for (size_t i = 0; i < count; ++i) ((unsigned*)(size_t)at)[i] = value;
    return 0;
}
int cuModuleLoadData(void** module, const void* image) {
    next(LOADS);
    if (refusals > 0) return --refusals, 200;
    return *module = (void*)1, 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) { return *function = (void*)1, 0; }
int cuModuleUnload(void* module) { return next(UNLOADS), 0; }
int cuFuncSetAttribute(void* function, int attribute, int value) { return next(ATTRIBUTES), 0; }
int cuStreamCreate(void** stream, unsigned flags) { return *stream = malloc(1), 0; }
int cuStreamDestroy_v2(void* stream) { return free(stream), 0; }
int cuStreamSynchronize(void* stream) { return next(WAITS), 0; }
int cuStreamWaitEvent(void* stream, void* event, unsigned flags) { return next(EVENTS), 0; }

struct attribute {
    int id;
    char pad[4];
    int value[16];
};
struct config {
    unsigned grid[3], block[3], shared;
    void* stream;
    struct attribute* attributes;
    unsigned count;
};
int cuLaunchKernelEx(const struct config* config, void* function, void** parameters, void** extra) {
    if (failures > 0) return --failures, 719;
    unsigned long long* launch = arguments[next(LAUNCHED) % LAUNCHES];
    launch[0] = config->grid[0], launch[1] = config->block[0], launch[2] = 0;
    for (unsigned i = 0; i < config->count; ++i)
        if (config->attributes[i].id == 6) launch[2] = config->attributes[i].value[0];
    for (int i = 0; i < ARGUMENTS; ++i) launch[3 + i] = 0;
    for (int i = 0; i < ARGUMENTS && parameters[i]; ++i) launch[3 + i] = *(unsigned long long*)parameters[i];
    return 0;
}
