"""The command line: `python -m trunkline compile|push|diff module:Class`."""

from __future__ import annotations

import argparse
import difflib
import json
import sys
from pathlib import Path
from typing import Any

from trunkline.client import Client
from trunkline.compiler import Compiled, compile_file
from trunkline.errors import CompileError, Problem, TrunklineError


def find(target: str) -> tuple[Path, str]:
    """The file and the class of `module:Class` or `path/file.py:Class`, found without importing anything."""
    module, separator, name = target.rpartition(":")
    if not separator or not module or not name:
        raise SystemExit(f"{target!r} names no class: write module:Class")
    if module.endswith(".py"):
        return Path(module), name
    parts = module.split(".")
    for root in [Path(), *(Path(one or ".") for one in sys.path)]:
        for path in (root.joinpath(*parts).with_suffix(".py"), root.joinpath(*parts, "__init__.py")):
            if path.is_file():
                return path, name
    raise SystemExit(f"there is no module {module}")


def compile_target(target: str) -> Compiled:
    """Compiles what a target names."""
    path, name = find(target)
    if not path.is_file():
        raise SystemExit(f"there is no file {path}")
    return compile_file(path, name, str(path))


def compile_command(options: argparse.Namespace) -> int:
    """Prints the definition; with --places writes where its nodes are in the source."""
    compiled = compile_target(options.target)
    sys.stdout.buffer.write(compiled.bytes)
    if options.places:
        Path(options.places).write_text(json.dumps(compiled.places, indent=2) + "\n", encoding="utf-8")
    return 0


def push_command(options: argparse.Namespace) -> int:
    """Registers the definition."""
    compiled = compile_target(options.target)
    with Client() as client:
        answer = client.push(compiled)
    print(f"{answer['name']} {answer['version']} {answer.get('contentHash', '')}".rstrip())
    return 0


def diff_command(options: argparse.Namespace) -> int:
    """Shows what changed against the server's version: exit code 0 where nothing did, 1 where something did."""
    compiled = compile_target(options.target)
    name, version = compiled.definition["name"], compiled.definition["version"]
    with Client() as client:
        registered, which = registered_definition(client, name, version)
    before = text_of(registered) if registered is not None else []
    after = text_of(compiled.definition)
    lines = list(
        difflib.unified_diff(before, after, f"server: {name} {which}", f"{options.target} {version}", lineterm="")
    )
    for line in lines:
        print(line)
    return 1 if lines else 0


def registered_definition(client: Client, name: str, version: int) -> tuple[Any, str]:
    """The same version on the server, else the latest one, else nothing."""
    for wanted in (version, None):
        try:
            answer = client.workflow(name, wanted)
            return answer["definition"], str(answer["version"])
        except Problem as problem:
            if problem.status != 404:
                raise
    return None, "none"


def text_of(definition: Any) -> list[str]:
    """The lines of a definition, with the fields of objects in order, for a comparison."""
    return json.dumps(definition, ensure_ascii=False, indent=2, sort_keys=True).splitlines()


def main(arguments: list[str] | None = None) -> int:
    """Runs a command; errors go to stderr with exit code 1, or 2 for a wrong use."""
    parser = argparse.ArgumentParser(prog="trunkline", description="Compiles workflow classes.")
    commands = parser.add_subparsers(required=True)
    described = {
        "compile": (compile_command, "print the definition"),
        "push": (push_command, "register the definition"),
        "diff": (diff_command, "show what changed against the server"),
    }
    for name, (function, text) in described.items():
        command = commands.add_parser(name, help=text)
        command.add_argument("target", help="module:Class or file.py:Class")
        command.set_defaults(function=function)
        if name == "compile":
            command.add_argument("--places", metavar="FILE", help="also write where each node is in the source")
    options = parser.parse_args(arguments)
    try:
        return int(options.function(options))
    except (CompileError, TrunklineError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
