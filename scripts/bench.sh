#!/usr/bin/env bash
# Compares every reduction with its peers on the GPU of this machine: CUB, PyTorch, torch.compile, and a kernel that only
# reads. Writes table.json, table.md and plots to $RESULTS, or .gpu/results. With --shapes: rows, columns and other shapes.
#
#   scripts/bench.sh [--shapes] [--quick] [--only REGEX] …  builds what is missing, then measures; --help lists the options
#   scripts/bench.sh --ragged [--only REGEX] …      times the peers for ragged segments and keys, without reducegen
#   scripts/bench.sh --build                        only builds, into .gpu/, for a machine without Rust or nvcc
#   scripts/bench.sh --render TABLE.json            prints the tables of docs/speed.md, from a run
#
# CUB is built by the nvcc on PATH or by one from Python wheels, for the GPU of this machine or for ARCH=90.
set -euo pipefail
cd "$(dirname "$0")/.."
# The NVRTC that CONTRIBUTING.md installs, unless another environment is active.
[ ! -d .cuda ] || export VIRTUAL_ENV="${VIRTUAL_ENV:-$PWD/.cuda}"
results=${RESULTS:-.gpu/results}
mkdir -p .gpu "$results"

# Puts nvcc on PATH if it is missing, with the flags that find its headers and libraries.
find_nvcc() {
  if command -v nvcc >/dev/null; then return; fi
  [ -d .cuda ] || python3 -m venv .cuda
  .cuda/bin/pip install --quiet --disable-pip-version-check nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 \
    nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.3.5.0.6
  toolkit=$(echo "$PWD"/.cuda/lib/python3*/site-packages/nvidia/cu13)
  PATH=$toolkit/bin:$PATH
  headers=(-I "$toolkit/include/cccl")
  libraries=(-L "$toolkit/lib")
}

# Identifies the sources of the library. Times would not do: they do not survive copies of the working tree.
sources_of_cub() { cat benches/peers/cub/* reduce-runtime/src/cuda/read_all.cu | sha256sum; }

cub_is_built() {
  [ -f .gpu/libcub.so ] && [ "$(sources_of_cub)" = "$(cat .gpu/libcub.sources)" ]
}

# One process for each file, because the templates take half a minute.
build_cub() {
  local headers=() libraries=() objects running=() source job
  find_nvcc
  objects=$(mktemp -d)
  for source in benches/peers/cub/*.cu; do
    nvcc -O3 -std=c++17 "-arch=${ARCH:+sm_}${ARCH:-native}" -Xcompiler -fPIC "${headers[@]}" \
      -c "$source" -o "$objects/$(basename "$source").o" &
    running+=($!)
  done
  for job in "${running[@]}"; do wait "$job" || return; done
  nvcc -shared "-arch=${ARCH:+sm_}${ARCH:-native}" "${libraries[@]}" "$objects"/*.o -o .gpu/libcub.so || return
  rm -r "$objects"
  sources_of_cub >.gpu/libcub.sources
}

build_peers() {
  command -v cargo >/dev/null || return 0
  local built
  built=$(cargo bench --no-run --bench peers --message-format=json | python3 -c 'import json,sys
for line in sys.stdin:
    it = json.loads(line)
    if it.get("executable") and it["target"]["name"] == "peers": print(it["executable"])')
  cp "$built" .gpu/peers
}

# The peers for ragged segments are Python and CUB.
[ "${1:-}" = --ragged ] || build_peers
if [ "${1:-}" = --render ]; then exec .gpu/peers --results "$results" "$@"; fi
if ! cub_is_built; then
  build_cub || echo "CUB was not built: the table goes without it" >&2
fi
if [ "${1:-}" = --build ]; then exit; fi
if [ "${1:-}" = --ragged ]; then
  shift
  python3 benches/ragged.py -o "$results/ragged.json" "$@" | tee "$results/ragged.md"
  exit
fi
.gpu/peers --cub .gpu/libcub.so --results "$results" "$@"
