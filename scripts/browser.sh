#!/usr/bin/env bash
# The tests of the report and the playground in Chromium. Needs Debian's chromium and Node.js with npm.
#
#   scripts/browser.sh               runs them with the command of the debug build, and with the playground of scripts/playground.sh
#   scripts/browser.sh FOLDER        also keeps a screenshot of each page in the folder
set -euo pipefail
cd "$(dirname "$0")/.."
TARGET=${CARGO_TARGET_DIR:-$PWD/target}
REDUCEGEN=${REDUCEGEN:-$TARGET/debug/reducegen}
PLAYGROUND=${PLAYGROUND_OUT:-$PWD/target/playground}
SHOTS=${1:+$(realpath "$1")}
if ! command -v "${CHROMIUM:-chromium}" >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null
fi
# The packages lie where no other test looks for files.
WORK=$TARGET/browser
mkdir -p "$WORK"
cp tests/browser/* "$WORK"
(cd "$WORK" && npm ci --silent --no-audit --no-fund)
timeout 300 node "$WORK/report.mjs" "$REDUCEGEN" ${SHOTS:+"$SHOTS"}
timeout 120 node "$WORK/playground.mjs" "$REDUCEGEN" "$PLAYGROUND" ${SHOTS:+"$SHOTS"}
