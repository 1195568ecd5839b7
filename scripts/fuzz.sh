#!/usr/bin/env bash
# Runs every fuzz target on stable Rust for that many seconds each, and prints a table: scripts/fuzz.sh SECONDS [PROFILE]
# (`release`, or `dev` where the library is built already). A finding is written to fuzz-findings/, and makes the script fail.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?"usage: scripts/fuzz.sh SECONDS [PROFILE]"} profile=${2:-release}
folder=$([ "$profile" = dev ] && echo debug || echo "$profile")
cargo build --quiet -p fuzz --bins --profile "$profile"
failed=0
printf '| target | inputs | accepted | findings |\n|---|--:|--:|--:|\n'
for file in fuzz/fuzz_targets/*.rs; do
  name=$(basename "$file" .rs)
  code=0
  said=$("target/$folder/$name" --seconds "$seconds" 2>"fuzz-$name.log") || code=$?
  if [ "$code" -ne 0 ]; then
    failed=1
    printf '| %s | | | 1 |\n' "$name"
    grep -m 1 -A 3 'FINDING' "fuzz-$name.log" >&2 || cat "fuzz-$name.log" >&2
  else
    sed -E 's/ inputs| accepted| findings//g; s/^(.*)$/| \1 |/' <<<"$said"
  fi
  rm -f "fuzz-$name.log"
done
exit "$failed"
