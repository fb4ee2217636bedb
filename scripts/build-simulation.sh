#!/usr/bin/env bash
# Builds the dry runs of the console as WebAssembly into web/src/simulation/built; scripts/build-console.sh calls it and takes them
# from there. Does nothing where they are up to date. Where this machine cannot build them, or not within SIMULATION_SECONDS, it
# says so and ends well: the console asks the server instead. `--install` installs what is missing, where there are Debian
# packages of it.
#
# Registries have no standard library for WebAssembly. Debian's compiler for browsers (rustc-web) is a current one, and its source
# (rust-web-src) has the library, which is built along.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

built=web/src/simulation/built/simulation.wasm
crate=services/console/simulation
packages=(rustc-web cargo-web rust-web-src lld)
target=wasm32-unknown-unknown
# Two cores that do nothing else take about five minutes.
seconds=${SIMULATION_SECONDS:-1800}

# An older module would answer otherwise than the server.
leave_to_the_server() {
    rm -f "$built"
    echo "SKIPPED: dry runs are left to the server: $1"
    exit 0
}

# The library's source lies beside a toolchain that has it. Debian's own, whichever other one is first on the PATH.
can_build() {
    local root
    root=$(/usr/bin/rustc --print sysroot 2>/dev/null) || return 1
    [[ -x /usr/bin/cargo && -e $root/lib/rustlib/src/rust/library/std/Cargo.toml ]] && command -v wasm-ld >/dev/null
}

# Whether Debian's compiler would stand before the one that builds the server, once it is installed.
would_shadow() {
    local folder
    while IFS= read -r -d: folder; do
        [[ $folder == /usr/bin || $folder == /bin ]] && return 0
        [[ -x $folder/cargo ]] && return 1
    done <<<"$PATH:"
}

if [[ -e $built ]]; then
    newer=$(find shared/domain/src shared/domain/Cargo.toml "$crate/src" "$crate/Cargo.toml" Cargo.toml Cargo.lock \
        -newer "$built" -type f -print -quit)
    if [[ -z $newer ]]; then
        echo "the dry runs of the console are up to date"
        exit 0
    fi
fi
if ! can_build && [[ ${1:-} == --install ]]; then
    if would_shadow; then
        leave_to_the_server "put the folder of your cargo before /usr/bin on the PATH, so that ${packages[*]} can be installed"
    fi
    timeout "$seconds" scripts/apt-install.sh "${packages[@]}" || true
fi
can_build || leave_to_the_server "building them for browsers needs Debian's ${packages[*]}"

# The versions of everything that the server is built from.
cp Cargo.lock "$crate/Cargo.lock"
cores=$(nproc 2>/dev/null || echo 1)
echo "building the dry runs of the console for browsers: up to $((10 / cores + 1)) minutes with the $cores cores of this machine" >&2
folder=${CARGO_TARGET_DIR:-$PWD/target}/simulation
timeout "$seconds" env -u RUSTC -u RUSTC_WRAPPER -u CARGO -u RUSTUP_TOOLCHAIN PATH=/usr/bin:/bin RUSTC_BOOTSTRAP=1 \
    CARGO_TARGET_DIR="$folder" CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld \
    RUSTFLAGS='--cfg getrandom_backend="custom" -C link-arg=-zstack-size=8388608' \
    cargo build --quiet --release --manifest-path "$crate/Cargo.toml" -Zbuild-std=std,panic_abort --target "$target" ||
    leave_to_the_server "they could not be built for browsers within $seconds s (exit code $?)"
mkdir -p "$(dirname "$built")"
cp "$folder/$target/release/console_simulation.wasm" "$built"
echo "the dry runs of the console: $(($(stat -c %s "$built") / 1024)) KiB"
