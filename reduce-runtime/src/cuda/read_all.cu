// Reads memory and does nothing with it: no reduction of the same bytes is faster.
//
// Each thread keeps LOADS loads of 16 bytes in flight, a block apart, and advances by the size of the grid. The loaded
// words are combined by exclusive or, and stored only for one improbable result. So the compiler can drop no load, and
// almost nothing is written.

#define THREADS 512
#define LOADS 8
#define TILE (THREADS * LOADS)

extern "C" __global__ __launch_bounds__(THREADS) void read_all(
    const uint4* x, unsigned long long units, unsigned int* sink)
{
    const unsigned long long step = gridDim.x * (unsigned long long)TILE;
    unsigned long long start = blockIdx.x * (unsigned long long)TILE;
    unsigned int folded = 0;
    for (; start + TILE <= units; start += step) {
        const uint4* from = x + start + threadIdx.x;
        uint4 loaded[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) loaded[k] = from[k * THREADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) folded ^= loaded[k].x ^ loaded[k].y ^ loaded[k].z ^ loaded[k].w;
    }
    // The last, partial tile.
    for (unsigned long long i = start + threadIdx.x; i < units; i += THREADS) {
        folded ^= x[i].x ^ x[i].y ^ x[i].z ^ x[i].w;
    }
    if (folded == 0x9e3779b9u) *sink = folded;
}
