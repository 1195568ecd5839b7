#!/usr/bin/env bash
# Builds and runs an application that selects cudarc's version of CUDA by itself (tests/downstream). Then checks it with
# other selections: no version, the oldest and the newest version, and candle's.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
if command -v rustup >/dev/null; then
  RUSTUP_TOOLCHAIN=$(rustup show active-toolchain | cut -d ' ' -f 1)
  export RUSTUP_TOOLCHAIN
fi
# The versions of the workspace; cargo leaves out the packages that the application does not need.
cp Cargo.lock tests/downstream/
unset CUDARC_CUDA_VERSION
# Applications are outside of the repository, where its .cargo/config.toml does not apply.
cd /

application() {
  local command=$1
  shift
  cargo "$command" --quiet --offline --manifest-path "$root/tests/downstream/Cargo.toml" "$@"
}

said=$(application run)
echo "$said"
grep -q '^cudarc is built for CUDA 12080$' <<<"$said"
grep -q '^host: 500500$' <<<"$said"
grep -q -E '^(cuda: 500500|no cuda: .+)$' <<<"$said"

# Always with a feature: without one, cudarc would be the workspace's variant, which the workspace would then build again.
for features in dynamic-loading cuda-11080 cuda-12000,dynamic-loading cuda-13000 cuda-13040,dynamic-loading cuda-12080,dynamic-linking; do
  application check --no-default-features --features "$features"
  echo "checked with $features"
done
# candle leaves the version to `nvcc`, which is missing here.
CUDARC_CUDA_VERSION=12080 application check --no-default-features --features dynamic-linking
echo "checked with candle's selection"
