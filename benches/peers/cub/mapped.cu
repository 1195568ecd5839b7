// Elements that go through a function first: squares, magnitudes, products, pairs.

#include "peer.cuh"

#include <cuda/std/functional>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/zip_function.h>

#include <cfloat>

struct square {
    __host__ __device__ float operator()(float x) const { return x * x; }
};

struct magnitude {
    __host__ __device__ float operator()(float x) const { return fabsf(x); }
};

struct is_number {
    __host__ __device__ unsigned operator()(float x) const { return x == x; }
};

struct both {
    __host__ __device__ float2 operator()(float x) const { return {x, x}; }
};

struct range {
    __host__ __device__ float2 operator()(float2 a, float2 b) const
    {
        return {fminf(a.x, b.x), fmaxf(a.y, b.y)};
    }
};

// An operator that CUB does not know.
struct larger {
    __host__ __device__ float operator()(float a, float b) const { return b > a ? b : a; }
};

PEER(sum_of_squares_f32)
{
    return cub::DeviceReduce::TransformReduce(
        temp, bytes, (const float*)x, (float*)out, n, cuda::std::plus<>{}, square{}, 0.0f, stream);
}

PEER(norm_inf_f32)
{
    return cub::DeviceReduce::TransformReduce(
        temp, bytes, (const float*)x, (float*)out, n, cuda::maximum<>{}, magnitude{}, 0.0f, stream);
}

PEER(dot_f32)
{
    auto pairs = thrust::make_zip_iterator((const float*)x, (const float*)y);
    auto product = thrust::make_zip_function(cuda::std::multiplies<float>{});
    return cub::DeviceReduce::TransformReduce(
        temp, bytes, pairs, (float*)out, n, cuda::std::plus<>{}, product, 0.0f, stream);
}

PEER(minmax_f32)
{
    return cub::DeviceReduce::TransformReduce(
        temp, bytes, (const float*)x, (float2*)out, n, range{}, both{}, float2{FLT_MAX, -FLT_MAX}, stream);
}

PEER(count_f32)
{
    return cub::DeviceReduce::TransformReduce(
        temp, bytes, (const float*)x, (unsigned*)out, n, cuda::std::plus<>{}, is_number{}, 0u, stream);
}

PEER(larger_f32)
{
    return cub::DeviceReduce::Reduce(temp, bytes, (const float*)x, (float*)out, n, larger{}, -FLT_MAX, stream);
}
