#!/usr/bin/env bash
# The planted bugs of the corpus that compute-sanitizer finds. Needs a GPU and the CUDA toolkit.
#
#   REDUCEGEN_CORPUS_CUDA=FOLDER cargo test -p reduce-codegen corpus::     writes the programs, on a machine with Rust
#   scripts/corpus-sanitizers.sh FOLDER [CLASS]…                                runs the programs of these classes, or all
#
# Prints a line for each program: its name, its class, and the number of errors or hazards that each tool reports. `stuck`
# is a program that does not end, `-` a program that does not compile. The classes are those of
# reduce-codegen/tests/corpus.rs, and `correct`. JOBS programs run at a time, by default 8. With 48 at a time on one GPU,
# some programs that end look `stuck`.
set -euo pipefail
cd "$1"
shift
export TOOLS="memcheck racecheck initcheck synccheck"

# Newer versions of initcheck watch shared memory too, with an option.
initcheck=
! compute-sanitizer --help | grep -q -e --initcheck-address-space || initcheck="--initcheck-address-space all"
export initcheck

# Prints the number before `error` or `hazard` in the summary of a tool. A program that does not end reports `stuck` after
# some seconds; the limit here is for programs that cannot.
findings() {
  local out options=
  [ "$1" != initcheck ] || options=$initcheck
  # shellcheck disable=SC2086  # the options are words
  out=$(timeout -k 1 60 compute-sanitizer --tool "$1" $options "./$2" 2>&1) || [ $? -lt 124 ] || out=stuck
  if grep -q '^stuck$' <<<"$out"; then
    echo stuck
  else
    sed -nE 's/.*SUMMARY: ([0-9]+) (error|hazard).*/\1/p' <<<"$out" | head -n 1
  fi
}

program() {
  local name=$1 class=$2 line tool
  line="$name	$class"
  nvcc -lineinfo -std=c++17 -arch=native -o "$name.bin" "$name.cu" 2>/dev/null || line+="	-"
  for tool in $TOOLS; do
    [ ! -x "$name.bin" ] || line+="	$(findings "$tool" "$name.bin")"
  done
  echo "$line"
}
export -f findings program

echo "name	class	${TOOLS// /	}"
wanted="^($(IFS='|'; echo "${*:-.*}"))$"
awk -F '\t' -v wanted="$wanted" '$2 ~ wanted { print $1; print $2 }' list.tsv |
  xargs -P "${JOBS:-8}" -n 2 bash -c 'program "$0" "$1"'
