#!/usr/bin/env bash
# The cost of compiling `reduction!`: a crate of 50 different reductions (named operators, closures, structs, params)
# compared with the same crate without them, with cargo's default profiles and compiled dependencies.
#
#   scripts/compile-time.sh               median of 5 runs of cargo check and of cargo build (debug)
#   RUNS=9 scripts/compile-time.sh        median of 9 runs
set -euo pipefail
cd "$(dirname "$0")/.."
RUNS=${RUNS:-5}
crate=$(mktemp -d)
trap 'rm -rf "$crate"' EXIT
export CARGO_TARGET_DIR=$crate/target CARGO_INCREMENTAL=0 CARGO_TERM_COLOR=never

# Prints the reduction number $1.
reduction() {
  local i=$1 ops=(sum prod min max minmax argmin argmax any count_nonzero mean) types=(f32 f64 i32 u64 i64)
  case $((i % 5)) in
    0) echo "op: ${ops[i / 5]}, ty: ${types[i / 5 % 5]}" ;;
    1) echo "ty: f32, map: |x| (x - $i.0).abs() * 0.5, op: sum" ;;
    2) echo "ty: i64, map: |x| x * $i + 1, op: |a, b| if a > b { a } else { b }, identity: i64::MIN" ;;
    3) echo "ty: f64, params: { k: f64 }, map: |x| { let y = x * k; y * y + $i.0 }, op: sum, finish: |s| s.sqrt()" ;;
    4) echo "ty: f64, acc: Range { lo: f64, hi: f64 }, map: |x| Range { lo: x, hi: x + $i.0 }, op: |a, b| Range {" \
         "lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) }, identity: none, finish: |r| r.hi - r.lo" ;;
  esac
}

mkdir -p "$crate/src/bin"
cat >"$crate/Cargo.toml" <<TOML
[package]
name = "fifty"
edition = "2024"
[dependencies]
reducegen = { path = "$PWD", default-features = false }
[workspace]
TOML
{
  echo "fn main() {"
  for i in $(seq 0 49); do echo "    let _ = reducegen::reduction! { $(reduction "$i") }.spec();"; done
  echo "}"
} >"$crate/src/bin/fifty.rs"
# Uses the same functions of the library, so that both programs link to it.
echo 'fn main() { let _ = reducegen::Device::host().name(); }' >"$crate/src/bin/none.rs"
cp Cargo.lock "$crate"

# Prints the median seconds of a cargo command that rebuilds one of the two programs.
seconds() {
  local bin=$1 start
  shift
  for _ in $(seq "$RUNS"); do
    touch "$crate/src/bin/$bin.rs"
    start=$EPOCHREALTIME
    cargo "$@" --quiet --offline --manifest-path "$crate/Cargo.toml" --bin "$bin"
    echo "$start $EPOCHREALTIME" | awk '{ printf "%.2f\n", $2 - $1 }'
  done | sort -n | awk '{ s[NR] = $1 } END { print s[int((NR + 1) / 2)] }'
}

for command in check build; do
  cargo "$command" --quiet --offline --manifest-path "$crate/Cargo.toml"
  none=$(seconds none "$command")
  fifty=$(seconds fifty "$command")
  echo "$none $fifty" | awk -v command="$command" \
    '{ printf "cargo %s: %.2f s, %.2f s without the 50 reductions: %.0f ms for each\n", command, $2, $1, ($2 - $1) * 20 }'
done
