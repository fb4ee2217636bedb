"""Spans around attempts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from trunkline import Snooze
from trunkline.otel import Spans, traceparent
from trunkline.testing import FakeContext

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


class Recorded:
    """A middleware whose spans are kept."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.spans = Spans(provider)

    def one(self) -> ReadableSpan:
        (span,) = self.exporter.get_finished_spans()
        return span


def test_an_attempt_is_a_span_of_the_trace_that_enqueued_it() -> None:
    recorded = Recorded()
    context = FakeContext("job_1", "greet", attempt=2, traceparent=f"00-{TRACE}-{PARENT}-01")
    inside = recorded.spans(context, traceparent)
    span = recorded.one()
    assert (span.name, span.kind) == ("process greet", trace.SpanKind.CONSUMER)
    assert span.parent is not None
    assert (f"{span.parent.trace_id:032x}", f"{span.parent.span_id:016x}") == (TRACE, PARENT)
    assert span.context is not None
    assert inside == f"00-{TRACE}-{span.context.span_id:016x}-01", "what is enqueued in the handler is under its span"
    assert span.attributes is not None
    assert (span.attributes["messaging.message.id"], span.attributes["trunkline.attempt"]) == ("job_1", 2)
    assert span.status.is_unset
    assert traceparent() is None, "the span is over"


def test_the_span_of_a_coroutine_lasts_until_its_end() -> None:
    recorded = Recorded()

    async def handler() -> str | None:
        await asyncio.sleep(0)
        assert not recorded.exporter.get_finished_spans()
        return traceparent()

    inside = asyncio.run(_awaited(recorded.spans(FakeContext(), handler)))
    span = recorded.one()
    assert span.context is not None
    assert (inside or "").startswith(f"00-{span.context.trace_id:032x}-{span.context.span_id:016x}-")


async def _awaited(result: Any) -> Any:
    return await result


@pytest.mark.parametrize("is_coroutine", [False, True])
def test_a_handler_that_raises_makes_its_span_an_error(is_coroutine: bool) -> None:
    recorded = Recorded()

    def fails() -> None:
        raise ValueError("no stock")

    async def fails_later() -> None:
        fails()

    def run() -> None:
        if is_coroutine:
            asyncio.run(_awaited(recorded.spans(FakeContext(), fails_later)))
        else:
            recorded.spans(FakeContext(), fails)

    with pytest.raises(ValueError, match="no stock"):
        run()
    span = recorded.one()
    assert (span.status.status_code, span.status.description) == (trace.StatusCode.ERROR, "no stock")
    assert [event.name for event in span.events] == ["exception"]


def test_a_snooze_is_no_error() -> None:
    recorded = Recorded()

    def snoozes() -> None:
        raise Snooze("1s")

    with pytest.raises(Snooze):
        recorded.spans(FakeContext(), snoozes)
    assert recorded.one().status.is_unset
