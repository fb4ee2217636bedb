"""Values of the table: what stands for what, and what counts as equal."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

NAMED = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)\}")
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds(text: str) -> float:
    """A duration such as 300ms, 2s or 1h30m."""
    return sum(float(n) * UNITS[u] for n, u in re.findall(r"(\d+)(ms|s|m|h)", text))


def fill(value: Any, known: dict[str, Any]) -> Any:
    """The value with names filled in and the words that make values carried out."""
    if isinstance(value, str):
        return _text(value, known)
    if isinstance(value, list):
        return [fill(item, known) for item in value]
    if isinstance(value, dict):
        if "$repeat" in value:
            return value["$repeat"][0] * value["$repeat"][1]
        if "$times" in value:
            number, item = value["$times"]
            return [fill(item, {**known, "i": i}) for i in range(number)]
        if "$find" in value:
            items, field, wanted, name = fill(value["$find"], known)
            return next(item[name] for item in items if item[field] == wanted)
        return {_text(name, known) if name else name: fill(item, known) for name, item in value.items()}
    return value


def _text(text: str, known: dict[str, Any]) -> Any:
    whole = NAMED.fullmatch(text)
    if whole and whole[1].split(".")[0] in known:
        return _look_up(whole[1], known)

    def named(match: re.Match[str]) -> str:
        before = text[: match.start()]
        is_expression = before.endswith("$")
        if is_expression or match[1].split(".")[0] not in known:
            return match[0]
        return str(_look_up(match[1], known))

    return NAMED.sub(named, text)


def _look_up(path: str, known: dict[str, Any]) -> Any:
    value: Any = known
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def differs(expected: Any, found: Any, place: str = "") -> str | None:
    """Where the value found does not fit what is expected; `None` where it does."""
    if isinstance(expected, dict):
        if len(expected) == 1:
            (word, argument), = expected.items()
            if word.startswith("$"):
                fits = _fits(word, argument, found)
                return None if fits else f"{place or '/'}: {_short(found)} does not fit {expected}"
        if not isinstance(found, dict):
            return f"{place or '/'}: {_short(found)} is not an object"
        for name, item in expected.items():
            if name not in found and item is not None:
                return f"{place}/{name}: missing in {_short(found)}"
            if complaint := differs(item, found.get(name), f"{place}/{name}"):
                return complaint
        return None
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return f"{place or '/'}: {_short(found)} is not a list of {len(expected)}"
        for index, item in enumerate(expected):
            if complaint := differs(item, found[index], f"{place}/{index}"):
                return complaint
        return None
    if expected != found or isinstance(expected, bool) != isinstance(found, bool):
        return f"{place or '/'}: {_short(found)} instead of {_short(expected)}"
    return None


def _fits(word: str, argument: Any, found: Any) -> bool:
    if word == "$any":
        return found is not None
    if word == "$contains":
        return isinstance(found, str) and argument in found
    if word == "$has":
        return isinstance(found, list) and any(differs(argument, item) is None for item in found)
    if word == "$count":
        return isinstance(found, list) and len(found) == argument
    if word == "$repeat":
        return bool(found == argument[0] * argument[1])
    if word == "$later":
        span = timedelta(seconds=seconds(argument[1]))
        return isinstance(found, str) and _instant(found) - _instant(argument[0]) >= span
    raise ValueError(f"the table has no word {word}")


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
