#!/usr/bin/env bash
# Builds the wheel for Python, checks its size, and runs its tests in a new virtual environment. REDUCEGEN_SAMPLES=2000 runs more random cases.
set -euo pipefail
cd "$(dirname "$0")/.."
# In the target folder of the workspace, in which much is built already.
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TARGET_DIR
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cargo fmt --manifest-path reduce-python/Cargo.toml --check
python3 -m venv "$folder/environment"
pip=("$folder/environment/bin/pip" --quiet --disable-pip-version-check)
"${pip[@]}" install 'maturin==1.16.0' hypothesis ml_dtypes numpy pytest
(cd reduce-python && "$folder/environment/bin/maturin" build --release --out "$folder")
wheel=$(echo "$folder"/*.whl)
size=$(stat -c %s "$wheel")
echo "$(basename "$wheel"): $size bytes"
[ "$size" -lt 15000000 ]
[[ "$wheel" == *-cp310-abi3-* ]]
"${pip[@]}" install --no-deps "$wheel"
# Not in the folder of the sources, which would be imported instead of the wheel.
cp -r reduce-python/tests docs/guide/src/python.md "$folder"
cd "$folder"
environment/bin/python -m pytest -q -p no:cacheprovider tests
