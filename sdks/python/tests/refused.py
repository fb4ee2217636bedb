"""Programs that are refused. `§` stands where the refusal points; the second text is part of the reason."""

HEAD = """import asyncio
import logging
import random
import time
from dataclasses import dataclass
from enum import Enum

from pydantic import BaseModel, ConfigDict, Field, field_validator

from trunkline import NodeFailed, Retry, activity, child, gather, signal, sleep, user_task, wait_event, workflow


@dataclass
class Item:
    sku: str
    count: int


@dataclass
class Order:
    id: str
    total: int
    price: float
    items: list[Item]
    note: str | None
    prices: dict[str, int]


@dataclass
class Checked:
    n: int

    def __post_init__(self): ...


class Colour(str, Enum):
    RED = "red"
    BLUE = "blue"


log = logging.getLogger(__name__)
LATER = time.time()


@activity()
def pay(order_id: str, cents: int = 0) -> int: ...


@activity()
def ask() -> dict: ...


@activity()
def loose(x): ...


@activity()
def whole(item: Item) -> Item: ...


@activity()
def two(a: int, b: int) -> None: ...


def plain(x): ...


@workflow(version=1)
class Other:
    async def run(self, order: Order) -> str:
        return order.id

"""

#: In the body of `run(self, order)`.
BODIES: list[tuple[str, str]] = [
    ("return §await pay(order.id) + 1", "a node inside of an expression"),
    ("x = [§await pay(i.sku) for i in order.items]", "a node inside of an expression"),
    ("x = §pay(order.id)", "called without await"),
    ("x = §sleep('1s')", "is a node, not a value"),
    ("x = §plain(order.id)", "the function plain is not known"),
    ("x = await §plain(order.id)", "plain is no activity"),
    ("await §asyncio.sleep(1)", "asyncio.sleep knows nothing of the server"),
    ("await §asyncio.gather(pay(order.id))", "asyncio.gather knows nothing of the server"),
    ("x = §time.time()", "something else each time"),
    ("x = §random.random()", "something else each time"),
    ("await sleep(§5)", "not a duration"),
    ("await sleep(§'5 minutes')", "not a duration"),
    ("await sleep(§order.total)", "a duration is text with a unit"),
    ("await §sleep()", "sleep takes one duration"),
    ("await signal(§order.id, timeout='1s')", "known without running"),
    ("await signal('a', timeout=§60)", "not a duration"),
    ("await signal('a', within=§'60s')", "signal has no option within"),
    ("await §wait_event()", "wait_event takes one name"),
    ("await wait_event(§order.id)", "known without running"),
    ("await wait_event(§'order.*')", "is no name of an event"),
    ("await wait_event(§[])", "wait_event takes 1 to 16 names"),
    ("await wait_event(§['a', 'a'])", "a name is there twice"),
    ("await wait_event('paid', match={§'id': order.id})", "is no path into the body"),
    ("await wait_event('paid', match={'body.id': 1, §'body.\"id\"': 2})", "is there twice"),
    ("await wait_event('paid', match={'body.id': §order.note})", "the value may be None"),
    ("await wait_event('paid', match=§order.prices)", "a dictionary that is written out"),
    ("await wait_event('paid', match={**§order.prices})", "a dictionary that is written out"),
    ("await wait_event('paid', match=§{f'body.{i}': 1 for i in 'ab'})", "a dictionary that is written out"),
    (
        "await wait_event('paid', match=§{'body.a': 1, 'body.b': 1, 'body.c': 1, 'body.d': 1, 'body.e': 1})",
        "more than 4 paths",
    ),
    ("await wait_event('paid', filter=§lambda e: e.body.sum > 1)", "wait_event has no option filter"),
    ("await wait_event('paid', timeout=§60)", "not a duration"),
    ("await wait_event('paid', lookback=§'2h')", "longer than an hour"),
    ("e = await wait_event('paid')\nreturn §e.headers", "Event has no field headers"),
    ("x = §wait_event('paid')", "is a node, not a value"),
    ("await gather(*[§wait_event(i.sku) for i in order.items])", "wait_event does not stand here"),
    ("await §user_task('approve')", "nobody is asked"),
    ("await user_task('approve', group='a', who=§'b')", "user_task has no option who"),
    ("await §user_task('not an id', group='a')", "is no id of a node"),
    ("await user_task('a', group='x')\nawait §user_task('a', group='x')", "is taken by another node"),
    ("await child(§plain, order)", "the child is no workflow class"),
    ("await §Other(order)", "the workflow Other is called"),
    ("await §child()", "child takes a workflow and its input"),
    ("await §pay()", "pay misses order_id"),
    ("await §pay(order.id, 1, 2)", "pay takes 2 values"),
    ("await pay(order.id, amount=§1)", "pay has no parameter amount"),
    ("await pay(§order.total)", "order_id of pay is str, not int"),
    ("await pay(order.id, order_id=§order.id)", "is given twice"),
    ("await §pay(*order.items)", "arguments are not unpacked"),
    ("await pay(order.id, retry=§3)", "the retry has to be known"),
    ("await pay(order.id, retry=§Retry(max=-1))", "Retry takes max"),
    ("await pay(order.id, timeout=§'soon')", "not a duration"),
    ("await pay(order.id).compensate(§plain)", "has to be an activity"),
    ("await pay(order.id).compensate(§two)", "has to take one value"),
    ("await pay(order.id).compensate(§whole)", "item of whole is Item, and the node gives int"),
    ("await gather(*[§pay(i.sku).compensate(loose) for i in order.items])", "items of a MAP have no compensation"),
    ("await §gather()", "gather has nothing to wait for"),
    ("await gather(pay(order.id), §*[pay(i.sku) for i in order.items])", "stands beside other calls"),
    ("await §gather(pay(order.id), concurrency=2)", "concurrency bounds a starred comprehension"),
    ("await gather(*[pay(i.sku) for i in order.items], concurrency=§0)", "a whole number from 1"),
    ("await gather(*§order.items)", "only a comprehension with one `for` is a MAP"),
    ("await gather(*§[pay(i.sku) for i in order.items for j in order.items])", "only a comprehension with one `for`"),
    ("await gather(*[pay(i.sku, §1 // 0) for i in order.items])", "by zero"),
    ("await gather(*[§pay(i.sku, i.count + 1) for i in order.items])", "computed for each item"),
    ("await gather(sleep('1s'), §user_task('a', group='x'))", "does not stand inside of gather"),
    ("§a, b = await pay(order.id)", "the value is not taken apart"),
    ("x = §order.colour", "Order has no field colour"),
    ("x = §order.note.size", "order.note may be None"),
    ("x = §order.items[0:2]", "CEL has no slices"),
    ("x = §order.id.upper()", "the method upper"),
    ("x = order.id + §order.note", "order.note may be None"),
    ("x = §order.id * 2", "this operator between str and int"),
    ("x = order.total // §order.total", "divides whole numbers differently"),
    ("x = §order.total ** 2", "this operator between int and int"),
    ("x = await loose(1)\ny = §x + 1", "the type of x is not known"),
    ("x = await loose(1)\nif §x:\n    pass", "whether a value of type unknown counts as true"),
    ("x = await loose(1)\nif §x == 1:\n    pass", "the type of x is not known"),
    ("x = §order.items == order.items", "whole lists and objects"),
    ("x = §(order.total > 1) == 1", "Python takes True for 1"),
    ("x = §order.id < order.total", "have no order"),
    ("x = §order.id is order.id", "`is` compares objects"),
    ("x = §order.id or 'none'", "give one of the values"),
    ("x = f'{§order.price}'", "written differently as text"),
    ("x = §f'{order.total:5d}'", "CEL does not format"),
    ("x = §lambda: 1", "functions are no values"),
    ("x = (§y := 1)", "not bound inside of an expression"),
    ("x = §{i.sku: i for i in order.items}", "CEL makes no objects from lists"),
    ("x = §{1, 2}", "sets have no order"),
    ("x = {§order.id: 1}", "keys have to be text"),
    ("x = §[i.sku for i in order.items for j in order.items]", "several loops"),
    ("x = [[[k for k in §order.items] for j in order.items] for i in order.items]", "nested deeper than two"),
    ("x = any(§i.count // 2 > 1 for i in order.items)", "could fail for one item"),
    ("x = §sum([1, 2])", "the function sum is not known"),
    ("x = int(§order.id)", "is read differently"),
    ("x = §unknown", "unknown is not known here"),
    ("x = §9223372036854775808", "does not fit into 64 bits"),
    ("§order.id", "the value is not used"),
    ("§a = b = 1", "several names are bound"),
    ("§order.id = 'x'", "only names are bound"),
    ("§self = 1", "self is no state"),
    ("§x: int", "the name gets no value"),
    ("xs = order.items\n§xs.append(order.items[0])", "is not a list whose items are known"),
    ("xs = []\nys = xs\n§xs.append(1)", "is used before it changes"),
    ("if order.total > 1:\n    x = await pay(order.id)\nreturn §x", "x may have no value here"),
    ("try:\n    x = await pay(order.id)\nexcept NodeFailed:\n    pass\nreturn §x", "x may have no value here"),
    ("try:\n    await pay(order.id)\n§except ValueError:\n    pass", "only failures of nodes are caught"),
    ("try:\n    await pay(order.id)\n§except:\n    pass", "only failures of nodes are caught"),
    ("try:\n    await pay(order.id)\nexcept NodeFailed:\n    pass\n§except ValueError:\n    pass", "are of one kind"),
    ("try:\n    await pay(order.id)\nexcept NodeFailed as e:\n    return §e.node", "NodeFailed has no field node"),
    ("try:\n    await pay(order.id)\n    return 1\nfinally:\n    return 2\n§await ask()", "control never comes here"),
    ("§log.info('x')", "nothing of run logs on the server"),
    ("§print(order.id)", "nothing of run is printed on the server"),
    ("x = §LATER", "known without running the program"),
    ("x = §Retry(max=3)", "a Retry is an option of a call"),
    ("await gather(*[pay(f'{i}') for i in §range(order.total)])", "the numbers of the range are not known"),
    ("await gather(*[pay(f'{i}') for i in §range(5000)])", "more than 1000 numbers"),
    ("for i in range(2):\n    await user_task(§f'{order.id}{i}', group='x')", "known without running the program"),
    ("x = §Checked(1)", "Checked.__post_init__ makes other values"),
    ("await user_task('a', group='x', form=§Checked)", "Checked.__post_init__ makes other values"),
    ("§raise NodeFailed('x')", "run does not raise"),
    ("§assert order.total", "run does not raise"),
    ("§with open('x'):\n    pass", "nothing is open between nodes"),
    ("§async with ask():\n    pass", "nothing is open between nodes"),
    ("§async for x in ask():\n    pass", "no length that is known"),
    ("§def f():\n    pass", "a function inside of run"),
    ("§import os", "an import inside of run"),
    ("§global order", "no state outside"),
    ("§del order", "names are not removed"),
    ("§while order.total > 1:\n    await ask()", "no bound that the compiler sees"),
    ("§while True:\n    await ask()", "no bound that the compiler sees"),
    ("n = 0\n§while n < 200:\n    n += 1\n    await ask()", "more than 100 rounds"),
    ("n = 0\n§while n < 2:\n    n += 1\nelse:\n    pass", "`else` of a loop"),
    ("§for i in range(500):\n    await ask()", "more than 100 rounds"),
    ("for i in §range(order.total):\n    await ask()", "the number of rounds is not known"),
    ("for i in order.items:\n    §await pay(i.sku)\n    await ask()", "more than one call for each item"),
    ("for i in order.items:\n    §if i.count > 1:\n        await ask()", "more than one call for each item"),
    ("§break", "outside of a loop"),
    ("return 1\n§await ask()", "control never comes here"),
    ("match §order.items:\n    case _:\n        pass", "is not matched"),
    ("match order.id:\n    case §[a, b]:\n        pass", "only values are matched"),
    ("match order.id:\n    case §1:\n        pass", "of another type"),
    ("match order.id:\n    case _:\n        pass\n    case §'a':\n        pass", "control never comes here"),
]

#: Whole modules behind HEAD.
MODULES: list[tuple[str, str]] = [
    ("@§workflow\nclass W:\n    async def run(self): return 1\n", "without a version"),
    ("@§workflow(version='1')\nclass W:\n    async def run(self): return 1\n", "the version is not a whole number"),
    (
        "@§workflow(version=1, colour='red')\nclass W:\n    async def run(self): return 1\n",
        "workflow has no option colour",
    ),
    (
        "@§workflow(version=1, name='no name!')\nclass W:\n    async def run(self): return 1\n",
        "is no name for a workflow",
    ),
    ("@workflow(version=1)\n§class W:\n    pass\n", "there is no run"),
    ("@workflow(version=1)\nclass W:\n    §def run(self): return 1\n", "run is not async"),
    ("@workflow(version=1)\nclass W:\n    §async def run(self, a, b): return 1\n", "at most one input"),
    ("@workflow(version=1)\nclass W:\n    §async def run(self): pass\n", "the workflow does nothing"),
    (
        "@workflow(version=1)\nclass W:\n    §def help(self): pass\n    async def run(self): return 1\n",
        "the method help",
    ),
    (
        "@workflow(version=1)\nclass W:\n    §limit = 3\n    async def run(self): return 1\n",
        "nothing of the class runs",
    ),
    (
        "@workflow(version=1)\nclass W:\n    input: §complex\n    async def run(self, x): return 1\n",
        "the type complex has no form",
    ),
    (
        "@workflow(version=1)\nclass W:\n    input: §Colour\n    async def run(self, x): return 1\n",
        "members of the Enum Colour are other objects",
    ),
    ("@workflow(version=1)\nclass W:\n    async def run(self, §x: Checked): return 1\n", "Checked.__post_init__ makes"),
    *(
        (
            f"class M(BaseModel):\n    {line}\n@workflow(version=1)\nclass W:\n    async def run(self, m: M): return 1\n",
            why,
        )
        for line, why in [
            ("n: int = Field(alias=§'m')", "the option alias of a field"),
            ("n: int = Field(default_factory=§int)", "the default is not known"),
            ("n: int = Field(gt=§time.time())", "known without running"),
            ("n: list[int] = §[1, 2j]", "a default that is a complex"),
            ("model_config = ConfigDict(alias_generator=§str)\n    n: int", "the option alias_generator of a model"),
        ]
    ),
    (
        "class M(BaseModel):\n    n: int\n    @field_validator('n')\n    def small(cls, n): return n\n"
        "@workflow(version=1)\nclass W:\n    async def run(self, §m: M): return 1\n",
        "M.small makes other values",
    ),
    (
        "@§activity\ndef f(): ...\n@workflow(version=1)\nclass W:\n    async def run(self): await f()\n",
        "without parentheses",
    ),
    (
        "@activity(timeout=§'soon')\ndef f(): ...\n@workflow(version=1)\nclass W:\n    async def run(self): await f()\n",
        "not a duration",
    ),
    (
        "@§activity()\ndef _f(): ...\n@workflow(version=1)\nclass W:\n    async def run(self): await _f()\n",
        "is no job type",
    ),
    (
        "@workflow(version=1)\nclass W:\n    §async def run(self, order: Order):\n"
        + "".join(f"        if order.total == {n}:\n            return {n}\n" for n in range(80)),
        "longer than 4096 bytes",
    ),
    (
        "@workflow(version=1)\nclass W:\n    §async def run(self, order: Order):\n"
        + "".join(f"        if order.total == {n}:\n            return {n}\n" for n in range(50)),
        "deeper than 45 brackets",
    ),
]
