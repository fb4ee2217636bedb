#!/usr/bin/env bash
# Jobs through the workers of all five SDKs at once, over both transports, while workers and the server are killed: none is lost,
# and none is settled twice. It uses what the tests of the SDKs have built, and builds what is missing.
# Usage: scripts/test-soak.sh [BINARY] [JOBS]; SEED repeats a run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

binary=$(realpath "${1:-target/debug/trunkline}")
jobs=${2:-5000}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
drivers=()
skip() { echo "SKIPPED  $1 in the soak: $2"; }

(cd sdks/conformance && PYTHONDONTWRITEBYTECODE=1 python3 -m unittest -q test_history test_refusals)

if python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'; then
    python3 -m venv "$scratch/venv"
    "$scratch/venv/bin/pip" install --quiet --disable-pip-version-check grpcio protobuf
    drivers+=(--driver "python=$scratch/venv/bin/python $PWD/sdks/python/conformance/driver.py")
else
    skip Python "it needs Python 3.10 or later with venv"
fi

if command -v npm >/dev/null && [[ "$(node --version | sed -E 's/^v([0-9]+).*/\1/')" -ge 20 ]]; then
    (cd sdks/typescript && { [[ -d node_modules ]] || npm ci --no-audit --no-fund --ignore-scripts --loglevel=error; } && npm run build --silent)
    drivers+=(--driver "typescript=node $PWD/sdks/typescript/conformance/driver.mjs")
else
    skip TypeScript "it needs Node 20 or later"
fi

if command -v go >/dev/null && [[ "$(go env GOVERSION | sed -E 's/^go1\.([0-9]+).*/\1/')" -ge 25 ]]; then
    (cd sdks/go/grpc && GOTOOLCHAIN=local GOFLAGS=-mod=mod go build -o "$scratch/go-driver" ./conformance)
    drivers+=(--driver "go=$scratch/go-driver")
else
    skip Go "it needs Go 1.25 or later"
fi

if command -v mvn >/dev/null && [[ "$(javac -version 2>&1 | sed -nE 's/^javac ([0-9]+).*/\1/p')" -ge 17 ]]; then
    [[ -d sdks/java/conformance/target/lib ]] || (cd sdks/java && mvn --batch-mode --no-transfer-progress --quiet package -DskipTests)
    drivers+=(--driver "java=$PWD/sdks/java/conformance/driver.sh")
else
    skip Java "it needs a JDK 17 or later and Maven"
fi

[[ -x target/debug/examples/conformance ]] \
    || cargo build --locked -p trunkline-client -p video-worker --features trunkline-client/testing,trunkline-client/grpc --example conformance
drivers+=(--driver "rust=$PWD/target/debug/examples/conformance")

python3 sdks/conformance/soak.py --binary "$binary" --jobs "$jobs" ${SEED:+--seed "$SEED"} "${drivers[@]}"
