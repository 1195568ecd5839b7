// The versions of CUB and nvcc.

#include <cub/version.cuh>

extern "C" int cub_version() { return CUB_VERSION; }

extern "C" int cub_compiler() { return __CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10; }
