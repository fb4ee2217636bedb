"""Activities: functions that do the work of a job type."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from trunkline import _scope
from trunkline._convert import decode, encode
from trunkline._duration import seconds
from trunkline.context import Context
from trunkline.errors import InvalidData
from trunkline.retry import Retry

P = ParamSpec("P")
R = TypeVar("R")
_OPTIONS: tuple[str, ...] = ("retry", "timeout")


class NodeCall(Generic[R]):
    """A call of an activity that was not awaited yet."""

    def __init__(self, activity: Activity[Any, R], data: Any, options: dict[str, Any]) -> None:
        self.activity = activity
        self.data = data
        self.options = options
        self.compensation: Activity[Any, Any] | None = None

    def compensate(self, undo: Activity[Any, Any]) -> NodeCall[R]:
        """What undoes this, once it completed and the execution fails. It receives the output."""
        self.compensation = undo
        return self

    def __await__(self) -> Generator[Any, None, R]:
        return _scope.run_node(self).__await__()


class Activity(Generic[P, R]):
    """A function with a job type. Called in a workflow, it is a node; called with a context, it just runs."""

    def __init__(self, function: Callable[..., Any], name: str, timeout: str | None, max_retries: int | None) -> None:
        self.function = function
        self.name = name
        #: The longest attempt, sent where nothing else is said; None for the server's default.
        self.timeout = timeout
        self.max_retries = max_retries
        self.is_async = inspect.iscoroutinefunction(function)
        self.__name__ = getattr(function, "__name__", name)
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self._signature = inspect.signature(function)
        self._hints: dict[str, Any] | None = None
        names = list(self._signature.parameters)
        self.takes_context = bool(names) and _is_context(self._signature.parameters[names[0]])
        self.parameters = [self._signature.parameters[name] for name in names[self.takes_context :]]

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> NodeCall[R]: ...
    @overload
    def __call__(self, *args: Any, retry: Retry, timeout: str | None = None, **kwargs: Any) -> NodeCall[R]: ...
    @overload
    def __call__(self, *args: Any, timeout: str, **kwargs: Any) -> NodeCall[R]: ...
    @overload
    def __call__(self, context: Context, /, *args: Any, **kwargs: Any) -> Any: ...

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """A node in a workflow; with a context first, the function itself."""
        if args and isinstance(args[0], Context):
            return self.function(*(args if self.takes_context else args[1:]), **kwargs)
        options: dict[str, Any] = {
            name: kwargs.pop(name) for name in _OPTIONS if name in kwargs and not self._has(name)
        }
        return NodeCall(self, self.data_of(args, kwargs), options)

    def _has(self, name: str) -> bool:
        return any(parameter.name == name for parameter in self.parameters)

    @property
    def is_whole(self) -> bool:
        """Whether one parameter receives all of the data: a dataclass, typed dictionary or pydantic model."""
        return len(self.parameters) == 1 and _is_record(self._hint(self.parameters[0]))

    def data_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The data of a job with these arguments: by keyword, or a single record."""
        names = [parameter.name for parameter in self.parameters]
        if len(args) > len(names) or any(name not in names for name in kwargs):
            raise TypeError(f"{self.name} takes {', '.join(names) or 'nothing'}")
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        missing = [p.name for p in self.parameters if p.name not in given and p.default is p.empty]
        if missing:
            raise TypeError(f"{self.name} misses {', '.join(missing)}")
        if self.is_whole:
            return encode(given[names[0]])
        return encode(given)

    def invoke(self, context: Context, data: Any) -> Any:
        """Calls the function with the data of a job; returns a coroutine if it is one. Raises InvalidData."""
        arguments = self._arguments(data)
        return self.function(context, **arguments) if self.takes_context else self.function(**arguments)

    def _arguments(self, data: Any) -> dict[str, Any]:
        if self.is_whole:
            parameter = self.parameters[0]
            return {parameter.name: decode(self._hint(parameter), data)}
        if len(self.parameters) == 1 and not isinstance(data, dict):
            parameter = self.parameters[0]
            return {parameter.name: decode(self._hint(parameter), data, parameter.name)}
        if not isinstance(data, dict):
            raise InvalidData(f"data is {type(data).__name__}, not object")
        if any(p.kind is p.VAR_KEYWORD for p in self.parameters):
            return dict(data)
        arguments = {}
        for parameter in self.parameters:
            if parameter.name in data:
                arguments[parameter.name] = decode(self._hint(parameter), data[parameter.name], parameter.name)
            elif parameter.default is parameter.empty:
                raise InvalidData(f"{parameter.name} is missing")
        return arguments

    def result_of(self, value: Any) -> Any:
        """The value of a JSON result in a workflow: an instance of the annotated type."""
        hint = self._all_hints().get("return", Any)
        return decode(hint, value) if hint is not Any else value

    def _hint(self, parameter: inspect.Parameter) -> Any:
        return self._all_hints().get(parameter.name, Any)

    def _all_hints(self) -> dict[str, Any]:
        if self._hints is None:
            try:
                self._hints = typing.get_type_hints(self.function)
            except NameError as error:
                raise TypeError(f"{self.name}: {error}; annotate with names of the module") from None
        return self._hints


def _is_context(parameter: inspect.Parameter) -> bool:
    annotation = parameter.annotation
    if annotation is parameter.empty:
        return parameter.name == "ctx"
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return text.split(".")[-1] in ("Context", "FakeContext")


def _is_record(hint: Any) -> bool:
    import dataclasses

    return isinstance(hint, type) and (
        dataclasses.is_dataclass(hint) or typing.is_typeddict(hint) or hasattr(hint, "model_validate")
    )


class _Decorator(typing.Protocol):
    @overload
    def __call__(self, function: Callable[Concatenate[Context, P], Coroutine[Any, Any, R]], /) -> Activity[P, R]: ...
    @overload
    def __call__(self, function: Callable[Concatenate[Context, P], R], /) -> Activity[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, Coroutine[Any, Any, R]], /) -> Activity[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, R], /) -> Activity[P, R]: ...


def activity(name: str | None = None, *, timeout: str | None = None, max_retries: int | None = None) -> _Decorator:
    """Makes a function the handler of a job type (default: the function's name).

    `timeout` and `max_retries` are sent when a job is enqueued by the function and when a workflow is compiled. A first
    parameter of type Context, or named `ctx`, receives the context; data is passed by keyword, or as one dataclass,
    typed dictionary or pydantic model.
    """
    if callable(name):
        raise TypeError("write @activity() with parentheses")
    if timeout is not None:
        seconds(timeout)

    def decorate(function: Callable[..., Any]) -> Any:
        return Activity(function, name or function.__name__, timeout, max_retries)

    return typing.cast(_Decorator, decorate)
