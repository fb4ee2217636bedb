"""Writes the contract of gRPC for the SDKs of Python, TypeScript and Java from proto/, or with --check compares it.

    python3 sdks/codegen/contract.py [--check] [python] [typescript] [java]

It needs grpcio-tools, which brings a protoc. What is written is the set of descriptors and no code: whatever version of
protobuf a program has can read it.
"""
import base64
import importlib.resources
import pathlib
import sys
import tempfile
import textwrap
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = pathlib.Path(__file__).resolve().parent / "proto"
COMMAND = "sdks/codegen/contract.py"
TARGETS = {
    "python": "sdks/python/src/trunkline/grpc/_descriptors.py",
    "typescript": "sdks/typescript/src/generated/descriptors.ts",
    "java": "sdks/java/grpc/src/main/resources/dev/trunkline/grpc/contract.txt",
}


def descriptors():
    """The serialized FileDescriptorSet, with everything that it imports."""
    from grpc_tools import protoc  # only here: --help and errors of arguments need none of it

    files = [str(path.relative_to(base)) for base in (ROOT / "proto", OWN) for path in sorted(base.rglob("*.proto"))]
    with tempfile.TemporaryDirectory() as folder, importlib.resources.as_file(
        importlib.resources.files("grpc_tools") / "_proto"
    ) as standard:
        target = pathlib.Path(folder) / "contract.bin"
        roots = [f"-I{path}" for path in (ROOT / "proto", OWN, standard)]
        if protoc.main(["protoc", *roots, "--include_imports", f"--descriptor_set_out={target}", *files]) != 0:
            raise SystemExit("protoc refuses the contract")
        return target.read_bytes()


def python(lines):
    """As a module of Python."""
    head = f'"""The contract of gRPC, as a set of descriptors. Written by {COMMAND}: do not edit."""\n\nDESCRIPTORS = (\n'
    return head + "".join(f'    "{line}"\n' for line in lines) + ")\n"


def typescript(lines):
    """As a module of TypeScript."""
    head = f"// The contract of gRPC, as a set of descriptors. Written by {COMMAND}: do not edit.\n/* prettier-ignore */\n"
    return head + "export const DESCRIPTORS = [\n" + "".join(f'  "{line}",\n' for line in lines) + '].join("");\n'


def java(lines):
    """As a resource of Java."""
    return "".join(f"{line}\n" for line in lines)


def main(arguments):
    check = "--check" in arguments
    names = [name for name in arguments if not name.startswith("--")] or list(TARGETS)
    # Versions of zlib differ in what they write, so the check compares what the file holds.
    content = descriptors()
    lines = textwrap.wrap(base64.b64encode(zlib.compress(content, 9)).decode(), 108)
    stale = []
    for name in names:
        place = ROOT / TARGETS[name]
        if check:
            if not place.exists() or held_by(place) != content:
                stale.append(TARGETS[name])
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text({"python": python, "typescript": typescript, "java": java}[name](lines))
    if stale:
        raise SystemExit(f"not what proto/ says: {', '.join(stale)}; run python3 {COMMAND} {' '.join(names)}")


def held_by(place):
    """The descriptors that a written file holds."""
    lines = [line.strip().rstrip(",") for line in place.read_text().splitlines()]
    if place.suffix == ".txt":
        return zlib.decompress(base64.b64decode("".join(lines)))
    quoted = [line[1:-1] for line in lines if line.startswith('"') and line.endswith('"') and '"""' not in line]
    return zlib.decompress(base64.b64decode("".join(quoted)))


if __name__ == "__main__":
    main(sys.argv[1:])
