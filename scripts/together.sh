#!/usr/bin/env bash
# Runs commands at the same time, each given as one argument, and prints what each has written when all have ended, or this is
# ended: those that failed last. Ends as the last of those did.
#
#   scripts/together.sh 'cargo test --test it' 'cargo test --lib'
set -uo pipefail

scratch=$(mktemp -d)
processes=()
codes=()
finish() {
    local code=$? number
    for number in "${!processes[@]}"; do
        [[ ${codes[number]:-ended} == 0 ]] || continue
        printf '\n--> %s\n' "${commands[number]}"
        cat "$scratch/$number"
    done
    for number in "${!processes[@]}"; do
        [[ ${codes[number]:-ended} != 0 ]] || continue
        printf '\n--> %s\n' "${commands[number]}"
        cat "$scratch/$number"
        echo "failed (${codes[number]:-ended}): ${commands[number]}"
        code=${codes[number]:-$code}
    done
    rm -rf "$scratch"
    exit "$code"
}
trap finish EXIT

commands=("$@")
for command in "${commands[@]}"; do
    bash -c "$command" >"$scratch/${#processes[@]}" 2>&1 &
    processes+=($!)
done
for process in "${processes[@]}"; do
    wait "$process"
    codes+=($?)
done
exit 0
