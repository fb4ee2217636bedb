#!/usr/bin/env bash
# Before an issue is called resolved: `make test`, then fresh seeds with a hundred times the cases, half an hour of chaos
# on each database, and 2,000 generated programs. SEED repeats a run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seed=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
echo "repeat: SEED=$seed make test-full"
trap '[[ $? -eq 0 ]] || echo "failed; repeat: SEED=$seed make test-full"' EXIT

scripts/test.sh
PROPTEST_RNG_SEED=$seed PROPTEST_CASES=25600 scripts/with-postgres.sh \
    cargo test --workspace --locked --no-fail-fast --lib --test claim_policy --test schedule_cron --test schedule_due \
    --test schedule_times --test queue_model --test claim_remembered
for database in sqlite postgres; do
    scripts/chaos.sh --db "$database" --seconds 1800 --seed "$seed" --shrink 6
done
TRUNKLINE_PROGRAMS=2000 scripts/test-python.sh target/debug/trunkline
