"""Source files as syntax trees: what their names stand for. Nothing is imported or executed."""

from __future__ import annotations

import ast
import re
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from trunkline._duration import seconds
from trunkline.compiler import types as t
from trunkline.compiler.records import record_of
from trunkline.compiler.types import Type
from trunkline.errors import CompileError

_PLAIN = {"int": t.INT, "float": t.FLOAT, "str": t.STR, "bool": t.BOOL, "None": t.NONE, "Any": t.ANY, "object": t.ANY}
_OPAQUE = {"datetime": "date-time", "date": "date", "UUID": "uuid", "Decimal": "", "bytes": ""}
#: Where Python's own library is: what stands there is another text in each version, and not a file everywhere.
_STANDARD = frozenset((sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")))
#: What `from trunkline import *` brings that the compiler knows.
_OWN = (
    *("activity", "workflow", "gather", "sleep", "signal", "wait_event", "user_task", "child"),
    *("Context", "Event", "NodeFailed", "Retry"),
)
_DURATION = 'write a duration as text with a unit, such as "30s"'


@dataclass
class Parameter:
    """A parameter of an activity."""

    name: str
    type: Type
    has_default: bool
    default: Any


@dataclass
class ActivityInfo:
    """What the decorator and the signature of an activity say."""

    function: str
    job_type: str
    parameters: list[Parameter]
    returns: Type
    timeout: str | None
    max_retries: int | None

    @property
    def is_whole(self) -> bool:
        """Whether the one parameter takes all of the data."""
        return len(self.parameters) == 1 and self.parameters[0].type.kind == "record"


@dataclass
class WorkflowInfo:
    """What the decorator of a workflow says."""

    node: ast.ClassDef
    name: str
    version: int
    timeout: str | None
    max_concurrent: int | None


class Module:
    """One source file."""

    def __init__(self, path: Path, text: str | None = None, shown: str | None = None) -> None:
        self.path = path
        self.shown = shown or path.name
        text = path.read_text(encoding="utf-8") if text is None else text
        self._lines = text.split("\n")
        try:
            self.tree = ast.parse(text, str(path))
        except SyntaxError as error:
            raise CompileError(
                self.shown, error.lineno or 1, error.offset or 1, f"not Python: {error.msg}", "mend the syntax first"
            ) from None
        self.statements: dict[str, ast.stmt] = {}
        self.constants: dict[str, ast.expr] = {}
        self.imports: dict[str, tuple[str, int, str | None]] = {}
        self._others: dict[str, Module | None] = {}
        self.records: dict[str, Type] = {}
        for statement in self.tree.body:
            self._add(statement)

    def _add(self, statement: ast.stmt) -> None:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.statements[statement.name] = statement
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            if isinstance(statement.targets[0], ast.Name):
                self.constants[statement.targets[0].id] = statement.value
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
            self.constants[statement.target.id] = statement.value
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                self.imports[alias.asname or alias.name.split(".")[0]] = (alias.name, 0, None)
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                names = _OWN if alias.name == "*" and statement.module == "trunkline" else (alias.name,)
                for name in names:
                    self.imports[alias.asname or name] = (statement.module or "", statement.level, name)

    def refuse(self, node: ast.AST, reason: str, nearest: str) -> NoReturn:
        """Refuses what is at this place."""
        line, column = self.place(node)
        raise CompileError(self.shown, line, column, reason, nearest)

    def place(self, node: ast.AST) -> tuple[int, int]:
        """The line and the column of a node, in characters from 1."""
        line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return line, len(text.encode()[:offset].decode(errors="ignore")) + 1

    def canonical(self, node: ast.expr) -> str:
        """A name of this package, as `trunkline.gather`, or the dotted name as it is written."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        module, level, name = self.imports.get(node.id, ("", 0, None))
        if node.id in self.imports and level == 0:
            head = module if name is None else f"{module}.{name}"
            return ".".join([head, *parts])
        return ".".join([node.id, *parts])

    def other(self, name: str) -> tuple[Module, str] | None:
        """The module and name that an imported name stands for, if its source is found."""
        if name not in self.imports or self.imports[name][2] is None:
            return None
        module, level, original = self.imports[name]
        key = f"{'.' * level}{module}"
        if key not in self._others:
            found = self._find(module, level)
            self._others[key] = Module(found) if found else None
        other = self._others[key]
        return (other, original or name) if other else None

    def _find(self, module: str, level: int) -> Path | None:
        parts = module.split(".") if module else []
        if parts[:1] == ["trunkline"]:
            return None
        if level:
            base = self.path.parent
            for _ in range(level - 1):
                base = base.parent
            roots = [base]
        else:
            roots = [self.path.parent, *(Path(one or ".") for one in sys.path if one not in _STANDARD)]
        for root in roots:
            for candidate in (root.joinpath(*parts).with_suffix(".py"), root.joinpath(*parts, "__init__.py")):
                if parts and candidate.is_file():
                    return candidate
        return None

    def activity(self, name: str) -> ActivityInfo | None:
        """The activity of this name, here or where it is imported from."""
        if found := self.other(name):
            return found[0].activity(found[1])
        statement = self.statements.get(name)
        if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return None
        for decorator in statement.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            if self.canonical(call.func if call else decorator) == "trunkline.activity":
                if call is None:
                    self.refuse(decorator, "activity is called without parentheses", "write @activity()")
                return self._activity(statement, call)
        return None

    def _activity(self, statement: ast.FunctionDef | ast.AsyncFunctionDef, call: ast.Call) -> ActivityInfo:
        given = {word.arg: word.value for word in call.keywords}
        if call.args:
            given["name"] = call.args[0]
        literal = {name: self.literal(value) for name, value in given.items() if name}
        arguments = statement.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + list(
            arguments.defaults
        )
        pairs = [
            *zip(positional, defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        if pairs and self._is_context(pairs[0][0]):
            pairs = pairs[1:]
        parameters = []
        for argument, default in pairs:
            kind = self.annotation(argument.annotation) if argument.annotation else t.ANY
            value = self.literal(default) if default is not None else None
            parameters.append(Parameter(argument.arg, kind, default is not None, value))
        returns = self.annotation(statement.returns) if statement.returns else t.ANY
        job_type = literal.get("name") or statement.name
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.:/-]{0,126}", job_type):
            self.refuse(
                call, f"{job_type!r} is no job type", 'name it: @activity("charge"), of letters, digits and _.:/-'
            )
        timeout = literal.get("timeout")
        if timeout is not None:
            self.check_duration(given["timeout"], timeout)
        return ActivityInfo(
            statement.name,
            job_type,
            parameters,
            returns,
            timeout,
            literal.get("max_retries"),
        )

    def _is_context(self, argument: ast.arg) -> bool:
        if argument.annotation is None:
            return argument.arg == "ctx"
        return ast.unparse(argument.annotation).strip("'\"").split(".")[-1] in ("Context", "FakeContext")

    def workflow(self, name: str) -> WorkflowInfo | None:
        """The workflow class of this name, here or where it is imported from."""
        if found := self.other(name):
            return found[0].workflow(found[1])
        statement = self.statements.get(name)
        if not isinstance(statement, ast.ClassDef):
            return None
        for decorator in statement.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            if self.canonical(call.func if call else decorator) == "trunkline.workflow":
                if call is None:
                    self.refuse(decorator, "workflow is called without a version", "write @workflow(version=1)")
                return self._workflow(statement, call)
        return None

    def _workflow(self, statement: ast.ClassDef, call: ast.Call) -> WorkflowInfo:
        given = {word.arg or "": self.literal(word.value) for word in call.keywords}
        version = given.get("version")
        if call.args or not isinstance(version, int) or isinstance(version, bool) or version < 1:
            self.refuse(call, "the version is not a whole number from 1", "write @workflow(version=1)")
        if unknown := given.keys() - {"version", "name", "timeout", "max_concurrent"}:
            self.refuse(call, f"workflow has no option {min(unknown)}", "use version, name, timeout and max_concurrent")
        name = given.get("name") or default_name(statement.name)
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}", name):
            self.refuse(call, f"{name!r} is no name for a workflow", "use up to 63 letters, digits, _ and -")
        if given.get("timeout") is not None:
            self.check_duration(call, given["timeout"])
        return WorkflowInfo(statement, name, version, given.get("timeout"), given.get("max_concurrent"))

    def check_duration(self, node: ast.AST, value: Any) -> None:
        """Refuses what is no duration."""
        try:
            seconds(value)
        except ValueError:
            self.refuse(node, f"{value!r} is not a duration", _DURATION)

    def literal(self, node: ast.expr, at: ast.expr | None = None) -> Any:
        """The value of a literal, or of a constant of the module; what is none is refused where it is used."""
        if isinstance(node, ast.Name) and node.id in self.constants:
            return self.literal(self.constants[node.id], at or node)
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError):
            self.refuse(at or node, "the value has to be known without running the program", "write a literal here")

    def annotation(self, node: ast.expr) -> Type:
        """The type that an annotation means."""
        if isinstance(node, ast.Constant):
            if node.value is None:
                return t.NONE
            if isinstance(node.value, str):
                return self.annotation(ast.copy_location(ast.parse(node.value, mode="eval").body, node))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return t.unified(self.annotation(node.left), self.annotation(node.right))
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        name = ast.unparse(node).split(".")[-1]
        if self.canonical(node) == "trunkline.Event":
            return t.EVENT
        if isinstance(node, ast.Name) and (found := self.record(node.id)):
            return found
        if name in _PLAIN:
            return _PLAIN[name]
        if name in ("list", "tuple", "set", "Sequence"):
            return t.list_of(t.ANY)
        if name in ("dict", "Mapping"):
            return t.dict_of(t.ANY)
        if name in _OPAQUE:
            return Type("opaque", name=name, format=_OPAQUE[name])
        if members := self.members(name):
            self.refuse(
                node,
                f"members of the Enum {name} are other objects than their values",
                f"write Literal[{', '.join(members)}], and compare with the values",
            )
        return self.refuse(
            node,
            f"the type {ast.unparse(node)} has no form in JSON that the compiler knows",
            "use a dataclass, TypedDict or pydantic model of this or an imported module, or Any",
        )

    def _subscript(self, node: ast.Subscript) -> Type:
        name = ast.unparse(node.value).split(".")[-1]
        inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name in ("list", "set", "Sequence", "frozenset"):
            return t.list_of(self.annotation(inner[0]))
        if name == "tuple":
            kinds = [self.annotation(one) for one in inner if not _is_ellipsis(one)]
            result = kinds[0]
            for one in kinds[1:]:
                result = t.unified(result, one)
            return t.list_of(result)
        if name in ("dict", "Mapping") and len(inner) == 2:
            return t.dict_of(self.annotation(inner[1]))
        if name == "Optional":
            return self.annotation(inner[0]).or_null()
        if name == "Union":
            result = self.annotation(inner[0])
            for part in inner[1:]:
                result = t.unified(result, self.annotation(part))
            return result
        if name == "Literal":
            values = tuple(self.literal(one) for one in inner)
            classes = {type(value) for value in values}
            return Type(t.of_constant(values[0]).kind, values=values) if len(classes) == 1 else t.ANY
        if name in ("Annotated", "Required", "NotRequired", "ClassVar"):
            return self.annotation(inner[0])
        return self.refuse(
            node,
            f"the type {ast.unparse(node)} has no form in JSON that the compiler knows",
            "use list[…], dict[str, …], Optional[…], Literal[…] or a dataclass",
        )

    def record(self, name: str) -> Type | None:
        """The record that a class of this name is: a dataclass, TypedDict or pydantic model."""
        if found := self.other(name):
            return found[0].record(found[1])
        if name in self.records:
            return self.records[name]
        statement = self.statements.get(name)
        made = record_of(self, statement) if isinstance(statement, ast.ClassDef) else None
        if made is not None:
            self.records[name] = made
        return made

    def members(self, name: str) -> list[str] | None:
        """The values of an Enum, as they are written; None where the name is none."""
        if found := self.other(name):
            return found[0].members(found[1])
        statement = self.statements.get(name)
        if not isinstance(statement, ast.ClassDef):
            return None
        bases = {ast.unparse(base).split(".")[-1] for base in statement.bases}
        if not bases & {"Enum", "StrEnum", "IntEnum"}:
            return None
        return [ast.unparse(line.value) for line in statement.body if isinstance(line, ast.Assign)]


def default_name(class_name: str) -> str:
    """OrderSaga becomes order-saga."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", class_name.lstrip("_")).lower()


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis
