"""OpenTelemetry: a span around each attempt, under the trace that enqueued its job. `pip install "trunkline[otel]"`.

`Worker(client, [greet], middleware=[Spans()])` makes spans; `client.enqueue(…, traceparent=traceparent())` passes on.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

try:
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError as error:
    raise ImportError('trunkline.otel needs OpenTelemetry: pip install "trunkline[otel]"') from error

from trunkline.context import Context
from trunkline.errors import Snooze

_PROPAGATOR = TraceContextTextMapPropagator()


def traceparent() -> str | None:
    """The W3C trace context of the current span, for jobs and executions started here; None without a span."""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return carrier.get("traceparent")


class Spans:
    """A middleware, best used first. An exception of the handler, except a snooze, marks its span as an error."""

    def __init__(self, tracer_provider: trace.TracerProvider | None = None) -> None:
        self._tracer = trace.get_tracer("trunkline", tracer_provider=tracer_provider)

    def __call__(self, context: Context, call: Callable[[], Any]) -> Any:
        """Runs the handler within its span."""
        span = self._start(context)
        try:
            with trace.use_span(span, record_exception=False, set_status_on_exception=False):
                result = call()
        except BaseException as error:
            _end(span, error)
            raise
        if inspect.isawaitable(result):
            return _awaited(span, result)
        _end(span, None)
        return result

    def _start(self, context: Context) -> trace.Span:
        carrier = {"traceparent": context.traceparent} if context.traceparent else {}
        attributes: dict[str, str | int] = {
            "messaging.system": "trunkline",
            "messaging.operation.type": "process",
            "messaging.destination.name": context.job_type,
            "messaging.message.id": context.job_id,
            "trunkline.attempt": context.attempt,
            "trunkline.tenant": context.tenant,
        }
        if context.execution_id:
            attributes["trunkline.execution_id"] = context.execution_id
        parent = _PROPAGATOR.extract(carrier)
        name, kind = f"process {context.job_type}", trace.SpanKind.CONSUMER
        return self._tracer.start_span(name, context=parent, kind=kind, attributes=attributes)


async def _awaited(span: trace.Span, result: Awaitable[Any]) -> Any:
    try:
        with trace.use_span(span, record_exception=False, set_status_on_exception=False):
            value = await result
    except BaseException as error:
        _end(span, error)
        raise
    _end(span, None)
    return value


def _end(span: trace.Span, error: BaseException | None) -> None:
    if error is not None and not isinstance(error, Snooze):
        span.record_exception(error)
        span.set_status(trace.Status(trace.StatusCode.ERROR, str(error)))
    span.end()
