#!/usr/bin/env bash
# The compiler of workflow classes gives the bytes that are recorded, with every Python from 3.10 that is here: on the
# PATH, installed by pyenv, and 3.14 as WebAssembly under Node where there is no other. The arguments are more of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=sdks/python/tests/bytes_of.py
# CPython 3.14, built for WebAssembly, as npm has it.
pyodide=314.0.7
export PYTHONDONTWRITEBYTECODE=1

seen=" "
for python in "$@" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python python3.{10..14}; do
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2]) if sys.version_info >= (3, 10) else None' 2>/dev/null) \
        || continue
    [[ -n $version && $version != None && $seen != *" $version "* ]] || continue
    seen+="$version "
    "$python" "$program"
done

if [[ $seen != *" 3.14 "* ]]; then
    major=$(node --version 2>/dev/null | sed -E 's/^v([0-9]+).*/\1/')
    if [[ ${major:-0} -lt 20 ]] || ! command -v npm >/dev/null; then
        echo "SKIPPED  the bytes of Python 3.14: neither it nor Node 20 with npm is here"
        exit 0
    fi
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    npm install --prefix "$scratch" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error "pyodide@$pyodide" >/dev/null
    node sdks/python/tools/wasm.mjs "$scratch/node_modules/pyodide" "$PWD" "$program"
fi
