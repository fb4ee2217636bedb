#!/usr/bin/env bash
# Whether the cargo feature `kafka` can be built here; installs what librdkafka needs where that is possible. Says why not.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

missing() {
    packages=()
    for need in make=make cc=build-essential pkg-config=pkg-config; do
        command -v "${need%%=*}" >/dev/null || packages+=("${need#*=}")
    done
    for need in openssl=libssl-dev zlib=zlib1g-dev; do
        pkg-config --exists "${need%%=*}" 2>/dev/null || packages+=("${need#*=}")
    done
    [[ ${#packages[@]} -gt 0 ]]
}

missing || exit 0
"$scripts/apt-install.sh" "${packages[@]}" || true
if missing; then
    echo "librdkafka needs ${packages[*]}"
    exit 1
fi
