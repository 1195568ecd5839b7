// Rows: segments of one length, which CUB reduces since CCCL 3.2.

#include "peer.cuh"
#include "statistics.cuh"

#if CUB_VERSION >= 300200

#include <cuda/std/functional>
#include <cuda/std/utility>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/iterator/transform_iterator.h>

using cub::DeviceSegmentedReduce;

ROWS(rows_sum_f32)
{
    return DeviceSegmentedReduce::Sum(temp, bytes, (const float*)x, (float*)out, rows, length, stream);
}

// Totals wider than the elements, as in sum.cu.
#define SUM_OF_NARROW(name, element, total)                                                                    \
    ROWS(rows_sum_##name)                                                                                      \
    {                                                                                                          \
        return DeviceSegmentedReduce::Reduce(temp, bytes, (const element*)x, (total*)out, rows, length,        \
            cuda::std::plus<total>{}, total(0), stream);                                                       \
    }

SUM_OF_NARROW(f16, __half, float)
SUM_OF_NARROW(bf16, __nv_bfloat16, float)
SUM_OF_NARROW(i8, int8_t, int32_t)

ROWS(rows_argmax_f32)
{
    auto pairs = (cuda::std::pair<int, float>*)out;
    return DeviceSegmentedReduce::ArgMax(temp, bytes, (const float*)x, pairs, rows, length, stream);
}

ROWS(rows_var_f32)
{
    auto elements = thrust::make_transform_iterator((const float*)x, moments_of_one{});
    return DeviceSegmentedReduce::Reduce(temp, bytes, elements, (moments*)out, rows, length, merge_moments{},
        moments{0.0f, 0.0f, 0}, stream);
}

ROWS(rows_logsumexp_f32)
{
    auto elements = thrust::make_transform_iterator((const float*)x, scaled_of_one{});
    return DeviceSegmentedReduce::Reduce(temp, bytes, elements, (scaled*)out, rows, length, merge_scaled{},
        scaled{-FLT_MAX, 0.0f}, stream);
}

#endif
