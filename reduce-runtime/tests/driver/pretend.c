// A libcuda that pretends to have a GPU of sm_90: its memory is host memory, and kernels are recorded but not run. `calls`
// counts the calls of a function, and `argument` returns an argument of a launch. `unordered_accesses` counts the accesses
// that the streams do not order.
#include <stdlib.h>
#include <string.h>

#define LAUNCHES 4096
#define ARGUMENTS 16
#define STREAMS 32

enum { LOADS, LAUNCHED, ALLOCATIONS, WAITS, EVENTS, COPIES, UNLOADS, ATTRIBUTES, FREES, KINDS };

static unsigned counts[KINDS];
static unsigned long long arguments[LAUNCHES][ARGUMENTS + 3];
static int refusals, refusal, failures, lost, captured, capability = 9, cluster = 16;
/// `after[s][t]`: the number of operations of stream t that stream s is ordered after. `launched[t]`: the last launch
/// on t.
static unsigned after[STREAMS][STREAMS], launched[STREAMS];
/// The last copy on each stream, and the number of launches that were not ordered after a copy of another stream.
static unsigned copied[STREAMS], early_launches;
/// As `after`, for waits of the host.
static unsigned waited[STREAMS];
static unsigned streams, unordered;
static void (*at_launch)(void);
static __thread void* current;

static unsigned next(int kind) { return __atomic_fetch_add(&counts[kind], 1, __ATOMIC_SEQ_CST); }

unsigned calls(int kind) { return counts[kind]; }
/// The grid and block of a launch, whether it is a dependent one, then its arguments.
unsigned long long argument(unsigned launch, unsigned place) { return arguments[launch % LAUNCHES][place]; }
/// The next `images` images are refused with that error.
void refuse_images(int images, int error) { refusals = images, refusal = error; }
/// The next `launches` launches fail.
void fail_launches(int launches) { failures = launches; }
/// The next `waits` waits for a stream fail.
void fail_waits(int waits) { lost = waits; }
/// Sets the compute capability, `major.0`, of the GPUs.
void set_capability(int major) { capability = major; }
/// Sets the most blocks of a cluster.
void limit_clusters(int blocks) { cluster = blocks; }
/// Sets a function that is called at every launch.
void call_at_launch(void (*call)(void)) { at_launch = call; }

static unsigned place(void* stream) { return (size_t)stream / 16 % STREAMS; }
static void follow(unsigned* later, const unsigned* earlier) {
    for (int i = 0; i < STREAMS; ++i)
        if (later[i] < earlier[i]) later[i] = earlier[i];
}
/// Called when memory is freed or written: counts the streams with a launch that the given stream is not ordered after.
static void touch(void* stream) {
    for (int i = 0; i < STREAMS; ++i) unordered += launched[i] > after[place(stream)][i];
}
/// How often memory was freed or written, or a kernel unloaded, while any launch may have been running.
unsigned unordered_accesses(void) { return unordered; }

/// How often a launch may have overlapped a copy on another stream.
unsigned unordered_launches(void) { return early_launches; }

int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int* version) { return *version = 13000, 0; }
int cuDeviceGetCount(int* count) { return *count = 2, 0; }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char* name, int length, int device) { return strncpy(name, "a pretended GPU", length), 0; }
int cuDeviceTotalMem_v2(size_t* bytes, int device) { return *bytes = 1 << 30, 0; }
int cuDeviceGetAttribute(int* value, int attribute, int device) {
    return *value = attribute == 75 ? capability : attribute == 76 ? 0 : 1, 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) { return *context = (void*)(size_t)(0x1000 + device), 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
int cuCtxGetCurrent(void** context) { return *context = current, 0; }
int cuCtxSetCurrent(void* context) { return current = context, 0; }
int cuCtxSynchronize(void) { return next(WAITS), follow(waited, launched), 0; }
int cuEventCreate(void** event, unsigned flags) {
    return next(EVENTS), *event = calloc(STREAMS, sizeof(unsigned)), 0;
}
int cuEventElapsedTime_v2(float* milliseconds, void* start, void* end) { return *milliseconds = 1, 0; }
/// The same function by its name before CUDA 13.
int cuEventElapsedTime(float* milliseconds, void* start, void* end) { return *milliseconds = 1, 0; }
int cuEventSynchronize(void* event) { return 0; }
int cuEventDestroy_v2(void* event) { return free(event), 0; }
int cuEventRecord(void* event, void* stream) {
    return next(EVENTS), memcpy(event, after[place(stream)], sizeof *after), 0;
}
int cuGetErrorName(int error, const char** name) { return *name = "CUDA_ERROR_SAMPLE", 0; }
int cuGetErrorString(int error, const char** text) { return *text = "a sample", 0; }
int cuMemAlloc_v2(unsigned long long* at, size_t bytes) {
    size_t whole = (bytes + 255) / 256 * 256;
    *at = (unsigned long long)(size_t)aligned_alloc(256, whole);
    return next(ALLOCATIONS), memset((void*)(size_t)*at, 0xff, whole), 0;
}
int cuMemAllocAsync(unsigned long long* at, size_t bytes, void* stream) { return cuMemAlloc_v2(at, bytes); }
int cuMemFree_v2(unsigned long long at) { return next(FREES), free((void*)(size_t)at), 0; }
int cuMemFreeAsync(unsigned long long at, void* stream) {
    if (!stream && !current) return 201;
    return touch(stream), cuMemFree_v2(at);
}
int cuMemGetInfo_v2(size_t* free, size_t* total) { return *free = *total = 1 << 30, 0; }
int cuMemcpyDtoHAsync_v2(void* to, unsigned long long from, size_t bytes, void* stream) {
    return next(COPIES), memcpy(to, (void*)(size_t)from, bytes), 0;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from, size_t bytes, void* stream) {
    return next(COPIES), touch(stream), memcpy((void*)(size_t)to, from, bytes), 0;
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void* stream) {
    copied[place(stream)] = ++after[place(stream)][place(stream)];
    return memcpy((void*)(size_t)to, (void*)(size_t)from, bytes), 0;
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
    if (refusals > 0) return --refusals, refusal;
    return *module = (void*)1, 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) { return *function = (void*)1, 0; }
int cuModuleUnload(void* module) {
    for (int i = 0; i < STREAMS; ++i) unordered += launched[i] > waited[i];
    return next(UNLOADS), 0;
}
int cuFuncSetAttribute(void* function, int attribute, int value) { return next(ATTRIBUTES), 0; }
int cuOccupancyMaxPotentialClusterSize(int* size, void* function, const void* config) { return *size = cluster, 0; }
/// Sets whether a graph captures the streams.
void capture(int is_active) { captured = is_active; }
int cuStreamIsCapturing(void* stream, int* status) { return *status = captured, 0; }
int cuStreamCreate(void** stream, unsigned flags) { return *stream = (void*)(size_t)(16 * ++streams), 0; }
int cuStreamDestroy_v2(void* stream) { return 0; }
int cuStreamSynchronize(void* stream) {
    next(WAITS);
    if (lost > 0) return --lost, 719;
    for (int i = 0; i < STREAMS; ++i) follow(after[i], after[place(stream)]);
    return follow(waited, after[place(stream)]), 0;
}
int cuStreamWaitEvent(void* stream, void* event, unsigned flags) {
    return next(EVENTS), follow(after[place(stream)], event), 0;
}

int cuLaunchKernel() { return 0; }

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
    if (at_launch) at_launch();
    for (int i = 0; i < STREAMS; ++i) early_launches += copied[i] > after[place(config->stream)][i];
    launched[place(config->stream)] = ++after[place(config->stream)][place(config->stream)];
    unsigned long long* launch = arguments[next(LAUNCHED) % LAUNCHES];
    launch[0] = config->grid[0], launch[1] = config->block[0], launch[2] = 0;
    for (unsigned i = 0; i < config->count; ++i)
        if (config->attributes[i].id == 6) launch[2] = config->attributes[i].value[0];
    for (int i = 0; i < ARGUMENTS; ++i) launch[3 + i] = 0;
    for (int i = 0; i < ARGUMENTS && parameters[i]; ++i) launch[3 + i] = *(unsigned long long*)parameters[i];
    return 0;
}
