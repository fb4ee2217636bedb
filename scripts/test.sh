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

# step NAME SECONDS COMMAND…: one that takes longer, three times and more what two cores need for it, hangs; it is ended, and says
# what ran.
step() {
    current=$1
    local seconds=$2 started=$SECONDS
    shift 2
    printf '\n==> %s\n' "$current"
    scripts/within.py "$seconds" "$@"
    timings+=("$(printf '%5d s  %s' $((SECONDS - started)) "$current")")
}

# A toolchain of the minimal profile has neither; what cannot be had is said, and the rest still runs.
have_component() {
    cargo "$1" --version >/dev/null 2>&1 && return
    if command -v rustup >/dev/null && scripts/within.py 600 rustup component add "$2"; then return; fi
    timings+=("SKIPPED  $3: this toolchain has no $2")
    return 1
}

# What bounds the steps is in Python.
command -v python3 >/dev/null || timeout --foreground 1800 scripts/prepare.sh python3=python3
step "packages" 1800 scripts/prepare.sh curl=curl npm=npm faketime=faketime redis-server=redis-server pgbouncer=pgbouncer \
    chromium=chromium
step "libraries of webhook providers" 1200 services/server/tests/webhook-providers/install.sh
step "a private PostgreSQL starts" 1200 scripts/with-postgres.sh true
# Kafka's client is C, and not part of the usual build.
kafka=()
if why=$(scripts/within.py 1200 scripts/kafka/prepare.sh 2>&1); then
    kafka=(--features server/kafka,trunkline-client/kafka)
else
    timings+=("SKIPPED  Kafka: ${why##*$'\n'}")
fi
if have_component fmt rustfmt "format"; then
    step "format" 600 cargo fmt --all --check
fi
step "tidy" 1200 cargo run --quiet --locked -p xtask -- tidy
step "released migrations" 120 python3 migrations/released.py
# Both leave a core idle for long, and have directories of their own.
browsers="the dry runs of the console are built for browsers"
if have_component clippy clippy "lints"; then
    step "lints; $browsers" 4000 scripts/together.sh \
        "cargo clippy --workspace ${kafka[*]} --all-targets --locked -- -D warnings" "scripts/build-simulation.sh --install"
else
    step "$browsers" 4000 scripts/build-simulation.sh --install
fi
# A machine without the tool, and without a way to get it, says so.
step "dependencies" 900 bash -c 'scripts/deny.sh || [[ $? -eq 3 ]]'
if ! command -v cargo-deny >/dev/null && [[ ! -x target/tools/bin/cargo-deny ]]; then
    timings+=("SKIPPED  licenses, sources and bans of dependencies: there is no cargo-deny")
fi
if [[ ! -e web/src/simulation/built/simulation.wasm ]]; then
    timings+=("SKIPPED  dry runs in the browser: this machine cannot build WebAssembly, and the server makes them")
fi
step "the console is built" 1200 scripts/build-console.sh
# Built before the database starts, and timed by itself.
step "build of the tests" 3600 cargo test --workspace "${kafka[@]}" --locked --no-run
step "tests" 3000 env TRUNKLINE_TEST_POSTGRES_NAPTIME=1d scripts/with-postgres.sh scripts/rust-tests.py --workspace "${kafka[@]}" --locked
# With the binary that the tests have built: another set of features would build it anew.
step "SDKs for Python, TypeScript, Go, Java and Rust, and workflows as classes" 4000 scripts/together.sh \
    "scripts/test-python.sh target/debug/trunkline && scripts/test-typescript.sh target/debug/trunkline" \
    "scripts/test-go.sh target/debug/trunkline && scripts/test-java.sh target/debug/trunkline" \
    "scripts/test-rust-sdk.sh target/debug/trunkline"
step "5,000 jobs through all SDKs, with kills" 1200 scripts/test-soak.sh target/debug/trunkline 5000
step "the checker of chaos finds broken promises" 120 python3 chaos/test_checker.py
step "the faults of chaos are what they say" 300 python3 chaos/test_faults.py
# Kafka waits for most of its time: for brokers, and for members that are gone.
beside="the console; chaos on both databases, 60 s each; image, compose file, chart, rules"
chaos="scripts/chaos.sh --seconds 60 --seed 20261123 --db"
commands=("TRUNKLINE=$PWD/target/debug/trunkline scripts/test-console.sh &&
    $chaos sqlite && $chaos postgres && scripts/test-deploy.sh")
if [[ ${#kafka[@]} -gt 0 ]]; then
    beside="Kafka, one and three nodes, and the SDKs; $beside"
    commands+=("scripts/test-kafka.sh target/debug/trunkline")
fi
step "$beside" 5400 scripts/together.sh "${commands[@]}"
step "a failover of PostgreSQL" 600 scripts/test-failover.sh target/debug/trunkline
step "PostgreSQL restored to a point in time" 600 scripts/test-restore.sh target/debug/trunkline
