#!/usr/bin/env bash
# The SDK for Rust: generated files, the package as its registry wants it, tests, conformance, the example.
# The argument is the server to test with; target/debug/trunkline where there is none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
TRUNKLINE_BINARY=$(realpath "${1:-target/debug/trunkline}")
export TRUNKLINE_BINARY
target=${CARGO_TARGET_DIR:-$PWD/target}

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

# A program elsewhere that has only the package. It takes the versions and the profile of this repository, so that libraries are
# not built once more.
clean=$(mktemp -d)
trap 'rm -rf "$clean"' EXIT
tar -xzf "$target/package/trunkline-client-0.1.0.crate" -C "$clean"
mkdir -p "$clean/app/src"
cp Cargo.lock "$clean/app"
cat >"$clean/app/Cargo.toml" <<TOML
[package]
name = "app"
edition = "2024"

[dependencies]
trunkline-client = { version = "0.1.0", features = ["testing", "grpc"] }
serde = { version = "1", features = ["derive"] }
tokio = { version = "1", features = ["macros", "rt-multi-thread", "sync"] }

[patch.crates-io]
trunkline-client = { path = "../trunkline-client-0.1.0" }

$(sed -n '/^\[profile\.dev/,/^$/p' Cargo.toml)
TOML
cat >"$clean/app/src/main.rs" <<'RUST'
use std::time::Duration;

use serde::{Deserialize, Serialize};
use trunkline_client::testing::dev_server;
use trunkline_client::{Context, Worker};

#[derive(Serialize, Deserialize)]
struct Greet {
    name: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = dev_server().await?;
    for transport in ["rest", "grpc"] {
        let client = server.client_builder().transport(transport).build()?;
        let worker = Worker::new(client.clone()).handle("greet", |data: Greet, _: Context| async move {
            Ok(format!("Hello, {}", data.name))
        });
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let running = tokio::spawn(worker.run_until(async move { stopped.await.unwrap_or_default() }));
        let job = client.enqueue("greet", &Greet { name: "Ada".into() }).await?;
        println!("{}", job.wait::<String>(Duration::from_secs(60)).await?);
        drop(stop);
        running.await??;
    }
    Ok(())
}
RUST
said=$(CARGO_TARGET_DIR="$target" cargo run --quiet --manifest-path "$clean/app/Cargo.toml")
[[ $said == $'Hello, Ada\nHello, Ada' ]] || { echo "the crate does not work: $said"; exit 1; }

python3 examples/video-pipeline/workers/check.py "$TRUNKLINE_BINARY" target/debug/video-worker
python3 sdks/conformance/run.py --binary "$TRUNKLINE_BINARY" --driver target/debug/examples/conformance
python3 sdks/conformance/run.py --binary "$TRUNKLINE_BINARY" --driver target/debug/examples/conformance --transport grpc
