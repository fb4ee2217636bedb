#!/usr/bin/env bash
# Every property with a fresh seed and a hundred times the cases of `make test`, whose seed is fixed (.cargo/config.toml). SEED and
# CASES repeat a run; a failure prints both.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seed=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
cases=${CASES:-25600}
# The features of scripts/test.sh, so that its binary stays.
kafka=()
if scripts/kafka/prepare.sh; then kafka=(--features server/kafka,trunkline-client/kafka); fi
trap '[[ $? -eq 0 ]] || echo "failed; repeat: make properties SEED=$seed CASES=$cases"' EXIT
echo "properties: SEED=$seed CASES=$cases"
env PROPTEST_RNG_SEED="$seed" PROPTEST_CASES="$cases" scripts/with-postgres.sh \
    cargo test --workspace "${kafka[@]}" --locked --no-fail-fast --lib --test claim_policy --test schedule_cron \
    --test schedule_due --test schedule_times --test queue_model --test claim_remembered
