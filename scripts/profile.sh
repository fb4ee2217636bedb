#!/usr/bin/env bash
# Where the time of a scenario of the load tests goes: flame graphs of the load tests' process, which has the server, and of
# PostgreSQL, and the shares of all processes, in load-tests/results/profiles.
#
#   scripts/profile.sh NAME SCENARIO [ARGUMENT…]
#   scripts/profile.sh steps-after steps --rounds 1
#   LOAD_TESTS=../before/target/release/load-tests scripts/profile.sh steps-before steps --rounds 1
#
# It writes NAME-server.svg, NAME-postgres.svg and NAME.txt. What the scenario itself measures is thrown away: a run that is recorded is
# slower. LOAD_TESTS is the release build of another commit; without it that of this one is built. Needs perf (Debian: linux-perf),
# root or kernel.perf_event_paranoid at -1, and inferno, which cargo installs into target/tools.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ $# -ge 2 ]] || { echo "usage: $0 NAME SCENARIO [ARGUMENT…]" >&2; exit 2; }
name=$1
shift

target=${CARGO_TARGET_DIR:-$PWD/target}
command -v perf >/dev/null || scripts/apt-install.sh linux-perf
tools=$target/tools/bin
[[ -x $tools/inferno-flamegraph ]] || cargo install --quiet --locked --root "$target/tools" inferno
if [[ -z ${LOAD_TESTS:-} ]]; then
    cargo build --release --locked -p load-tests
    LOAD_TESTS=$target/release/load-tests
fi
commit=$(git -C "$(dirname "$LOAD_TESTS")" rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Neither Rust's release builds nor Debian's PostgreSQL have frame pointers: stacks are copied, and unwound afterwards.
TRUNKLINE_POSTGRES_DURABLE=1 scripts/with-postgres.sh perf record --quiet --all-cpus --freq 99 --call-graph dwarf,16384 \
    --output "$scratch/perf.data" -- "$LOAD_TESTS" --results "$scratch/results" "$@"
perf script --input "$scratch/perf.data" --no-inline 2>/dev/null | "$tools/inferno-collapse-perf" --kernel >"$scratch/stacks"

# A stack begins with the name of its thread. `tokio-` are the threads of the runtime.
results=load-tests/results/profiles
mkdir -p "$results"
ran="load-tests $* at $commit"
chart() {
    grep -E "^($2)" "$scratch/stacks" | "$tools/inferno-flamegraph" --deterministic --minwidth 0.2 \
        --title "$name: $3" --subtitle "$ran" >"$results/$name-$1.svg"
}
chart server 'load-tests|tokio-' "server, clients and workers"
chart postgres 'postgres' "PostgreSQL"

# A line of stacks is frames with `;` between, a blank, and how many samples had them.
shares() {
    awk -v place="$1" '{
        samples = $NF; sub(/ [0-9]+$/, ""); count = split($0, frame, ";")
        of[frame[place == "first" ? 1 : count]] += samples; all += samples
    } END { for (one in of) printf "%6.2f %%  %s\n", 100 * of[one] / all, substr(one, 1, 120) }' | sort -rn | sed -n 1,40p
}
{
    echo "# $ran, $(date -u '+%Y-%m-%d %H:%M UTC'), $(nproc) processors, all of them at 99 samples a second."
    printf '\n## Threads; swapper is what was idle\n'
    shares first <"$scratch/stacks"
    printf '\n## Functions of the server, clients and workers, of their own samples\n'
    { grep -E '^(load-tests|tokio-)' "$scratch/stacks" || true; } | shares last
    printf '\n## Functions of PostgreSQL, of its own samples\n'
    { grep '^postgres' "$scratch/stacks" || true; } | shares last
} >"$results/$name.txt"
echo "$results/$name.txt"
