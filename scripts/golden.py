#!/usr/bin/env python3
"""Writes golden databases: what a version leaves behind, which every later one must open and go on with.

    scripts/with-postgres.sh python3 scripts/golden.py BINARY NAME

Runs the binary on SQLite and PostgreSQL, has it make one of everything (jobs that wait, failed and are done, executions that
are parked and finished, a user task, a delivery of a webhook and of an event, a schedule), stops it, and writes
shared/store-sql/tests/golden/NAME.sqlite.sql.gz and NAME.postgres.sql.gz. The test `golden` of the server opens all of them,
for good: a file that is there is never written again.
"""

import gzip
import hashlib
import hmac
import json
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

KEY = "tl_bootstrap_key_of_the_tests_5d1f0c77"
SECRET = "a secret of the golden databases"
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "shared/store-sql/tests/golden"
DEADLINE_S = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    def __init__(self, binary, url, directory):
        ports = [free_port() for _ in range(3)]
        self.base = f"http://127.0.0.1:{ports[0]}"
        environment = {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": url,
            "TRUNKLINE_BOOTSTRAP_KEY": KEY,
            "TRUNKLINE_WORKFLOWS__PARK_AFTER": "0ms",
        }
        listen = [f"127.0.0.1:{port}" for port in ports]
        command = [binary, "serve", "--http", listen[0], "--grpc", listen[1], "--metrics", listen[2]]
        self.process = subprocess.Popen(command, env=environment, cwd=directory, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.until("it is ready", lambda: self.ask("GET", "/readyz")[0] == 200)

    def ask(self, method, path, body=None, headers=None):
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        all_headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"} | (headers or {})
        request = urllib.request.Request(self.base + path, data=data, headers=all_headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError as error:
            return 0, str(error).encode()

    def do(self, method, path, body=None, headers=None):
        status, text = self.ask(method, path, body, headers)
        if not 200 <= status < 300:
            raise SystemExit(f"{method} {path}: {status} {text.decode()}")
        return json.loads(text) if text else None

    def until(self, what, look):
        began = time.monotonic()
        while not (found := look()):
            if time.monotonic() - began > DEADLINE_S or self.process.poll() is not None:
                raise SystemExit(f"{what}: not within {DEADLINE_S} s")
            time.sleep(0.05)
        return found

    def poll(self, job_type):
        body = {"workerId": "golden", "jobTypes": [job_type], "maxJobs": 1, "wait": "20s"}
        return self.do("POST", "/v1/jobs/poll", body)["jobs"][0]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(DEADLINE_S)


def fill(server):
    for job_type in ("done", "dead", "queued"):
        server.do("POST", "/v1/jobs", {"jobType": job_type, "data": {"kind": job_type}, "maxRetries": 0, "tags": ["golden"]})
    server.do("POST", "/v1/jobs", {"jobType": "later", "data": 1, "delay": "3650d", "uniqueKey": "later"})
    done = server.poll("done")
    report = {"id": done["id"], "leaseToken": done["leaseToken"]}
    server.do("POST", "/v1/jobs/complete", {"jobs": [report | {"result": {"answer": 42}}]})
    dead = server.poll("dead")
    report = {"id": dead["id"], "leaseToken": dead["leaseToken"]}
    error = {"message": "declined", "code": "card_declined"}
    server.do("POST", "/v1/jobs/fail", {"jobs": [report | {"error": error, "retryable": False}]})

    for workflow in (
        {"name": "finished", "version": 1, "output": "${nodes.sum.output}", "nodes": [
            {"id": "sum", "type": "TRANSFORM", "output": {"given": "${input}"}}]},
        {"name": "parked", "version": 1, "output": "${nodes.after.output}", "nodes": [
            {"id": "go", "type": "SIGNAL", "signal": "go"},
            {"id": "after", "type": "SERVICE_TASK", "jobType": "after", "dependsOn": ["go"], "input": "${nodes.go.output}"}]},
        {"name": "asks", "version": 1, "nodes": [
            {"id": "approve", "type": "USER_TASK", "group": "finance", "input": {"total": 7}}]},
    ):
        server.do("POST", "/v1/workflows", workflow)
    for name in ("finished", "parked", "asks"):
        server.do("POST", "/v1/executions", {"workflow": name, "input": {"n": 1}, "correlationId": f"golden-{name}"})
    hook = server.do("POST", "/v1/webhooks", {
        "name": "golden", "provider": "github", "secrets": [SECRET], "triggers": [{"id": "all", "workflow": "finished"}]})
    body = b'{"golden":true}'
    signature = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    headers = {"X-GitHub-Event": "push", "X-GitHub-Delivery": "golden-1", "X-Hub-Signature-256": signature}
    server.do("POST", hook["url"], body, headers)
    server.do("POST", "/v1/triggers", {"name": "golden", "events": ["golden.*"], "workflow": "finished"})
    server.do("POST", "/v1/events", {"name": "golden.made", "data": {"from": "event"}, "id": "golden-event"})
    server.do("POST", "/v1/schedules", {"name": "golden", "workflow": "finished", "cron": "0 5 1 1 *", "timezone": "Europe/Berlin"})

    def settled():
        of = lambda status: len(server.do("GET", f"/v1/executions?status={status}")["items"])
        return of("COMPLETED") == 3 and of("WAITING") == 2
    server.until("executions stand where they should", settled)


def write(name, text):
    target = FOLDER / name
    if target.exists():
        raise SystemExit(f"{target} is there; golden databases are never written again")
    FOLDER.mkdir(parents=True, exist_ok=True)
    # Without a time, so that the same text is the same file.
    target.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(target, target.stat().st_size)


def main():
    binary, name = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory) / "golden.db"
        server = Server(binary, f"sqlite://{file}", directory)
        fill(server)
        server.stop()
        connection = sqlite3.connect(file)
        write(f"{name}.sqlite.sql.gz", "\n".join(connection.iterdump()) + "\n")
    admin = os.environ["TRUNKLINE_TEST_POSTGRES_URL"]
    database = f"golden_{os.getpid()}"
    url = admin.rsplit("/", 1)[0] + "/" + database
    subprocess.run(["psql", "-q", admin, "-c", f"CREATE DATABASE {database}"], check=True)
    with tempfile.TemporaryDirectory() as directory:
        server = Server(binary, url, directory)
        fill(server)
        server.stop()
    dump = ["pg_dump", "--no-owner", "--no-privileges", "--no-comments", "--inserts", url]
    text = subprocess.run(dump, check=True, capture_output=True, text=True).stdout
    # Lines for psql alone, which hold a random word.
    text = "".join(line for line in text.splitlines(True) if not line.startswith("\\"))
    write(f"{name}.postgres.sql.gz", text)


if __name__ == "__main__":
    main()
