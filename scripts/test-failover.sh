#!/usr/bin/env bash
# A failover of PostgreSQL with a real streaming standby: the primary is stopped hard (fenced), connections come to the
# standby while it can only be read, it is promoted, and the server goes on. Nothing acknowledged is lost, a replica is never
# claimed from, lists are read from the standby, the log stays short, and work is accepted again within three seconds after the
# new primary can be written.
#
#   scripts/test-failover.sh target/debug/trunkline
#   scripts/test-failover.sh target/debug/trunkline silent     the primary's machine vanishes: open connections end for nobody
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

binary=$(readlink -f "${1:-target/debug/trunkline}")
mode=${2:-cut}
recovers_within_ms=3000
# How long nothing can be written, and the most warnings meanwhile. A connection that is silent is given up when a statement's time
# (database.statement_timeout, 10 s) is over.
case $mode in
cut) outage_ms=4000 warnings_max=150 ;;
silent) outage_ms=16000 warnings_max=400 ;;
*) echo "usage: $0 [BINARY [cut|silent]]" >&2 && exit 2 ;;
esac
frozen=()

# Sets binaries, user and become.
source scripts/postgres-binaries.sh

work=$(mktemp -d "${TMPDIR:-/tmp}/trunkline-failover.XXXXXXXX")
chmod 755 "$work"
chown "$user" "$work"
pids=()
# shellcheck disable=SC2317 # called by the trap below
clean() {
    local code=$?
    trap - EXIT
    [[ ${#frozen[@]} -eq 0 ]] || kill -KILL "${frozen[@]}" 2>/dev/null || true
    for pid in "${pids[@]}"; do { kill -KILL "$pid" && wait "$pid"; } 2>/dev/null || true; done
    for node in one two; do
        [[ ! -e $work/$node/postmaster.pid ]] || "${become[@]}" "$binaries/pg_ctl" -D "$work/$node" -m immediate -s stop || true
    done
    if [[ $code -ne 0 && -e $work/server.log ]]; then tail -n 40 "$work/server.log" >&2; fi
    rm -rf "$work"
    exit "$code"
}
trap clean EXIT

now_ms() { date +%s%3N; }
ports=$(scripts/free-ports.py 4)
read -r one two entry http <<<"$ports"

start_node() {
    "${become[@]}" "$binaries/pg_ctl" -D "$work/$1" -l "$work/$1.log" -s -w \
        -o "-p $2 -c listen_addresses=127.0.0.1 -c unix_socket_directories=$work" start
}
sql() { "${become[@]}" "$binaries/psql" -h 127.0.0.1 -p "$1" -U trunkline -d "${3:-trunkline}" -qtAX -c "$2"; }

"${become[@]}" "$binaries/initdb" -D "$work/one" -U trunkline --auth=trust -E UTF8 --locale=C >/dev/null
start_node one "$one"
sql "$one" "CREATE DATABASE trunkline" postgres
"${become[@]}" "$binaries/pg_basebackup" -h 127.0.0.1 -p "$one" -U trunkline -D "$work/two" -X stream -c fast \
    -R -C -S standby
# What is acknowledged is on both.
"${become[@]}" sed -i "s/^primary_conninfo = '/&application_name=two /" "$work/two/postgresql.auto.conf"
start_node two "$two"
sql "$one" "ALTER SYSTEM SET synchronous_standby_names = 'two'" && sql "$one" "SELECT pg_reload_conf()" >/dev/null

# The address that stays: what an operator moves. It follows the file, and cuts what is open when that changes, or leaves it to itself.
echo "$one" >"$work/target"
python3 - "$entry" "$work/target" "$mode" >"$work/entry.log" 2>&1 <<'PY' &
import asyncio, sys
port, path, mode = int(sys.argv[1]), *sys.argv[2:]
open_ones = set()
async def pipe(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()
async def serve(reader, writer):
    try:
        there, back = await asyncio.open_connection("127.0.0.1", int(open(path).read()))
    except OSError:
        writer.close()
        return
    pair = (writer, back)
    open_ones.add(pair)
    await asyncio.gather(pipe(reader, back), pipe(there, writer))
    open_ones.discard(pair)
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", port)
    known = open(path).read()
    async with server:
        while True:
            await asyncio.sleep(0.05)
            if (now := open(path).read()) != known:
                known = now
                for writer, back in list(open_ones) if mode == "cut" else []:
                    writer.transport.abort()
                    back.transport.abort()
asyncio.run(main())
PY
pids+=($!)
for _ in $(seq 600); do ! (: <"/dev/tcp/127.0.0.1/$entry") 2>/dev/null || break; sleep 0.1; done

cd "$work"
DATABASE_URL="postgres://trunkline@127.0.0.1:$entry/trunkline" TRUNKLINE_BOOTSTRAP_KEY=tl_key_of_the_failover_test_0123456789 \
    TRUNKLINE_DATABASE__READ_URL="postgres://trunkline@127.0.0.1:$two/trunkline" \
    "$binary" serve --http "127.0.0.1:$http" --metrics 127.0.0.1:0 >"$work/server.log" 2>&1 &
server=$!
pids+=("$server")
call() {
    curl -sS --noproxy '*' -m 5 -o "$work/answer" -w '%{http_code}' -H 'content-type: application/json' \
        -H 'authorization: Bearer tl_key_of_the_failover_test_0123456789' "$@" 2>/dev/null || true # says 000 where none came
}
# The code of a call, which is sent again while the server asks for that or does not answer.
answered() {
    local code
    for _ in $(seq 50); do
        code=$(call "$@")
        [[ $code == 503 || $code == 000 ]] || break
        sleep 0.1
    done
    echo "$code"
}
url=http://127.0.0.1:$http
for _ in $(seq 300); do [[ $(call "$url/readyz") != 200 ]] || break; sleep 0.2; done
[[ $(call "$url/readyz") == 200 ]]

# A server that is led to the replica by mistake says so, and ends.
if DATABASE_URL="postgres://trunkline@127.0.0.1:$two/trunkline" timeout 60 "$binary" serve --no-migrate \
    --http 127.0.0.1:0 --metrics 127.0.0.1:0 >"$work/replica.log" 2>&1; then
    echo "a server started on a replica" >&2
    exit 1
fi
grep -q 'is a replica' "$work/replica.log" || { cat "$work/replica.log" >&2; exit 1; }

accepted=()
enqueue() {
    local code
    code=$(call -d '{"jobType": "a"}' "$url/v1/jobs")
    [[ $code == 202 ]] || return 1
    accepted+=("$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["id"])' "$work/answer")")
}
for _ in $(seq 20); do enqueue; done

# Lists come from the standby while it is close behind, and have what was accepted within a moment.
lists_all() {
    [[ $(call "$url/v1/jobs?limit=500") == 200 ]] || return 1
    python3 -c 'import json, sys; sys.exit(len(json.load(open(sys.argv[1]))["items"]) < int(sys.argv[2]))' "$work/answer" "${#accepted[@]}"
}
reads_from_standby() {
    grep -q 'lists are read from the replica' "$work/server.log" && lists_all &&
        [[ $(sql "$two" "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = 'trunkline' AND pid <> pg_backend_pid()") == t ]]
}
for _ in $(seq 600); do ! reads_from_standby || break; sleep 0.1; done
reads_from_standby || { echo "lists are not read from the standby" >&2; exit 1; }

lines_before=$(wc -l <"$work/server.log")
if [[ $mode == silent ]]; then
    postmaster=$(head -n 1 "$work/one/postmaster.pid")
    kill -STOP "$postmaster"
    # Its line has no end.
    read -ra frozen <"/proc/$postmaster/task/$postmaster/children" || [[ ${#frozen[@]} -gt 0 ]]
    frozen+=("$postmaster")
    kill -STOP "${frozen[@]}"
else
    "${become[@]}" "$binaries/pg_ctl" -D "$work/one" -m immediate -s stop
fi
echo "$two" >"$work/target"
# A replica can be read and not written: nothing is accepted, nothing is claimed, and callers are asked to retry.
poll='{"workerId": "w", "jobTypes": ["a"], "maxJobs": 1, "wait": "0s"}'
until_ms=$(($(now_ms) + outage_ms))
while (($(now_ms) < until_ms)); do
    for code in "$(call -d '{"jobType": "a"}' "$url/v1/jobs")" "$(call -d "$poll" "$url/v1/jobs/poll")"; do
        [[ $code == 503 || $code == 000 ]] || { echo "a replica answered $code: $(cat "$work/answer")" >&2; exit 1; }
    done
    sleep 0.2
done
"${become[@]}" "$binaries/pg_ctl" -D "$work/two" -s -w promote
while [[ $(sql "$two" "SELECT pg_is_in_recovery()") != f ]]; do sleep 0.05; done
writable=$(now_ms)
until enqueue; do
    (($(now_ms) - writable < 30000)) || { echo "no work is accepted" >&2; exit 1; }
    sleep 0.05
done
took=$(($(now_ms) - writable))
for id in "${accepted[@]}"; do
    code=$(answered "$url/v1/jobs/$id")
    [[ $code == 200 ]] || { echo "$id was acknowledged, and is answered $code" >&2; exit 1; }
done
[[ $(answered -d "$poll" "$url/v1/jobs/poll") == 200 ]]
for _ in $(seq 600); do ! lists_all || break; sleep 0.1; done
lists_all || { echo "lists lack what was accepted" >&2; exit 1; }
warnings=$(tail -n +"$((lines_before + 1))" "$work/server.log" | grep -cE 'WARN|ERROR' || true)
echo "accepted again $took ms after the new primary could be written; $warnings warnings; ${#accepted[@]} jobs, none lost"
((took <= recovers_within_ms)) || { echo "that is later than $recovers_within_ms ms" >&2; exit 1; }
((warnings <= warnings_max)) || { echo "that is a storm of log lines" >&2; exit 1; }
