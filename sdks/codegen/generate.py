"""Writes the models and low-level calls of the SDKs from services/api/openapi.json, or with --check compares them.

    python3 sdks/codegen/generate.py [--check] [typescript] [go] [java] [rust]
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import go
import java
import rust
import typescript
from document import Document

ROOT = pathlib.Path(__file__).resolve().parents[2]
EMITTERS = {"typescript": typescript.emit, "go": go.emit, "java": java.emit, "rust": rust.emit}


def gofmt(text: str) -> str:
    return subprocess.run(["gofmt"], input=text, capture_output=True, text=True, check=True).stdout


def main(arguments):
    check = "--check" in arguments
    names = [name for name in arguments if not name.startswith("--")] or list(EMITTERS)
    document = Document(ROOT / "services/api/openapi.json")
    stale = []
    for name in names:
        files = EMITTERS[name](document)
        for path, text in files.items():
            place = ROOT / "sdks" / name / path
            text = gofmt(text) if place.suffix == ".go" else text
            if check and (not place.exists() or place.read_text() != text):
                stale.append(str(place.relative_to(ROOT)))
            elif not check:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text)
        stale += remove_others(name, files, check)
    if stale:
        command = "python3 sdks/codegen/generate.py " + " ".join(names)
        sys.exit(f"not what services/api/openapi.json gives: {', '.join(stale)}\nRegenerate them with: {command}")


def remove_others(name, files, check):
    """What a schema no longer has goes away. Files that nothing generated stay."""
    stale = []
    for directory in {path.rsplit("/", 1)[0] for path in files if "/" in path}:
        for place in (ROOT / "sdks" / name / directory).glob("*"):
            is_ours = place.is_file() and "enerated from services/api/openapi.json" in place.read_text()[:120]
            if is_ours and str(place.relative_to(ROOT / "sdks" / name)) not in files:
                stale.append(str(place.relative_to(ROOT)))
                if not check:
                    place.unlink()
    return stale if check else []


if __name__ == "__main__":
    main(sys.argv[1:])
