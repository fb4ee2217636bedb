#!/usr/bin/env bash
# Builds the server and becomes it, so that Ctrl-C and SIGTERM reach it. Arguments go to `trunkline serve`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/prepare.sh npm=npm
scripts/build-console.sh
cargo build --release --locked -p server
exec "${CARGO_TARGET_DIR:-target}/release/trunkline" serve "$@"
