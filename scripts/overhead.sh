#!/usr/bin/env bash
# The host's time of a call, and the time of the first call in a new process: a table of microseconds for reducegen, plain
# CUDA and CuPy. Needs a GPU. Missing parts (Rust without .gpu/overhead, nvcc, CuPy) are named and left out.
#
#   scripts/overhead.sh             prints the table, and writes it to $RESULTS/overhead.md (by default in .gpu/results)
#   scripts/overhead.sh --build     only builds .gpu/overhead, for scripts/gpu-bundle.sh
set -euo pipefail
cd "$(dirname "$0")/.."
# The NVRTC that CONTRIBUTING.md installs, unless another environment is active.
[ ! -d .cuda ] || export VIRTUAL_ENV="${VIRTUAL_ENV:-$PWD/.cuda}"
results=${RESULTS:-.gpu/results}
mkdir -p .gpu "$results"

build() {
  local binary
  binary=$(cargo bench --no-run --message-format=json --bench overhead 2>/dev/null | python3 -c 'import json,sys
for line in sys.stdin:
    it = json.loads(line)
    if it.get("executable") and it["target"]["name"] == "overhead": print(it["executable"])')
  cp "$binary" .gpu/overhead
  strip .gpu/overhead
}

if [ "${1:-}" = --build ]; then build; exit; fi
if [ ! -x .gpu/overhead ] && command -v cargo >/dev/null; then build; fi

lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
# Runs a program and stores its lines, each with the name of the program.
of() {
  local who=$1
  shift
  echo "== $who" >&2
  "$@" | grep "$(printf '\t')" | sed "s/^/$who\t/" | tee -a "$lines" >&2 || echo "$who: left out" >&2
}

of reducegen .gpu/overhead
if command -v nvcc >/dev/null; then
  nvcc -O3 -std=c++17 -arch=native benches/overhead.cu -o .gpu/overhead-cuda
  of CUDA .gpu/overhead-cuda
else
  echo "CUDA: left out, there is no nvcc" >&2
fi
of CuPy python3 benches/overhead.py

{
  echo "Microseconds; $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1 || true)"
  echo
  awk -F '\t' '
    { key = $2; sub(/ \(.*\)$/, "", key); who = $1; name = substr($2, length(key) + 1); gsub(/[ ()]/, "", name)
      column = name == "" ? who : who " " name
      if (!(key in rows)) { rows[key] = 1; order[++count] = key }
      if (!(column in columns)) { columns[column] = 1; heads[++wide] = column }
      cell[key, column] = $3 }
    END {
      line = "| |"; rule = "|---|"
      for (c = 1; c <= wide; c++) { line = line " " heads[c] " |"; rule = rule "---:|" }
      print line; print rule
      for (r = 1; r <= count; r++) {
        line = "| " order[r] " |"
        for (c = 1; c <= wide; c++) line = line " " ((order[r], heads[c]) in cell ? cell[order[r], heads[c]] : "–") " |"
        print line
      }
    }' "$lines"
} | tee "$results/overhead.md"
