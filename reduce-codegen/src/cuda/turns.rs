//! Turns of the lanes of a warp that have the same value, and sums over a block.

/// The functions that find the turn of a lane, and the number of turns.
pub(super) const FUNCTIONS: &str = "
// The number of lower lanes of the warp with the same value.
__device__ __forceinline__ unsigned int turn_of_lane(unsigned int value)
{
    unsigned int lower;
    asm(\"mov.u32 %0, %%lanemask_lt;\" : \"=r\"(lower));
    return __popc(__match_any_sync(0xffffffff, value) & lower);
}

// The number of turns of the warp, from the turns of its lanes.
__device__ __forceinline__ unsigned int turns_of_warp(unsigned int turn)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffff, turn) + 1;
#else
    for (unsigned int distance = 16; distance > 0; distance /= 2) {
        turn = max(turn, __shfl_xor_sync(0xffffffff, turn, distance));
    }
    return turn + 1;
#endif
}
";

/// The function that sums the values of lower threads.
pub(super) const SUM_BEFORE: &str = "
// The sum of the values of the lower threads of the block, and of all threads. All of them take part.
__device__ __forceinline__ unsigned int sum_before(unsigned int value, unsigned int* total)
{
    __shared__ unsigned int sums[32];
    const unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned int sum = value;
    for (unsigned int distance = 1; distance < 32; distance *= 2) {
        const unsigned int lower = __shfl_up_sync(0xffffffff, sum, distance);
        sum += lane < distance ? 0 : lower;
    }
    if (lane == 31) {
        sums[warp] = sum;
    }
    __syncthreads();
    unsigned int of_warps = lane < blockDim.x / 32 ? sums[lane] : 0;
    for (unsigned int distance = 1; distance < 32; distance *= 2) {
        const unsigned int lower = __shfl_up_sync(0xffffffff, of_warps, distance);
        of_warps += lane < distance ? 0 : lower;
    }
    const unsigned int before = __shfl_sync(0xffffffff, of_warps, (warp + 31) % 32);
    *total = __shfl_sync(0xffffffff, of_warps, 31);
    __syncthreads();
    return (warp == 0 ? 0 : before) + sum - value;
}
";
