// The largest and the smallest element.

#include "peer.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define EXTREME(name, function, element)                                                                       \
    PEER(name)                                                                                                 \
    {                                                                                                          \
        return cub::DeviceReduce::function(temp, bytes, (const element*)x, (element*)out, n, stream);          \
    }

EXTREME(max_f32, Max, float)
EXTREME(min_f32, Min, float)
EXTREME(max_f64, Max, double)
EXTREME(max_f16, Max, __half)
EXTREME(max_bf16, Max, __nv_bfloat16)
EXTREME(max_i8, Max, int8_t)
EXTREME(max_u8, Max, uint8_t)
EXTREME(max_i64, Max, int64_t)
