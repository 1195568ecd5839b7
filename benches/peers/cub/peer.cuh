// Shared by the files of this folder: the signature of a reduction by CUB, as benches/peers/cub.rs calls it.
//
// With temp == nullptr a function sets *bytes, as cub::DeviceReduce does. Otherwise it enqueues the reduction of n elements
// of each of the inputs x and y on the stream. The temporary memory was allocated once. The result is written to out.
// The function returns the error code. The number of elements is passed in 32 bits, because CUB is fastest then. A reduction
// of rows, which ROWS declares, gets the number of rows and their length.

#pragma once

#include <cub/cub.cuh>

#include <climits>
#include <cstdint>

#define PEER(name)                                                                                             \
    static cudaError_t name##_of_int(                                                                          \
        void* temp, size_t& bytes, const void* x, const void* y, void* out, int n, cudaStream_t stream);       \
    extern "C" int cub_##name(                                                                                 \
        void* temp, size_t* bytes, const void* x, const void* y, void* out, uint64_t n, uint64_t,              \
        cudaStream_t stream)                                                                                   \
    {                                                                                                          \
        return n > INT_MAX ? cudaErrorInvalidValue : name##_of_int(temp, *bytes, x, y, out, (int)n, stream);   \
    }                                                                                                          \
    static cudaError_t name##_of_int(                                                                          \
        void* temp, size_t& bytes, const void* x, const void* y, void* out, int n, cudaStream_t stream)

#define ROWS(name)                                                                                             \
    static cudaError_t name##_of_rows(                                                                         \
        void* temp, size_t& bytes, const void* x, void* out, int64_t rows, int length, cudaStream_t stream);   \
    extern "C" int cub_##name(                                                                                 \
        void* temp, size_t* bytes, const void* x, const void*, void* out, uint64_t n, uint64_t rows,           \
        cudaStream_t stream)                                                                                   \
    {                                                                                                          \
        return name##_of_rows(temp, *bytes, x, out, (int64_t)rows, (int)(n / rows), stream);                   \
    }                                                                                                          \
    static cudaError_t name##_of_rows(                                                                         \
        void* temp, size_t& bytes, const void* x, void* out, int64_t rows, int length, cudaStream_t stream)
