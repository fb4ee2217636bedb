"""A tiny ticket tracker on loopback, for the example: python3 tracker.py PORT"""
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OWNERS = {"/owners/docs": "docs-team", "/owners/code": "core-team"}


class Tracker(BaseHTTPRequestHandler):
    # A step may run more than once; the same idempotency key gets the same ticket.
    tickets = {}

    def do_GET(self):
        owner = OWNERS.get(self.path)
        self.answer(200 if owner else 404, {"assignee": owner} if owner else {"error": "no such area"})

    def do_POST(self):
        ticket = json.loads(self.rfile.read(int(self.headers["content-length"])))
        key = self.headers["idempotency-key"]
        number = self.tickets.setdefault(key, len(self.tickets) + 1)
        self.answer(201, {"number": number, **ticket})

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Tracker).serve_forever()
