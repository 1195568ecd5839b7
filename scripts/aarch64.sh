#!/usr/bin/env bash
# The tests that need neither a GPU nor NVRTC, on 64-bit Arm: the same bits as on x86-64.
#
#   scripts/aarch64.sh                    runs the golden bits and the host backend
#   scripts/aarch64.sh cargo …            runs any cargo command, for aarch64
#
# Builds with the pinned compiler and runs under qemu's user emulation. The standard library for the target
# is built once from the source of exactly that compiler, which Debian packages. Nothing from another Debian
# release is installed. Needs Debian (apt) and root. Exits with 3 if Debian no longer has that source.
set -euo pipefail
cd "$(dirname "$0")/.."
TOOLCHAIN=${TOOLCHAIN:-1.95.0}
ROOT=${AARCH64_ROOT:-$PWD/target/aarch64}
SUITES=${AARCH64_SUITES:-"trixie-backports forky sid experimental"}
TARGET=aarch64-unknown-linux-gnu
LIBRARY=$ROOT/rust-$TOOLCHAIN/library
SYSROOT=$ROOT/rust-$TOOLCHAIN/sysroot

packages() {
  # 1. The cross linker, libc and qemu, from the machine's own Debian release.
  if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
      gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user >/dev/null
  fi
  # 2. The source of the standard library, in exactly the version of rustc, from Debian's rust-src (unpacked, not
  # installed).
  [ -f "$LIBRARY/.done" ] && return
  local apt=$ROOT/apt uri key v s deb
  mkdir -p "$apt"/{lists/partial,cache/archives/partial,parts}
  : >"$apt/status"; : >"$apt/sources.list"
  apt-get indextargets --format '$(REPO_URI)' | grep -q . || apt-get update -qq
  uri=$(apt-get indextargets --format '$(REPO_URI) $(COMPONENT)' | awk '$2=="main" && $1~/\/debian\/?$/{print $1; exit}')
  [ -n "$uri" ] || { echo "aarch64.sh: no Debian main archive in apt's sources" >&2; return 1; }
  key=/usr/share/keyrings/debian-archive-keyring.gpg
  cat >"$apt/apt.conf" <<A
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/parts";
Dir::Etc::preferencesparts "$apt/parts";
Dir::State "$apt";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Architectures "amd64";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
A
  v=
  for s in $SUITES; do
    echo "deb [arch=amd64 signed-by=$key] $uri $s main" >"$apt/sources.list"
    APT_CONFIG=$apt/apt.conf apt-get update -qq || continue
    v=$(APT_CONFIG=$apt/apt.conf apt-cache madison rust-src | awk -v t="$TOOLCHAIN" '{sub(/^ */,"",$3)} index($3,t"+")==1{print $3; exit}')
    [ -n "$v" ] && break
  done
  [ -n "$v" ] || { echo "aarch64.sh: no suite of ($SUITES) has rust-src $TOOLCHAIN" >&2; exit 3; }
  rm -rf "$LIBRARY" "$apt"/*.deb
  (cd "$apt" && APT_CONFIG=$apt/apt.conf apt-get download -qq "rust-src=$v")
  deb=$(echo "$apt"/rust-src_*.deb)
  mkdir -p "$ROOT/rust-$TOOLCHAIN"
  dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$ROOT/rust-$TOOLCHAIN" --strip-components=4 --exclude=./usr/src/*/library/vendor \
    "./usr/src/rustc-$TOOLCHAIN/library"
  rm -f "$deb"
  touch "$LIBRARY/.done"
}

# 3. The standard library for the target, built once with the same compiler into a private sysroot.
# RUSTC_BOOTSTRAP=1 (for -Zbuild-std) is set for this step alone: the program itself is built as stable.
sysroot() {
  [ -f "$SYSROOT/.done" ] && return
  local w=$ROOT/rust-$TOOLCHAIN/build host
  host=$(rustc "+$TOOLCHAIN" -vV | sed -n 's/^host: //p')
  rm -rf "$w" "$SYSROOT"; mkdir -p "$w/src" "$SYSROOT/lib/rustlib/$TARGET/lib"
  printf '[package]\nname = "sysroot_dummy"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n' >"$w/Cargo.toml"
  echo '#![no_std]' >"$w/src/lib.rs"
  (cd "$w" && unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS && RUSTC_BOOTSTRAP=1 __CARGO_TESTS_ONLY_SRC_ROOT="$LIBRARY" CARGO_TARGET_DIR="$w/target" \
    CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=8 cargo "+$TOOLCHAIN" build -q --release --target $TARGET -Zbuild-std=std,panic_unwind,panic_abort,test,proc_macro)
  find "$w/target/$TARGET/release/deps" -name '*.rlib' ! -name '*sysroot_dummy*' -exec cp -t "$SYSROOT/lib/rustlib/$TARGET/lib" {} +
  ln -s "$(rustc "+$TOOLCHAIN" --print sysroot)/lib/rustlib/$host" "$SYSROOT/lib/rustlib/$host"
  rm -rf "$w"
  touch "$SYSROOT/.done"
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
      # The loops over vectors take a minute to build for speed, which an emulator does not show.
      # Every operator on every type takes half an hour under an emulator; the golden bits cover all of them.
      # shellcheck disable=SC2086 # Several words.
      AARCH64_UNITS=8 AARCH64_CPU=$processor cross_cargo --config 'profile.release.package.reduce-lanes.opt-level="s"' test --quiet --release --no-default-features $suite -- --skip every_operator_and_type
    done
  done
}

packages
sysroot
case ${1:-tests} in
  tests) tests ;;
  cargo) shift; cross_cargo "$@" ;;
  *) sed -n 2,9p "$0"; exit 2 ;;
esac
