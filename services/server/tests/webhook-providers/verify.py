"""Checks a request by the library of Standard Webhooks: {secret, headers, body} as JSON on standard input.

Ends with 0 where the signature is good, and with the library's own error otherwise.
"""

import json
import sys

import standardwebhooks

request = json.load(sys.stdin)
standardwebhooks.Webhook(request["secret"]).verify(request["body"].encode(), request["headers"])
