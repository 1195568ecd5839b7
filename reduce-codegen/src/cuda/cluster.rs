//! Clusters in C++: what CUDA's headers call `cooperative_groups`.

/// Which block this is.
pub(super) const RANK: &str = "
// The number of this block in its cluster.
__device__ __forceinline__ unsigned int cluster_rank()
{
    unsigned int rank;
    asm(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));
    return rank;
}
";

/// Whose shared memory is whose.
pub(super) const NEIGHBOUR: &str = "
// The same place in the shared memory of the block of that rank.
template <typename T> __device__ __forceinline__ T& of_block(T& here, unsigned int rank)
{
    T* there;
    asm(\"mapa.u64 %0, %1, %2;\" : \"=l\"(there) : \"l\"(&here), \"r\"(rank));
    return *there;
}
";
