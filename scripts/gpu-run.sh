#!/usr/bin/env bash
# On a machine with a GPU and the CUDA toolkit, after scripts/gpu-bundle.sh built .gpu/ (here or elsewhere):
# the GPU tests, the sanitizers, and the benchmark beside CUB. Needs no Rust.
#
#   scripts/gpu-run.sh [tests|sanitizers|bench]…         all three by default
set -euo pipefail
cd "$(dirname "$0")/.."
export REDUCEGEN_REQUIRE_GPU=1
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(tests sanitizers bench)

tests() {
  .gpu/gpu
}

sanitizers() {
  local tool
  for tool in memcheck racecheck initcheck synccheck; do
    echo "== $tool"
    compute-sanitizer --tool "$tool" --error-exitcode 9 .gpu/gpu --exact sanitized
  done
}

bench() {
  nvcc -O3 -std=c++17 -arch=native benches/beside_cub.cu -lnvrtc -lcuda -o .gpu/beside_cub
  .gpu/beside_cub 28 .gpu/kernels/*.cu
}

for step in "${steps[@]}"; do "$step"; done
