"""A server whose time skips: the example of the README, and what it does with a worker."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from trunkline import Client, Worker, activity
from trunkline.errors import Problem
from trunkline.testing import dev_server

README = Path(__file__).parents[2] / "README.md"


def test_the_example_of_the_readme_runs() -> None:
    text = README.read_text()
    found = re.search(r"<!-- time-skip:begin -->\n```python\n(.*?)```\n<!-- time-skip:end -->", text, re.DOTALL)
    assert found is not None
    done = subprocess.run([sys.executable, "-c", found[1]], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_a_retry_of_an_hour_and_a_schedule() -> None:
    tries: list[int] = []

    @activity("flaky")
    def flaky() -> int:
        tries.append(1)
        if len(tries) == 1:
            raise RuntimeError("not yet")
        return len(tries)

    with dev_server(time_skip=True) as server, Client() as client:
        worker = Worker(client, [flaky])
        worker.start()
        before = server.skip(True)
        backoff = {"initial": "1h", "factor": 1, "max": "1h", "jitter": False}
        assert client.enqueue("flaky", {}, backoff=backoff).wait(timeout="60s") == 2
        assert server.skip(True) - before >= timedelta(hours=1)
        node = {"id": "wait", "type": "TIMER", "duration": "1s"}
        client.push({"name": "daily", "version": 1, "nodes": [node]})
        client.schedules.create("daily", "daily", "0 6 * * *", timezone="UTC")
        server.advance("2d")
        assert len(client.call("list_executions", query={"workflow": "daily"})["items"]) == 2
        worker.stop()


def test_a_handler_at_work_holds_the_time() -> None:
    begun, go = threading.Event(), threading.Event()

    @activity("slow")
    def slow() -> str:
        begun.set()
        assert go.wait(60)
        return "done"

    with dev_server(time_skip=True) as server, Client() as client:
        worker = Worker(client, [slow])
        worker.start()
        client.push({"name": "tomorrow", "version": 1, "nodes": [{"id": "wait", "type": "TIMER", "duration": "1d"}]})
        job = client.enqueue("slow", {})
        assert begun.wait(60)
        before = server.skip(True)
        run = client.start("tomorrow")
        for _ in range(50):
            assert server.skip(True) - before < timedelta(hours=1)
        go.set()
        assert job.wait(timeout="60s") == "done"
        run.wait(timeout="60s")
        assert server.skip(True) - before >= timedelta(days=1)
        worker.stop()


def test_other_servers_keep_their_time() -> None:
    with dev_server() as server, pytest.raises(Problem) as refused:
        server.advance("1d")
    assert refused.value.code == "time_is_real"
