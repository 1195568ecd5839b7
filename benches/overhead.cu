// The host's time of a call in plain CUDA, and the time of the first call in a new process: a kernel that nvcc compiled,
// launched through the CUDA runtime. The output has the format of `overhead.rs`.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void check(cudaError_t code, const char* what) {
    if (code != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
        std::exit(1);
    }
}

// One block adds the elements, as in a tutorial.
__global__ void sum(const float* x, float* result, unsigned long long n) {
    __shared__ float items[512];
    float acc = 0.0f;
    for (unsigned long long i = threadIdx.x; i < n; i += 512) acc += x[i];
    items[threadIdx.x] = acc;
    __syncthreads();
    for (int half = 256; half > 0; half /= 2) {
        if (threadIdx.x < half) items[threadIdx.x] += items[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *result = items[0];
}

using Clock = std::chrono::steady_clock;

static double microseconds(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

int main() {
    const int rounds = 20, calls = 500;
    const unsigned long long n = 1 << 12;
    auto start = Clock::now();
    float *x, *result, host = -1.0f;
    cudaStream_t stream;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
    check(cudaMallocAsync(&x, n * sizeof(float), stream), "allocating");
    check(cudaMallocAsync(&result, sizeof(float), stream), "allocating");
    check(cudaMemsetAsync(x, 0, n * sizeof(float), stream), "setting");
    check(cudaStreamSynchronize(stream), "waiting");
    std::printf("step: start of CUDA, nothing cached\t%.2f\n", microseconds(start));

    auto read = [&] {
        sum<<<1, 512, 0, stream>>>(x, result, n);
        check(cudaMemcpyAsync(&host, result, sizeof(float), cudaMemcpyDeviceToHost, stream), "copying");
        check(cudaStreamSynchronize(stream), "waiting");
    };
    start = Clock::now();
    read();
    std::printf("first result, nothing cached\t%.2f\n", microseconds(start));

    double queued = 0.0;
    for (int round = 0; round <= rounds; ++round) {
        start = Clock::now();
        for (int call = 0; call < calls; ++call) sum<<<1, 512, 0, stream>>>(x, result, n);
        if (round > 0) queued += microseconds(start);
        check(cudaStreamSynchronize(stream), "waiting");
    }
    check(cudaGetLastError(), "launching");
    std::printf("call that is queued, 2^12\t%.2f\n", queued / (rounds * calls));

    start = Clock::now();
    for (int call = 0; call < calls; ++call) read();
    std::printf("call that is queued, then read, 2^12\t%.2f\n", microseconds(start) / calls);
    return host == 0.0f ? 0 : 1;
}
