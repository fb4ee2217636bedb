#!/usr/bin/env bash
# The SDK for Rust: generated files, the package as its registry wants it, tests, conformance, the example.
# The argument is the server to test with; target/debug/trunkline where there is none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
TRUNKLINE_BINARY=$(realpath "${1:-target/debug/trunkline}")
export TRUNKLINE_BINARY

# What is generated is formatted.
if command -v rustfmt >/dev/null; then
    python3 sdks/codegen/generate.py --check rust
else
    echo "SKIPPED  the generated files of the SDK for Rust: this toolchain has no rustfmt"
fi

# One selection for all, so that libraries are built once. Without gRPC, the lints of the workspace build the crate.
features=trunkline-client/testing,trunkline-client/grpc
examples=(--example conformance)
if scripts/kafka/prepare.sh; then
    features+=,trunkline-client/kafka
    examples+=(--example kafka_worker)
else
    echo "SKIPPED  Kafka of the SDK for Rust"
fi
selection=(--locked -p trunkline-client -p video-worker --features "$features")
cargo test "${selection[@]}"
cargo build "${selection[@]}" "${examples[@]}" --bin video-worker

# What goes to the registry, without building it once more: nothing that it needs lies outside of it.
files=$(cargo package --locked -p trunkline-client --list --allow-dirty)
for file in README.md src/lib.rs src/models/mod.rs src/api/mod.rs proto/trunkline/v1/worker.proto; do
    grep -qx "$file" <<<"$files" || { echo "the crate has no $file"; exit 1; }
done
cargo package --locked -p trunkline-client --no-verify --allow-dirty --quiet

python3 examples/video-pipeline/workers/check.py "$TRUNKLINE_BINARY" target/debug/video-worker
python3 sdks/conformance/run.py --binary "$TRUNKLINE_BINARY" --driver target/debug/examples/conformance
python3 sdks/conformance/run.py --binary "$TRUNKLINE_BINARY" --driver target/debug/examples/conformance --transport grpc
