#!/usr/bin/env bash
# Fails if a snapshot is left that no test asserts. The argument is the file to which insta wrote the asserted snapshots:
# INSTA_SNAPSHOT_REFERENCES_FILE=FILE cargo test --workspace
set -euo pipefail
cd "$(dirname "$0")/.."
kept=$(git ls-files '*.snap' | sort)
asserted=$(realpath --relative-to=. $(cat "$1") | sort -u)
unreferenced=$(comm -23 <(echo "$kept") <(echo "$asserted"))
[ -z "$unreferenced" ] || { echo "no test asserts these snapshots:"; echo "$unreferenced"; exit 1; }
echo "$(echo "$kept" | wc -l) snapshots, all asserted"
