#!/usr/bin/env bash
# The compiler of workflow classes gives the same bytes with every Python from 3.10 that is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../sdks/python"

program='
import hashlib, sys
from pathlib import Path
from programs import generate
from trunkline import CompileError
from trunkline.compiler import compile_text
digest = hashlib.sha256()
for seed in range(100):
    text, _ = generate(seed)
    try:
        digest.update(compile_text(text, "Program", Path("tests/program.py")).bytes)
    except CompileError as error:
        digest.update(str(error).encode())
print(digest.hexdigest())
'
expected=
for python in "$@" python3.10 python3.11 python3.12 python3.13 python3.14; do
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || continue
    digest=$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=src:tests "$python" -c "$program")
    "$python" --version
    expected=${expected:-$digest}
    if [[ $digest != "$expected" ]]; then
        echo "$python gives other bytes"
        exit 1
    fi
done
