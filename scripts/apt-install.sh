#!/usr/bin/env bash
# Installs Debian packages, as root or through sudo. Used by the other scripts; does nothing without arguments.
set -euo pipefail

[[ $# -gt 0 ]] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "error: $* must be installed, and there is no apt-get here to do it with; install it and run this again" >&2
    exit 1
fi
as_root=()
if [[ $EUID -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
        echo "error: $* must be installed: run 'apt-get install $*' as root, then run this again" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "installing $*" >&2
# The lock may be held by a machine that is still setting itself up.
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
# Package lists may be older than the archive: refresh them first, and go on if only that fails.
"${apt[@]}" update >&2 || echo "warning: the package lists could not be refreshed" >&2
"${apt[@]}" install --yes --no-install-recommends "$@" >&2
