// Sums of every type; narrow types are added in 32 bits.

#include "peer.cuh"

#include <cuda/std/functional>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define SUM(name, element, total)                                                                              \
    PEER(sum_##name)                                                                                           \
    {                                                                                                          \
        return cub::DeviceReduce::Sum(temp, bytes, (const element*)x, (total*)out, n, stream);                 \
    }

// `cub::DeviceReduce::Sum` does not accept an output wider than these.
#define SUM_OF_HALVES(name, element)                                                                           \
    PEER(sum_##name)                                                                                           \
    {                                                                                                          \
        return cub::DeviceReduce::Reduce(                                                                      \
            temp, bytes, (const element*)x, (float*)out, n, cuda::std::plus<float>{}, 0.0f, stream);           \
    }

SUM(f32, float, float)
SUM(f64, double, double)
SUM_OF_HALVES(f16, __half)
SUM_OF_HALVES(bf16, __nv_bfloat16)
SUM(i8, int8_t, int32_t)
SUM(u8, uint8_t, uint32_t)
SUM(i64, int64_t, int64_t)
