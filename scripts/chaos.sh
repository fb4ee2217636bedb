#!/usr/bin/env bash
# Faults against real processes, and a checker that reads the history. Arguments go to chaos/run.py.
#
#   scripts/chaos.sh --db postgres --seconds 60 --seed 7
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export PATH=$PATH:/usr/sbin
scripts/prepare.sh python3=python3 faketime=faketime pgbouncer=pgbouncer strace=strace
# Installs PostgreSQL where it is missing; the run starts one of its own, which it can crash.
scripts/with-postgres.sh true

binary=${CARGO_TARGET_DIR:-target}/debug/trunkline
[[ -x $binary ]] || cargo build --locked -p server
exec python3 chaos/run.py --binary "$binary" "$@"
