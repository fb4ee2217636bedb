#!/usr/bin/env bash
# Prints the toolchain that rustup is to use instead of that of rust-toolchain.toml, where it does not have that one: the
# default one, if it is new enough. Prints nothing where nothing has to be said, so that rustup decides or fetches.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v rustup >/dev/null || exit 0
[[ -z ${RUSTUP_TOOLCHAIN:-} ]] || exit 0
wanted=$(sed -n 's/^channel = "\(.*\)"$/\1/p' rust-toolchain.toml)
installed=$(rustup toolchain list)
grep -qE "^$wanted(-| |$)" <<<"$installed" && exit 0
default=$(awk '/\(.*default\)/ { print $1 }' <<<"$installed")
[[ -n $default ]] || exit 0
least=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
version=$(RUSTUP_TOOLCHAIN=$default rustc --version | awk '{ print $2 }')
if [[ $(printf '%s\n' "$least" "$version" | sort -V | head -1) == "$least" ]]; then echo "$default"; fi
