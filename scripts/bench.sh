#!/usr/bin/env bash
# Measures how fast it is beside raw SQL, and writes tables to load-tests/results.
#
#   scripts/bench.sh                        everything, about six minutes after the build
#   scripts/bench.sh drain --jobs 200000    one scenario, larger
#
# It starts a private PostgreSQL with stock settings, so that every commit is on disk before it counts. Run it on a
# machine that does nothing else: a build beside it halves every figure, and not each by as much.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/prepare.sh
cargo build --release --locked -p load-tests
export TRUNKLINE_POSTGRES_DURABLE=1
exec scripts/with-postgres.sh "${CARGO_TARGET_DIR:-target}/release/load-tests" "$@"
