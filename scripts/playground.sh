#!/usr/bin/env bash
# Builds the playground: the compiler and the interpreter as WebAssembly, and the page, into target/playground.
#
#   scripts/playground.sh         builds it
#   scripts/playground.sh size    also prints the compressed size, and fails above 3 MB
#
# scripts/sysroot.sh builds the standard library for wasm32 once; rust-lld comes with the compiler. Needs Debian (apt) and root. Exits
# with 3 if Debian no longer has the source of that library.
set -euo pipefail
cd "$(dirname "$0")/.."
TARGET=wasm32-unknown-unknown
OUT=${PLAYGROUND_OUT:-$PWD/target/playground}
ROOT=${PLAYGROUND_ROOT:-$PWD/target/wasm}
SYSROOT=$(scripts/sysroot.sh "$ROOT" $TARGET std,panic_abort)
# The stack holds the parser, which may recurse over each token.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="--sysroot $SYSROOT -C linker=rust-lld -C link-arg=-zstack-size=33554432"
env -u RUSTFLAGS CARGO_PROFILE_RELEASE_LTO=off cargo build --quiet --release --target $TARGET -p reduce-playground
mkdir -p "$OUT"
cp playground/web/* reduce-report/viewer/* "$OUT"
cp "${CARGO_TARGET_DIR:-target}/$TARGET/release/reduce_playground.wasm" "$OUT"
if [ "${1:-}" = size ]; then
  size=$(tar -C "$OUT" -c . | gzip -9 | wc -c)
  echo "$size bytes compressed"
  [ "$size" -lt 3000000 ]
fi
