#!/usr/bin/env bash
# Builds the binary that is shipped: target/dist/trunkline, stripped, trunkline.debug with its symbols, and trunkline.cdx.json, its
# bill of materials. Debuggers and profilers find the symbols by the link in the binary when both lie in one directory.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The most that is shipped.
bytes_max=$((40 * 1024 * 1024))
built=${CARGO_TARGET_DIR:-target}/release/trunkline
dist=${CARGO_TARGET_DIR:-target}/dist

scripts/prepare.sh
scripts/kafka/prepare.sh
scripts/build-simulation.sh --install
scripts/build-console.sh
# With dispatch through Kafka, which the build of `make run` does without.
cargo build --release --locked -p server --features kafka
mkdir -p "$dist"
objcopy --only-keep-debug "$built" "$dist/trunkline.debug"
objcopy --strip-all "$built" "$dist/trunkline"
(cd "$dist" && objcopy --add-gnu-debuglink=trunkline.debug trunkline)
cargo run --quiet --locked -p xtask -- sbom kafka >"$dist/trunkline.cdx.json"
bytes=$(stat -c %s "$dist/trunkline")
echo "$dist/trunkline: $((bytes / 1024 / 1024)) MiB, symbols apart in trunkline.debug"
if ((bytes > bytes_max)); then
    echo "the binary is larger than $((bytes_max / 1024 / 1024)) MiB" >&2
    exit 1
fi
