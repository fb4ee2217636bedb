#!/usr/bin/env bash
# Polls against Kafka on this machine: from a job's creation to its handler, and jobs a second, for workers and nodes; and how fast
# a backlog is taken that came while Kafka was away, with what that cost the processors. It begins nothing that would take it over
# twelve minutes (--within), leaves out and names what does not fit, and names what failed; then it ends with 1.
#
#   scripts/bench-kafka.sh BINARY [--layouts 1:1,1:64,1:16,3:16,3:64,1:4,2:16] [--rate 50] [--seconds 10] [--span 8]
#       [--backlog 400000] [--rounds 1] [--within 720] [--set NAME=VALUE]… [--consume NAME=VALUE]…
#
# A layout is how many nodes and how many workers; `--layouts ''` measures the catch-up alone. It writes load-tests/results/kafka.md
# and kafka.json, and the table of docs/kafka.md; a trial with settings of its own (--set, and --consume for the consumers of the
# catch-up) only prints what it measures.
# BINARY has the feature `kafka`; a release build, on a machine that does nothing else, says something: the results have what others
# used of the processors meanwhile.
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
export TRUNKLINE_POSTGRES_DURABLE=1 TRUNKLINE_KAFKA_HEAP=1g
export TRUNKLINE_KAFKA_JARS=${TRUNKLINE_KAFKA_JARS:-$kept/jars}
exec scripts/with-postgres.sh "$kept/venv/bin/python" scripts/kafka/measure.py "$binary" "$@"
