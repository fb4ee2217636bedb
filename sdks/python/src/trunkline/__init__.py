"""Client, worker and workflow compiler of Trunkline."""

from trunkline.activity import Activity, activity
from trunkline.aio import AsyncClient, AsyncJob, AsyncRun
from trunkline.client import Client, Job, Run
from trunkline.codec import PayloadCodec, ZlibCodec
from trunkline.compiler import Compiled, compiled
from trunkline.compiler import compile_class as compile
from trunkline.context import Context
from trunkline.errors import (
    Cancelled,
    CompileError,
    ConnectionFailed,
    InvalidData,
    InvalidSignature,
    JobFailed,
    NodeFailed,
    NonRetryable,
    Problem,
    RetryAfter,
    RunFailed,
    Snooze,
    TrunklineError,
    WaitTimeout,
)
from trunkline.flow import Event, child, gather, signal, sleep, user_task, wait_event
from trunkline.local import run_locally
from trunkline.retry import Retry
from trunkline.transport import Answer, Call, Interrupt, Transport
from trunkline.worker import Worker
from trunkline.workflow_class import workflow

__version__ = "0.1.0"

__all__ = [
    "Activity",
    "Answer",
    "AsyncClient",
    "AsyncJob",
    "AsyncRun",
    "Call",
    "Cancelled",
    "Client",
    "CompileError",
    "Compiled",
    "ConnectionFailed",
    "Context",
    "Event",
    "Interrupt",
    "InvalidData",
    "InvalidSignature",
    "Job",
    "JobFailed",
    "NodeFailed",
    "NonRetryable",
    "PayloadCodec",
    "Problem",
    "Retry",
    "RetryAfter",
    "Run",
    "RunFailed",
    "Snooze",
    "Transport",
    "TrunklineError",
    "WaitTimeout",
    "Worker",
    "ZlibCodec",
    "activity",
    "child",
    "compile",
    "compiled",
    "gather",
    "run_locally",
    "signal",
    "sleep",
    "user_task",
    "wait_event",
    "workflow",
]
