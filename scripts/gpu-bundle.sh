#!/usr/bin/env bash
# Builds everything that a GPU machine without Rust needs, into .gpu/. Then, on that machine, scripts/gpu-run.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
# CUB takes a minute to build, and changes with its own sources only.
find .gpu -mindepth 1 ! -name 'libcub.*' -delete 2>/dev/null || true
mkdir -p .gpu/corpus

# The executable of a test, as cargo names it in its messages.
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
  cargo test -p reduce-codegen --test corpus -- --exact kernels_print_as_cuda_programs
strip .gpu/reducegen .gpu/gpu .gpu/peers
du -sh .gpu
