// Argmax: the position of the largest element, then the element.

#include "peer.cuh"

#define ARGMAX(name, element)                                                                                  \
    PEER(argmax_##name)                                                                                        \
    {                                                                                                          \
        int64_t* position = (int64_t*)out;                                                                     \
        element* largest = (element*)(position + 1);                                                           \
        return cub::DeviceReduce::ArgMax(temp, bytes, (const element*)x, largest, position, n, stream);        \
    }

ARGMAX(f32, float)
ARGMAX(f64, double)
ARGMAX(i64, int64_t)
