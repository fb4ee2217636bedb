#!/usr/bin/env bash
# The Python SDK: generated code, lint, types, tests, packages, the scenarios of all SDKs and generated workflows
# against the real binary. Usage: scripts/test-python.sh [BINARY]; TRUNKLINE_PROGRAMS says how many workflows (200).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

binary=$(realpath "${1:-target/debug/trunkline}")
python=${PYTHON:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
part() { printf '\n--> %s (after %d s)\n' "$1" "$SECONDS"; }

if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'; then
    echo "SKIPPED: Python 3.10 or later with venv is needed (Debian: python3-venv)"
    exit 0
fi

part "tools"
"$python" -m venv "$scratch/venv"
bin=$scratch/venv/bin
# What judges, and what generates, has a version: a later one has other rules.
"$bin/pip" install --quiet --disable-pip-version-check "ruff==0.17.6" "mypy==2.4.1" "pytest>=8" "build>=1.2" "hatchling>=1.21" "pydantic>=2" \
    grpcio "grpcio-tools==1.85.1" protobuf "opentelemetry-sdk>=1.20"
export TRUNKLINE_BINARY=$binary PYTHONDONTWRITEBYTECODE=1

part "generated code, lint, types"
sdk=sdks/python
"$bin/python" $sdk/tools/generate.py --check
"$bin/python" $sdk/tools/reference.py --check
"$bin/python" sdks/codegen/contract.py --check
(cd $sdk && "$bin/ruff" check --quiet --no-cache . && "$bin/ruff" format --quiet --check --no-cache src tests conformance tools)
"$bin/ruff" check --quiet --no-cache --config $sdk/pyproject.toml --ignore D sdks/conformance examples/order-saga
(cd $sdk && "$bin/mypy" --cache-dir "$scratch/mypy")
(cd sdks/conformance && MYPYPATH=../../chaos "$bin/mypy" --cache-dir "$scratch/mypy-conformance" --strict --config-file= ./*.py)

part "packages"
cp -r $sdk "$scratch/sdk"
"$bin/python" -m build --no-isolation --outdir "$scratch/dist" "$scratch/sdk" >"$scratch/build.log" 2>&1 || { cat "$scratch/build.log"; exit 1; }
# Without pip of their own: making that takes longer than all of the rest.
for package in "$scratch"/dist/*.whl "$scratch"/dist/*.tar.gz; do
    "$python" -m venv --without-pip "$scratch/clean"
    "$bin/pip" --python "$scratch/clean/bin/python" install --quiet --disable-pip-version-check "$package"
    (cd "$scratch" && clean/bin/python -c "import pathlib, trunkline, trunkline.testing
assert pathlib.Path(trunkline.__file__).with_name('py.typed').exists()" && clean/bin/python -m trunkline --help >/dev/null)
    test "$("$bin/pip" --python "$scratch/clean/bin/python" list --format=freeze --disable-pip-version-check)" = "trunkline==0.1.0"
    rm -rf "$scratch/clean"
done
"$bin/pip" install --quiet --disable-pip-version-check "$scratch"/dist/*.whl

part "tests, and workflows on the binary"
(cd $sdk && "$bin/python" -m pytest --quiet -p no:cacheprovider tests)
(cd examples/order-saga && "$bin/python" -m pytest --quiet -p no:cacheprovider && "$bin/python" demo.py >"$scratch/demo.log" 2>&1) \
    || { tail -40 "$scratch/demo.log"; exit 1; }

part "scenarios of all SDKs"
"$bin/python" examples/video-pipeline/workers/check.py "$binary" "$bin/python" "$PWD/examples/video-pipeline/workers/python_worker.py"
for transport in rest grpc; do
    "$bin/python" sdks/conformance/run.py --binary "$binary" --transport $transport --driver "$bin/python $sdk/conformance/driver.py"
done

part "the same bytes with every Python that is here"
scripts/python-bytes.sh "$bin/python"
part "done"
