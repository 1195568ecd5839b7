// Emitted kernels beside cub::DeviceReduce, on the same buffers, in turn, in one process.
//
//     reducegen emit '…' -o NAME.cu                      (one file or more: sum_*.cu, max_*.cu, of f32)
//     nvcc -O3 -arch=native benches/beside_cub.cu -lnvrtc -lcuda -o beside_cub
//     ./beside_cub 28 NAME.cu …                          (log2 of the number of elements)
//
// A file's name begins with its operator. Launch shapes come from the header comment of the file. The
// input rotates over several buffers, so that nothing is warm in L2; times are medians of CUDA events
// around back-to-back calls on a stream, as a user sees them.

#include <cub/cub.cuh>
#include <cuda.h>
#include <nvrtc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

static void check(int code, const char* what)
{
    if (code != 0) {
        std::fprintf(stderr, "%s failed with code %d\n", what, code);
        std::exit(1);
    }
}

struct Kernel {
    std::string name;
    CUfunction inputs, partials;
    unsigned block;
    unsigned long long tile, partial_tile;
};

static unsigned long long number_after(const std::string& text, const std::string& mark, size_t from = 0)
{
    size_t at = text.find(mark, from);
    check(at == std::string::npos, mark.c_str());
    return std::strtoull(text.c_str() + at + mark.size(), nullptr, 10);
}

static Kernel load(const char* path)
{
    std::ifstream file(path);
    std::stringstream buffer;
    buffer << file.rdbuf();
    const std::string source = buffer.str();

    nvrtcProgram program;
    check(nvrtcCreateProgram(&program, source.c_str(), path, 0, nullptr, nullptr), "nvrtcCreateProgram");
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    const std::string arch = "--gpu-architecture=sm_" + std::to_string(properties.major * 10 + properties.minor);
    const char* options[] = {arch.c_str(), "--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"};
    check(nvrtcCompileProgram(program, 6, options), path);
    size_t size = 0;
    check(nvrtcGetCUBINSize(program, &size), "nvrtcGetCUBINSize");
    std::vector<char> cubin(size);
    check(nvrtcGetCUBIN(program, cubin.data()), "nvrtcGetCUBIN");

    Kernel kernel;
    std::string name(path);
    kernel.name = name.substr(name.find_last_of('/') + 1);
    CUmodule module;
    check(cuModuleLoadData(&module, cubin.data()), "cuModuleLoadData");
    check(cuModuleGetFunction(&kernel.inputs, module, "reduce_inputs"), "reduce_inputs");
    check(cuModuleGetFunction(&kernel.partials, module, "reduce_partials"), "reduce_partials");
    kernel.block = (unsigned)number_after(source, "<<<blocks, ");
    kernel.tile = number_after(source, "ceil(n / ");
    kernel.partial_tile = number_after(source, "ceil(n / ", source.find("reduce_partials<<<"));
    return kernel;
}

static void launch(const Kernel& kernel, const float* x, float* workspace, float* result, unsigned long long n)
{
    unsigned long long blocks = std::max(1ull, (n + kernel.tile - 1) / kernel.tile);
    float *from = nullptr, *to = workspace, *other = workspace + blocks;
    void* first[] = {&x, &to, &result, &n};
    check(cuLaunchKernel(kernel.inputs, (unsigned)blocks, 1, 1, kernel.block, 1, 1, 0, 0, first, nullptr), "launch");
    while (blocks > 1) {
        from = to, to = other, other = from, n = blocks;
        blocks = (n + kernel.partial_tile - 1) / kernel.partial_tile;
        void* next[] = {&from, &to, &result, &n};
        check(cuLaunchKernel(kernel.partials, (unsigned)blocks, 1, 1, kernel.block, 1, 1, 0, 0, next, nullptr), "launch");
    }
}

/// Microseconds of a call, one sample.
static float sample(int calls, const std::function<void(int)>& call)
{
    static cudaEvent_t start = nullptr, stop = nullptr;
    if (start == nullptr) {
        cudaEventCreate(&start);
        cudaEventCreate(&stop);
    }
    cudaEventRecord(start);
    for (int i = 0; i < calls; ++i) call(i);
    cudaEventRecord(stop);
    check(cudaEventSynchronize(stop), "cudaEventSynchronize");
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, start, stop);
    return milliseconds * 1000 / calls;
}

__global__ void fill(float* x, unsigned long long n, unsigned seed)
{
    for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < n; i += (unsigned long long)gridDim.x * blockDim.x) {
        unsigned z = (unsigned)(i * 2654435761u + seed);
        z = (z ^ (z >> 16)) * 0x45d9f3bu;
        x[i] = ((z >> 8) & 0xffff) / 65536.0f - 0.5f;
    }
}

struct Row {
    std::string name;
    std::function<void(int)> call;
    std::vector<float> times;
};

int main(int argc, char** argv)
{
    const unsigned long long n = 1ull << (argc > 1 ? std::atoi(argv[1]) : 28);
    const size_t bytes = n * sizeof(float);
    const int buffers = (int)std::max<size_t>(2, (2ull << 30) / bytes);
    std::vector<float*> x(buffers);
    for (int i = 0; i < buffers; ++i) {
        check(cudaMalloc(&x[i], bytes), "cudaMalloc");
        fill<<<1024, 256>>>(x[i], n, i);
    }
    float *workspace, *result;
    check(cudaMalloc(&workspace, bytes + 1024), "cudaMalloc");
    check(cudaMalloc(&result, 16), "cudaMalloc");

    size_t temporary_bytes = 0;
    cub::DeviceReduce::Sum(nullptr, temporary_bytes, x[0], result, n);
    void* temporary;
    check(cudaMalloc(&temporary, temporary_bytes + (1 << 20)), "cudaMalloc");
    temporary_bytes += 1 << 20;

    std::vector<Row> rows;
    rows.push_back({"sum CUB", [&](int i) { cub::DeviceReduce::Sum(temporary, temporary_bytes, x[i % buffers], result, n); }, {}});
    rows.push_back({"max CUB", [&](int i) { cub::DeviceReduce::Max(temporary, temporary_bytes, x[i % buffers], result, n); }, {}});
    for (int i = 2; i < argc; ++i) {
        const Kernel kernel = load(argv[i]);
        rows.push_back({kernel.name, [=, &x](int i) { launch(kernel, x[i % buffers], workspace, result, n); }, {}});
    }

    const int calls = (int)std::min<size_t>(200, std::max<size_t>(10, (8ull << 30) / bytes));
    for (int turn = 0; turn < 31; ++turn) {
        for (Row& row : rows) {
            const float time = sample(calls, row.call);
            if (turn > 0) row.times.push_back(time);
        }
    }
    float peer[2];
    for (int i = 0; i < 2; ++i) {
        std::sort(rows[i].times.begin(), rows[i].times.end());
        peer[i] = rows[i].times[15];
    }
    std::printf("| n = 2^%d, f32 | median us | fastest | slowest | GB/s | of CUB | result |\n|---|---|---|---|---|---|---|\n", argc > 1 ? std::atoi(argv[1]) : 28);
    for (Row& row : rows) {
        std::sort(row.times.begin(), row.times.end());
        const float median = row.times[15];
        row.call(0);
        float value = 0;
        check(cudaMemcpy(&value, result, sizeof value, cudaMemcpyDeviceToHost), "cudaMemcpy");
        std::printf("| %s | %.2f | %.2f | %.2f | %.0f | %.3f | %g |\n", row.name.c_str(), median, row.times.front(), row.times.back(),
                    bytes / (median * 1000), peer[row.name[0] == 'm'] / median, value);
    }
}
