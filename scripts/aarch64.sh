#!/usr/bin/env bash
# The tests that need neither a GPU nor NVRTC, on 64-bit Arm: the same bits as on x86-64.
#
#   scripts/aarch64.sh                    runs the golden bits and the host backend
#   scripts/aarch64.sh cargo …            runs any cargo command, for aarch64
#
# Builds with the pinned compiler and runs under qemu's user emulation. scripts/sysroot.sh builds the standard library for the target
# once. Needs Debian (apt) and root. Exits with 3 if Debian no longer has the source of that library.
set -euo pipefail
cd "$(dirname "$0")/.."
TOOLCHAIN=${TOOLCHAIN:-1.95.0}
ROOT=${AARCH64_ROOT:-$PWD/target/aarch64}
TARGET=aarch64-unknown-linux-gnu

packages() {
  # The cross linker, libc and qemu, from the machine's own Debian release.
  if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
      gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user >/dev/null
  fi
}

cross_cargo() {
  # The standard library that was built here has no bitcode for link-time optimisation. So each crate is one unit, in which loops
  # are inlined, except for tests: several units are built in parallel.
  env -u RUSTFLAGS -u RUSTDOCFLAGS CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS="${AARCH64_UNITS:-1}" \
    CARGO_BUILD_TARGET=$TARGET \
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS="--sysroot $SYSROOT ${AARCH64_RUSTFLAGS:-}" \
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTDOCFLAGS="--sysroot $SYSROOT" \
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -cpu ${AARCH64_CPU:-max} -L /usr/aarch64-linux-gnu" \
    cargo "+$TOOLCHAIN" "$@"
}

# The half-precision instructions are chosen at run time: a processor with them and one without, in turn from day to day, or
# both with REDUCEGEN_FULL=1. In the same way, the golden bits or the tests of the host.
tests() {
  local day processor processors=(max cortex-a53) suites=("-p reducegen --test golden_bits" "-p reduce-runtime --test host")
  day=$(($(date +%s) / 86400))
  [ -n "${REDUCEGEN_FULL:-}" ] || processors=("${processors[$((day % 2))]}") suites=("${suites[$((day / 2 % 2))]}")
  for processor in "${processors[@]}"; do
    for suite in "${suites[@]}"; do
      echo "aarch64, processor $processor, $suite"
      # Every operator on every type takes half an hour under an emulator; the golden bits cover all of them.
      # The loops over vectors take a minute to build for speed, which an emulator does not show.
      # shellcheck disable=SC2086 # Several words.
      AARCH64_UNITS=8 AARCH64_CPU=$processor cross_cargo --config 'profile.release.package.reduce-lanes.opt-level="s"' test --quiet --release --no-default-features $suite -- --skip every_operator_and_type
    done
  done
}

packages
# A library that is built for speed takes minutes longer, which an emulator does not show.
SYSROOT=$(CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=8 scripts/sysroot.sh "$ROOT" $TARGET std,panic_unwind,panic_abort,test,proc_macro)
case ${1:-tests} in
  tests) tests ;;
  cargo) shift; cross_cargo "$@" ;;
  *) sed -n 2,9p "$0"; exit 2 ;;
esac
