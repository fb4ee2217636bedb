#!/usr/bin/env bash
# What building needs beside a Rust toolchain: a C compiler and linker (SQLite and the TLS library are C), pkg-config.
# Further Debian packages may be named as COMMAND=PACKAGE; each is installed only if the command is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if ! command -v cargo >/dev/null; then
    echo "error: there is no cargo on the PATH; install a Rust toolchain (see rust-version in Cargo.toml)" >&2
    exit 1
fi

missing=()
for need in cc=build-essential pkg-config=pkg-config "$@"; do
    command -v "${need%%=*}" >/dev/null || missing+=("${need#*=}")
done
[[ ${#missing[@]} -eq 0 ]] || "$here/apt-install.sh" "${missing[@]}"
