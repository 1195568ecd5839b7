#!/usr/bin/env bash
# Builds everything that a GPU machine without Rust needs, into .gpu/. Run scripts/gpu-run.sh on that machine afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."
# CUB takes a minute to build, and changes only with its own sources.
find .gpu -mindepth 1 ! -name 'libcub.*' -delete 2>/dev/null || true
mkdir -p .gpu/corpus

# Prints the path of the executable of a test, from cargo's messages.
test_binary() {
  cargo test --release --no-run --message-format=json --test "$1" 2>/dev/null |
    python3 -c 'import json,sys
for line in sys.stdin:
    it = json.loads(line)
    if it.get("executable") and "test" in it["target"]["kind"]: print(it["executable"])'
}

cargo build --release
cp target/release/reducegen .gpu/
cp "$(test_binary gpu)" .gpu/gpu
ARCH=${ARCH:-90} scripts/bench.sh --build
scripts/overhead.sh --build
REDUCEGEN_CORPUS_CUDA="$PWD/.gpu/corpus" \
  cargo test -p reduce-codegen corpus:: -- --exact corpus::kernels_print_as_cuda_programs
strip .gpu/reducegen .gpu/gpu .gpu/peers
du -sh .gpu
