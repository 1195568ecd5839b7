#!/usr/bin/env bash
# Runs every fuzz target on stable Rust for SECONDS each, and prints a table: scripts/fuzz.sh SECONDS
# The development profile optimises the library and finds overflows. A finding is written to fuzz-findings/, and the script
# fails. To run a file again: target/debug/NAME FILE.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?"usage: scripts/fuzz.sh SECONDS"}
cargo build --quiet -p fuzz --bins
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
printf '| target | inputs | accepted | findings |\n|---|--:|--:|--:|\n'
for file in fuzz/fuzz_targets/*.rs; do
  name=$(basename "$file" .rs)
  code=0
  said=$("target/debug/$name" --seconds "$seconds" 2>"$log") || code=$?
  case $code in
    0) sed -E 's/ inputs| accepted| findings//g; s/.*/| & |/' <<<"$said" ;;
    3) printf '| %s | skipped | | |\n' "$name" ;;
    *) failed=1 && printf '| %s | | | 1 |\n' "$name" ;;
  esac
  cat "$log" >&2
done
exit "$failed"
