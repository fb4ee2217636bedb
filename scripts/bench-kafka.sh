#!/usr/bin/env bash
# Polls against Kafka on this machine: from a job's creation to its handler, and jobs a second, for workers and nodes; and how fast
# a backlog is taken that came while Kafka was away.
#
#   scripts/bench-kafka.sh BINARY [--workers 1,8,64] [--nodes 1,3] [--jobs 20000] [--rate 50] [--seconds 20] [--backlog 100000]
#       [--rounds 1]
#
# It writes load-tests/results/kafka.md and kafka.json.
# BINARY has the feature `kafka`; a release build, on a machine that does nothing else, says something.
# Needs Java 17, Maven and Python 3; scripts/test-kafka.sh has what else is kept between runs.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
binary=$(realpath "$1")
shift
cd "$root"
kept=${TRUNKLINE_KAFKA_CACHE:-${CARGO_TARGET_DIR:-$root/target}/kafka}
if ! "$kept/venv/bin/python" -c 'import confluent_kafka' 2>/dev/null; then
    python3 -m venv "$kept/venv"
    "$kept/venv/bin/pip" install --quiet --disable-pip-version-check 'confluent-kafka==2.16.1'
fi
export TRUNKLINE_POSTGRES_DURABLE=1
export TRUNKLINE_KAFKA_JARS=${TRUNKLINE_KAFKA_JARS:-$kept/jars}
exec scripts/with-postgres.sh "$kept/venv/bin/python" scripts/kafka/measure.py "$binary" "$@"
