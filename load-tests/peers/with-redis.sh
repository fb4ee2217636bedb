#!/usr/bin/env bash
# Starts a private Redis, runs a command with its address in PEER_REDIS_URL, stops it again.
#
#   load-tests/peers/with-redis.sh COMMAND [ARGUMENT…]
#
# It listens on a free port of 127.0.0.1 only, keeps its log in a temporary directory, and flushes it every second:
# the usual setting of queues on Redis, which may lose the last second in a crash. Without redis-server the command
# runs all the same, without the address.
set -euo pipefail

if [[ $# -eq 0 ]]; then
    echo "usage: $0 COMMAND [ARGUMENT…]" >&2
    exit 2
fi
command -v redis-server >/dev/null || exec "$@"

directory=$(mktemp -d "${TMPDIR:-/tmp}/trunkline-redis.XXXXXXXX")
server_pid=

# shellcheck disable=SC2317 # called by the trap below
stop() {
    local code=$?
    trap - EXIT INT TERM HUP
    if [[ -n "$server_pid" ]] && kill -0 "$server_pid" 2>/dev/null; then
        kill -TERM "$server_pid" 2>/dev/null || true
        wait "$server_pid" 2>/dev/null || true
    fi
    rm -rf -- "$directory"
    exit "$code"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

answers() {
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Below the range from which the kernel takes ports for outgoing connections.
for _ in $(seq 20); do
    port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
    if answers "$port"; then continue; fi
    redis-server --port "$port" --bind 127.0.0.1 --dir "$directory" --save '' --appendonly yes \
        --appendfsync everysec --daemonize no --maxmemory-policy noeviction >"$directory/server.log" 2>&1 &
    server_pid=$!
    for _ in $(seq 100); do
        kill -0 "$server_pid" 2>/dev/null || break
        if answers "$port"; then started=yes; break 2; fi
        sleep 0.1
    done
    wait "$server_pid" 2>/dev/null || true
done
if [[ -z "${started:-}" ]]; then
    echo "error: Redis did not start; its log:" >&2
    cat "$directory/server.log" >&2
    exit 1
fi

export PEER_REDIS_URL="redis://127.0.0.1:$port"
code=0
"$@" || code=$?
exit "$code"
