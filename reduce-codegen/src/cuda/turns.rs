//! Turns of the lanes of a warp that have the same value.

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
