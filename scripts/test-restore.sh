#!/usr/bin/env bash
# PostgreSQL restored to a point in time, and from a dump, with the commands of docs/backup.md: what was acknowledged before that moment is
# there, what came after it is not, and what ran or fired after it is listed by `doctor --after-restore` and does not happen
# again by itself.
#
#   scripts/test-restore.sh target/debug/trunkline
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

binary=$(readlink -f "${1:-target/debug/trunkline}")
page=$PWD/docs/backup.md

# Sets binaries, user and become.
source scripts/postgres-binaries.sh

work=$(mktemp -d "${TMPDIR:-/tmp}/trunkline-restore.XXXXXXXX")
chmod 755 "$work"
chown "$user" "$work"
server=
# shellcheck disable=SC2317 # called by the trap below
clean() {
    local code=$?
    trap - EXIT
    [[ -z $server ]] || { kill -KILL "$server" && wait "$server"; } 2>/dev/null || true
    for data in data restored; do
        [[ ! -e $work/$data/postmaster.pid ]] || "${become[@]}" "$binaries/pg_ctl" -D "$work/$data" -m immediate -s stop || true
    done
    if [[ $code -ne 0 ]]; then
        for log in server.log data.log restored/server.log doctor; do
            [[ ! -e $work/$log ]] || { echo "--- $log"; tail -n 30 "$work/$log"; } >&2
        done
    fi
    rm -rf "$work"
    exit "$code"
}
trap clean EXIT

fail() { echo "$*" >&2; exit 1; }
ports=$(scripts/free-ports.py 2)
read -r port http <<<"$ports"
mkdir "$work/bin" "$work/run"
ln -s "$binary" "$work/bin/trunkline"
export PATH=$work/bin:$binaries:$PATH
export DATABASE_URL=postgres://trunkline@127.0.0.1:$port/trunkline REPLICATION_URL=postgres://trunkline@127.0.0.1:$port/
export BACKUP=$work/backup RESTORED=$work/restored
export TRUNKLINE_BOOTSTRAP_KEY=tl_key_of_the_restore_test_0123456789
export TRUNKLINE_API_KEY=$TRUNKLINE_BOOTSTRAP_KEY TRUNKLINE_URL=http://127.0.0.1:$http

# The block of shell of the page between two markers.
block() {
    python3 - "$page" "$1" <<'PY'
import pathlib, re, sys
page, name = sys.argv[1:]
part = re.search(rf"<!-- {name}:begin -->(.*?)<!-- {name}:end -->", pathlib.Path(page).read_text(), re.DOTALL)
blocks = re.findall(r"^```sh\n(.*?)^```", part.group(1), re.DOTALL | re.MULTILINE) if part else []
if len(blocks) != 1:
    sys.exit(f"{page}: {len(blocks)} blocks between the markers {name}")
print(blocks[0])
PY
}
# Runs it as whoever owns the database.
on_page() {
    local text
    text=$(block "$1")
    (cd "$work" && "${become[@]}" bash -euo pipefail -c "$text")
}
sql() { psql "${2:-$DATABASE_URL}" -qtAX -v ON_ERROR_STOP=1 -c "$1"; }

# until_true WHAT SECONDS COMMAND…
until_true() {
    local what=$1 end=$((SECONDS + $2))
    shift 2
    until "$@"; do
        ((SECONDS < end)) || fail "$what: not in time"
        sleep 0.1
    done
}
# call STATUS PATH [CURL ARGUMENT…]: the answer is in a file.
call() {
    local expected=$1 path=$2 code
    shift 2
    code=$(curl -sS --noproxy '*' -m 30 -o "$work/answer" -w '%{http_code}' -H 'content-type: application/json' \
        -H "authorization: Bearer $TRUNKLINE_API_KEY" "$@" "$TRUNKLINE_URL$path") || code=000
    [[ $code == "$expected" ]] || fail "$path: $code and not $expected: $(cat "$work/answer")"
}
# The value of an expression over the last answer.
of_answer() { python3 -c 'import json, sys; a = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$work/answer" "$1"; }

is_ready() { curl -fsS --noproxy '*' -m 5 "$TRUNKLINE_URL/readyz" >/dev/null 2>&1; }
start_server() {
    (cd "$work/run" && exec trunkline serve --http "127.0.0.1:$http" --metrics 127.0.0.1:0 --grpc 127.0.0.1:0) >>"$work/server.log" 2>&1 &
    server=$!
    until_true "the server is ready" 120 is_ready
}
# end_server SIGNAL
end_server() {
    kill "-$1" "$server"
    wait "$server" 2>/dev/null || true
    server=
}
poll='{"workerId": "w", "jobTypes": ["charge"], "maxJobs": 1, "wait": "2s"}'

"${become[@]}" "$binaries/initdb" -D "$work/data" -U trunkline --auth=trust -E UTF8 --locale=C >/dev/null
"${become[@]}" mkdir -p "$BACKUP/wal"
"${become[@]}" tee -a "$work/data/postgresql.conf" >/dev/null <<CONF
port = $port
listen_addresses = '127.0.0.1'
unix_socket_directories = '$work'
archive_mode = on
archive_command = 'test ! -f $BACKUP/wal/%f && cp %p $BACKUP/wal/%f'
CONF
"${become[@]}" "$binaries/pg_ctl" -D "$work/data" -l "$work/data.log" -s -w start
sql "CREATE DATABASE trunkline" "$REPLICATION_URL""postgres"
start_server

call 201 /v1/workflows -d '{"name": "tick", "version": 1, "nodes": [{"id": "a", "type": "TIMER", "duration": "1ms"}]}'
on_page base-backup

# Before the moment: a job is accepted and leased. Only the log has it.
call 202 /v1/jobs -d '{"jobType": "charge"}'
charge=$(of_answer 'a["id"]')
call 200 /v1/jobs/poll -d "$poll"
token=$(of_answer 'a["jobs"][0]["leaseToken"]')
# Its only slot of this hour is a few seconds away.
slot=$(python3 -c 'import datetime as d; print((d.datetime.now(d.timezone.utc) + d.timedelta(seconds=8)).strftime("%Y-%m-%dT%H:%M:%SZ"))')
call 201 /v1/schedules -d "{\"name\": \"hourly\", \"workflow\": \"tick\", \"every\": \"1h\", \"anchor\": \"$slot\"}"
schedule=$(of_answer 'a["id"]')
MOMENT=$(sql "SELECT clock_timestamp()")
export MOMENT
[[ $(sql "SELECT timestamptz '$slot' > timestamptz '$MOMENT'") == t ]] || fail "the machine is too slow: the slot has passed"

# After it: the job is done, another one is accepted, and the schedule fires.
call 200 /v1/jobs/complete -d "{\"jobs\": [{\"id\": \"$charge\", \"leaseToken\": \"$token\", \"result\": null}]}"
call 202 /v1/jobs -d '{"jobType": "late"}'
late=$(of_answer 'a["id"]')
has_fired() {
    call 200 "/v1/schedules/$schedule/runs"
    [[ $(of_answer '[run["status"] for run in a["items"] if run.get("executionId")] != []') == True ]]
}
until_true "the schedule fires" 90 has_fired

log_file=$(sql "SELECT pg_walfile_name(pg_current_wal_lsn())")
on_page switch-log >/dev/null
is_archived() { [[ $(sql "SELECT coalesce(last_archived_wal, '') >= '$log_file' FROM pg_stat_archiver") == t ]]; }
until_true "the log is archived" 90 is_archived
end_server KILL
"${become[@]}" "$binaries/pg_ctl" -D "$work/data" -m immediate -s stop

on_page point-in-time >/dev/null
is_writable() { [[ $(sql "SELECT pg_is_in_recovery()") == f ]]; }
until_true "the restored database can be written" 60 is_writable

if trunkline doctor --after-restore --database-url "$DATABASE_URL" >"$work/doctor"; then fail "the doctor finds nothing"; fi
for word in "$charge" hourly; do grep -q "$word" "$work/doctor" || fail "the doctor does not name $word"; done
trunkline doctor --after-restore --fix --database-url "$DATABASE_URL" >"$work/doctor"
trunkline doctor --after-restore --database-url "$DATABASE_URL" >"$work/doctor"

start_server
call 404 "/v1/jobs/$late"
call 200 "/v1/jobs/$charge"
call 200 /v1/jobs/poll -d "$poll"
[[ $(of_answer 'len(a["jobs"])') == 0 ]] || fail "something runs before anybody has looked"
call 200 /v1/executions
[[ $(of_answer 'a["items"]') == "[]" ]] || fail "the slot fired again: $(cat "$work/answer")"
call 200 "/v1/schedules/$schedule/runs"
[[ $(of_answer '[(run["status"], run["skipReason"]) for run in a["items"]]') == "[('skipped', 'restored')]" ]] || fail "$(cat "$work/answer")"

# The block for people with a terminal; it needs the server, not the owner of the database.
resume=$(block resume)
bash -euo pipefail -c "$resume" >/dev/null
is_claimed() {
    call 200 /v1/jobs/poll -d "$poll"
    [[ $(of_answer 'len(a["jobs"])') == 1 ]]
}
until_true "the job runs again" 90 is_claimed
[[ $(of_answer '[(job["id"], job["attempt"]) for job in a["jobs"]]') == "[('$charge', 1)]" ]] || fail "$(cat "$work/answer")"
end_server TERM

# A dump into an empty database.
counts="SELECT (SELECT count(*) FROM job) || ' ' || (SELECT count(*) FROM execution) || ' ' || (SELECT count(*) FROM audit)"
on_page dump
sql "CREATE DATABASE copy" "$REPLICATION_URL""postgres"
copy=${REPLICATION_URL}copy
(export DATABASE_URL=$copy && on_page restore-dump)
[[ $(sql "$counts") == "$(sql "$counts" "$copy")" ]] || fail "the dump has other rows: $(sql "$counts") and $(sql "$counts" "$copy")"
if trunkline doctor --after-restore --database-url "$copy" >"$work/doctor"; then fail "the doctor finds nothing in the copy"; fi
grep -q "$charge" "$work/doctor" || fail "the doctor does not name $charge in the copy"
echo "restored to $MOMENT and from a dump: what was acknowledged is there, and nothing happened twice by itself"
