#!/usr/bin/env bash
# Fetches a genuine `issues` event, starts the little tracker, registers the workflow and runs it to its end.
# Needs a running server that may call the tracker: TRUNKLINE_EGRESS__ALLOW=127.0.0.1:8099 make run
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
port=${TRACKER_PORT:-8099}

# WEBHOOKS_EXAMPLES may name a copy of the package that is there already.
if [[ -n "${WEBHOOKS_EXAMPLES:-}" ]]; then
    cp "$WEBHOOKS_EXAMPLES" "$work/package.tgz"
else
    (cd "$work" && npm pack --silent @octokit/webhooks-examples >/dev/null)
fi
(cd "$work" && tar xzf ./*.tgz)
python3 - "$work" "$port" >"$work/input.json" <<'PYTHON'
import json, sys
events = json.load(open(f"{sys.argv[1]}/package/api.github.com/index.json"))
issues = next(event for event in events if event["name"] == "issues")
opened = next(example for example in issues["examples"] if example["action"] == "opened")
print(json.dumps({"event": opened, "tracker": f"http://127.0.0.1:{sys.argv[2]}"}))
PYTHON

python3 "$here/tracker.py" "$port" 2>"$work/tracker.log" &
tracker=$!
trap 'kill "$tracker" 2>/dev/null || true; rm -rf "$work"' EXIT

trunkline workflow push "$here"
trunkline run github-triage --input "@$work/input.json" --wait
