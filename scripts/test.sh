#!/usr/bin/env bash
# Everything that must hold before a change lands: formatting, the rules of the house, lints, all tests on both databases.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Where Debian puts servers, and where not everybody looks.
export PATH=$PATH:/usr/sbin

timings=()
report() {
    local code=$?
    echo
    printf '%s\n' "${timings[@]}"
    if [[ $code -eq 0 ]]; then echo "all good after $SECONDS s"; else echo "failed after $SECONDS s: ${current:-}"; fi
}
trap report EXIT

# step NAME COMMAND…
step() {
    current=$1
    shift
    local started=$SECONDS
    printf '\n==> %s\n' "$current"
    "$@"
    timings+=("$(printf '%5d s  %s' $((SECONDS - started)) "$current")")
}

# A toolchain of the minimal profile has neither; what cannot be had is said, and the rest still runs.
have_component() {
    cargo "$1" --version >/dev/null 2>&1 && return
    if command -v rustup >/dev/null && rustup component add "$2"; then return; fi
    timings+=("SKIPPED  $3: this toolchain has no $2")
    return 1
}

step "packages" scripts/prepare.sh python3=python3 curl=curl npm=npm faketime=faketime redis-server=redis-server \
    pgbouncer=pgbouncer chromium=chromium
step "libraries of webhook providers" services/server/tests/webhook-providers/install.sh
step "a private PostgreSQL starts" scripts/with-postgres.sh true
# Kafka's client is C, and not part of the usual build.
kafka=()
if why=$(scripts/kafka/prepare.sh 2>&1); then
    kafka=(--features server/kafka,trunkline-client/kafka)
else
    timings+=("SKIPPED  Kafka: ${why##*$'\n'}")
fi
if have_component fmt rustfmt "format"; then
    step "format" cargo fmt --all --check
fi
step "tidy" cargo run --quiet --locked -p xtask -- tidy
step "released migrations" python3 migrations/released.py
if have_component clippy clippy "lints"; then
    step "lints" cargo clippy --workspace "${kafka[@]}" --all-targets --locked -- -D warnings
fi
# A machine without the tool, and without a way to get it, says so.
deny() {
    local code=0
    scripts/deny.sh || code=$?
    [[ $code -ne 3 ]] && return "$code"
    timings+=("SKIPPED  licenses, sources and bans of dependencies: there is no cargo-deny")
}
step "dependencies" deny
step "the dry runs of the console are built for browsers" scripts/build-simulation.sh --install
if [[ ! -e web/src/simulation/built/simulation.wasm ]]; then
    timings+=("SKIPPED  dry runs in the browser: this machine cannot build WebAssembly, and the server makes them")
fi
step "the console is built" scripts/build-console.sh
# Built before the database starts, and timed by itself.
step "build of the tests" cargo test --workspace "${kafka[@]}" --locked --no-run
step "tests" scripts/with-postgres.sh cargo test --workspace "${kafka[@]}" --locked --no-fail-fast
# With the binary that the tests have built: another set of features would build it anew.
step "the console" env TRUNKLINE="$PWD/target/debug/trunkline" scripts/test-console.sh
step "the Python SDK, and workflows as classes" scripts/test-python.sh target/debug/trunkline
step "the TypeScript SDK" scripts/test-typescript.sh target/debug/trunkline
step "the Go SDK" scripts/test-go.sh target/debug/trunkline
step "the Java SDK" scripts/test-java.sh target/debug/trunkline
step "the Rust SDK" scripts/test-rust-sdk.sh target/debug/trunkline
step "5,000 jobs through all SDKs, with kills" scripts/test-soak.sh target/debug/trunkline 5000
if [[ ${#kafka[@]} -gt 0 ]]; then
    step "Kafka, one and three nodes, and the SDKs" scripts/test-kafka.sh target/debug/trunkline
fi
step "the checker of chaos finds broken promises" python3 chaos/test_checker.py
step "the faults of chaos are what they say" python3 chaos/test_faults.py
for database in sqlite postgres; do
    step "chaos on $database, 60 s" scripts/chaos.sh --db "$database" --seconds 60 --seed 20261123
done
step "a failover of PostgreSQL" scripts/test-failover.sh target/debug/trunkline
step "PostgreSQL restored to a point in time" scripts/test-restore.sh target/debug/trunkline
step "image, compose file, chart, rules" scripts/test-deploy.sh
