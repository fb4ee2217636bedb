#!/usr/bin/env bash
# Former versions beside this one on one PostgreSQL: both claim, both run workflows, one of them is killed, and every promise that
# chaos/checker.py knows is kept; forward (the former version is gone) and back (this one is taken back). The former versions are
# the first release (chaos/releases), and what stood before the last change of the schema.
#
#   scripts/test-versions.sh [BINARY]               # of this version; target/debug/trunkline
#   BINARY_OLD=/path scripts/test-versions.sh       # a binary that is there
#   FORMER=v1.2.0 scripts/test-versions.sh          # a commit to build
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/prepare.sh python3=python3 git=git
# Installs PostgreSQL where it is missing; the run starts one of its own.
scripts/with-postgres.sh true

new=${1:-target/debug/trunkline}
[[ -x $new ]] || cargo build --locked -p server

if [[ -n ${BINARY_OLD:-} ]]; then
    exec python3 chaos/versions.py "$BINARY_OLD" "$new"
fi

formers=("${FORMER:-}")
if [[ -z ${FORMER:-} ]]; then
    # The last migration that came. Between merges in a row nothing was built, so the former version is what stood before them.
    changed=$(git log -1 --first-parent --diff-filter=A --format=%H -- 'migrations/src/m[0-9]*.rs')
    formers=(
        "$(grep -v '^#' chaos/releases | head -n 1 | cut -d' ' -f1)"
        "$(git log -1 --first-parent --no-merges --format=%H "$changed^")"
    )
fi
tree=$(mktemp -d)/former
# shellcheck disable=SC2317 # called by the trap below
clean() {
    local code=$?
    trap - EXIT
    # It is there only where something failed.
    [[ ! -e $tree ]] || git worktree remove --force "$tree" || true
    rm -rf "$(dirname "$tree")"
    exit "$code"
}
trap clean EXIT
# Kept from run to run, apart from what is built here, and without what a debugger needs.
export CARGO_TARGET_DIR=$PWD/target/former CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0
tested=()
for former in "${formers[@]}"; do
    commit=$(git rev-parse --verify --quiet "$former^{commit}") || {
        echo "error: the history has no commit $former; name one with FORMER or a binary with BINARY_OLD" >&2
        exit 1
    }
    [[ " ${tested[*]} " != *" $commit "* ]] || continue
    tested+=("$commit")
    echo "former version: $(git log -1 --format='%h %s' "$commit")"
    git worktree add --quiet --detach "$tree" "$commit"
    (cd "$tree" && cargo build --locked -p server)
    git worktree remove --force "$tree"
    python3 chaos/versions.py "$CARGO_TARGET_DIR/debug/trunkline" "$new"
done
