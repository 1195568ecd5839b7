#!/usr/bin/env bash
# Runs steps on a machine with a GPU and the CUDA toolkit, after scripts/gpu-bundle.sh built .gpu/ (here or elsewhere).
# Needs no Rust.
#
#   scripts/gpu-run.sh [STEP]…          runs all steps by default; results go to $RESULTS, or .gpu/results
#
#   tests        every reduction and every rung of the ladder: the bits of the host, and plausible times
#   numeric      the golden bits, and the number of different bits in 80,000 random combinations on GPU, host and interpreter
#   sanitizers   some of them under the four tools of compute-sanitizer, and the soundness tests under memcheck
#   ladder       the times of the twenty rungs, for the sizes of the published ones
#   ncu          the interpreter's counts, compared with a profiler's
#   corpus       the planted bugs that compute-sanitizer finds, of those that the interpreter finds
#   bench        every reduction compared with CUB, PyTorch and torch.compile: tables and plots (scripts/bench.sh)
#   overhead     the cost of calls and processes, compared with plain CUDA and CuPy: a table (scripts/overhead.sh)
set -euo pipefail
cd "$(dirname "$0")/.."
# The NVRTC that CONTRIBUTING.md installs, unless another environment is active.
[ ! -d .cuda ] || export VIRTUAL_ENV="${VIRTUAL_ENV:-$PWD/.cuda}"
export REDUCEGEN_REQUIRE_GPU=1
results=${RESULTS:-.gpu/results}
mkdir -p "$results"
[ -x .gpu/gpu ] || { echo "there is no .gpu/gpu: scripts/gpu-bundle.sh builds it" >&2; exit 2; }
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(tests numeric sanitizers ladder ncu corpus bench overhead)

tests() {
  .gpu/gpu
}

numeric() {
  REDUCEGEN_FULL=1 .gpu/gpu numeric:: --nocapture --test-threads 1 | tee "$results/numeric.txt"
}

# The tools run in parallel: each compiles the same kernels on one core.
sanitizers() {
  local tool failed=0 tools=(memcheck racecheck initcheck synccheck)
  declare -A running
  for tool in "${tools[@]}"; do
    compute-sanitizer --tool "$tool" --error-exitcode 9 .gpu/gpu --exact sanitized ladder::sanitized cut_graphs::sanitized \
      --test-threads 1 >"$results/$tool.log" 2>&1 &
    running[$tool]=$!
  done
  compute-sanitizer --tool memcheck --error-exitcode 9 .gpu/gpu soundness:: --test-threads 1 >"$results/soundness.log" 2>&1 &
  running[soundness]=$!
  for tool in "${tools[@]}" soundness; do
    wait "${running[$tool]}" || failed=$?
    echo "== $tool"
    tail -n 4 "$results/$tool.log"
  done
  return "$failed"
}

# The sizes of sources B and E in docs/ladder.md.
ladder() {
  local n
  for n in 25600000 4194304; do
    .gpu/reducegen ladder --n "$n" --block 256 --device cuda --json >"$results/ladder-$n.json"
    .gpu/reducegen ladder --n "$n" --block 256 --device cuda | tee "$results/ladder-$n.txt"
  done
}

ncu() {
  scripts/ncu.sh "$results"
}

corpus() {
  JOBS=$(nproc) scripts/corpus-sanitizers.sh .gpu/corpus | tee "$results/corpus.tsv"
}

bench() {
  RESULTS=$results scripts/bench.sh
}

overhead() {
  RESULTS=$results scripts/overhead.sh
}

# A failing step does not prevent the others from running; `set -e` holds inside each.
failed=()
for step in "${steps[@]}"; do
  echo "== $step ($SECONDS s)"
  set +e
  (set -e; "$step")
  status=$?
  set -e
  [ "$status" -eq 0 ] || failed+=("$step")
done
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
