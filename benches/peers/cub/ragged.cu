// Segments of their own lengths, runs of keys and counts of keys, as benches/ragged.py calls them.
//
// With temp == nullptr a function sets *bytes; otherwise it enqueues the work on the stream. It returns the error code.
// Every argument has 64 bits, so Python needs no signatures. Lengths have to fit an int, because CUB is fastest then.

#include "peer.cuh"

#include <cuda/std/functional>

// Sums `segments` segments. Segment i has the elements offsets[i] to offsets[i + 1] - 1. The longest length is not used.
extern "C" int cub_ragged_sum_f32(void* temp, size_t* bytes, const float* x, const uint32_t* offsets, float* sums,
    uint64_t segments, uint64_t, cudaStream_t stream)
{
    return cub::DeviceSegmentedReduce::Sum(
        temp, *bytes, x, sums, (int64_t)segments, offsets, offsets + 1, stream);
}

// The same, told that no segment has more than `longest` elements. Up to a few hundred elements, CUB then gives a thread
// or a warp to a segment instead of a block. No public function of CUB has this argument yet: they all pass 0 here, for
// "unknown". The guard has the version whose internal signature this is.
#if CUB_VERSION >= 300500 && CUB_VERSION < 300600
extern "C" int cub_ragged_told_sum_f32(void* temp, size_t* bytes, const float* x, const uint32_t* offsets, float* sums,
    uint64_t segments, uint64_t longest, cudaStream_t stream)
{
    return cub::detail::segmented_reduce::dispatch(temp, *bytes, x, sums, (int64_t)segments, offsets, offsets + 1,
        cuda::std::plus<>{}, 0.0f, (size_t)longest, stream);
}
#endif

// Sums the values of each run of equal keys. The number of runs is written to *runs.
extern "C" int cub_runs_sum_f32(void* temp, size_t* bytes, const uint32_t* keys, const float* values, uint32_t* unique,
    float* sums, int* runs, uint64_t n, cudaStream_t stream)
{
    if (n > INT_MAX) return cudaErrorInvalidValue;
    return cub::DeviceReduce::ReduceByKey(
        temp, *bytes, keys, unique, values, sums, runs, cuda::std::plus<float>{}, (int)n, stream);
}

// Counts each key; the keys are less than `bins`.
extern "C" int cub_counts_u32(void* temp, size_t* bytes, const uint32_t* keys, int* counts, uint64_t bins, uint64_t n,
    cudaStream_t stream)
{
    if (n > INT_MAX || bins >= INT_MAX) return cudaErrorInvalidValue;
    return cub::DeviceHistogram::HistogramEven(
        temp, *bytes, keys, counts, (int)bins + 1, 0u, (uint32_t)bins, (int)n, stream);
}

// The read of all benchmarks, on `grid` blocks. Here it needs no NVRTC.
#include "../../../reduce-runtime/src/cuda/read_all.cu"

extern "C" int ragged_read(const uint4* x, uint64_t bytes, uint64_t grid, unsigned int* sink, cudaStream_t stream)
{
    read_all<<<(unsigned int)grid, THREADS, 0, stream>>>(x, bytes / sizeof(uint4), sink);
    return cudaGetLastError();
}

// The bytes that a block of the read loads at a time: the read needs no more blocks than tiles.
extern "C" int ragged_read_tile() { return TILE * (int)sizeof(uint4); }
