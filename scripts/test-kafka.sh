#!/usr/bin/env bash
# Dispatch through a real Apache Kafka, from end to end: builds the server with the feature `kafka`, starts a broker and a PostgreSQL
# on private loopback ports, and runs scripts/kafka/end_to_end.py against them. Everything that it starts ends with it.
#
#   scripts/test-kafka.sh [BINARY]
#
# TRUNKLINE_KAFKA_DEADLINE is how many seconds a scenario waits for what it expects (default 90).
# With BINARY nothing is built; its fail points must be built in (`engine/fail-points`).
# Needs Java 17, Maven, Python 3, and for the build make, a C compiler and the headers of OpenSSL.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

for tool in java mvn python3; do
    command -v "$tool" >/dev/null || { echo "$0: $tool is not installed" >&2; exit 2; }
done

target=${CARGO_TARGET_DIR:-$root/target}/features-kafka
binary=${1:-}
if [[ -z "$binary" ]]; then
    # A directory of its own: the features of the usual build stay as they are.
    cargo build -p server --features kafka,engine/fail-points --target-dir "$target"
    binary=$target/debug/trunkline
fi

# Kept between runs: jars and the client do not change.
kept=${TRUNKLINE_KAFKA_CACHE:-$target/cache}
mkdir -p "$kept"
if [[ ! -x "$kept/venv/bin/python" ]] || ! "$kept/venv/bin/python" -c 'import confluent_kafka' 2>/dev/null; then
    python3 -m venv "$kept/venv"
    "$kept/venv/bin/pip" install --quiet 'confluent-kafka==2.16.1'
fi
export TRUNKLINE_KAFKA_JARS=${TRUNKLINE_KAFKA_JARS:-$kept/jars}

exec scripts/with-postgres.sh "$kept/venv/bin/python" scripts/kafka/end_to_end.py "$binary"
