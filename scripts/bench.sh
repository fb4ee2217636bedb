#!/usr/bin/env bash
# Measures how fast it is beside raw SQL, and writes tables and charts to load-tests/results.
#
#   scripts/bench.sh                        everything in small sizes, about half an hour after the build
#   SIZE=full PEERS=1 scripts/bench.sh      the sizes that the targets name, beside other queues, more than an hour
#   scripts/bench.sh drain --jobs 200000    one scenario, with a size of its own
#
# It starts a private PostgreSQL with stock settings, so that every commit is on disk before it counts. With PEERS=1
# other queues are installed (npm, pip, cargo, Debian's Redis) and measured in turns. Run it on a machine that does
# nothing else: a build beside it halves every figure, and not each by as much.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

size=${SIZE:-quick}
peers=${PEERS:-0}
binaries=${CARGO_TARGET_DIR:-target}/release

scripts/prepare.sh npm=npm
scripts/build-console.sh
# Apart, so that the server has the features that it has in use, and none of what the load tests need.
cargo build --release --locked -p server
cargo build --release --locked -p load-tests

command=("$binaries/load-tests" --size "$size" --server "$binaries/trunkline")
if [[ "$peers" == 1 ]]; then
    list=$(load-tests/peers/install.sh)
    command=(load-tests/peers/with-redis.sh "${command[@]}" --peers "$list")
fi
export TRUNKLINE_POSTGRES_DURABLE=1
scripts/with-postgres.sh "${command[@]}" "$@"
# docs/cost.md computes with the results.
cargo run --quiet --locked -p xtask -- cost
