#!/usr/bin/env bash
# Waits until a server says that it is ready. Fails when its process has ended, or when the time is up; without a number that is
# a minute.
#
#   scripts/wait-ready.sh URL PROCESS [SECONDS]
set -euo pipefail

url=$1
process=$2
seconds=${3:-60}
# Bash takes its beginning from the environment.
SECONDS=0

until curl -fsS --noproxy '*' -m 5 "$url/readyz" >/dev/null 2>&1; do
    if ! kill -0 "$process" 2>/dev/null; then
        echo "error: the server at $url has ended before it was ready" >&2
        exit 1
    fi
    if ((SECONDS >= seconds)); then
        echo "error: the server at $url is not ready after $seconds s" >&2
        exit 1
    fi
    sleep 0.2
done
