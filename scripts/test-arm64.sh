#!/usr/bin/env bash
# The server for arm64, on a machine of another kind: built by a cross compiler into target/arm64, and run by an emulator of the
# processor. A job is accepted, worked on, and there after a kill. The first build takes as long as all crates do.
#
# Registries have no standard library for arm64. Debian's compiler for browsers has its source, which is built along; `make test`
# installs it for the console (scripts/build-simulation.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=aarch64-unknown-linux-gnu
libraries=/usr/aarch64-linux-gnu

skip() { echo "SKIPPED the server for arm64: $1"; exit 0; }
root=$(/usr/bin/rustc --print sysroot 2>/dev/null) || root=
[[ -x /usr/bin/cargo && -e $root/lib/rustlib/src/rust/library/std/Cargo.toml ]] ||
    skip "building it needs Debian's rustc-web, cargo-web and rust-web-src"
missing=()
for need in aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu aarch64-linux-gnu-g++=g++-aarch64-linux-gnu \
    qemu-aarch64-static=qemu-user-static; do
    command -v "${need%%=*}" >/dev/null || missing+=("${need#*=}")
done
[[ ${#missing[@]} -eq 0 ]] || scripts/apt-install.sh "${missing[@]}"

env -u RUSTC -u RUSTC_WRAPPER -u CARGO -u RUSTUP_TOOLCHAIN PATH=/usr/bin:/bin RUSTC_BOOTSTRAP=1 \
    CARGO_TARGET_DIR="$PWD/target/arm64" CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0 \
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
    CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc CXX_aarch64_unknown_linux_gnu=aarch64-linux-gnu-g++ \
    cargo build -p server -Zbuild-std=std --target "$target"
binary=$PWD/target/arm64/$target/debug/trunkline
# The machine that the head of the file names: 183 is AArch64.
python3 -c 'import struct, sys; sys.exit(struct.unpack_from("<H", open(sys.argv[1], "rb").read(20), 18)[0] != 183)' "$binary"

work=$(mktemp -d "${TMPDIR:-/tmp}/trunkline-arm64.XXXXXXXX")
server=
# shellcheck disable=SC2317 # called by the trap below
clean() {
    local code=$?
    trap - EXIT
    [[ -z $server ]] || { kill -KILL "$server" && wait "$server"; } 2>/dev/null || true
    [[ $code -eq 0 || ! -e $work/server.log ]] || tail -n 40 "$work/server.log" >&2
    rm -rf "$work"
    exit "$code"
}
trap clean EXIT

emulated() { exec qemu-aarch64-static -L "$libraries" "$binary" "$@"; }
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export DATABASE_URL=sqlite://$work/trunkline.db
export TRUNKLINE_BOOTSTRAP_KEY=tl_key_of_the_test_for_arm64_0123456789
export TRUNKLINE_HTTP=127.0.0.1:$port TRUNKLINE_METRICS=127.0.0.1:0 TRUNKLINE_GRPC=127.0.0.1:0
start() {
    (cd "$work" && emulated serve) >>"$work/server.log" 2>&1 &
    server=$!
    scripts/wait-ready.sh "http://127.0.0.1:$port" "$server" 300
}
call() {
    curl -fsS --noproxy '*' -m 60 -H "authorization: Bearer $TRUNKLINE_BOOTSTRAP_KEY" -H 'content-type: application/json' "$@"
}
# The value of an expression over JSON.
of() { python3 -c 'import json, sys; a = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }

(emulated --version)
start
(cd "$work" && emulated health)
url=http://127.0.0.1:$port/v1/jobs
job=$(call -d '{"jobType": "greet", "data": {"name": "Ada"}}' "$url" | of 'a["id"]')
token=$(call -d '{"workerId": "w", "jobTypes": ["greet"], "maxJobs": 1, "wait": "20s"}' "$url/poll" | of 'a["jobs"][0]["leaseToken"]')
call -d "{\"jobs\": [{\"id\": \"$job\", \"leaseToken\": \"$token\", \"result\": \"Hello, Ada\"}]}" "$url/complete" >/dev/null
kill -KILL "$server"
wait "$server" 2>/dev/null || true
start
[[ $(call "$url/$job" | of '(a["status"], a["result"])') == "('COMPLETED', 'Hello, Ada')" ]]
kill -TERM "$server"
timeout 60 tail --pid="$server" -f /dev/null || { echo "the server for arm64 does not stop" >&2; exit 1; }
wait "$server"
server=
echo "the server for arm64 was built and run: what was acknowledged survived a kill"
