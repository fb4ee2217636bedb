"""Runs a workflow class as plain Python, with its activities in place, for unit tests."""

from __future__ import annotations

import asyncio
import inspect
import typing
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, overload

from trunkline import _scope
from trunkline._classes import Runs, RunsAlone
from trunkline._convert import decode, encode
from trunkline._duration import seconds
from trunkline.activity import Activity, NodeCall
from trunkline.context import Context
from trunkline.errors import Cancelled, InvalidData, NodeFailed, NonRetryable, RetryAfter, Snooze
from trunkline.flow import Event, record
from trunkline.local_events import LocalEvents

#: What the server does where nothing is said.
_RETRIES_DEFAULT = 3
_SNOOZES_MAX = 1000
Given = TypeVar("Given")


class LocalRun:
    """One run. `started` holds the job types of activities in the order of their first attempts."""

    def __init__(
        self,
        signals: dict[str, Any] | None,
        events: dict[str, Any] | None,
        user_tasks: dict[str, Any] | None,
        activities: Iterable[Any],
        max_retries: int,
    ) -> None:
        self._signals = {name: list(v) if isinstance(v, list) else [v] for name, v in (signals or {}).items()}
        self._events = LocalEvents(events)
        self._user_tasks = dict(user_tasks or {})
        self._instead = {one.name: one for one in activities}
        self._max_retries = max_retries
        self._completed: list[tuple[Activity[Any, Any], Any]] = []
        self.started: list[str] = []
        self._jobs = 0

    async def node(self, call: NodeCall[Any]) -> Any:
        """Runs an activity with its retries and its timeout."""
        self.started.append(call.activity.name)
        retry = call.options.get("retry")
        most = retry.max if retry is not None else call.activity.max_retries
        timeout = call.options.get("timeout") or call.activity.timeout
        result = await self._attempts(call.activity, call.data, self._max_retries if most is None else most, timeout)
        if call.compensation is not None:
            self._completed.append((call.compensation, result))
        value = call.activity.result_of(result)
        return record(value) if value is result else value

    async def _attempts(self, activity: Activity[Any, Any], data: Any, retries: int, timeout: str | None) -> Any:
        activity = self._instead.get(activity.name, activity)
        self._jobs += 1
        job_id, attempt, snoozes, progress = f"job_{self._jobs}", 1, 0, None
        while True:
            said: list[Any] = []
            context = Context(
                job_id=job_id,
                job_type=activity.name,
                attempt=attempt,
                previous_progress=progress,
                on_progress=said.append,
            )
            try:
                return await self._attempt(activity, context, data, timeout)
            except Snooze:
                snoozes += 1
                if snoozes > _SNOOZES_MAX:
                    raise RuntimeError(f"{activity.name} snoozes without end") from None
                continue
            except NonRetryable as error:
                raise NodeFailed(error.message, code=error.code) from error
            except InvalidData as error:
                raise NodeFailed(str(error), code="invalid_data") from error
            except Cancelled as error:
                raise NodeFailed(str(error) or "cancelled", code="cancelled") from error
            except Exception as error:
                if attempt > retries:
                    raise _failure(error) from error
            progress = encode(said[-1]) if said else progress
            attempt += 1

    async def _attempt(self, activity: Activity[Any, Any], context: Context, data: Any, timeout: str | None) -> Any:
        within = seconds(timeout) if timeout is not None else None
        token = _scope.current.set(None)
        try:
            if activity.is_async:
                result = await asyncio.wait_for(activity.invoke(context, data), within)
            else:
                result = await asyncio.wait_for(asyncio.to_thread(activity.invoke, context, data), within)
            return encode(result)
        except (asyncio.TimeoutError, TimeoutError):
            context.cancel("timeout")
            raise _TimedOut("The attempt ran longer than the job's timeout.") from None
        finally:
            _scope.current.reset(token)

    async def sleep(self, duration: str) -> None:
        """Takes no time."""
        seconds(duration)

    async def signal(self, name: str, timeout: str | None) -> Any:
        """The next payload that was given for this signal."""
        if self._signals.get(name):
            return record(encode(self._signals[name].pop(0)))
        if timeout is not None:
            raise NodeFailed(f"no signal `{name}` arrived in time", code="timeout")
        raise LookupError(f"the run waits for the signal {name!r} for ever: pass signals={{{name!r}: payload}}")

    async def user_task(self, node_id: str, options: dict[str, Any]) -> Any:
        """What was given for this task, as the type of its form."""
        if node_id in self._user_tasks:
            value, form = encode(self._user_tasks[node_id]), options.get("form")
            return decode(form, value) if form is not None else record(value)
        if options.get("timeout") is not None:
            raise NodeFailed(f"nobody did `{node_id}` in time", code="timeout")
        raise LookupError(f"the run waits for a person for ever: pass user_tasks={{{node_id!r}: output}}")

    async def event(self, names: list[str], options: dict[str, Any]) -> Event:
        """The next event of these names that fits."""
        return await self._events.wait(names, options)

    async def child(self, workflow: Any, data: Any, options: dict[str, Any]) -> Any:
        """Runs the other class, with the same activities."""
        retry = options.get("retry")
        tries = 1 + (retry.max if retry is not None else 0)
        inner = LocalRun(None, None, self._user_tasks, self._instead.values(), self._max_retries)
        inner._signals, inner._events, inner.started = self._signals, self._events, self.started
        while True:
            tries -= 1
            try:
                return record(await inner.carry_out(workflow, encode({} if data is None else data)))
            except NodeFailed:
                if tries == 0:
                    raise

    async def carry_out(self, workflow: Any, data: Any) -> Any:
        """The JSON output. A failure undoes what completed, the last first, and goes on."""
        token = _scope.current.set(self)
        try:
            arguments = [] if len(inspect.signature(workflow.run).parameters) < 2 else [_input(workflow, data)]
            return encode(await workflow().run(*arguments))
        except BaseException:
            for undo, output in reversed(self._completed):
                self.started.append(undo.name)
                name = undo.parameters[0].name
                await self._attempts(undo, output if undo.is_whole else {name: output}, self._max_retries, undo.timeout)
            raise
        finally:
            _scope.current.reset(token)


class _TimedOut(Exception):
    """An attempt took too long."""


def _failure(error: Exception) -> NodeFailed:
    if isinstance(error, RetryAfter):
        return NodeFailed(error.message)
    code = "timeout" if isinstance(error, _TimedOut) else type(error).__name__
    return NodeFailed(str(error) or type(error).__name__, code=code)


def _input(workflow: Any, data: Any) -> Any:
    hints = typing.get_type_hints(workflow)
    hint = hints.get("input")
    if hint is None:
        parameters = list(inspect.signature(workflow.run).parameters.values())
        hint = typing.get_type_hints(workflow.run).get(parameters[1].name, Any)
    value = decode(hint, data)
    return record(value) if value is data else value


@overload
async def run_locally(
    workflow: type[Runs[Given, Any]],
    input: Given | Mapping[str, Any],
    *,
    signals: dict[str, Any] | None = None,
    events: dict[str, Any] | None = None,
    user_tasks: dict[str, Any] | None = None,
    activities: Iterable[Any] = (),
    max_retries: int = _RETRIES_DEFAULT,
    run: LocalRun | None = None,
) -> Any: ...
@overload
async def run_locally(
    workflow: type[RunsAlone[Any]],
    *,
    signals: dict[str, Any] | None = None,
    events: dict[str, Any] | None = None,
    user_tasks: dict[str, Any] | None = None,
    activities: Iterable[Any] = (),
    max_retries: int = _RETRIES_DEFAULT,
    run: LocalRun | None = None,
) -> Any: ...


async def run_locally(
    workflow: Any,
    input: Any = None,
    *,
    signals: dict[str, Any] | None = None,
    events: dict[str, Any] | None = None,
    user_tasks: dict[str, Any] | None = None,
    activities: Iterable[Any] = (),
    max_retries: int = _RETRIES_DEFAULT,
    run: LocalRun | None = None,
) -> Any:
    """Runs the class in this process and returns its output as JSON, or raises NodeFailed.

    Activities are called directly, with retries and timeouts but without delays in between; `activities` replace those
    of the same job type. `signals` (a payload or a list of payloads, by name), `events` (a body or a list of bodies in
    order, by name) and `user_tasks` provide what the run waits for. Timers take no time. A failure runs the
    compensations.
    """
    local = run or LocalRun(signals, events, user_tasks, activities, max_retries)
    return await local.carry_out(workflow, encode({} if input is None else input))
