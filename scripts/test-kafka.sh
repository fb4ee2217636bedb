#!/usr/bin/env bash
# Dispatch through a real Apache Kafka, from end to end: starts brokers and a PostgreSQL on private loopback ports, and runs
# scripts/kafka/end_to_end.py against them and the server, with workers of all SDKs. Everything that it starts ends with it.
#
#   scripts/test-kafka.sh [BINARY [SCENARIO…]]
#
# With BINARY no server is built; it needs the feature `kafka`, and its fail points (`engine/fail-points`). Of scenarios, parts of
# their names are enough.
#
# TRUNKLINE_KAFKA_DEADLINE is how many seconds a scenario waits for what it expects (default 180), TRUNKLINE_KAFKA_OUTAGE how many a
# long outage takes (default 8).
# Needs Java 17, Maven, Python 3, and for the build make, a C compiler and the headers of OpenSSL.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

for need in java=openjdk-17-jre-headless mvn=maven python3=python3; do
    command -v "${need%%=*}" >/dev/null || scripts/apt-install.sh "${need#*=}" || true
    command -v "${need%%=*}" >/dev/null || { echo "SKIPPED  Kafka from end to end: ${need%%=*} is not installed"; exit 0; }
done

target=${CARGO_TARGET_DIR:-$root/target}
binary=${1:-}
if [[ -z "$binary" ]]; then
    # A directory of its own: the binary of the usual build stays as it is.
    cargo build --locked -p server --features kafka,engine/fail-points --target-dir "$target/features-kafka"
    binary=$target/features-kafka/debug/trunkline
fi
binary=$(realpath "$binary")
shift || true

# Kept between runs: jars and the client do not change.
kept=${TRUNKLINE_KAFKA_CACHE:-$target/kafka}
mkdir -p "$kept/workers"
if ! "$kept/venv/bin/python" -c 'import confluent_kafka' 2>/dev/null; then
    python3 -m venv "$kept/venv"
    "$kept/venv/bin/pip" install --quiet --disable-pip-version-check 'confluent-kafka==2.16.1'
fi
export TRUNKLINE_KAFKA_JARS=${TRUNKLINE_KAFKA_JARS:-$kept/jars} TRUNKLINE_KAFKA_WORKERS=$kept/workers

# Workers of the SDKs, as the tests of the SDKs have built them. What cannot be built is said by the scenario.
if command -v go >/dev/null; then
    (cd sdks/go/kafka && GOTOOLCHAIN=local GOFLAGS=-mod=mod go build -o "$kept/workers/go" ./conformance) || true
fi
if command -v npm >/dev/null; then
    (cd sdks/typescript && { [[ -d node_modules ]] || npm ci --no-audit --no-fund --ignore-scripts --loglevel=error; } &&
        npm run build --silent) || true
fi
if command -v javac >/dev/null && [[ ! -e sdks/java/kafka/target/trunkline-kafka-0.1.0.jar ]]; then
    (cd sdks/java && mvn --batch-mode --no-transfer-progress --quiet -pl client,kafka -DskipTests -Dmaven.javadoc.skip package) || true
fi
# The selection of scripts/test-rust-sdk.sh, so that nothing is built twice.
features=trunkline-client/testing,trunkline-client/grpc,trunkline-client/kafka
if cargo build --locked -p trunkline-client -p video-worker --features "$features" --example kafka_worker; then
    ln -sf "$target/debug/examples/kafka_worker" "$kept/workers/rust"
fi

exec scripts/with-postgres.sh "$kept/venv/bin/python" scripts/kafka/end_to_end.py "$binary" "$@"
