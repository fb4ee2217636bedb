#!/usr/bin/env python3
"""Runs the table of scenarios against the real binary with the driver of one language. See README.md."""

from __future__ import annotations

import argparse
import itertools
import json
import queue
import shutil
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from processes import KEY, Client, ClientFault, Server, Worker, pid_1, until
from proxy import Proxy
from values import differs, fill, seconds
from wire import WireProxy

AnyProxy = Proxy | WireProxy
HERE = Path(__file__).parent


class Run:
    """What all scenarios share: the server, a worker, a client."""

    def __init__(self, binary: str, driver: str, transport: str, folder: Path) -> None:
        self.binary, self.driver, self.transport, self.folder = binary, driver, transport, folder
        self.server = Server(binary, folder / "server", {})
        self.client = Client(driver, self.environment(self.server), folder / "client.log")
        self.worker = Worker(
            driver, self.environment(self.server) | {"CONFORMANCE_PREFIX": "s-"}, folder / "worker.log")
        self.hello = self.client.finish(self.client.begin("hello", {}))
        self.paths = set(self.server.call("GET", "/openapi.json")[1]["paths"])

    def environment(self, server: Server, proxy: AnyProxy | None = None) -> dict[str, str]:
        """What a driver needs to reach a server, through the proxy where there is one."""
        own = {"TRUNKLINE_API_KEY": KEY, "CONFORMANCE_PREFIX": "none-"}
        if self.transport == "rest":
            return own | {"TRUNKLINE_URL": proxy.url if proxy else server.url}
        # Nobody listens where REST would be: with gRPC nothing may call it.
        return own | {
            "TRUNKLINE_URL": "http://127.0.0.1:9", "TRUNKLINE_TRANSPORT": self.transport,
            "TRUNKLINE_GRPC_URL": proxy.url if proxy else f"http://{server.grpc_address}"}

    def close(self) -> None:
        """Ends all processes."""
        self.client.close()
        self.worker.end()
        self.server.stop()


class Scenario:
    """One scenario on its way."""

    def __init__(self, run: Run, table: dict[str, Any], number: int) -> None:
        self.run, self.table, self.folder = run, table, run.folder / table["name"]
        files = self.folder / "files"
        files.mkdir(parents=True)
        has_own = isinstance(table.get("worker"), dict)
        prefix = f"t{number}-" if has_own else "s-"
        self.known: dict[str, Any] = {"prefix": prefix, "dir": str(files), "scenario": table["name"]}
        self.server, self.client = run.server, run.client
        self.proxy: AnyProxy | None = None
        self.workers: dict[str, Worker] = {}
        self.background: dict[str, int] = {}

    def carry_out(self) -> None:
        """Runs all steps; an exception says which one failed."""
        try:
            self._prepare()
            for number, step in enumerate(self.table["steps"], 1):
                try:
                    self._step(step)
                except Exception as error:
                    raise AssertionError(f"step {number} {json.dumps(step, ensure_ascii=False)[:300]}: "
                                         f"{type(error).__name__}: {error}") from error
        finally:
            self._clean_up()

    def _prepare(self) -> None:
        if "server" in self.table:
            self.server = Server(self.run.binary, self.folder / "server", self.table["server"])
        own_client = dict(self.table.get("client", {}))
        worker = self.table.get("worker")
        processes = [own_client, worker or {}, *(step.get("env", {}) for step in self.table["steps"])]
        if any(one.get("through") == "proxy" for one in processes):
            is_rest = self.run.transport == "rest"
            self.proxy = Proxy(self.server.address) if is_rest else WireProxy(self.server.grpc_address)
        if own_client or "server" in self.table:
            variables = self._environment(own_client.pop("through", None))
            self.client = Client(self.run.driver, variables | own_client, self.folder / "client.log")
        if isinstance(worker, dict):
            self._start_worker("worker", {})

    def _environment(self, through: str | None) -> dict[str, str]:
        return self.run.environment(self.server, self.proxy if through == "proxy" else None)

    def _start_worker(self, name: str, extra: dict[str, str]) -> None:
        own = {**self.table["worker"], **extra}
        variables = self._environment(own.pop("through", None)) | {"CONFORMANCE_PREFIX": self.known["prefix"]} | own
        self.workers[name] = Worker(self.run.driver, variables, self.folder / f"{name}.log")

    def _clean_up(self) -> None:
        for worker in self.workers.values():
            worker.end()
        if self.client is not self.run.client:
            self.client.close()
        if self.proxy:
            self.proxy.close()
        if self.server is not self.run.server:
            self.server.stop()

    def _step(self, step: dict[str, Any]) -> None:
        for verb in ("call", "join", "rest", "worker", "file", "proxy", "server"):
            if verb in step:
                getattr(self, f"_{verb}")(step)
                return
        raise ValueError("the table has no such step")

    def _call(self, step: dict[str, Any]) -> None:
        number = self.client.begin(step["call"], fill(step.get("args", {}), self.known))
        if "background" in step:
            if step.get("opened"):
                self.client.opened(number)
            self.background[step["background"]] = number
        else:
            self._compare(step, number)

    def _join(self, step: dict[str, Any]) -> None:
        self._compare(step, self.background.pop(step["join"]))

    def _compare(self, step: dict[str, Any], number: int) -> None:
        try:
            value = self.client.finish(number)
        except ClientFault as fault:
            if "error" not in step:
                raise
            check(differs(fill(step["error"], self.known), fault.error))
            return
        if "error" in step:
            raise AssertionError(f"it succeeded with {str(value)[:200]}")
        if "expect" in step:
            check(differs(fill(step["expect"], self.known), value))
        if "as" in step:
            self.known[step["as"]] = value

    def _rest(self, step: dict[str, Any]) -> None:
        method, path = fill(step["rest"], self.known).split(" ", 1)
        body = fill(step["body"], self.known) if "body" in step else None
        expected = fill(step.get("expect", {"$any": True}), self.known)
        complaint: str | None = None

        def fits() -> bool:
            nonlocal complaint
            status, answer = self.server.call(method, path, body)
            wanted = step.get("status", 200)
            complaint = differs(expected, answer)
            if status != wanted:
                complaint = f"answered with {status}: {str(answer)[:300]}"
            if complaint is None and "as" in step:
                self.known[step["as"]] = answer
            return complaint is None

        if step.get("until"):
            try:
                until("the answer fits", fits)
            except AssertionError as error:
                raise AssertionError(f"{error}: {complaint}") from None
        else:
            fits()
            check(complaint)

    def _worker(self, step: dict[str, Any]) -> None:
        if step["worker"] == "start":
            self._start_worker(step["as"], step.get("env", {}))
            return
        step = fill(step, self.known)
        worker = self.workers[step["name"]]
        if step["worker"] == "signal":
            worker.send(step["signal"])
        elif step["worker"] == "metric":
            labels = ",".join(f'{name}="{value}"' for name, value in sorted(step.get("labels", {}).items()))
            name = f"{step['metric']}{{{labels}}}" if labels else step["metric"]
            until(f"{name} is {step['value']}", lambda: worker.metric(name) == step["value"])
        elif step["worker"] == "health":
            until(f"health is {step['status']}", lambda: worker.health() == step["status"])
        else:
            code = worker.process.wait(float(step.get("within", "60s").rstrip("s")))
            check(None if code == step["code"] else f"exit code {code}: {worker.log.read_text()[-600:]}")

    def _file(self, step: dict[str, Any]) -> None:
        path = Path(fill(step["path"], self.known))
        if step["file"] == "wait":
            until(f"{path.name} is there", path.exists)
        elif step["file"] == "create":
            path.touch()
        elif step["file"] == "mkdir":
            path.mkdir()
        else:
            check(f"{path.name} is there" if path.exists() else None)

    def _proxy(self, step: dict[str, Any]) -> None:
        assert self.proxy is not None
        proxy, step = self.proxy, fill(step, self.known)
        if step["proxy"] == "count":
            until("enough requests came", lambda: len(proxy.count(step["path"])) >= step["min"])
            came = proxy.count(step["path"])
            check(None if len(came) <= step.get("max", len(came)) else f"{len(came)} requests came")
            # Of those that were waited for: what comes later is another behaviour's.
            pauses = [after - before for before, after in itertools.pairwise(came[: step["min"]])]
            is_apart = min(pauses, default=1e9) >= seconds(step.get("apart", "0s"))
            check(None if is_apart else f"they came after {pauses} s")
        else:
            proxy.behave({**step, "mode": step["proxy"]})

    def _server(self, step: dict[str, Any]) -> None:
        if step["server"] == "start":
            self.server.start()
        else:
            self.server.stop(9 if step["server"] == "kill" else 15)


def check(complaint: str | None) -> None:
    """Fails with the complaint, if there is one."""
    if complaint:
        raise AssertionError(complaint)


def carry_out_all(run: Run, tables: list[dict[str, Any]], at_once: int) -> tuple[list[str], list[str]]:
    """Runs the scenarios, several side by side, and gives the names of those that failed and that were skipped."""
    failed: list[str] = []
    skipped: list[str] = []
    lines: queue.Queue[str] = queue.Queue()

    def one(numbered: tuple[int, dict[str, Any]]) -> None:
        number, table = numbered
        lacks = set(table.get("needs", [])) & set(run.hello.get("lacks", []))
        if run.transport not in table.get("over", [run.transport]):
            skipped.append(table["name"])
            lines.put(f"skipped  {table['name']}: only over {', '.join(table['over'])}: {table['why']}")
            return
        if lacks:
            skipped.append(table["name"])
            lines.put(f"skipped  {table['name']}: lacks {', '.join(sorted(lacks))}")
            return
        if table.get("host") == "pid-namespaces" and not pid_1():
            skipped.append(table["name"])
            lines.put(f"skipped  {table['name']}: this host makes no namespaces of processes")
            return
        if absent := set(table.get("requires", [])) - run.paths:
            skipped.append(table["name"])
            lines.put(f"skipped  {table['name']}: this server has no {', '.join(sorted(absent))}")
            return
        started = time.monotonic()
        try:
            Scenario(run, table, number).carry_out()
            lines.put(f"ok       {table['name']}  {time.monotonic() - started:.1f} s")
        except Exception as error:  # every failure is reported by name
            failed.append(table["name"])
            detail = error if isinstance(error, AssertionError) else traceback.format_exc()
            lines.put(f"FAILED   {table['name']}: {detail}")

    def show() -> None:
        while (line := lines.get()) != "":
            print(line, flush=True)

    printer = threading.Thread(target=show)
    printer.start()
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(one, enumerate(tables, 1)))
    lines.put("")
    printer.join()
    return failed, skipped


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=str(HERE.parents[1] / "target/debug/trunkline"))
    parser.add_argument("--driver", help="the command that starts the driver")
    parser.add_argument("--transport", choices=("rest", "grpc"), default="rest", help="what the drivers use")
    parser.add_argument("--only", help="names of scenarios, comma-separated")
    parser.add_argument("--at-once", type=int, default=8, help="how many scenarios run side by side")
    parser.add_argument("--keep", action="store_true", help="keep logs and databases")
    parser.add_argument("--list", action="store_true")
    chosen = parser.parse_args()
    tables = json.loads((HERE / "scenarios.json").read_text(encoding="utf-8"))
    if chosen.only:
        names = set(chosen.only.split(","))
        if unknown := names - {table["name"] for table in tables}:
            parser.error(f"no such scenario: {', '.join(sorted(unknown))}")
        tables = [table for table in tables if table["name"] in names]
    if chosen.list:
        for table in tables:
            print(f"{table['name']:24} {table['about']}")
        return 0
    if not chosen.driver:
        parser.error("--driver is needed")
    folder = Path(tempfile.mkdtemp(prefix="trunkline-conformance-"))
    started = time.monotonic()
    run = Run(chosen.binary, chosen.driver, chosen.transport, folder)
    try:
        failed, skipped = carry_out_all(run, tables, chosen.at_once)
    finally:
        run.close()
        if not chosen.keep:
            shutil.rmtree(folder, ignore_errors=True)
    passed = len(tables) - len(failed) - len(skipped)
    took = time.monotonic() - started
    over = f"{run.hello['language']} over {chosen.transport}"
    print(f"{over}: {passed} passed, {len(failed)} failed, {len(skipped)} skipped in {took:.0f} s")
    if chosen.keep:
        print(f"logs in {folder}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
