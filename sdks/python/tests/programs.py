"""Generates programs of the subset that is compiled, from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

HEAD = """from __future__ import annotations

from dataclasses import dataclass, field

from property_activities import add, box, flaky, is_even, numbers, risky, step, unbox, undo, word
from trunkline import NodeFailed, Retry, gather, signal, sleep, wait_event, workflow


@dataclass
class Part:
    n: int
    weight: int = 2


@dataclass
class Input:
    a: int
    b: int
    text: str
    parts: list[Part]
    c: int = 5
    note: str | None = None
    words: list[str] = field(default_factory=list)


@workflow(version=1, name="{name}")
class Program:
    input: Input

    async def run(self, order: Input):
"""


@dataclass
class Program:
    """A program, and what it gets from outside."""

    text: str
    input: dict[str, Any]
    #: By name, payloads of signals and bodies of events in the order in which they come.
    signals: dict[str, list[Any]] = field(default_factory=dict)
    events: dict[str, list[Any]] = field(default_factory=dict)
    #: Whether a failure may cancel what stands beside it before it begins.
    cancels: bool = False
    #: Whether it is a matter of time what completes first, and is undone last.
    races: bool = False


#: How often a wait in loops may come; loops are nested less deep.
ROUNDS_MAX = 30


class Scope:
    """The names that are bound, by type."""

    def __init__(self, names: dict[str, list[str]]) -> None:
        self.names = {kind: list(names) for kind, names in names.items()}

    def copy(self) -> Scope:
        return Scope(self.names)


class Generator:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.seed = seed
        self.made = Program("", self.input())
        self.lines: list[str] = []
        self.counter = 0
        self.budget = self.random.randint(4, 14)
        self.in_try = False
        self.loops = 0

    def program(self) -> Program:
        scope = Scope(
            {"int": ["order.a", "order.b", "order.c"], "str": ["order.text"], "bool": [], "list": [], "box": []}
        )
        self.block(scope, 2, self.random.randint(3, 7))
        self.line(2, f"return {self.summary(scope)}")
        self.made.text = HEAD.replace("{name}", f"program-{self.seed}") + "\n".join(self.lines) + "\n"
        return self.made

    def input(self) -> dict[str, object]:
        given: dict[str, object] = {
            "a": self.random.randint(-5, 9),
            "b": self.random.randint(0, 9),
            "text": self.random.choice(["", "abc", "Ada"]),
            "parts": [
                {"n": self.random.randint(0, 9), **({"weight": 3} if self.random.random() < 0.5 else {})}
                for _ in range(self.random.randint(0, 3))
            ],
        }
        if self.random.random() < 0.5:
            given["c"] = self.random.randint(0, 3)
        if self.random.random() < 0.5:
            given["note"] = self.random.choice([None, "hello"])
        return given

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def new(self, scope: Scope, kind: str) -> str:
        self.counter += 1
        name = f"{kind[0]}{self.counter}"
        scope.names[kind].append(name)
        return name

    def summary(self, scope: Scope) -> str:
        names = [name for kind in ("int", "str", "bool", "list") for name in scope.names[kind]]
        chosen = self.random.sample(names, min(len(names), 4))
        return "{" + ", ".join(f'"{name.replace(".", "_")}": {name}' for name in chosen) + "}"

    # Expressions

    def int_(self, scope: Scope, depth: int = 0) -> str:
        pick = self.random.random()
        if depth > 1 or pick < 0.45:
            return self.random.choice(scope.names["int"])
        if pick < 0.55:
            return str(self.random.randint(-3, 9))
        if pick < 0.75:
            return f"({self.int_(scope, depth + 1)} {self.random.choice('+-*')} {self.int_(scope, depth + 1)})"
        if pick < 0.8:
            return f"({self.int_(scope, depth + 1)} {self.random.choice(['%', '//'])} {self.random.randint(2, 5)})"
        if pick < 0.83:
            return f"len({self.list_(scope)})"
        if pick < 0.84:
            return f"(-{self.random.choice(scope.names['int'])})"
        if pick < 0.85:
            return f"abs({self.int_(scope, 2)})"
        if pick < 0.87:
            return f"([3, 4] + {self.list_(scope)})[{self.random.choice(['0', '1', '-2', '-1'])}]"
        if pick < 0.9:
            return f"{self.random.choice(['min', 'max'])}({self.int_(scope, depth + 1)}, {self.int_(scope, depth + 1)})"
        if pick < 0.95 and scope.names["box"]:
            return f"{self.random.choice(scope.names['box'])}.value"
        return f"({self.int_(scope, depth + 1)} if {self.bool_(scope, depth + 1)} else {self.int_(scope, depth + 1)})"

    def str_(self, scope: Scope) -> str:
        pick = self.random.random()
        if pick < 0.3:
            return self.random.choice(scope.names["str"])
        if pick < 0.8:
            return (
                f'f"t {{{self.random.choice(scope.names["int"])}}} ${{{self.random.choice(scope.names["str"])}}} end"'
            )
        if scope.names["box"]:
            return f"{self.random.choice(scope.names['box'])}.tag"
        return f"({self.random.choice(scope.names['str'])} + 'x')"

    def list_(self, scope: Scope) -> str:
        pick = self.random.random()
        if pick < 0.4 and scope.names["list"]:
            return self.random.choice(scope.names["list"])
        if pick < 0.6:
            return f"[p.n for p in order.parts if p.weight > {self.random.randint(1, 3)}]"
        if pick < 0.8:
            return "[p.n + p.weight for p in order.parts]"
        return f"[{self.int_(scope, 2)}, {self.int_(scope, 2)}]"

    def bool_(self, scope: Scope, depth: int = 0) -> str:
        pick = self.random.random()
        if pick < 0.35 or depth > 1:
            sign = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
            return f"{self.int_(scope, 2)} {sign} {self.int_(scope, 2)}"
        if pick < 0.45 and scope.names["bool"]:
            return self.random.choice(scope.names["bool"])
        if pick < 0.55:
            return f"order.note is {self.random.choice(['', 'not '])}None"
        if pick < 0.62:
            return f'order.text {self.random.choice(["==", "!="])} "abc"'
        if pick < 0.7:
            return f"{self.random.choice(['any', 'all'])}(p.n > {self.random.randint(0, 8)} for p in order.parts)"
        if pick < 0.78:
            return f"{self.int_(scope, 2)} in {self.list_(scope)}"
        if pick < 0.8:
            return f'"{self.random.choice("abr")}" in {self.random.choice(scope.names["str"])}'
        if pick < 0.82:
            return f"{self.int_(scope, 2)} < {self.int_(scope, 2)} <= {self.int_(scope, 2)}"
        if pick < 0.84:
            return f"not ({self.bool_(scope, depth + 1)})"
        return f"({self.bool_(scope, depth + 1)} {self.random.choice(['and', 'or'])} {self.bool_(scope, depth + 1)})"

    # Calls

    def call(self, scope: Scope) -> tuple[str, str]:
        """A call, and the type of its result."""
        pick = self.random.random()
        if pick < 0.25:
            return f"add({self.int_(scope)}, b={self.int_(scope)})", "int"
        if pick < 0.35:
            return f"is_even({self.int_(scope)})", "bool"
        if pick < 0.45:
            return f"word({self.int_(scope)})", "str"
        if pick < 0.55:
            return f"numbers({self.int_(scope)})", "list"
        if pick < 0.63:
            return f"box({self.int_(scope)})", "box"
        if pick < 0.7 and scope.names["box"]:
            return f"unbox({self.random.choice(scope.names['box'])})", "int"
        if pick < 0.8:
            return (
                f'flaky({self.int_(scope)}, retry=Retry(max=3, initial="1ms", factor=1.0, max_wait="2ms", jitter=False))',
                "int",
            )
        if self.in_try or self.random.random() < 0.4:
            return f"risky({self.int_(scope)})", "int"
        if self.random.random() < 0.5:
            return f"add({self.int_(scope)}, 1).compensate(undo)", "int"
        return f"add({self.int_(scope)}, 2)", "int"

    # Statements

    def block(self, scope: Scope, depth: int, length: int) -> None:
        before = len(self.lines)
        for _ in range(length):
            if self.budget <= 0:
                break
            self.statement(scope, depth)
        if len(self.lines) == before:
            self.line(depth, "pass")

    def statement(self, scope: Scope, depth: int) -> None:
        self.budget -= 1
        simple = [self.awaited, self.awaited, self.computed, self.rebound, self.gathered, self.mapped, self.numbered]
        simple += [self.waited, self.ordered]
        nested = [self.if_, self.match, self.try_, self.for_, self.while_, self.finally_, self.walked, self.timed_out]
        self.random.choice(simple + nested if depth < 5 else simple)(scope, depth)

    def awaited(self, scope: Scope, depth: int) -> None:
        call, kind = self.call(scope)
        self.line(depth, f"{self.new(scope, kind)} = await {call}")

    def computed(self, scope: Scope, depth: int) -> None:
        kind = self.random.choice(["int", "str", "bool", "list"])
        text = {"int": self.int_, "str": self.str_, "bool": self.bool_, "list": self.list_}[kind](scope)
        self.line(depth, f"{self.new(scope, kind)} = {text}")

    def rebound(self, scope: Scope, depth: int) -> None:
        own = [name for name in scope.names["int"] if "." not in name and name[0] == "i"]
        if not own:
            self.awaited(scope, depth)
        elif self.random.random() < 0.5:
            self.line(depth, f"{self.random.choice(own)} += {self.int_(scope)}")
        else:
            self.line(depth, f"{self.random.choice(own)} = await add({self.int_(scope)}, 3)")

    def gathered(self, scope: Scope, depth: int) -> None:
        calls = [self.call(scope) for _ in range(self.random.randint(2, 3))]
        names = [self.new(scope, kind) for _, kind in calls]
        texts = [call for call, _ in calls]
        self.made.cancels |= not self.in_try and any("risky" in text for text in texts)
        self.made.races |= sum("compensate" in text for text in texts) > 1
        self.line(depth, f"{', '.join(names)} = await gather({', '.join(texts)})")

    def ordered(self, scope: Scope, depth: int) -> None:
        """Steps side by side whose order of completion is given; perhaps a wait beside them."""
        self.counter += 1
        group, size = f"g{self.counter}", self.random.randint(2, 3)
        calls, names = [], []
        for turn in self.random.sample(range(size), size):
            # A failure that nobody catches cancels what is under way: nothing is where the last one fails.
            may_fail = self.random.random() < 0.5 and (self.in_try or turn == size - 1)
            undo = ".compensate(undo)" if self.random.random() < 0.5 else ""
            calls.append(f'step({self.int_(scope)}, "{group}", {turn}, {size}, {may_fail}){undo}')
        field = ""
        if self.random.random() < 0.3:
            call, field = self.wait()
            calls.append(call)
        names = [self.new(scope, "int") for _ in range(size)]
        if field:
            self.counter += 1
            names.append(f"got{self.counter}")
        self.line(depth, f"{', '.join(names)} = await gather({', '.join(calls)})")
        if field:
            self.line(depth, f"{self.new(scope, 'int')}: int = {names[-1]}.{field}")

    def wait(self) -> tuple[str, str]:
        """A wait for what comes, and where a whole number is in what it gives."""
        self.counter += 1
        if self.random.random() < 0.4:
            name = f"go{self.counter}"
            self.made.signals[name] = [{"n": self.random.randint(-3, 9)} for _ in range(ROUNDS_MAX)]
            return f'signal("{name}", timeout="1h")', "n"
        given = self.made.input
        expression, value = self.random.choice(
            [
                ("order.a", given["a"]),
                ("order.a + order.b", given["a"] + given["b"]),
                ("order.c", given.get("c", 5)),
                ("order.text", given["text"]),
                ('f"k{order.b}"', f"k{given['b']}"),
                ("order.parts", [{"weight": 2, **part} for part in given["parts"]]),
                ("3", 3.0),
            ]
        )
        path = self.random.choice(["body.key", "body.deep.key", "body.list.1.'a key'".replace("'", '"')])
        name = f"prop.{self.seed}.{self.counter}"
        self.made.events[name] = bodies = []
        for number in range(ROUNDS_MAX):
            if self.random.random() < 0.4:
                bodies.append(body(path, self.random.choice(["another", None, 77, [], {"a": value}]), None))
            bodies.append(body(path, value, self.random.randint(-3, 9) + number))
        names = f'"{name}"' if self.random.random() < 0.7 else f'["{name}.other", "{name}"]'
        return f"wait_event({names}, match={{{path!r}: {expression}}}, timeout='1h')", "body.n"

    def waited(self, scope: Scope, depth: int) -> None:
        call, field = self.wait()
        self.counter += 1
        name = f"got{self.counter}"
        self.line(depth, f"{name} = await {call}")
        self.line(depth, f"{self.new(scope, 'int')}: int = {name}.{field}")

    def timed_out(self, scope: Scope, depth: int) -> None:
        """A wait for what never comes."""
        call = self.random.choice(['signal("never", timeout="1ms")', 'wait_event("prop.never", timeout="1ms")'])
        self.line(depth, "try:")
        self.line(depth + 1, f"await {call}")
        self.line(depth + 1, "await word(order.a)")
        self.line(depth, "except NodeFailed as e:")
        handler = scope.copy()
        self.line(depth + 1, f'{self.new(handler, "bool")} = e.code == "timeout"')
        self.block(handler, depth + 1, 1)
        self.exit(handler, depth + 1)

    def mapped(self, scope: Scope, depth: int) -> None:
        items = self.list_(scope)
        name = self.random.choice(["add(x, 1)", "flaky(x)" if self.in_try else "add(x, 4)"])
        wide = self.random.choice(["", ", concurrency=2"])
        if self.in_try and self.random.random() < 0.5:
            # One after the other: which of several items fails first is a matter of time otherwise.
            name, wide = "risky(x)", ", concurrency=1"
        self.line(depth, f"{self.new(scope, 'list')} = await gather(*[{name} for x in {items}]{wide})")

    def numbered(self, scope: Scope, depth: int) -> None:
        if self.random.random() < 0.3:
            self.line(depth, 'await sleep("1ms")')
        items = self.list_(scope)
        self.line(depth, f"{self.new(scope, 'list')} = await gather(*[add(i, x) for i, x in enumerate({items})])")

    def walked(self, scope: Scope, depth: int) -> None:
        items = self.list_(scope)
        self.counter += 1
        name = f"acc{self.counter}"
        self.line(depth, f"{name} = []")
        self.line(depth, f"for x in {items}:")
        self.line(depth + 1, f"{name}.append(await add(x, {self.random.randint(0, 3)}))")
        scope.names["list"].append(name)

    def exit(self, scope: Scope, depth: int) -> None:
        """Perhaps a return, break or continue at the end of a block."""
        if self.random.random() < 0.3:
            self.line(depth, f"return {self.summary(scope)}")
        elif self.loops and self.random.random() < 0.5:
            self.line(depth, self.random.choice(["break", "break", "continue"]))

    def if_(self, scope: Scope, depth: int) -> None:
        if self.random.random() < 0.3:
            self.line(depth, "if order.note is not None:")
            inner = scope.copy()
            inner.names["str"].append("order.note")
        else:
            self.line(depth, f"if {self.bool_(scope)}:")
            inner = scope.copy()
        self.block(inner, depth + 1, self.random.randint(1, 3))
        self.exit(inner, depth + 1)
        if self.random.random() < 0.3:
            self.line(depth, f"elif {self.bool_(scope)}:")
            inner = scope.copy()
            self.block(inner, depth + 1, self.random.randint(1, 2))
            self.exit(inner, depth + 1)
        if self.random.random() < 0.6:
            self.line(depth, "else:")
            inner = scope.copy()
            self.block(inner, depth + 1, self.random.randint(1, 2))

    def match(self, scope: Scope, depth: int) -> None:
        self.line(depth, f"match {self.random.choice(scope.names['str'])}:")
        for pattern in self.random.sample(['"abc"', '"red" | "blue"', '""', '"even"'], 2):
            self.line(depth + 1, f"case {pattern}:")
            inner = scope.copy()
            self.block(inner, depth + 2, self.random.randint(1, 2))
            self.exit(inner, depth + 2)
        if self.random.random() < 0.6:
            self.line(depth + 1, "case _:")
            self.block(scope.copy(), depth + 2, 1)

    def try_(self, scope: Scope, depth: int) -> None:
        before, self.in_try = self.in_try, True
        self.line(depth, "try:")
        inner = scope.copy()
        self.budget += 1
        self.block(inner, depth + 1, self.random.randint(1, 3))
        self.in_try = before
        self.line(depth, "except NodeFailed as e:")
        handler = scope.copy()
        handler.names["str"].append("e.message")
        # What was rebound before the failure is not known in the handler, nor is it behind it.
        handler.names["int"] = [name for name in handler.names["int"] if "." in name]
        self.line(depth + 1, f"{self.new(handler, 'int')} = await add(len(e.message), 1)")
        self.exit(handler, depth + 1)
        if self.random.random() < 0.4:
            self.line(depth, "else:")
            self.block(inner, depth + 1, 1)
        scope.names["int"] = [name for name in scope.names["int"] if "." in name]
        self.line(depth, f"{self.new(scope, 'int')} = order.a + 1")

    def finally_(self, scope: Scope, depth: int) -> None:
        before, self.in_try = self.in_try, True
        self.line(depth, "try:")
        inner = scope.copy()
        self.budget += 1
        self.block(inner, depth + 1, self.random.randint(1, 2))
        if self.random.random() < 0.6:
            self.line(depth + 1, f"if {self.bool_(inner)}:")
            ways = [f"return {self.summary(inner)}"] + ["break", "continue"] * bool(self.loops)
            self.line(depth + 2, self.random.choice(ways))
        self.in_try = before
        if self.random.random() < 0.7:
            self.line(depth, "except NodeFailed as e:")
            self.line(depth + 1, "await word(len(e.message))")
        self.line(depth, "finally:")
        self.line(depth + 1, "await word(order.b)")
        scope.names["int"] = [name for name in scope.names["int"] if "." in name]
        self.line(depth, f"{self.new(scope, 'int')} = order.b + 1")

    def for_(self, scope: Scope, depth: int) -> None:
        self.counter += 1
        name = f"k{self.counter}"
        over = self.random.choice([f"range({self.random.randint(1, 3)})", "[1, 4]", "(order.a, 7)"])
        self.line(depth, f"for {name} in {over}:")
        inner = scope.copy()
        inner.names["int"].append(name)
        self.loops += 1
        self.block(inner, depth + 1, self.random.randint(1, 2))
        self.loops -= 1

    def while_(self, scope: Scope, depth: int) -> None:
        self.counter += 1
        name = f"w{self.counter}"
        self.line(depth, f"{name} = 0")
        test = f"{name} < {self.random.randint(1, 3)}"
        if self.random.random() < 0.7:
            test += f" and {self.bool_(scope)}"
        self.line(depth, f"while {test}:")
        self.line(depth + 1, f"{name} += 1")
        inner = scope.copy()
        inner.names["int"].append(name)
        self.loops += 1
        self.block(inner, depth + 1, self.random.randint(1, 2))
        self.loops -= 1


def body(path: str, value: Any, number: int | None) -> dict[str, Any]:
    """The body of an event with a value at a path; `n` is the number of what a wait takes, None of what it leaves."""
    at = {
        "body.key": {"key": value},
        "body.deep.key": {"deep": {"key": value}},
    }.get(path, {"list": [None, {"a key": value}]})
    return {**at, "n": number}


def generate(seed: int) -> Program:
    """A program with what it gets from outside."""
    return Generator(seed).program()
