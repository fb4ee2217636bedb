"""Released migrations never change: databases have applied them. Their digests are in the file `released`, without comments and
spaces, so that words may be mended.

    python3 migrations/released.py          # fails where one has changed, is gone, or came between others
    python3 migrations/released.py --add    # adds those of a release that are not listed yet
"""

import hashlib
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIST = HERE / "released"
HEAD = "# Each migration that a release has, with the digest of its code. Lines are never changed; new ones are added by released.py.\n"


def digest(path: pathlib.Path) -> str:
    """The digest of a migration's code."""
    lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith("//")]
    # A trailing comma before the end of a list is a matter of form, too.
    code = re.sub(r",(?=[)\]}])", "", re.sub(r"\s+", "", "".join(lines)))
    return hashlib.sha256(code.encode()).hexdigest()


def main() -> int:
    present = {path.stem: digest(path) for path in (HERE / "src").glob("m[0-9]*.rs")}
    lines = LIST.read_text().splitlines() if LIST.exists() else []
    listed = dict(line.split() for line in lines if line and not line.startswith("#"))
    if "--add" in sys.argv[1:]:
        listed |= {name: value for name, value in present.items() if name not in listed}
        LIST.write_text(HEAD + "".join(f"{name} {listed[name]}\n" for name in sorted(listed)))
    last = max(listed, default="")
    faults = [f"{name} was released and is gone" for name in listed if name not in present]
    faults += [f"{name} was released and has changed: write another migration" for name, value in listed.items() if present.get(name, value) != value]
    faults += [f"{name} comes before {last}, which was released: databases apply them in another order" for name in present if name not in listed and name < last]
    for fault in sorted(faults):
        print(f"migrations: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
