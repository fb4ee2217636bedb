#!/usr/bin/env bash
# Random input against everything that reads text from outside: each target for MINUTES (10), or the ones that are named.
#
#   MINUTES=1 scripts/fuzz.sh expression yaml
#
# What was found stays in fuzz/artifacts, and what reaches new code in fuzz/corpus; neither is committed. The seeds are in
# fuzz/seeds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../fuzz"

minutes=${MINUTES:-10}
# As `make` does, where this is called without it.
named=$(../scripts/toolchain.sh)
[[ -z $named ]] || export RUSTUP_TOOLCHAIN=$named
# A nightly toolchain is what cargo-fuzz asks for. Where none can be had, the stable one does: it has the sanitizer's library,
# and RUSTC_BOOTSTRAP lets it take the flags of a nightly one.
toolchain=()
if rustup toolchain list 2>/dev/null | grep -q '^nightly' || rustup toolchain install nightly --profile minimal 2>/dev/null; then
    toolchain=(+nightly)
else
    export RUSTC_BOOTSTRAP=1
fi
cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked
# The versions that are shipped.
cp ../Cargo.lock Cargo.lock

targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then
    for file in fuzz_targets/*.rs; do
        targets+=("$(basename "$file" .rs)")
    done
fi
for target in "${targets[@]}"; do
    mkdir -p "corpus/$target" "seeds/$target"
    echo "== $target, $minutes minutes"
    # One input takes seconds at most, and what it takes of memory is bounded.
    cargo "${toolchain[@]}" fuzz run "$target" "corpus/$target" "seeds/$target" -- \
        -max_total_time=$((minutes * 60)) -timeout=30 -rss_limit_mb=2048 -max_len=16384 -print_final_stats=1
done
