#!/usr/bin/env bash
# On a machine with a GPU and the CUDA toolkit: what compute-sanitizer finds in the corpus of planted bugs.
#
#   REDUCEGEN_CORPUS_CUDA=FOLDER cargo test -p reduce-codegen --test corpus     where there is Rust: writes the programs
#   scripts/corpus-sanitizers.sh FOLDER [CLASS]…                                there: runs those of these classes, or all
#
# Prints a line for each program: its name, its class, and for each tool how many errors or hazards it reports;
# `stuck` is a program that does not end, `-` one that does not compile. The classes are those of
# reduce-codegen/tests/corpus.rs, and `correct`. JOBS programs run at a time, 8 if it is not set; of 48 on
# one GPU, some that end look `stuck`.
set -euo pipefail
cd "$1"
shift
export TOOLS="memcheck racecheck initcheck synccheck"

# Newer versions of initcheck watch shared memory too, where told so.
initcheck=
! compute-sanitizer --help | grep -q -e --initcheck-address-space || initcheck="--initcheck-address-space all"
export initcheck

# The number in front of `error` or `hazard` in the summary of a tool. A program that does not end says so
# after some seconds; the limit here is for one that cannot.
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
