#!/usr/bin/env bash
# The former version beside this one on one PostgreSQL: both claim, both run workflows, the former one is killed, and every
# promise that chaos/checker.py knows is kept.
#
#   scripts/test-versions.sh [BINARY]               # of this version; target/debug/trunkline
#   BINARY_OLD=/path scripts/test-versions.sh       # a binary that is there
#   FORMER=v1.2.0 scripts/test-versions.sh          # a commit to build; the one before the last change of the schema
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/prepare.sh python3=python3 git=git
# Installs PostgreSQL where it is missing; the run starts one of its own.
scripts/with-postgres.sh true

new=${1:-target/debug/trunkline}
[[ -x $new ]] || cargo build --locked -p server

old=${BINARY_OLD:-}
if [[ -z $old ]]; then
    former=${FORMER:-$(git log -1 --format=%H -- migrations/src/migrator.rs)^}
    former=$(git rev-parse --verify --quiet "$former^{commit}") || {
        echo "error: the history has no former version; name one with FORMER or a binary with BINARY_OLD" >&2
        exit 1
    }
    echo "former version: $(git log -1 --format='%h %s' "$former")"
    tree=$(mktemp -d)/former
    trap 'git worktree remove --force "$tree"; rmdir "$(dirname "$tree")"' EXIT
    git worktree add --quiet --detach "$tree" "$former"
    # Kept from run to run, apart from what is built here.
    target=$PWD/target/former
    (cd "$tree" && CARGO_TARGET_DIR=$target cargo build --locked -p server)
    old=$target/debug/trunkline
fi
python3 chaos/versions.py "$old" "$new"
