#!/usr/bin/env bash
# The round of every day, a few minutes when warm: format, rules, lints, unit tests, and the store and the engine on
# SQLite. `make test` is what a change must pass.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/prepare.sh python3=python3
cargo fmt --all --check
cargo run --quiet --locked -p xtask -- tidy
python3 migrations/released.py
cargo clippy --workspace --all-targets --locked -- -D warnings
# Unit tests that ask for PostgreSQL carry its name.
cargo test --workspace --lib --bins --locked -- --skip postgres
cargo test --workspace --locked --test conformance i12_sqlite_memory
cargo test --workspace --locked --test claim_policy --test schedule_cron --test schedule_due --test schedule_times
python3 chaos/test_checker.py
python3 chaos/test_faults.py
