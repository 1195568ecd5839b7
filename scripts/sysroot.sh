#!/usr/bin/env bash
# Builds the standard library for a target, from the source of exactly the pinned compiler, and prints the folder.
#
#   scripts/sysroot.sh FOLDER TARGET CRATES      as in scripts/sysroot.sh target/wasm wasm32-unknown-unknown std,panic_abort
#
# Debian packages the source. Nothing from another Debian release is installed. Needs Debian (apt) and root. Exits with 3 if Debian
# no longer has that source.
set -euo pipefail
cd "$(dirname "$0")/.."
TOOLCHAIN=${TOOLCHAIN:-1.95.0}
SUITES=${AARCH64_SUITES:-"trixie-backports forky sid experimental"}
ROOT=$1 TARGET=$2 CRATES=$3
LIBRARY=$ROOT/rust-$TOOLCHAIN/library
SYSROOT=$ROOT/rust-$TOOLCHAIN/sysroot

# The source of the standard library, in exactly the version of rustc, from Debian's rust-src (unpacked, not installed).
source_of_library() {
  [ -f "$LIBRARY/.done" ] && return
  local apt=$ROOT/apt uri key v s deb
  mkdir -p "$apt"/{lists/partial,cache/archives/partial,parts}
  : >"$apt/status"; : >"$apt/sources.list"
  apt-get indextargets --format '$(REPO_URI)' | grep -q . || apt-get update -qq
  uri=$(apt-get indextargets --format '$(REPO_URI) $(COMPONENT)' | awk '$2=="main" && $1~/\/debian\/?$/{print $1; exit}')
  [ -n "$uri" ] || { echo "sysroot.sh: no Debian main archive in apt's sources" >&2; return 1; }
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
  [ -n "$v" ] || { echo "sysroot.sh: no suite of ($SUITES) has rust-src $TOOLCHAIN" >&2; exit 3; }
  rm -rf "$LIBRARY" "$apt"/*.deb
  (cd "$apt" && APT_CONFIG=$apt/apt.conf apt-get download -qq "rust-src=$v")
  deb=$(echo "$apt"/rust-src_*.deb)
  mkdir -p "$ROOT/rust-$TOOLCHAIN"
  dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$ROOT/rust-$TOOLCHAIN" --strip-components=4 --exclude=./usr/src/*/library/vendor \
    "./usr/src/rustc-$TOOLCHAIN/library"
  rm -f "$deb"
  touch "$LIBRARY/.done"
}

# The standard library for the target, built once with the same compiler into a private sysroot.
# RUSTC_BOOTSTRAP=1 (for -Zbuild-std) is set for this step alone: the program itself is built as stable.
sysroot() {
  [ -f "$SYSROOT/.done" ] && return
  local w=$ROOT/rust-$TOOLCHAIN/build host
  host=$(rustc "+$TOOLCHAIN" -vV | sed -n 's/^host: //p')
  rm -rf "$w" "$SYSROOT"; mkdir -p "$w/src" "$SYSROOT/lib/rustlib/$TARGET/lib"
  printf '[package]\nname = "sysroot_dummy"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n' >"$w/Cargo.toml"
  echo '#![no_std]' >"$w/src/lib.rs"
  (cd "$w" && unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS && RUSTC_BOOTSTRAP=1 __CARGO_TESTS_ONLY_SRC_ROOT="$LIBRARY" CARGO_TARGET_DIR="$w/target" \
    cargo "+$TOOLCHAIN" build -q --release --target $TARGET -Zbuild-std="$CRATES")
  find "$w/target/$TARGET/release/deps" -name '*.rlib' ! -name '*sysroot_dummy*' -exec cp -t "$SYSROOT/lib/rustlib/$TARGET/lib" {} +
  ln -s "$(rustc "+$TOOLCHAIN" --print sysroot)/lib/rustlib/$host" "$SYSROOT/lib/rustlib/$host"
  rm -rf "$w"
  touch "$SYSROOT/.done"
}

source_of_library
sysroot >&2
echo "$SYSROOT"
