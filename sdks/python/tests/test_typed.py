"""A workflow with types for all that goes in and out does the same compiled and locally."""

from __future__ import annotations

import asyncio

import typed_workflow

from trunkline import compile as compile_class


def test_a_typed_workflow_runs_and_compiles() -> None:
    output = asyncio.run(typed_workflow.locally())
    assert output == {"tracking": "<T-7-2>", "labels": ["label a", "label b"], "by": "AdaBob", "paid": 127}
    found = {node["id"]: node for node in compile_class(typed_workflow.TypedOrder)["nodes"]}
    assert found["typed_paid"] == {
        "id": "typed_paid",
        "type": "WAIT_EVENT",
        "dependsOn": ["approved"],
        "event": "typed.paid",
        "match": {"body.order": "${nodes.input.output.id}"},
        "timeout": "3d",
    }
