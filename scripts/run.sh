#!/usr/bin/env bash
# Builds the server and becomes it, so that Ctrl-C and SIGTERM reach it. Arguments go to `trunkline serve`. The profile is one
# that builds quickly; `make dist` builds what is shipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/prepare.sh npm=npm
binary=${CARGO_TARGET_DIR:-target}/quick/trunkline
if [[ ! -x "$binary" ]]; then
    # About 24 minutes of one core, most of them for libraries, which are built once.
    cores=$(nproc 2>/dev/null || echo 1)
    echo "The first build takes some minutes: about $((24 / cores + 1)) with the $cores cores of this machine." >&2
    echo "Later ones build only what has changed." >&2
fi
scripts/build-console.sh
SECONDS=0
cargo build --profile quick --locked -p server
((SECONDS < 60)) || echo "Built in $((SECONDS / 60)) min $((SECONDS % 60)) s." >&2
exec "$binary" serve "$@"
