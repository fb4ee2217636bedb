#!/usr/bin/env bash
# Installs the providers' libraries that the webhook tests sign with: Python ones in a virtual environment, Node ones
# beside it, all in webhook-providers/ of cargo's target directory. Prints that directory. Versions are pinned; what is
# there already is not installed again.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$here/../../../..
target=${CARGO_TARGET_DIR:-$repository/target}
mkdir -p "$target/webhook-providers"
home=$(cd "$target/webhook-providers" && pwd)

# Two test runs may want them at the same time.
exec 9>"$home/lock"
flock 9

# stamp NAME FILE…: whether NAME was installed from these files as they are, with this installer.
stamp() {
    local name=$1
    shift
    cat "$here/install.sh" "$@" | cksum >"$home/$name.wanted"
    cmp --silent "$home/$name.wanted" "$home/$name.installed"
}
installed() { mv "$home/$1.wanted" "$home/$1.installed"; }

install_python() {
    # Debian's python3 has the module, but not what it needs to bring pip along.
    python3 -c 'import ensurepip, venv' 2>/dev/null ||
        "$repository/scripts/apt-install.sh" python3 python3-venv
    rm -rf "$home/python"
    python3 -m venv "$home/python"
    # The list is complete: without a look at dependencies the rest of the libraries' clients stays away.
    "$home/python/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile \
        --requirement "$here/requirements.txt"
}

# The libraries want Node 20; where the system's is older, npm has one as a package.
node_major() { "$1" --version 2>/dev/null | sed -E 's/^v([0-9]+).*/\1/'; }
install_node() {
    command -v npm >/dev/null || "$repository/scripts/apt-install.sh" npm
    rm -rf "$home/node"
    mkdir "$home/node"
    cp "$here/package.json" "$here/package-lock.json" "$home/node"
    (cd "$home/node" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error) >&2
    local major node
    node=$(command -v node || true)
    major=$(node_major "$node")
    if [[ "${major:-0}" -lt 20 ]]; then
        local machine=x64
        [[ $(uname -m) == aarch64 ]] && machine=arm64
        npm install --prefix "$home/runtime" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error \
            "node-linux-$machine@22.23.3" >&2
        node=$home/runtime/node_modules/node-linux-$machine/bin/node
    fi
    ln -sfn "$node" "$home/node/run"
}

stamp python "$here/requirements.txt" || { install_python >&2 && installed python; }
stamp node "$here/package.json" "$here/package-lock.json" || { install_node && installed node; }
echo "$home"
