#!/usr/bin/env bash
# Compares the interpreter's counts with the counters of a GPU, launch by launch, after scripts/gpu-bundle.sh built .gpu/
# (here or elsewhere). Needs ncu and python3, no Rust.
#
#   scripts/ncu.sh [FOLDER]      writes the measurements and table.md to FOLDER, or .gpu/ncu; prints the differences
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-.gpu/ncu}
mkdir -p "$folder"
export REDUCEGEN_REQUIRE_GPU=1 REDUCEGEN_COUNTS="$folder/counts.tsv"

ncu --csv --print-units base --clock-control none --kernel-name regex:^reduce_ \
  --metrics "$(python3 scripts/ncu.py metrics)" --log-file "$folder/counters.csv" \
  .gpu/gpu --exact counted::launches --test-threads 1
python3 scripts/ncu.py table "$folder" >"$folder/table.md" || differs=1
grep -v '| yes |$' "$folder/table.md"
exit "${differs:-0}"
