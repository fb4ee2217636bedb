#!/usr/bin/env bash
# Before an issue is called resolved: `make test`, then fresh seeds with a hundred times the cases, a hundred thousand
# callers that hang up, half an hour of chaos on each database, a hundred thousand jobs through all SDKs, ten minutes without
# Kafka, the image, the Debian package and the server for arm64 built and run, the former version beside this one, and 2,000
# generated programs of fresh seeds. SEED repeats a run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seed=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
echo "repeat: SEED=$seed make test-full"
trap '[[ $? -eq 0 ]] || echo "failed; repeat: SEED=$seed make test-full"' EXIT

scripts/test.sh
# The features of scripts/test.sh, so that its binary stays.
kafka=()
if scripts/kafka/prepare.sh; then kafka=(--features server/kafka,trunkline-client/kafka); fi
SEED=$seed scripts/properties.sh
# A hundred thousand callers that hang up, directly and behind a pooler.
TRUNKLINE_HANG_UPS=100000 scripts/with-postgres.sh \
    cargo test --locked -p store-sql --test lost_answers hang_ups -- --test-threads 1
for database in sqlite postgres; do
    scripts/chaos.sh --db "$database" --seconds 1800 --seed "$seed"
done
SEED=$seed scripts/test-soak.sh target/debug/trunkline 100000
if [[ ${#kafka[@]} -gt 0 ]]; then
    # Ten minutes without a broker.
    TRUNKLINE_KAFKA_OUTAGE=600 TRUNKLINE_KAFKA_DEADLINE=300 scripts/test-kafka.sh target/debug/trunkline
fi
scripts/test-image.sh
scripts/test-arm64.sh
scripts/test-failover.sh target/debug/trunkline silent
if [[ $EUID -eq 0 ]]; then scripts/deb.sh target/debug/trunkline --check; fi
scripts/test-versions.sh target/debug/trunkline
TRUNKLINE_PROGRAMS=2000 TRUNKLINE_FIRST_SEED=$seed scripts/test-python.sh target/debug/trunkline
