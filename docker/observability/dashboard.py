"""Writes the Grafana dashboard, and checks that dashboard, rules and documents name only metrics that the binary records, and
that each alert is seen firing by a test.

    python3 docker/observability/dashboard.py           # writes grafana/dashboards/trunkline.json
    python3 docker/observability/dashboard.py --check   # fails where the file is stale or something is missing
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = HERE / "grafana/dashboards/trunkline.json"
RULES = ROOT / "docker/helm/trunkline/files/rules.yaml"
RULES_TEST = HERE / "rules_test.yaml"
TELEMETRY = ROOT / "shared/telemetry/src"
CHART = ROOT / "docker/helm/trunkline/templates/monitoring.yaml"

# Title, unit, queries with their legends. Gauges are the same on every node, so the largest is taken, never the sum.
ROWS = [
    (
        "Queues",
        [
            ("Queued jobs", "short", [("sum by (queue) (max by (queue, tier) (trunkline_queue_depth))", "{{queue}}")]),
            (
                "Wait until a claim, p99",
                "s",
                [
                    (
                        "histogram_quantile(0.99, sum by (queue, le) (rate(trunkline_job_wait_seconds_bucket[$__rate_interval])))",
                        "{{queue}}",
                    )
                ],
            ),
            (
                "Oldest queued job",
                "s",
                [("max by (queue) (trunkline_queue_oldest_age_seconds)", "{{queue}}")],
            ),
            (
                "Leased jobs, and jobs held by a limit",
                "short",
                [
                    ("sum by (queue) (max by (queue, tier) (trunkline_queue_in_flight))", "leased {{queue}}"),
                    ("sum by (queue) (max by (queue, tier) (trunkline_queue_held_by_limit))", "held {{queue}}"),
                ],
            ),
            ("Open dead letters", "short", [("max by (queue) (trunkline_dead_letters_open)", "{{queue}}")]),
            ("Jobs accepted", "ops", [("sum by (queue) (rate(trunkline_jobs_enqueued_total[$__rate_interval]))", "{{queue}}")]),
            ("Attempts started", "ops", [("sum by (queue) (rate(trunkline_jobs_claimed_total[$__rate_interval]))", "{{queue}}")]),
            (
                "Attempts by outcome",
                "ops",
                [("sum by (outcome) (rate(trunkline_jobs_settled_total[$__rate_interval]))", "{{outcome}}")],
            ),
            (
                "Run time of an attempt, p50 and p99",
                "s",
                [
                    (
                        f"histogram_quantile({q}, sum by (queue, le) (rate(trunkline_job_run_seconds_bucket[$__rate_interval])))",
                        f"p{label} {{{{queue}}}}",
                    )
                    for q, label in (("0.5", "50"), ("0.99", "99"))
                ],
            ),
        ],
    ),
    (
        "Workers and leases",
        [
            ("Expired leases", "ops", [("sum by (queue) (rate(trunkline_jobs_reaped_total[$__rate_interval]))", "{{queue}}")]),
            (
                "Writes rejected for a lost lease",
                "ops",
                [("sum by (queue) (rate(trunkline_lease_lost_total[$__rate_interval]))", "{{queue}}")],
            ),
            (
                "Jobs that became due",
                "ops",
                [("sum by (queue) (rate(trunkline_jobs_promoted_total[$__rate_interval]))", "{{queue}}")],
            ),
        ],
    ),
    (
        "Workflows, schedules, webhooks",
        [
            (
                "Executions that ended",
                "ops",
                [("sum by (status) (rate(trunkline_executions_finished_total[$__rate_interval]))", "{{status}}")],
            ),
            (
                "Executions, created to ended, p50 and p99",
                "s",
                [
                    (
                        f'histogram_quantile({q}, sum by (le) (rate(trunkline_job_end_to_end_seconds_bucket{{queue="workflow-execution"}}[$__rate_interval])))',
                        f"p{label}",
                    )
                    for q, label in (("0.5", "50"), ("0.99", "99"))
                ],
            ),
            (
                "Lateness of schedules, p99",
                "s",
                [
                    (
                        "histogram_quantile(0.99, sum by (le) (rate(trunkline_schedule_lateness_seconds_bucket[$__rate_interval])))",
                        "p99",
                    )
                ],
            ),
            (
                "Deliveries by status",
                "ops",
                [("sum by (status) (rate(trunkline_webhook_deliveries_total[$__rate_interval]))", "{{status}}")],
            ),
        ],
    ),
    (
        "Processes",
        [
            (
                "Requests by status",
                "ops",
                [("sum by (status) (rate(trunkline_http_requests_total[$__rate_interval]))", "{{status}}")],
            ),
            (
                "Request time, p99",
                "s",
                [
                    (
                        'histogram_quantile(0.99, sum by (route, le) (rate(trunkline_http_request_seconds_bucket{route!="/v1/jobs/poll"}[$__rate_interval])))',
                        "{{route}}",
                    )
                ],
            ),
            (
                "Failed database statements",
                "ops",
                [("sum by (operation) (rate(trunkline_store_errors_total[$__rate_interval]))", "{{operation}}")],
            ),
            ("Memory", "bytes", [("trunkline_process_resident_memory_bytes", "{{instance}}")]),
            ("Open files and sockets", "short", [("trunkline_process_open_files", "{{instance}}")]),
            ("Versions", "short", [("count by (version) (trunkline_build_info)", "{{version}}")]),
        ],
    ),
]


def dashboard() -> dict:
    """The dashboard, three panels per row."""
    panels: list[dict] = []
    y = 0
    for title, charts in ROWS:
        panels.append(
            {"id": len(panels) + 1, "type": "row", "title": title, "gridPos": {"x": 0, "y": y, "w": 24, "h": 1}}
        )
        y += 1
        for place, (name, unit, queries) in enumerate(charts):
            panels.append(
                {
                    "id": len(panels) + 1,
                    "type": "timeseries",
                    "title": name,
                    "datasource": {"type": "prometheus", "uid": "prometheus"},
                    "gridPos": {"x": 8 * (place % 3), "y": y + 8 * (place // 3), "w": 8, "h": 8},
                    "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
                    "targets": [
                        {"refId": chr(ord("A") + number), "expr": expr, "legendFormat": legend}
                        for number, (expr, legend) in enumerate(queries)
                    ],
                }
            )
        y += 8 * -(-len(charts) // 3)
    return {
        "title": "Trunkline",
        "uid": "trunkline",
        "tags": ["trunkline"],
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "refresh": "10s",
        "time": {"from": "now-1h", "to": "now"},
        "panels": panels,
    }


def recorded_metrics() -> tuple[set[str], set[str]]:
    """The metrics that have a name, and those of them that nothing records: a name alone is no metric."""
    names = dict(re.findall(r'pub const (\w+): &str =\s*"(trunkline_[a-z0-9_]+)"', (TELEMETRY / "names.rs").read_text()))
    lists = {TELEMETRY / "names.rs", TELEMETRY / "catalog.rs"}
    files = [path for folder in ("shared", "services") for path in (ROOT / folder).glob("**/src/**/*.rs") if path not in lists]
    code = "\n".join(path.read_text() for path in files)
    # Names that other crates have for themselves.
    code = re.sub(r"pub const \w+: &str = .*", "", code)
    # The histograms of jobs are recorded by their place in a list.
    code += (TELEMETRY / "catalog.rs").read_text().split("JOB_SECONDS", 1)[1].split("];", 1)[0]
    words = set(re.findall(r"\w+", code))
    recorded = {name for constant, name in names.items() if constant in words or f'"{name}"' in code}
    return recorded, set(names.values()) - recorded


def untested_alerts() -> list[str]:
    """Alerts that no test sees firing."""
    alerts = re.findall(r"- alert: (\w+)", RULES.read_text())
    # A test that expects one ends with its labels; one that expects nothing has an empty list in the same line.
    firing = set(re.findall(r"alertname: (\w+)\s+exp_alerts:\s+- exp_labels", RULES_TEST.read_text()))
    return [alert for alert in alerts if alert not in firing]


def unknown_metrics(text: str, known: set[str]) -> list[str]:
    """Metrics that a text names and the binary does not have. Files are named with a version or an ending."""
    named = {re.sub(r"_bucket$|_sum$|_count$", "", name) for name in re.findall(r"\btrunkline_[a-z][a-z0-9_]+\b(?!\.)", text)}
    return sorted(named - known)


def main() -> int:
    text = json.dumps(dashboard(), indent=2) + "\n"
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text)
        return 0
    faults = []
    if not TARGET.exists() or TARGET.read_text() != text:
        faults.append(f"{TARGET.relative_to(ROOT)} is stale: run python3 docker/observability/dashboard.py")
    known, idle = recorded_metrics()
    # What workers record is the same in all languages; a scenario of their SDKs compares it.
    workers = (ROOT / "sdks" / "python" / "src" / "trunkline").glob("*.py")
    known |= {name for path in workers for name in re.findall(r'"(trunkline_worker_\w+)"', path.read_text())}
    faults += [f"{name} is named in {TELEMETRY.relative_to(ROOT)} and recorded nowhere" for name in sorted(idle)]
    faults += [f"{alert}: no test in {RULES_TEST.relative_to(ROOT)} sees it firing" for alert in untested_alerts()]
    places = [RULES, RULES_TEST, CHART, *sorted((ROOT / "docs").glob("*.md"))]
    for place, content in ((TARGET, text), *((place, place.read_text()) for place in places)):
        faults += [f"{place.relative_to(ROOT)} names {name}, which is no metric" for name in unknown_metrics(content, known)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
