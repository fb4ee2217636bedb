#!/usr/bin/env python3
"""Sends push.json to a webhook as GitHub does, and follows it to the end of the execution that it starts.

usage: send.py hook.json, where hook.json is what `trunkline webhook create … --json` printed.
"""

import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path

SERVER = os.environ.get("TRUNKLINE_URL", "http://127.0.0.1:8080")
API_KEY = os.environ.get("TRUNKLINE_API_KEY", "")
PATIENCE_S = 60


def call(path, headers, body=None):
    """The JSON of an answer; ends the program where it is a refusal."""
    request = urllib.request.Request(SERVER + path, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        sys.exit(f"{path}: {refusal.code} {refusal.read().decode()}")


def read(path):
    """An answer of the REST interface, which wants an API key."""
    return call(path, {"authorization": f"Bearer {API_KEY}"} if API_KEY else {})


def main():
    hook = json.loads(Path(sys.argv[1]).read_text())
    body = (Path(__file__).parent / "push.json").read_bytes()
    # What GitHub sends: the signature is over the exact bytes of the body.
    signature = hmac.new(hook["secret"].encode(), body, hashlib.sha256).hexdigest()
    headers = {
        "content-type": "application/json",
        "user-agent": "GitHub-Hookshot/example",
        "x-github-event": "push",
        "x-github-delivery": str(uuid.uuid4()),
        "x-hub-signature-256": f"sha256={signature}",
    }
    received = call(hook["url"], headers, body)
    print("delivery ", received["deliveryId"])

    # GitHub never redelivers by itself, and people do: the same delivery is answered with the first one's id.
    again = call(hook["url"], headers, body)
    assert again == {"deliveryId": received["deliveryId"], "deduplicated": True}, again

    until = time.monotonic() + PATIENCE_S
    while (delivery := read(f"/v1/deliveries/{received['deliveryId']}"))["status"] == "accepted":
        if time.monotonic() > until:
            sys.exit("the delivery was not matched: does a process with the role webhook run?")
        time.sleep(0.1)
    if not delivery["executions"]:
        sys.exit(f"nothing was started: {delivery['status']} {delivery.get('reason', '')}")
    execution = read(f"/v1/executions/{delivery['executions'][0]}?wait=true&timeout=30s")
    print("execution", execution["id"], execution["status"])
    print(json.dumps(execution.get("output"), indent=2))
    sys.exit(0 if execution["status"] == "COMPLETED" else 1)


main()
