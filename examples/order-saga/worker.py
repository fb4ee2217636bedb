"""Serves the activities until SIGTERM."""

import logging

from orders import ACTIVITIES
from trunkline import Client, Worker

logging.basicConfig(level=logging.INFO, format="%(message)s")
Worker(Client(), ACTIVITIES, concurrency=20, poll_wait="5s").run()
