//! Clusters in C++. CUDA's headers have the same in `cooperative_groups`.

/// The function for the rank of a block.
pub(super) const RANK: &str = "
// The number of this block in its cluster.
__device__ __forceinline__ unsigned int cluster_rank()
{
    unsigned int rank;
    asm(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));
    return rank;
}
";

/// The function for the shared memory of another block.
pub(super) const NEIGHBOUR: &str = "
// The same place in the shared memory of the block of that rank.
template <typename T> __device__ __forceinline__ T& of_block(T& here, unsigned int rank)
{
    T* there;
    asm(\"mapa.u64 %0, %1, %2;\" : \"=l\"(there) : \"l\"(&here), \"r\"(rank));
    return *there;
}
";
