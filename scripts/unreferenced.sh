#!/usr/bin/env bash
# Fails if a snapshot is left that no test asserts: runs the tests that have snapshots, and compares.
set -euo pipefail
cd "$(dirname "$0")/.."
list=$(mktemp)
INSTA_SNAPSHOT_REFERENCES_FILE=$list cargo test --workspace --quiet >/dev/null
kept=$(git ls-files '*.snap' | sort)
asserted=$(sed "s|^$PWD/||" "$list" | sort -u)
unreferenced=$(comm -23 <(echo "$kept") <(echo "$asserted"))
rm "$list"
[ -z "$unreferenced" ] || { echo "no test asserts these snapshots:"; echo "$unreferenced"; exit 1; }
echo "$(echo "$kept" | wc -l) snapshots, all asserted"
