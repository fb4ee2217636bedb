"""Checks what several files under docker/ say of the same thing: versions, ports, and how long a stop may take.

    python3 docker/checks/agree.py
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}


def text(path: str) -> str:
    return (ROOT / path).read_text()


def found(path: str, pattern: str) -> str:
    """What a pattern finds in a file, once."""
    matches = re.findall(pattern, text(path), re.MULTILINE)
    if len(set(matches)) != 1:
        raise SystemExit(f"{path}: {pattern} is there {len(matches)} times: {matches}")
    return matches[0]


def seconds(span: str) -> float:
    number, unit = re.fullmatch(r"(\d+)(ms|s|m)?", span).groups()
    return float(number) * UNITS[unit or "s"]


def versions() -> list[str]:
    """One version, and a compiler that is new enough for the code."""
    of_code = found("Cargo.toml", r'^version = "([^"]+)"')
    others = {
        "docker/Dockerfile": found("docker/Dockerfile", r"^ARG VERSION=(\S+)"),
        "docker/compose.yaml": found("docker/compose.yaml", r"TRUNKLINE_VERSION:-([^}]+)\}"),
        "Chart.yaml, appVersion": found("docker/helm/trunkline/Chart.yaml", r"^appVersion: (\S+)"),
        "Chart.yaml, version": found("docker/helm/trunkline/Chart.yaml", r"^version: (\S+)"),
    }
    faults = [f"{place} has version {version}, and Cargo.toml {of_code}" for place, version in others.items() if version != of_code]
    image = found("docker/Dockerfile", r"^ARG RUST_IMAGE=rust:([\d.]+)-")
    least = found("Cargo.toml", r'^rust-version = "([^"]+)"')
    number = lambda version: [int(part) for part in version.split(".")]
    if number(image) < number(least):
        faults.append(f"docker/Dockerfile builds with Rust {image}, and Cargo.toml asks for {least}")
    return faults


def stops() -> list[str]:
    """Who ends a process waits for longer than it drains, so that running jobs end or are given back."""
    drains = [seconds(span) for span in re.findall(r'^drain_timeout = "([^"]+)"', text("config/default.toml"), re.MULTILINE)]
    if not drains:
        raise SystemExit("config/default.toml has no drain_timeout")
    waits = {
        "docker/compose.yaml": found("docker/compose.yaml", r"stop_grace_period: (\S+)"),
        "docker/systemd/trunkline.service": found("docker/systemd/trunkline.service", r"^TimeoutStopSec=(\S+)"),
    }
    chart = "docker/helm/trunkline/values.yaml"
    times = {place: seconds(span) for place, span in waits.items()}
    # A pod sleeps before it is asked to stop.
    times[chart] = seconds(found(chart, r"^terminationGracePeriodSeconds: (\S+)")) - seconds(found(chart, r"^preStopSleepSeconds: (\S+)"))
    longest = max(drains)
    return [f"{place} gives a process {time:g} s to stop, and it drains for {longest:g} s" for place, time in times.items() if time < longest + 10]


def health() -> list[str]:
    """The image is examined by its own binary, which gives up before whoever asks it does."""
    image = "docker/Dockerfile"
    entry = json.loads(found(image, r"^ENTRYPOINT (\[.+\])$"))
    asks = json.loads(found(image, r"^HEALTHCHECK .* CMD (\[.+\])$"))
    faults = [] if asks == [*entry, "health"] else [f"{image} asks {asks} for its health, and its binary is {entry}"]
    waits = seconds(found(image, r"^HEALTHCHECK .*--timeout=(\S+)"))
    binary = float(found("services/server/src/commands/processes.rs", r'value_name = "SECONDS", default_value_t = (\d+)'))
    return faults if binary < waits else [*faults, f"{image} waits {waits:g} s for `trunkline health`, which takes up to {binary:g} s"]


def ports() -> list[str]:
    """The ports of the image are those that the chart names."""
    image = set(found("docker/Dockerfile", r"^EXPOSE (.+)").split())
    chart = set(re.findall(r"containerPort: (\d+)", text("docker/helm/trunkline/templates/deployment.yaml")))
    return [] if image == chart else [f"docker/Dockerfile exposes {sorted(image)}, and the chart {sorted(chart)}"]


def architectures() -> list[str]:
    """The image is built on the platform that it is for."""
    lines = [line for line in text("docker/Dockerfile").splitlines() if not line.startswith("#")]
    named = [line for line in lines if re.search(r"x86_64|amd64|aarch64|arm64", line)]
    return [f"docker/Dockerfile names an architecture: {line}" for line in named]


def main() -> int:
    faults = versions() + stops() + health() + ports() + architectures()
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
