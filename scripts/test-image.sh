#!/usr/bin/env bash
# Builds docker/Dockerfile for real, without a container engine, and runs what comes out of it: not as root, with a root that
# cannot be written, and a volume; killed, started again, stopped. Says how large it is. Needs root and Debian's buildah.
#
#   scripts/test-image.sh            the whole build, console and binary included: many minutes
#   scripts/test-image.sh BINARY     the same image around a binary that is there
#
# Base images cannot be pulled here, so they are made of Debian's packages and this machine's toolchains, under the names that
# the Dockerfile asks for. They are kept in target/image for the next run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The most that an image is, compressed.
bytes_max=$((60 * 1024 * 1024))
binary=${1:-}
place=$PWD/target/image
image=localhost/trunkline:test

if [[ $EUID -ne 0 ]]; then
    echo "SKIPPED the image: building it without a container engine needs root"
    exit 0
fi
missing=()
for tool in buildah debootstrap; do command -v "$tool" >/dev/null || missing+=("$tool"); done
[[ ${#missing[@]} -eq 0 ]] || scripts/apt-install.sh "${missing[@]}"

mkdir -p "$place"
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$place/storage" --runroot "$place/run" "$@"; }

work=$(mktemp -d "${TMPDIR:-/tmp}/trunkline-image.XXXXXXXX")
# Short names are those of the hub, and nothing is pulled from there.
echo 'unqualified-search-registries = ["docker.io"]' >"$work/registries.conf"
export CONTAINERS_REGISTRIES_CONF=$work/registries.conf
container=
server=
# shellcheck disable=SC2317 # called by the trap below
clean() {
    local code=$?
    trap - EXIT
    [[ -z $server ]] || signal KILL 2>/dev/null || true
    if [[ -n $container ]]; then
        buildah umount "$container" >/dev/null 2>&1 || true
        buildah rm "$container" >/dev/null 2>&1 || true
    fi
    rm -rf "$work"
    exit "$code"
}
trap clean EXIT

has() { buildah images --quiet "$1" >/dev/null 2>&1; }

# Authorities that this machine trusts are those of its registries.
make_debian() {
    debootstrap --variant=minbase bookworm "$work/debian" >"$work/debootstrap.log" ||
        { tail -n 20 "$work/debootstrap.log" >&2; exit 1; }
    mkdir -p "$work/debian/usr/local/share/ca-certificates"
    cp -r /usr/local/share/ca-certificates/. "$work/debian/usr/local/share/ca-certificates/" 2>/dev/null || true
    local made
    made=$(buildah from scratch)
    buildah add --quiet "$made" "$work/debian" /
    buildah commit --quiet --rm "$made" docker.io/library/debian:bookworm-slim >/dev/null
    rm -rf "$work/debian"
}

# A base with packages and directories of this machine: NAME "PACKAGES" FROM TO…
make_base() {
    local name=$1 packages=$2 made
    shift 2
    made=$(buildah from --pull-never docker.io/library/debian:bookworm-slim)
    # shellcheck disable=SC2086 # a list of packages
    buildah run "$made" -- sh -c "apt-get update -qq && apt-get install -y -qq --no-install-recommends $packages" >"$work/apt.log" 2>&1 ||
        { tail -n 20 "$work/apt.log" >&2; exit 1; }
    while [[ $# -gt 0 ]]; do
        buildah add --quiet "$made" "$1" "$2"
        shift 2
    done
    buildah config --env "PATH=/usr/local/cargo/bin:/usr/local/toolchain/bin:/usr/local/bin:/usr/bin:/bin" \
        --env CARGO_HOME=/usr/local/cargo --env SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
        --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$made"
    buildah commit --quiet --rm "$made" "$name" >/dev/null
}

has docker.io/library/debian:bookworm-slim || make_debian
contexts=()
if [[ -n $binary ]]; then
    # The stage that compiles is replaced by a directory.
    mkdir -p "$work/binary/out"
    strip -o "$work/binary/out/trunkline" "$binary"
    cargo run --quiet --locked -p xtask -- sbom kafka >"$work/binary/out/trunkline.cdx.json"
    contexts=(--build-context "binary=$work/binary")
else
    npm=$(npm root --global)/npm
    has docker.io/library/node:22-bookworm-slim ||
        make_base docker.io/library/node:22-bookworm-slim "ca-certificates libstdc++6 libatomic1" \
            "$(readlink -f "$(command -v node)")" /usr/local/bin/node "$npm" /usr/local/lib/node_modules/npm
    has docker.io/library/rust:1.95-bookworm ||
        make_base docker.io/library/rust:1.95-bookworm "ca-certificates gcc g++ libc6-dev make cmake pkg-config libssl-dev zlib1g-dev" \
            "$(rustc --print sysroot)" /usr/local/toolchain
fi

started=$SECONDS
buildah bud --format docker --pull=never --layers=false --quiet "${contexts[@]}" \
    --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)" \
    --tag "$image" --file docker/Dockerfile . >/dev/null
echo "built in $((SECONDS - started)) s"

buildah push --quiet --format oci "$image" "oci-archive:$work/image.tar" >/dev/null
bytes=$(stat -c %s "$work/image.tar")
echo "the image has $((bytes / 1024 / 1024)) MiB, compressed"
if ((bytes > bytes_max)); then
    echo "the image is larger than $((bytes_max / 1024 / 1024)) MiB" >&2
    exit 1
fi

container=$(buildah from --pull-never "$image")
root=$(buildah mount "$container")
field() { buildah inspect --type image --format "{{$1}}" "$image"; }
user=$(field .OCIv1.Config.User)
[[ $user == 65532:65532 ]] || { echo "the image runs as '$user'" >&2; exit 1; }
if [[ -e $root/bin/sh || -e $root/usr/bin/env ]]; then
    echo "the image has a shell" >&2
    exit 1
fi
python3 - "$root/usr/share/trunkline/trunkline.cdx.json" <<'PY'
import json, sys
bill = json.load(open(sys.argv[1]))
names = {component["name"] for component in bill["components"]}
assert bill["bomFormat"] == "CycloneDX" and bill["metadata"]["component"]["name"] == "trunkline", bill["metadata"]
assert {"tokio", "sqlx", "axum", "store-sql"} <= names, sorted(names)
assert "proptest" not in names, "what only tests need is not in the binary"
print(f"the bill of materials names {len(names)} crates")
PY
if [[ -z $binary ]]; then
    # The whole build leaves the list of crates in the binary as well, for scanners that look there.
    objcopy --dump-section ".dep-v0=$work/dep-v0" "$root/usr/local/bin/trunkline" "$work/copy"
    python3 - "$work/dep-v0" <<'PY'
import json, sys, zlib
names = {package["name"] for package in json.loads(zlib.decompress(open(sys.argv[1], "rb").read()))["packages"]}
assert {"tokio", "sqlx", "axum", "store-sql"} <= names, sorted(names)
print(f"the binary names {len(names)} crates")
PY
fi
for label in title description licenses version revision; do
    value=$(field "index .OCIv1.Config.Labels \"org.opencontainers.image.$label\"")
    [[ -n $value && $value != "<no value>" ]] || { echo "the image has no label $label" >&2; exit 1; }
done
mapfile -t environment < <(field 'range .OCIv1.Config.Env}}{{println .}}{{end' | grep .)
mapfile -t command < <(field 'range .OCIv1.Config.Entrypoint}}{{println .}}{{end' | grep .)
mapfile -t arguments < <(field 'range .OCIv1.Config.Cmd}}{{println .}}{{end' | grep .)
volume=$work/volume
cp -a "$root/data" "$volume"
mkdir -p "$root/proc"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

# Becomes a program in the image: with its user and its environment, a root that cannot be written, its volume, and addresses of this run.
inside() {
    exec unshare --mount --pid --fork --kill-child bash -euc '
        mount --make-rprivate /
        mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"
        mount -t proc proc "$1/proc" && mount --bind "$2" "$1/data" && mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
        shift 2
        exec env -i "$@"' inside "$root" "$volume" "${environment[@]}" HOME=/data \
        "TRUNKLINE_HTTP=127.0.0.1:$port" TRUNKLINE_METRICS=127.0.0.1:0 \
        /usr/sbin/chroot --userspec=65532:65532 "$root" "$@"
}
start() {
    inside "${command[@]}" "${arguments[@]}" >>"$work/server.log" 2>&1 &
    server=$!
    scripts/wait-ready.sh "http://127.0.0.1:$port" "$server" || { cat "$work/server.log" >&2; exit 1; }
}
# A signal goes to the server itself, which is the child of what made its namespaces.
signal() {
    local child
    # Its line has no end.
    read -r child <"/proc/$server/task/$server/children" || [[ -n $child ]]
    kill "-$1" "$child"
}
call() {
    curl -fsS --noproxy '*' -H "authorization: Bearer $(cat "$volume/admin.key")" -H 'content-type: application/json' "$@"
}

start
(inside "${command[@]}" health)
job=$(call -d '{"jobType": "survives"}' "http://127.0.0.1:$port/v1/jobs" | python3 -c 'import json, sys; print(json.load(sys.stdin)["id"])')
[[ $(stat -c %u "$volume/trunkline.db") == 65532 ]] || { echo "the server does not run as its user" >&2; exit 1; }
signal KILL
wait "$server" 2>/dev/null || true
start
call "http://127.0.0.1:$port/v1/jobs/$job" >/dev/null
signal TERM
timeout 40 tail --pid="$server" -f /dev/null || { echo "the server of the image does not stop" >&2; exit 1; }
server=
if find "$root" -xdev -newer "$work/image.tar" -type f ! -path "$root/data/*" | grep .; then
    echo "the root of the image was written" >&2
    exit 1
fi
echo "the image runs as $user on a read-only root; what was accepted survived a kill"
