"""A worker for groups of several languages: it serves a job type from Kafka and says what it ran."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from trunkline import Client, Context, Worker, activity


def main() -> None:
    @activity(sys.argv[1])
    def handle(ctx: Context, ms: int) -> str:
        time.sleep(ms / 1000)
        print(f"ran {ctx.job_id} {ctx.attempt}", flush=True)
        return "python"

    Worker(Client(), [handle], concurrency=4).run()


if __name__ == "__main__":
    main()
