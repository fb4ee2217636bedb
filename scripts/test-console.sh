#!/usr/bin/env bash
# Checks the web console: format, lints, types and pure parts, then what people do with it in a real browser against the
# real binary. Takes the debug binary of this checkout; TRUNKLINE names another one, SCREENSHOTS a folder for pictures.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Also finds a Node that is recent enough, for the commands below.
source scripts/build-console.sh

npm run --silent check
npm test --silent
if [[ -z ${TRUNKLINE:-} ]]; then
    (cd .. && cargo build --quiet --locked -p server)
    TRUNKLINE=${CARGO_TARGET_DIR:-$PWD/../target}/debug/trunkline
fi
TRUNKLINE=$TRUNKLINE ../scripts/with-postgres.sh npm run --silent browser -- "$@"
