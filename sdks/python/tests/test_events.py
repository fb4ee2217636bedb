"""`wait_event`: what it compiles to, and which events the waits of a local run take."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from trunkline import NodeFailed, gather, run_locally, wait_event, workflow
from trunkline.compiler import compile_text
from trunkline.compiler.events import parts_of

HEAD = """from trunkline import Event, NodeFailed, activity, gather, wait_event, workflow

@activity()
def keep(event: Event) -> int: ...

@workflow(version=1)
class W:
    async def run(self, xs: list[int]):
"""


def nodes(body: str) -> dict[str, dict[str, Any]]:
    text = HEAD + "".join(f"        {line}\n" for line in body.splitlines())
    return {node["id"]: node for node in compile_text(text, "W").definition["nodes"]}


def test_all_that_a_wait_says() -> None:
    found = nodes(
        "paid = await wait_event(['order.paid', 'order.lost'], timeout='3d', lookback='10m',\n"
        '    match={\'body.n\': xs[0], \'body."order no".0\': f"n {xs[1]}", "body.state": "a"})\n'
        "kept = await keep(paid)\n"
        "return [paid.event, paid.body.sum, kept]"
    )
    assert found["order_paid"] == {
        "id": "order_paid",
        "type": "WAIT_EVENT",
        "event": ["order.paid", "order.lost"],
        "match": {"body.n": "${dyn(input)[0]}", 'body."order no".0': "n ${string(dyn(input)[1])}", "body.state": "a"},
        "lookback": "10m",
        "timeout": "3d",
    }
    assert found["keep"]["input"] == "${nodes.order_paid.output}"


def test_what_could_fail_is_computed_before_a_wait_whose_failure_is_caught() -> None:
    found = nodes(
        "try:\n    await wait_event('e', match={'body.n': xs[0]}, timeout='1s')\nexcept NodeFailed:\n    pass"
    )
    assert found["e_match"] == {"id": "e_match", "type": "TRANSFORM", "output": {"body.n": "${dyn(input)[0]}"}}
    assert found["e"]["match"] == {"body.n": '${nodes.e_match.output["body.n"]}'}
    assert found["e"]["onError"] == {"goto": "e_failed"}


def test_waits_stand_side_by_side() -> None:
    found = nodes(
        "a, b = await gather(wait_event('e'), wait_event('e', match={'body.n': 1}))\nreturn [a.body, b.body.n]"
    )
    assert found["e"].get("dependsOn") is found["e_2"].get("dependsOn") is None


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("body", ()),
        ("body.a.0", ("a", "0")),
        ('body."a.b c".d', ("a.b c", "d")),
        ('body."\\"q\\""', ('"q"',)),
        ("order.id", None),
        ("body.", None),
        ("body..a", None),
        ("body.a b", None),
        ('body."a', None),
        ('body."a"b', None),
        (".".join(["body"] + ["a"] * 10), None),
        ("body." + "a" * 256, None),
        ("", None),
    ],
)
def test_paths(path: str, parts: tuple[str, ...] | None) -> None:
    assert parts_of(path) == parts


@workflow(version=1)
class Waits:
    async def run(self, wanted: Any) -> Any:
        one = await wait_event("e", match={"body.n": wanted})
        both = await gather(wait_event(["e", "f"]), wait_event("e", match={"body.x.0": True}, timeout="1h"))
        back = await wait_event("e", match={"body.n": wanted}, lookback="1h")
        return [one.body.n, both[0].deliveryId, both[1].deliveryId, back.deliveryId]


@workflow(version=1)
class Nothing:
    async def run(self) -> Any:
        return await wait_event("e", match={"body.n": None})


def locally(wanted: Any, events: dict[str, Any]) -> Any:
    return asyncio.run(run_locally(Waits, wanted, events=events))


def test_waits_take_events_in_their_order() -> None:
    events = {"e": [{"n": 8}, {"n": 7.0}, {"x": [1]}, {"x": [True]}]}
    # The one before is not seen, 7 is 7.0, one event wakes both that wait side by side, 1 is not true.
    assert locally(7, events) == [7.0, "delivery_e_3", "delivery_e_4", "delivery_e_2"]


def test_waits_without_their_event() -> None:
    with pytest.raises(LookupError, match="waits for the event e for ever"):
        locally(9, {"e": {"n": 8}})
    with pytest.raises(NodeFailed, match="no event e arrived in time") as failed:
        locally(8, {"e": [{"n": 8}, {"n": 8}]})
    assert failed.value.code == "timeout"
    with pytest.raises(NodeFailed, match="is null") as failed:
        asyncio.run(run_locally(Nothing, events={"e": {"n": None}}))
    assert failed.value.code == "expression"


def test_a_body_is_compared_as_json() -> None:
    wanted = {"a": [1, {"b": None}]}
    same = {"e": [{"n": {"a": [1]}}, {"n": {"a": [1.0, {"b": None}]}}, {"x": [True]}]}
    assert locally(wanted, same)[1:] == ["delivery_e_3", "delivery_e_3", "delivery_e_2"]
