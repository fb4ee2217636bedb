"""Pushes the saga, runs it with crashes of the worker and of the server in the middle, and draws it.

Needs the `trunkline` binary on the PATH, or TRUNKLINE_BINARY.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from orders import OrderSaga
from trunkline import Client, RunFailed
from trunkline.testing import dev_server

HERE = Path(__file__).parent


def start_worker(folder: Path) -> subprocess.Popen:
    variables = {**os.environ, "LEDGER": str(folder / "ledger"), "GATE": str(folder / "gate")}
    return subprocess.Popen([sys.executable, str(HERE / "worker.py")], env=variables)


def wait_for(what: str, condition) -> None:
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"not within a minute: {what}")
        time.sleep(0.02)  # between two looks of the poll


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="order-saga-"))
    ledger = folder / "ledger"
    ledger.touch()
    settings = {"QUEUES__WORKFLOW_NODE__LEASE": "2s", "UPKEEP__REAP_EVERY": "100ms"}
    with dev_server(**settings) as server, Client(call_timeout="60s") as client:
        pushed = client.push(OrderSaga)
        print(f"pushed {pushed['name']} {pushed['version']}")
        first = start_worker(folder)
        order = {"id": "7", "card": "visa", "lines": [{"sku": "book"}, {"sku": "pen", "count": 2}]}
        run = client.start(OrderSaga, order)
        run.signal("approved", {"by": "Ada"})
        wait_for("both lines are being packed", lambda: ledger.read_text().count("pack") == 2)
        print(f"{run.id}: kill -9 of the server and of the worker while it packs")
        server.kill()
        first.send_signal(signal.SIGKILL)
        first.wait()
        server.restart()
        (folder / "gate").touch()
        second = start_worker(folder)
        output = run.wait("60s")
        ran = Counter(ledger.read_text().splitlines())
        print(f"output: {output}\nran: {dict(ran)}")
        assert output == {"status": "sent", "tracking": "T-7-2", "charge": "c-visa", "approved_by": "Ada"}
        assert ran["reserve"] == ran["charge"] == ran["ship"] == 1  # what completed never runs again
        assert ran["pack book"] == ran["pack pen"] == 2  # what was under way does
        lost = client.start(OrderSaga, {**order, "id": "lost-1", "approve_above": 9999})
        try:
            lost.wait("60s")
            raise SystemExit("the lost order was sent")
        except RunFailed as failure:
            print(f"{lost.id}: {failure}")
        undone = [line for line in ledger.read_text().splitlines() if line.startswith(("refund", "release"))]
        print(f"undone: {undone}")
        assert undone == ["refund 1500", "release r-lost-1"]
        second.send_signal(signal.SIGTERM)
        assert second.wait(30) == 0
        drawn = client.call("get_graph", path={"name": "order-saga"})
        print(drawn)
        assert "flowchart" in drawn
        nodes = {node["id"]: node for node in client.workflow("order-saga")["definition"]["nodes"]}
        assert all(f"{name}<br/>" in drawn for name in nodes)
        places = client.call("get_version", path={"name": "order-saga", "version": "1"})["source"]
        lines = (HERE / "orders.py").read_text(encoding="utf-8").splitlines()
        assert places.keys() == nodes.keys()
        assert "await charge(" in lines[places["charge"]["line"] - 1]
        shown = subprocess.run(
            [os.environ.get("TRUNKLINE_BINARY") or "trunkline", "execution", "show", run.id],
            capture_output=True,
            encoding="utf-8",
            check=True,
        ).stdout
        print(shown)
        assert f"orders.py:{places['charge']['line']}" in shown


if __name__ == "__main__":
    main()
