"""Writes the stubs of gRPC for the SDK for Go from proto/, or with --check compares them.

    python3 sdks/codegen/stubs.py [--check]

It needs protoc and Go 1.25 or later, which builds the plugins of these versions. Where they are missing, it says so and
changes nothing.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = ROOT / "sdks/go/grpc/proto/trunkline/v1"
MODULE = "trunkline.dev/go/grpc"
PLUGINS = {
    "protoc-gen-go": "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.11",
    "protoc-gen-go-grpc": "google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2",
}
GO_MINOR_MIN = 25


def go_minor():
    """The minor version of Go here; 0 without one."""
    try:
        said = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return 0
    found = re.match(r"go1\.(\d+)", said)
    return int(found[1]) if found else 0


def knows_common_messages():
    """Whether protoc has the messages that all share, such as Empty; Debian has them in a package of their own."""
    command = ["protoc", "-I", ".", f"--descriptor_set_out={os.devnull}", "trunkline/v1/access.proto"]
    return subprocess.run(command, cwd=ROOT / "proto", capture_output=True).returncode == 0


def written(folder):
    """The stubs by the names of their files."""
    environment = os.environ | {"GOBIN": folder, "GOTOOLCHAIN": "local"}
    for plugin in PLUGINS.values():
        subprocess.run(["go", "install", plugin], env=environment, check=True)
    own = [f"--plugin={folder}/{name}" for name in PLUGINS]
    out = [f"--{kind}_{name}" for kind in ("go", "go-grpc") for name in (f"out={folder}", f"opt=module={MODULE}")]
    files = sorted(path.name for path in (ROOT / "proto/trunkline/v1").glob("*.proto"))
    command = ["protoc", "-I", ".", *own, *out, *(f"trunkline/v1/{name}" for name in files)]
    subprocess.run(command, cwd=ROOT / "proto", check=True)
    return {path.name: path.read_text() for path in pathlib.Path(folder, "proto/trunkline/v1").glob("*.go")}


def without_compiler(text):
    """The stub without the version of protoc itself, which is a comment."""
    return re.sub(r"^// .*protoc  .*\n", "", text, flags=re.MULTILINE)


def main(arguments):
    if shutil.which("protoc") is None or not knows_common_messages() or go_minor() < GO_MINOR_MIN:
        needs = f"protoc with google/protobuf (Debian: libprotobuf-dev) and Go 1.{GO_MINOR_MIN} or later"
        print(f"SKIPPED sdks/codegen/stubs.py: it needs {needs}", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        stubs = written(folder)
    there = {path.name: path.read_text() for path in PLACE.glob("*.go")}
    if "--check" in arguments:
        names = sorted(stubs.keys() | there.keys())
        stale = [name for name in names if without_compiler(stubs.get(name, "")) != without_compiler(there.get(name, ""))]
        if stale:
            sys.exit(f"not what proto/ says: {', '.join(stale)}; run python3 sdks/codegen/stubs.py")
        return
    for name in there.keys() - stubs.keys():
        (PLACE / name).unlink()
    for name, text in stubs.items():
        (PLACE / name).write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
