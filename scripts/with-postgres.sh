#!/usr/bin/env bash
# Starts a private PostgreSQL, runs a command with its address in TRUNKLINE_TEST_POSTGRES_URL, stops it again.
#
#   scripts/with-postgres.sh cargo test -p store-sql
#
# The server listens on a free port of 127.0.0.1 only, keeps its data in a temporary directory and is gone when the
# command ends. If TRUNKLINE_TEST_POSTGRES_URL is set already, that server is used and nothing is started.
# The role in the address may create databases: each test makes its own.
# With TRUNKLINE_POSTGRES_DURABLE=1 the server keeps its stock settings and flushes every commit to disk, for
# measurements; without, it flushes nothing, for tests. TRUNKLINE_TEST_POSTGRES_NAPTIME says how often each database is looked at for
# what is to be vacuumed (autovacuum_naptime): where there are hundreds, one for each test, that takes a core.
set -euo pipefail

if [[ $# -eq 0 ]]; then
    echo "usage: $0 COMMAND [ARGUMENT…]" >&2
    exit 2
fi
if [[ -n "${TRUNKLINE_TEST_POSTGRES_URL:-}" ]]; then
    exec "$@"
fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Sets binaries, user and become.
source "$here/postgres-binaries.sh"
# It ends with this script, whatever ends that.
[[ ${#become[@]} -gt 0 ]] || become=(setpriv)
become+=(--pdeathsig SIGINT)

# One that was killed has left gigabytes behind. Its lock was let go by the kernel, once its server was gone, too.
for left in "${TMPDIR:-/tmp}"/trunkline-postgres.????????; do
    [[ ! -O "$left/lock" ]] || flock --nonblock "$left/lock" rm -rf -- "$left" 2>/dev/null || true
done

directory=$(mktemp -d "${TMPDIR:-/tmp}/trunkline-postgres.XXXXXXXX")
server_pid=
sweeper=

# shellcheck disable=SC2317 # called by the trap below
stop() {
    local code=$?
    trap - EXIT INT TERM HUP
    [[ -z "$sweeper" ]] || kill "$sweeper" 2>/dev/null || true
    if [[ -n "$server_pid" ]] && kill -0 "$server_pid" 2>/dev/null; then
        kill -INT "$server_pid" 2>/dev/null || true # fast shutdown: sessions are ended, nothing is waited for
        for _ in $(seq 100); do
            kill -0 "$server_pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -QUIT "$server_pid" 2>/dev/null || true
        wait "$server_pid" 2>/dev/null || true
    fi
    rm -rf -- "$directory"
    exit "$code"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '%s' "$password" >"$directory/password"
chown -R "$user" "$directory"
chmod 700 "$directory"

# Says that the directory is in use. This script and its server hold it; it is never there without being held while they run.
exec 9>"$directory/lock.new"
flock 9
mv "$directory/lock.new" "$directory/lock"

# From / because the system user may not be allowed to read the directory we stand in.
(cd / && "${become[@]}" "$binaries/initdb" --pgdata "$directory/data" --username trunkline --pwfile "$directory/password" \
    --auth scram-sha-256 --encoding UTF8 --locale C --no-sync --no-instructions) >"$directory/initdb.log" 2>&1 || {
    cat "$directory/initdb.log" >&2
    exit 1
}

# The data of tests does not outlive the command, so nothing is flushed to disk for it; synchronous_commit stays on,
# because what a commit waits for is part of what is tested.
settings=(-c shared_buffers=128MB -c fsync=off -c full_page_writes=off -c max_wal_size=1GB
    -c "autovacuum_naptime=${TRUNKLINE_TEST_POSTGRES_NAPTIME:-1min}")
if [[ "${TRUNKLINE_POSTGRES_DURABLE:-0}" == 1 ]]; then
    settings=()
fi
start_server() {
    (cd / && exec "${become[@]}" "$binaries/postgres" -D "$directory/data" -p "$1" \
        -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 \
        -c log_min_messages=warning "${settings[@]}") \
        >>"$directory/server.log" 2>&1 &
    server_pid=$!
    for _ in $(seq 900); do
        kill -0 "$server_pid" 2>/dev/null || return 1
        "$binaries/pg_isready" --quiet --host 127.0.0.1 --port "$1" && return 0
        sleep 0.1
    done
    return 1
}

# Below the range from which the kernel takes ports for outgoing connections. Another program may take the port
# between the look and the start; then the next one is tried.
for _ in $(seq 20); do
    port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then continue; fi
    if start_server "$port"; then started=yes; break; fi
    # One that is too slow to answer is not waited for.
    kill -QUIT "$server_pid" 2>/dev/null || true
    wait "$server_pid" 2>/dev/null || true
    grep -q 'Address already in use' "$directory/server.log" || break
done
if [[ -z "${started:-}" ]]; then
    echo "error: PostgreSQL did not start; its log:" >&2
    cat "$directory/server.log" >&2
    exit 1
fi

export TRUNKLINE_TEST_POSTGRES_URL="postgres://trunkline:$password@127.0.0.1:$port/postgres"
export TRUNKLINE_TEST_POSTGRES_BIN="$binaries"

# Each test has a database of its own, and all of a suite take many gigabytes. They are dropped while the command goes on: those
# that tests are done with, which shared/testkit/src/done.rs names by files, and those of processes that have ended, which are in
# their names (shared/testkit/src/database.rs), unless somebody still uses them. All at once: each drop is a checkpoint, and the
# first of them leaves little to write for the others.
sweep() {
    local file name process drops
    # As long as this script is there, whatever ended it.
    while sleep 10 && kill -0 $$; do
        drops=()
        for file in "$2"/trunkline_test_*; do
            [[ -e "$file" ]] || continue
            rm -f -- "$file"
            drops+=("DROP DATABASE IF EXISTS ${file##*/} WITH (FORCE);")
        done
        for name in $("$binaries/psql" -qtAX "$1" -c "SELECT datname FROM pg_database WHERE datname ~ '^trunkline_test_[0-9]+_'"); do
            process=${name#trunkline_test_}
            [[ -e /proc/${process%%_*} ]] || drops+=("DROP DATABASE IF EXISTS $name;")
        done
        [[ ${#drops[@]} -eq 0 ]] || printf '%s\n' "${drops[@]}" | "$binaries/psql" -qX "$1" || true
    done
}
# Not beside a measurement, which makes no such databases.
if [[ "${TRUNKLINE_POSTGRES_DURABLE:-0}" != 1 ]]; then
    export TRUNKLINE_TEST_POSTGRES_DONE="$directory/done"
    mkdir "$TRUNKLINE_TEST_POSTGRES_DONE"
    sweep "$TRUNKLINE_TEST_POSTGRES_URL" "$TRUNKLINE_TEST_POSTGRES_DONE" >/dev/null 2>&1 &
    sweeper=$!
fi

code=0
"$@" 9>&- || code=$?
if [[ "$code" -ne 0 && -n "${TRUNKLINE_TEST_POSTGRES_LOG:-}" ]]; then
    cp "$directory/server.log" "$TRUNKLINE_TEST_POSTGRES_LOG"
fi
exit "$code"
