"""Models and operations of the REST interface. Written by tools/generate.py: do not edit."""

# ruff: noqa: UP013
from __future__ import annotations

from typing import Any, NamedTuple, TypedDict


class Operation(NamedTuple):
    """How an operation is called over REST."""

    method: str
    path: str
    takes_idempotency_key: bool


AcceptOutcome = str
AlertSeverity = str
AlertStatus = str
AttemptStatus = str
AttributeType = str
BatchItemOutcome = str
BatchResult_CreatedExecution = dict[str, Any]
BatchResult_Enqueued = dict[str, Any]
BatchStatus = str
BulkFilter = dict[str, Any]
CommandStatus = str
DeadLetterGroupState = str
DeadLetterStatus = str
DeadReason = str
DeliverySource = str
DeliveryStatus = str
DoctorCheckStatus = str
ExecutionStatus = str
FireReason = str
JobStatus = str
LeaseOutcome = str
LogLevel = str
Misfire = str
NewApiKey = Any
NewRuns = str
NodeStatus = str
Overlap = str
Priority = str
ProblemCode = str
Queue = Any
QueueModeKind = str
QueueName = str
Rate = Any
RegisteredWorkflow = Any
Retention = Any
Role = str
SavedWebhook = Any
SlotStatus = str
TimelineEventKind = str
UniquePolicy = str
UserTaskStatus = str
WebhookDedupeOn = Any
WebhookProvider = str
WebhookSecretPurpose = str
WhyReason = str
Acceptance = TypedDict(
    "Acceptance",
    {
        "id": "str",
        "leaseToken": "str",
    },
    total=False,
)
Acceptances = TypedDict(
    "Acceptances",
    {
        "jobs": "list[Acceptance]",
        "workerId": "str",
    },
    total=False,
)
AcceptedJob = TypedDict(
    "AcceptedJob",
    {
        "id": "str",
        "leaseExpiresAt": "str | None",
        "leaseToken": "str | None",
        "outcome": "AcceptOutcome",
        "progress": "Any | None",
    },
    total=False,
)
AcceptedJobs = TypedDict(
    "AcceptedJobs",
    {
        "results": "list[AcceptedJob]",
    },
    total=False,
)
Alert = TypedDict(
    "Alert",
    {
        "firedAt": "str | None",
        "id": "str",
        "labels": "dict[str, Any]",
        "resolvedAt": "str | None",
        "rule": "str",
        "severity": "AlertSeverity",
        "silencedBy": "str | None",
        "startedAt": "str",
        "status": "AlertStatus",
        "summary": "str",
        "threshold": "float",
        "value": "float",
    },
    total=False,
)
AlertNotification = TypedDict(
    "AlertNotification",
    {
        "alertId": "str | None",
        "createdAt": "str",
        "error": "str | None",
        "id": "str",
        "nextTryAt": "str | None",
        "route": "str",
        "sentAt": "str | None",
        "status": "str",
        "tries": "int",
        "type": "str",
    },
    total=False,
)
AlertRoute = TypedDict(
    "AlertRoute",
    {
        "name": "str",
        "repeatEvery": "str | None",
        "secret": "str | None",
        "sendResolved": "bool",
        "signed": "bool",
        "to": "list[str]",
        "type": "str",
        "url": "str | None",
    },
    total=False,
)
AlertRouteRequest = TypedDict(
    "AlertRouteRequest",
    {
        "repeatEvery": "str | None",
        "secret": "str | None",
        "sendResolved": "bool | None",
        "to": "list[str] | None",
        "type": "str",
        "url": "str | None",
    },
    total=False,
)
AlertRule = TypedDict(
    "AlertRule",
    {
        "above": "Any",
        "below": "Any",
        "clearAt": "Any",
        "enabled": "bool",
        "for": "str",
        "metric": "str",
        "name": "str",
        "routes": "list[str]",
        "scope": "AlertScope",
        "severity": "AlertSeverity",
        "window": "str | None",
    },
    total=False,
)
AlertRuleRequest = TypedDict(
    "AlertRuleRequest",
    {
        "above": "Any",
        "below": "Any",
        "clearAt": "Any",
        "enabled": "bool | None",
        "for": "str | None",
        "metric": "str",
        "routes": "list[str] | None",
        "scope": "AlertScope | None",
        "severity": "AlertSeverity | None",
        "window": "str | None",
    },
    total=False,
)
AlertScope = TypedDict(
    "AlertScope",
    {
        "jobType": "str | None",
        "queue": "str | None",
        "scheduleId": "str | None",
        "tenant": "str | None",
        "webhookId": "str | None",
        "workflow": "str | None",
    },
    total=False,
)
ApiKey = TypedDict(
    "ApiKey",
    {
        "createdAt": "str",
        "expiresAt": "str | None",
        "groups": "list[str]",
        "id": "str",
        "lastUsedAt": "str | None",
        "name": "str",
        "networks": "list[str]",
        "payloads": "bool",
        "person": "str | None",
        "prefix": "str",
        "previousUntil": "str | None",
        "revokedAt": "str | None",
        "role": "Role",
        "rotatedAt": "str | None",
        "scopes": "list[KeyScope] | None",
        "tenant": "str | None",
    },
    total=False,
)
ApiKeyRequest = TypedDict(
    "ApiKeyRequest",
    {
        "expiresAt": "str | None",
        "groups": "list[str]",
        "name": "str",
        "networks": "list[str]",
        "payloads": "bool | None",
        "person": "str | None",
        "role": "Role",
        "scopes": "list[KeyScope] | None",
        "tenant": "str | None",
    },
    total=False,
)
ArchiveRequest = TypedDict(
    "ArchiveRequest",
    {
        "reason": "str",
    },
    total=False,
)
Attempt = TypedDict(
    "Attempt",
    {
        "attemptNumber": "int",
        "durationMs": "int | None",
        "error": "JobError | None",
        "finishedAt": "str | None",
        "startedAt": "str",
        "status": "AttemptStatus",
        "workerId": "str",
    },
    total=False,
)
Attribute = TypedDict(
    "Attribute",
    {
        "path": "str | None",
        "since": "str",
        "source": "str",
        "type": "AttributeType",
    },
    total=False,
)
AttributeDeclaration = TypedDict(
    "AttributeDeclaration",
    {
        "path": "str | None",
        "type": "AttributeType",
    },
    total=False,
)
AuditFault = TypedDict(
    "AuditFault",
    {
        "id": "str | None",
        "problem": "str",
        "seq": "int",
    },
    total=False,
)
AuditLine = TypedDict(
    "AuditLine",
    {
        "action": "str",
        "actor": "str",
        "address": "str | None",
        "after": "Any | None",
        "at": "str",
        "batch": "str | None",
        "before": "Any | None",
        "detail": "Any | None",
        "door": "str | None",
        "hash": "str | None",
        "id": "str",
        "outcome": "str | None",
        "prevHash": "str | None",
        "reason": "str | None",
        "requestId": "str | None",
        "seq": "int | None",
        "subject": "str",
        "tenant": "str | None",
        "userAgent": "str | None",
    },
    total=False,
)
AuditLink = TypedDict(
    "AuditLink",
    {
        "hash": "str",
        "seq": "int",
    },
    total=False,
)
AuditVerification = TypedDict(
    "AuditVerification",
    {
        "anchor": "AuditLink",
        "firstBad": "AuditFault | None",
        "from": "int",
        "head": "AuditLink",
        "last": "AuditLink",
        "ok": "bool",
        "rows": "int",
    },
    total=False,
)
Backfill = TypedDict(
    "Backfill",
    {
        "skipped": "int",
        "slots": "int",
        "started": "int",
    },
    total=False,
)
BackfillRequest = TypedDict(
    "BackfillRequest",
    {
        "from": "str",
        "to": "str",
    },
    total=False,
)
Backoff = TypedDict(
    "Backoff",
    {
        "factor": "float",
        "initial": "str",
        "jitter": "bool",
        "max": "str",
    },
    total=False,
)
Batch = TypedDict(
    "Batch",
    {
        "actor": "str",
        "createdAt": "str",
        "done": "int",
        "endedBadly": "int",
        "failed": "int",
        "finishedAt": "str | None",
        "id": "str",
        "kind": "str",
        "pending": "int",
        "reason": "str | None",
        "request": "Any",
        "skipped": "int",
        "status": "BatchStatus",
        "statusReason": "str | None",
        "tenant": "str | None",
        "total": "int",
        "updatedAt": "str",
    },
    total=False,
)
BatchItem = TypedDict(
    "BatchItem",
    {
        "at": "str",
        "error": "str | None",
        "id": "str",
        "outcome": "BatchItemOutcome",
        "resultId": "str | None",
    },
    total=False,
)
BatchOfEvents = TypedDict(
    "BatchOfEvents",
    {
        "key": "str | None",
        "maxSize": "int",
        "timeout": "str",
    },
    total=False,
)
BatchResults_CreatedExecution = TypedDict(
    "BatchResults_CreatedExecution",
    {
        "results": "list[BatchResult_CreatedExecution]",
    },
    total=False,
)
BatchResults_Enqueued = TypedDict(
    "BatchResults_Enqueued",
    {
        "results": "list[BatchResult_Enqueued]",
    },
    total=False,
)
BuildPin = TypedDict(
    "BuildPin",
    {
        "builds": "list[str]",
        "jobType": "str",
        "since": "str",
        "source": "str",
        "tenant": "str | None",
    },
    total=False,
)
BuildPinRequest = TypedDict(
    "BuildPinRequest",
    {
        "builds": "list[str]",
    },
    total=False,
)
BuildPins = TypedDict(
    "BuildPins",
    {
        "items": "list[BuildPin]",
    },
    total=False,
)
BulkCanary = TypedDict(
    "BulkCanary",
    {
        "count": "int",
        "proceed": "str | None",
    },
    total=False,
)
BulkCancelRequest = TypedDict(
    "BulkCancelRequest",
    {
        "all": "bool",
        "canary": "BulkCanary | None",
        "compensate": "bool",
        "dryRun": "bool",
        "filter": "BulkFilter | None",
        "ids": "list[str] | None",
        "limit": "int | None",
        "ratePerSecond": "int | None",
        "reason": "str | None",
        "stopOnFailureRate": "float | None",
    },
    total=False,
)
BulkCount = TypedDict(
    "BulkCount",
    {
        "count": "int",
        "exact": "bool",
        "samples": "list[dict[str, Any]]",
    },
    total=False,
)
BulkOperationRequest = TypedDict(
    "BulkOperationRequest",
    {
        "all": "bool",
        "canary": "BulkCanary | None",
        "dryRun": "bool",
        "filter": "BulkFilter | None",
        "ids": "list[str] | None",
        "limit": "int | None",
        "ratePerSecond": "int | None",
        "reason": "str | None",
        "stopOnFailureRate": "float | None",
    },
    total=False,
)
BulkReplayRequest = TypedDict(
    "BulkReplayRequest",
    {
        "all": "bool",
        "allTriggers": "bool",
        "canary": "BulkCanary | None",
        "dryRun": "bool",
        "filter": "BulkFilter | None",
        "ids": "list[str] | None",
        "limit": "int | None",
        "ratePerSecond": "int | None",
        "reason": "str | None",
        "stopOnFailureRate": "float | None",
    },
    total=False,
)
BulkReprioritizeRequest = TypedDict(
    "BulkReprioritizeRequest",
    {
        "all": "bool",
        "canary": "BulkCanary | None",
        "dryRun": "bool",
        "filter": "BulkFilter | None",
        "ids": "list[str] | None",
        "limit": "int | None",
        "priority": "Priority",
        "ratePerSecond": "int | None",
        "reason": "str | None",
        "stopOnFailureRate": "float | None",
    },
    total=False,
)
BulkRequeueRequest = TypedDict(
    "BulkRequeueRequest",
    {
        "all": "bool",
        "canary": "BulkCanary | None",
        "data": "Any",
        "dryRun": "bool",
        "filter": "BulkFilter | None",
        "ids": "list[str] | None",
        "limit": "int | None",
        "maxRetries": "int | None",
        "priority": "Priority | None",
        "ratePerSecond": "int | None",
        "reason": "str | None",
        "stopOnFailureRate": "float | None",
    },
    total=False,
)
BulkRerunRequest = TypedDict(
    "BulkRerunRequest",
    {
        "all": "bool",
        "canary": "BulkCanary | None",
        "dryRun": "bool",
        "filter": "BulkFilter | None",
        "fromNode": "str",
        "ids": "list[str] | None",
        "input": "Any",
        "limit": "int | None",
        "ratePerSecond": "int | None",
        "reason": "str | None",
        "stopOnFailureRate": "float | None",
    },
    total=False,
)
CancelRequest = TypedDict(
    "CancelRequest",
    {
        "compensate": "bool",
        "reason": "str | None",
    },
    total=False,
)
ChangeEvent = TypedDict(
    "ChangeEvent",
    {
        "ended": "bool | None",
        "executionId": "str | None",
        "jobId": "str | None",
        "kind": "str",
        "queue": "QueueName | None",
    },
    total=False,
)
Command = TypedDict(
    "Command",
    {
        "executionId": "str",
        "intent": "str",
        "position": "int",
        "reason": "str | None",
        "status": "CommandStatus",
        "step": "int | None",
    },
    total=False,
)
CommandAccepted = TypedDict(
    "CommandAccepted",
    {
        "commandPosition": "int",
    },
    total=False,
)
Completion = TypedDict(
    "Completion",
    {
        "attributes": "dict[str, Any]",
        "id": "str",
        "leaseToken": "str",
        "logs": "list[LogLine] | None",
        "result": "Any",
    },
    total=False,
)
CreatedExecution = TypedDict(
    "CreatedExecution",
    {
        "commandPosition": "int | None",
        "existing": "bool | None",
        "id": "str",
        "jobId": "str",
        "position": "int",
        "replaces": "str | None",
        "status": "ExecutionStatus",
    },
    total=False,
)
DeadLetter = TypedDict(
    "DeadLetter",
    {
        "archiveReason": "str | None",
        "attemptCount": "int",
        "attempts": "list[Attempt] | None",
        "attributes": "dict[str, Any]",
        "data": "Any | None",
        "diedAt": "str",
        "error": "JobError",
        "executionId": "str | None",
        "fingerprint": "str",
        "id": "str",
        "jobId": "str",
        "jobType": "str",
        "nodeId": "str | None",
        "omitted": "list[OmittedPayload]",
        "priority": "Priority",
        "queue": "QueueName",
        "reason": "DeadReason",
        "resolvedAt": "str | None",
        "status": "DeadLetterStatus",
        "tenant": "str",
        "workflow": "str | None",
    },
    total=False,
)
DeadLetterChange = TypedDict(
    "DeadLetterChange",
    {
        "id": "str",
        "jobId": "str",
        "status": "DeadLetterStatus",
    },
    total=False,
)
DeadLetterGroup = TypedDict(
    "DeadLetterGroup",
    {
        "count": "int",
        "decidedAt": "str | None",
        "decidedBy": "str | None",
        "error": "JobError",
        "fingerprint": "str",
        "firstAt": "str",
        "jobType": "str",
        "lastAt": "str",
        "note": "str | None",
        "reopened": "bool",
        "state": "DeadLetterGroupState",
        "tenantCount": "int",
        "tenants": "list[DeadLetterGroupTenant]",
        "trend": "list[int]",
        "until": "DeadLetterGroupUntil | None",
    },
    total=False,
)
DeadLetterGroupStanding = TypedDict(
    "DeadLetterGroupStanding",
    {
        "decidedAt": "str | None",
        "decidedBy": "str | None",
        "fingerprint": "str",
        "note": "str | None",
        "reopened": "bool",
        "state": "DeadLetterGroupState",
        "until": "DeadLetterGroupUntil | None",
    },
    total=False,
)
DeadLetterGroupTenant = TypedDict(
    "DeadLetterGroupTenant",
    {
        "count": "int",
        "tenant": "str",
    },
    total=False,
)
DeadLetterGroupUntil = TypedDict(
    "DeadLetterGroupUntil",
    {
        "count": "int | None",
        "instant": "str | None",
        "version": "int | None",
        "workflow": "str | None",
    },
    total=False,
)
Debounce = TypedDict(
    "Debounce",
    {
        "key": "str | None",
        "period": "str",
        "timeout": "str | None",
    },
    total=False,
)
Delivery = TypedDict(
    "Delivery",
    {
        "body": "str | None",
        "bodyBytes": "int",
        "bodyEncoding": "str | None",
        "curl": "str | None",
        "duplicateOf": "str | None",
        "eventType": "str | None",
        "executions": "list[str]",
        "headers": "list[list[str]] | None",
        "id": "str",
        "jobId": "str | None",
        "method": "str | None",
        "omitted": "list[OmittedPayload]",
        "payloadDroppedAt": "str | None",
        "processedAt": "str | None",
        "providerEventId": "str | None",
        "reason": "str | None",
        "receivedAt": "str",
        "remoteAddress": "str | None",
        "replayOf": "str | None",
        "secretId": "str | None",
        "source": "DeliverySource",
        "status": "DeliveryStatus",
        "target": "str | None",
        "tenant": "str",
        "traceparent": "str | None",
        "triggers": "list[DeliveryTriggerOutcome] | None",
        "webhookId": "str | None",
        "woke": "list[WokenNode]",
    },
    total=False,
)
DeliveryTriggerError = TypedDict(
    "DeliveryTriggerError",
    {
        "code": "str",
        "message": "str",
    },
    total=False,
)
DeliveryTriggerOutcome = TypedDict(
    "DeliveryTriggerOutcome",
    {
        "error": "DeliveryTriggerError | None",
        "executionId": "str | None",
        "putOffUntil": "str | None",
        "result": "str",
        "triggerId": "str",
        "workflow": "str",
    },
    total=False,
)
DevTime = TypedDict(
    "DevTime",
    {
        "now": "str",
        "skip": "bool",
        "started": "int",
    },
    total=False,
)
Dispatch = TypedDict(
    "Dispatch",
    {
        "draining": "bool",
        "mode": "str",
        "nodes": "list[DispatchNode]",
        "offers": "DispatchOffers",
        "outbox": "DispatchOutbox",
        "publishedPerSecond": "int",
        "shards": "list[DispatchShard]",
    },
    total=False,
)
DispatchFault = TypedDict(
    "DispatchFault",
    {
        "at": "str",
        "reason": "str",
    },
    total=False,
)
DispatchHeldType = TypedDict(
    "DispatchHeldType",
    {
        "jobType": "str",
        "reason": "str",
        "since": "str",
    },
    total=False,
)
DispatchNode = TypedDict(
    "DispatchNode",
    {
        "brokerAwaySince": "str | None",
        "heldTypes": "list[DispatchHeldType]",
        "lastError": "DispatchFault | None",
        "name": "str",
        "publishErrors": "int",
        "published": "int",
        "publishedPerSecond": "int",
        "relay": "bool",
        "unacknowledged": "int",
    },
    total=False,
)
DispatchOffers = TypedDict(
    "DispatchOffers",
    {
        "jobTypes": "list[DispatchOffersOfType]",
        "lag": "int",
        "oldestAt": "str | None",
        "standing": "int",
        "unacknowledged": "int",
    },
    total=False,
)
DispatchOffersOfType = TypedDict(
    "DispatchOffersOfType",
    {
        "jobType": "str",
        "oldestAt": "str",
        "standing": "int",
    },
    total=False,
)
DispatchOutbox = TypedDict(
    "DispatchOutbox",
    {
        "asOf": "str",
        "exact": "bool",
        "jobs": "int",
        "oldestAt": "str | None",
    },
    total=False,
)
DispatchShard = TypedDict(
    "DispatchShard",
    {
        "node": "str | None",
        "shard": "int",
        "term": "int",
        "until": "str | None",
    },
    total=False,
)
Doctor = TypedDict(
    "Doctor",
    {
        "checks": "list[DoctorCheck]",
        "ok": "bool",
    },
    total=False,
)
DoctorCheck = TypedDict(
    "DoctorCheck",
    {
        "check": "str",
        "detail": "str",
        "evidence": "list[dict[str, Any]]",
        "fix": "str | None",
        "status": "DoctorCheckStatus",
    },
    total=False,
)
EncryptionRequest = TypedDict(
    "EncryptionRequest",
    {
        "enabled": "bool",
    },
    total=False,
)
Enqueued = TypedDict(
    "Enqueued",
    {
        "existing": "bool | None",
        "id": "str",
        "position": "int",
        "status": "JobStatus",
    },
    total=False,
)
EventBatch = TypedDict(
    "EventBatch",
    {
        "events": "list[EventRequest]",
    },
    total=False,
)
EventRequest = TypedDict(
    "EventRequest",
    {
        "data": "Any",
        "id": "str | None",
        "name": "str",
        "tenant": "str | None",
        "traceparent": "str | None",
    },
    total=False,
)
EventTrigger = TypedDict(
    "EventTrigger",
    {
        "batch": "BatchOfEvents | None",
        "createdAt": "str",
        "debounce": "Debounce | None",
        "events": "list[str]",
        "filter": "str | None",
        "id": "str",
        "input": "Any | None",
        "name": "str",
        "paused": "bool",
        "priority": "Priority | None",
        "revision": "int",
        "tenant": "str",
        "throttle": "Throttle | None",
        "updatedAt": "str",
        "version": "int | None",
        "workflow": "str",
    },
    total=False,
)
EventTriggerRequest = TypedDict(
    "EventTriggerRequest",
    {
        "batch": "BatchOfEvents | None",
        "debounce": "Debounce | None",
        "events": "list[str]",
        "filter": "str | None",
        "input": "Any",
        "name": "str",
        "paused": "bool | None",
        "priority": "Priority | None",
        "revision": "int | None",
        "tenant": "str | None",
        "throttle": "Throttle | None",
        "version": "int | None",
        "workflow": "str",
    },
    total=False,
)
Execution = TypedDict(
    "Execution",
    {
        "attributes": "dict[str, Any]",
        "completedAt": "str | None",
        "correlationId": "str | None",
        "createdAt": "str",
        "error": "ExecutionError | None",
        "fingerprint": "str | None",
        "id": "str",
        "input": "Any | None",
        "jobId": "str",
        "omitted": "list[OmittedPayload]",
        "output": "Any | None",
        "parent": "Parent | None",
        "payloadDroppedAt": "str | None",
        "priority": "Priority",
        "startedAt": "str | None",
        "status": "ExecutionStatus",
        "tags": "list[str]",
        "tenant": "str",
        "traceparent": "str | None",
        "trigger": "Trigger",
        "uniqueKey": "str | None",
        "version": "int",
        "workflow": "str",
    },
    total=False,
)
ExecutionBatch = TypedDict(
    "ExecutionBatch",
    {
        "executions": "list[ExecutionRequest]",
        "partial": "bool",
    },
    total=False,
)
ExecutionError = TypedDict(
    "ExecutionError",
    {
        "code": "str | None",
        "message": "str",
        "node": "str | None",
    },
    total=False,
)
ExecutionRequest = TypedDict(
    "ExecutionRequest",
    {
        "attributes": "dict[str, Any]",
        "correlationId": "str | None",
        "delay": "str | None",
        "expiresIn": "str | None",
        "input": "Any",
        "priority": "Priority | None",
        "runAt": "str | None",
        "signal": "StartSignal | None",
        "tags": "list[str]",
        "tenant": "str | None",
        "traceparent": "str | None",
        "uniqueKey": "str | None",
        "uniquePolicy": "UniquePolicy | None",
        "version": "int | None",
        "workflow": "str",
    },
    total=False,
)
ExecutionState = TypedDict(
    "ExecutionState",
    {
        "at": "str",
        "kind": "TimelineEventKind",
        "nodeId": "str | None",
        "nodes": "dict[str, Any]",
        "position": "int",
        "status": "ExecutionStatus",
    },
    total=False,
)
ExecutionWhy = TypedDict(
    "ExecutionWhy",
    {
        "detail": "str",
        "job": "Why | None",
        "reason": "WhyReason",
        "status": "ExecutionStatus",
        "waitsFor": "list[NodeWait]",
    },
    total=False,
)
Failure = TypedDict(
    "Failure",
    {
        "error": "JobError",
        "id": "str",
        "leaseToken": "str",
        "logs": "list[LogLine] | None",
        "retryAfter": "str | None",
        "retryable": "bool | None",
    },
    total=False,
)
Fault = TypedDict(
    "Fault",
    {
        "length": "int | None",
        "message": "str",
        "pointer": "str",
        "position": "int | None",
    },
    total=False,
)
GroupDecisionRequest = TypedDict(
    "GroupDecisionRequest",
    {
        "note": "str | None",
    },
    total=False,
)
GroupIgnoreRequest = TypedDict(
    "GroupIgnoreRequest",
    {
        "note": "str | None",
        "until": "DeadLetterGroupUntil | None",
    },
    total=False,
)
Health = TypedDict(
    "Health",
    {
        "brokerAwaySince": "str | None",
        "status": "str",
    },
    total=False,
)
Heartbeat = TypedDict(
    "Heartbeat",
    {
        "extend": "str | None",
        "id": "str",
        "leaseToken": "str",
        "logs": "list[LogLine] | None",
        "progress": "Any",
    },
    total=False,
)
Job = TypedDict(
    "Job",
    {
        "attempts": "list[Attempt] | None",
        "attributes": "dict[str, Any]",
        "backoff": "Backoff",
        "completedAt": "str | None",
        "concurrencyKey": "str | None",
        "createdAt": "str",
        "data": "Any | None",
        "error": "JobError | None",
        "executionId": "str | None",
        "fingerprint": "str | None",
        "id": "str",
        "jobType": "str",
        "leaseExpiresAt": "str | None",
        "maxRetries": "int",
        "nodeId": "str | None",
        "offeredUntil": "str | None",
        "omitted": "list[OmittedPayload]",
        "payloadDroppedAt": "str | None",
        "position": "int",
        "priority": "Priority",
        "processedAt": "str | None",
        "progress": "Any | None",
        "queue": "QueueName",
        "rateKey": "str | None",
        "result": "Any | None",
        "retryCount": "int",
        "runAt": "str",
        "status": "JobStatus",
        "tags": "list[str]",
        "tenant": "str",
        "timeout": "str | None",
        "traceparent": "str | None",
        "uniqueKey": "str | None",
        "workerId": "str | None",
        "workflow": "str | None",
    },
    total=False,
)
JobBatch = TypedDict(
    "JobBatch",
    {
        "jobs": "list[JobRequest]",
        "partial": "bool",
    },
    total=False,
)
JobChange = TypedDict(
    "JobChange",
    {
        "id": "str",
        "status": "JobStatus",
    },
    total=False,
)
JobError = TypedDict(
    "JobError",
    {
        "code": "str | None",
        "details": "Any | None",
        "message": "str",
    },
    total=False,
)
JobLines = TypedDict(
    "JobLines",
    {
        "id": "str",
        "leaseToken": "str",
        "lines": "list[LogLine]",
    },
    total=False,
)
JobRequest = TypedDict(
    "JobRequest",
    {
        "attributes": "dict[str, Any]",
        "backoff": "Backoff | None",
        "concurrencyKey": "str | None",
        "data": "Any",
        "delay": "str | None",
        "expiresIn": "str | None",
        "jobType": "str",
        "maxRetries": "int | None",
        "priority": "Priority | None",
        "rateKey": "str | None",
        "runAt": "str | None",
        "tags": "list[str]",
        "tenant": "str | None",
        "timeout": "str | None",
        "traceparent": "str | None",
        "uniqueKey": "str | None",
    },
    total=False,
)
KeyRate = TypedDict(
    "KeyRate",
    {
        "key": "str",
        "maxConcurrent": "int | None",
        "rate": "Rate",
        "tenant": "str",
    },
    total=False,
)
KeyRateRequest = TypedDict(
    "KeyRateRequest",
    {
        "maxConcurrent": "int | None",
        "rate": "Rate",
    },
    total=False,
)
KeyRates = TypedDict(
    "KeyRates",
    {
        "items": "list[KeyRate]",
    },
    total=False,
)
KeyRotation = TypedDict(
    "KeyRotation",
    {
        "overlap": "str | None",
    },
    total=False,
)
KeyScope = TypedDict(
    "KeyScope",
    {
        "actions": "list[str]",
        "jobTypes": "list[str]",
        "queues": "list[str]",
        "tenants": "list[str]",
        "workflows": "list[str]",
    },
    total=False,
)
LimitChanges = TypedDict(
    "LimitChanges",
    {
        "jobTypeRate": "Rate | None",
        "maxConcurrent": "int | None",
        "rate": "Rate | None",
        "tenantMaxConcurrent": "int | None",
        "tenantRate": "Rate | None",
        "workflowMaxConcurrent": "int | None",
        "workflowRate": "Rate | None",
    },
    total=False,
)
ListCount = TypedDict(
    "ListCount",
    {
        "exact": "bool",
        "value": "int",
    },
    total=False,
)
ListOf_Alert = TypedDict(
    "ListOf_Alert",
    {
        "count": "ListCount | None",
        "items": "list[Alert]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_AlertNotification = TypedDict(
    "ListOf_AlertNotification",
    {
        "count": "ListCount | None",
        "items": "list[AlertNotification]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_AlertRoute = TypedDict(
    "ListOf_AlertRoute",
    {
        "count": "ListCount | None",
        "items": "list[AlertRoute]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_AlertRule = TypedDict(
    "ListOf_AlertRule",
    {
        "count": "ListCount | None",
        "items": "list[AlertRule]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_ApiKey = TypedDict(
    "ListOf_ApiKey",
    {
        "count": "ListCount | None",
        "items": "list[ApiKey]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_AuditLine = TypedDict(
    "ListOf_AuditLine",
    {
        "count": "ListCount | None",
        "items": "list[AuditLine]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_Batch = TypedDict(
    "ListOf_Batch",
    {
        "count": "ListCount | None",
        "items": "list[Batch]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_BatchItem = TypedDict(
    "ListOf_BatchItem",
    {
        "count": "ListCount | None",
        "items": "list[BatchItem]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_DeadLetter = TypedDict(
    "ListOf_DeadLetter",
    {
        "count": "ListCount | None",
        "items": "list[DeadLetter]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_DeadLetterGroup = TypedDict(
    "ListOf_DeadLetterGroup",
    {
        "count": "ListCount | None",
        "items": "list[DeadLetterGroup]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_Delivery = TypedDict(
    "ListOf_Delivery",
    {
        "count": "ListCount | None",
        "items": "list[Delivery]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_EventTrigger = TypedDict(
    "ListOf_EventTrigger",
    {
        "count": "ListCount | None",
        "items": "list[EventTrigger]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_Execution = TypedDict(
    "ListOf_Execution",
    {
        "count": "ListCount | None",
        "items": "list[Execution]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_ExecutionState = TypedDict(
    "ListOf_ExecutionState",
    {
        "count": "ListCount | None",
        "items": "list[ExecutionState]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_Job = TypedDict(
    "ListOf_Job",
    {
        "count": "ListCount | None",
        "items": "list[Job]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_Node = TypedDict(
    "ListOf_Node",
    {
        "count": "ListCount | None",
        "items": "list[Node]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_Queue = TypedDict(
    "ListOf_Queue",
    {
        "count": "ListCount | None",
        "items": "list[Any]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_Schedule = TypedDict(
    "ListOf_Schedule",
    {
        "count": "ListCount | None",
        "items": "list[Schedule]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_ScheduleRun = TypedDict(
    "ListOf_ScheduleRun",
    {
        "count": "ListCount | None",
        "items": "list[ScheduleRun]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_Secret = TypedDict(
    "ListOf_Secret",
    {
        "count": "ListCount | None",
        "items": "list[Secret]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_Server = TypedDict(
    "ListOf_Server",
    {
        "count": "ListCount | None",
        "items": "list[Server]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_Silence = TypedDict(
    "ListOf_Silence",
    {
        "count": "ListCount | None",
        "items": "list[Silence]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_StoredLogLine = TypedDict(
    "ListOf_StoredLogLine",
    {
        "count": "ListCount | None",
        "items": "list[StoredLogLine]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_Tenant = TypedDict(
    "ListOf_Tenant",
    {
        "count": "ListCount | None",
        "items": "list[Tenant]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_TimelineEvent = TypedDict(
    "ListOf_TimelineEvent",
    {
        "count": "ListCount | None",
        "items": "list[TimelineEvent]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_UserTask = TypedDict(
    "ListOf_UserTask",
    {
        "count": "ListCount | None",
        "items": "list[UserTask]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_View = TypedDict(
    "ListOf_View",
    {
        "count": "ListCount | None",
        "items": "list[View]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_Webhook = TypedDict(
    "ListOf_Webhook",
    {
        "count": "ListCount | None",
        "items": "list[Webhook]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_Worker = TypedDict(
    "ListOf_Worker",
    {
        "count": "ListCount | None",
        "items": "list[Worker]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
ListOf_Workflow = TypedDict(
    "ListOf_Workflow",
    {
        "count": "ListCount | None",
        "items": "list[Workflow]",
        "nextCursor": "str | None",
        "scannedTo": "str | None",
    },
    total=False,
)
LogLine = TypedDict(
    "LogLine",
    {
        "at": "str | None",
        "fields": "dict[str, Any] | None",
        "level": "LogLevel",
        "message": "str",
        "sequence": "int | None",
    },
    total=False,
)
ManualRun = TypedDict(
    "ManualRun",
    {
        "executionId": "str",
        "scheduledFor": "str",
    },
    total=False,
)
MapItems = TypedDict(
    "MapItems",
    {
        "completed": "int",
        "started": "int",
        "total": "int",
    },
    total=False,
)
Me = TypedDict(
    "Me",
    {
        "actor": "str",
        "can": "list[str]",
        "groups": "list[str]",
        "key": "str | None",
        "payloads": "bool",
        "person": "str | None",
        "role": "Role",
        "scopes": "list[dict[str, Any]]",
        "server": "MeServer",
        "tenant": "str | None",
    },
    total=False,
)
MeServer = TypedDict(
    "MeServer",
    {
        "color": "str | None",
        "environment": "str | None",
        "readOnly": "bool",
        "version": "str",
    },
    total=False,
)
MockEvent = TypedDict(
    "MockEvent",
    {
        "after": "str | None",
        "data": "Any",
        "name": "str",
    },
    total=False,
)
MockResult = TypedDict(
    "MockResult",
    {
        "after": "str | None",
        "error": "JobError | None",
        "output": "Any",
        "timesOut": "bool",
    },
    total=False,
)
MockSignal = TypedDict(
    "MockSignal",
    {
        "after": "str | None",
        "name": "str",
        "payload": "Any",
    },
    total=False,
)
Move = TypedDict(
    "Move",
    {
        "error": "str | None",
        "id": "str",
        "pausedMs": "int | None",
        "phase": "str",
        "rowsCopied": "int",
        "rowsLeft": "int | None",
        "rowsTotal": "int",
        "startedAt": "str",
        "to": "str",
    },
    total=False,
)
MoveRequest = TypedDict(
    "MoveRequest",
    {
        "schema": "str",
        "to": "str",
    },
    total=False,
)
Node = TypedDict(
    "Node",
    {
        "attempts": "int",
        "callbackUrl": "str | None",
        "error": "JobError | None",
        "finishedAt": "str | None",
        "input": "Any | None",
        "mapItems": "MapItems | None",
        "nodeId": "str",
        "omitted": "list[OmittedPayload]",
        "output": "Any | None",
        "startedAt": "str | None",
        "status": "NodeStatus",
        "type": "str",
        "waitsFor": "NodeWait | None",
    },
    total=False,
)
NodeWait = TypedDict(
    "NodeWait",
    {
        "detail": "str",
        "executionId": "str | None",
        "job": "Why | None",
        "jobId": "str | None",
        "nodeId": "str",
        "reason": "str",
        "type": "str",
        "until": "str | None",
    },
    total=False,
)
OmittedPayload = TypedDict(
    "OmittedPayload",
    {
        "bytes": "int",
        "field": "str",
        "href": "str",
        "sha256": "str",
    },
    total=False,
)
Outcome = TypedDict(
    "Outcome",
    {
        "id": "str",
        "leaseExpiresAt": "str | None",
        "outcome": "LeaseOutcome",
        "reason": "str | None",
    },
    total=False,
)
Outcomes = TypedDict(
    "Outcomes",
    {
        "drain": "bool | None",
        "jobs": "list[PolledJob] | None",
        "results": "list[Outcome]",
    },
    total=False,
)
OwnLimit = TypedDict(
    "OwnLimit",
    {
        "jobType": "str | None",
        "maxConcurrent": "int | None",
        "rate": "Rate | None",
        "tenant": "str | None",
        "workflow": "str | None",
    },
    total=False,
)
Parent = TypedDict(
    "Parent",
    {
        "executionId": "str",
        "nodeId": "str",
    },
    total=False,
)
PauseRequest = TypedDict(
    "PauseRequest",
    {
        "newRuns": "NewRuns",
    },
    total=False,
)
PayloadKey = TypedDict(
    "PayloadKey",
    {
        "createdAt": "str",
        "current": "bool",
        "id": "str",
        "sealedWith": "str",
        "usable": "bool",
    },
    total=False,
)
Percentiles = TypedDict(
    "Percentiles",
    {
        "p50": "int",
        "p95": "int",
        "p99": "int",
    },
    total=False,
)
Poll = TypedDict(
    "Poll",
    {
        "build": "str | None",
        "builds": "list[str]",
        "jobTypes": "list[str]",
        "lease": "str | None",
        "maxJobs": "int | None",
        "tenant": "str | None",
        "wait": "str | None",
        "workerId": "str",
    },
    total=False,
)
PolledJob = TypedDict(
    "PolledJob",
    {
        "attempt": "int",
        "data": "Any",
        "deadline": "str | None",
        "executionId": "str | None",
        "id": "str",
        "idempotencyKey": "str",
        "jobType": "str",
        "lastError": "JobError | None",
        "leaseExpiresAt": "str",
        "leaseToken": "str",
        "maxRetries": "int",
        "nodeId": "str | None",
        "progress": "Any | None",
        "tenant": "str",
        "traceparent": "str | None",
        "workflow": "str | None",
    },
    total=False,
)
PolledJobs = TypedDict(
    "PolledJobs",
    {
        "drain": "bool | None",
        "jobs": "list[PolledJob]",
    },
    total=False,
)
Preview = TypedDict(
    "Preview",
    {
        "description": "str",
        "next": "list[str]",
        "notes": "list[str]",
    },
    total=False,
)
PreviewRequest = TypedDict(
    "PreviewRequest",
    {
        "anchor": "str | None",
        "count": "int | None",
        "cron": "str | None",
        "every": "str | None",
        "from": "str | None",
        "timezone": "str | None",
    },
    total=False,
)
Problem = TypedDict(
    "Problem",
    {
        "code": "ProblemCode",
        "detail": "str",
        "errors": "list[Fault]",
        "existingId": "str | None",
        "hint": "str | None",
        "limit": "int | None",
        "quota": "str | None",
        "status": "int",
        "title": "str",
        "type": "str",
        "used": "int | None",
    },
    total=False,
)
QueueCounts = TypedDict(
    "QueueCounts",
    {
        "oldestAgeMs": "int | None",
        "processing": "int",
        "queued": "int",
        "retryWait": "int",
        "scheduled": "int",
        "waiting": "int",
    },
    total=False,
)
QueueLimits = TypedDict(
    "QueueLimits",
    {
        "jobTypeRate": "Rate | None",
        "maxConcurrent": "int | None",
        "overrideCount": "int | None",
        "overrides": "list[OwnLimit]",
        "rate": "Rate | None",
        "rateSource": "str | None",
        "source": "str",
        "tenantMaxConcurrent": "int | None",
        "tenantRate": "Rate | None",
        "tenantSource": "str | None",
        "workflowMaxConcurrent": "int | None",
        "workflowRate": "Rate | None",
        "workflowSource": "str | None",
    },
    total=False,
)
QueueMode = TypedDict(
    "QueueMode",
    {
        "mode": "QueueModeKind",
        "paused": "bool",
        "queue": "QueueName",
    },
    total=False,
)
QueueRetention = TypedDict(
    "QueueRetention",
    {
        "cancelled": "str | None",
        "completed": "str | None",
        "failed": "str | None",
        "payloads": "str | None",
    },
    total=False,
)
QueueRetentionRequest = TypedDict(
    "QueueRetentionRequest",
    {
        "cancelled": "str | None",
        "completed": "str | None",
        "failed": "str | None",
        "payloads": "str | None",
    },
    total=False,
)
QueueScaling = TypedDict(
    "QueueScaling",
    {
        "asOf": "str",
        "desired": "int",
        "exact": "bool",
        "heldByLimit": "int",
        "noWorker": "int",
        "offered": "int",
        "oldestAgeMs": "int | None",
        "processing": "int",
        "queue": "QueueName",
        "queued": "int",
        "startable": "int",
        "workers": "int",
    },
    total=False,
)
ReceivedDelivery = TypedDict(
    "ReceivedDelivery",
    {
        "deduplicated": "bool",
        "deliveryId": "str",
        "status": "DeliveryStatus",
    },
    total=False,
)
RecentFigure = TypedDict(
    "RecentFigure",
    {
        "1h": "int",
        "24h": "int",
    },
    total=False,
)
RefusedDelivery = TypedDict(
    "RefusedDelivery",
    {
        "detail": "str | None",
        "error": "str",
        "quota": "str | None",
    },
    total=False,
)
Release = TypedDict(
    "Release",
    {
        "delay": "str | None",
        "id": "str",
        "leaseToken": "str",
    },
    total=False,
)
ReplayRequest = TypedDict(
    "ReplayRequest",
    {
        "allTriggers": "bool",
    },
    total=False,
)
ReplayedDelivery = TypedDict(
    "ReplayedDelivery",
    {
        "deliveryId": "str",
        "replayOf": "str",
    },
    total=False,
)
Reports_Heartbeat = TypedDict(
    "Reports_Heartbeat",
    {
        "jobs": "list[Heartbeat]",
    },
    total=False,
)
Reports_JobLines = TypedDict(
    "Reports_JobLines",
    {
        "jobs": "list[JobLines]",
    },
    total=False,
)
Reports_Release = TypedDict(
    "Reports_Release",
    {
        "jobs": "list[Release]",
    },
    total=False,
)
ReprioritizeRequest = TypedDict(
    "ReprioritizeRequest",
    {
        "priority": "Priority",
    },
    total=False,
)
RequeueRequest = TypedDict(
    "RequeueRequest",
    {
        "data": "Any",
        "maxRetries": "int | None",
        "priority": "Priority | None",
    },
    total=False,
)
RerunRequest = TypedDict(
    "RerunRequest",
    {
        "compensateOriginal": "bool",
        "fromNode": "str",
        "input": "Any",
    },
    total=False,
)
RetentionRequest = TypedDict(
    "RetentionRequest",
    {
        "alerts": "str | None",
        "archive": "str | None",
        "audit": "str | None",
        "deliveries": "str | None",
        "deliveryBodies": "str | None",
        "executionPayloads": "str | None",
        "executions": "str | None",
        "workflow-execution": "QueueRetentionRequest | None",
        "workflow-node": "QueueRetentionRequest | None",
        "workflow-scheduled": "QueueRetentionRequest | None",
        "workflow-webhook": "QueueRetentionRequest | None",
    },
    total=False,
)
RetentionTimes = TypedDict(
    "RetentionTimes",
    {
        "alerts": "str | None",
        "archive": "str | None",
        "audit": "str | None",
        "deliveries": "str | None",
        "deliveryBodies": "str | None",
        "executionPayloads": "str | None",
        "executions": "str | None",
        "workflow-execution": "QueueRetention",
        "workflow-node": "QueueRetention",
        "workflow-scheduled": "QueueRetention",
        "workflow-webhook": "QueueRetention",
    },
    total=False,
)
RotateSecretRequest = TypedDict(
    "RotateSecretRequest",
    {
        "overlap": "str | None",
        "purpose": "WebhookSecretPurpose | None",
        "secret": "str",
    },
    total=False,
)
RotatedSecret = TypedDict(
    "RotatedSecret",
    {
        "secret": "str | None",
        "webhook": "Webhook",
    },
    total=False,
)
Schedule = TypedDict(
    "Schedule",
    {
        "anchor": "str | None",
        "catchUpWindow": "str",
        "createdAt": "str",
        "cron": "str | None",
        "description": "str",
        "endAt": "str | None",
        "every": "str | None",
        "id": "str",
        "input": "Any | None",
        "jitter": "str",
        "misfire": "Misfire",
        "name": "str",
        "nextRunAt": "str | None",
        "overlap": "Overlap",
        "paused": "bool",
        "priority": "Priority",
        "startAt": "str | None",
        "tenant": "str",
        "timezone": "str",
        "updatedAt": "str",
        "warnings": "list[str]",
        "workflow": "str",
    },
    total=False,
)
ScheduleRequest = TypedDict(
    "ScheduleRequest",
    {
        "anchor": "str | None",
        "catchUpWindow": "str | None",
        "cron": "str | None",
        "endAt": "str | None",
        "every": "str | None",
        "input": "Any",
        "jitter": "str | None",
        "misfire": "Misfire | None",
        "name": "str",
        "overlap": "Overlap | None",
        "paused": "bool | None",
        "priority": "Priority | None",
        "startAt": "str | None",
        "tenant": "str | None",
        "timezone": "str | None",
        "workflow": "str",
    },
    total=False,
)
ScheduleRun = TypedDict(
    "ScheduleRun",
    {
        "executionId": "str | None",
        "firedAt": "str",
        "lateMs": "int",
        "reason": "FireReason",
        "scheduledFor": "str",
        "skipReason": "str | None",
        "status": "SlotStatus",
    },
    total=False,
)
Secret = TypedDict(
    "Secret",
    {
        "createdAt": "str",
        "hosts": "list[str]",
        "name": "str",
        "provider": "str",
        "reference": "str | None",
        "tenant": "str",
        "updatedAt": "str",
    },
    total=False,
)
SecretRequest = TypedDict(
    "SecretRequest",
    {
        "environment": "str | None",
        "file": "str | None",
        "hosts": "list[str]",
        "value": "str | None",
        "vault": "str | None",
    },
    total=False,
)
SentEvent = TypedDict(
    "SentEvent",
    {
        "deduplicated": "bool | None",
        "deliveryId": "str",
    },
    total=False,
)
SentEvents = TypedDict(
    "SentEvents",
    {
        "results": "list[SentEvent]",
    },
    total=False,
)
Server = TypedDict(
    "Server",
    {
        "clockOffsetMs": "int",
        "id": "str",
        "lastSeenAt": "str",
        "roles": "list[str]",
        "startedAt": "str",
        "version": "str",
    },
    total=False,
)
Session = TypedDict(
    "Session",
    {
        "actor": "str",
        "csrfToken": "str | None",
        "expiresAt": "str | None",
        "role": "Role",
        "tenant": "str | None",
    },
    total=False,
)
Settlements_Completion = TypedDict(
    "Settlements_Completion",
    {
        "jobs": "list[Completion]",
        "poll": "Poll | None",
    },
    total=False,
)
Settlements_Failure = TypedDict(
    "Settlements_Failure",
    {
        "jobs": "list[Failure]",
        "poll": "Poll | None",
    },
    total=False,
)
SignalRequest = TypedDict(
    "SignalRequest",
    {
        "payload": "Any | None",
    },
    total=False,
)
Silence = TypedDict(
    "Silence",
    {
        "createdAt": "str",
        "createdBy": "str",
        "id": "str",
        "labels": "dict[str, Any]",
        "reason": "str",
        "rule": "str | None",
        "until": "str",
    },
    total=False,
)
SilenceRequest = TypedDict(
    "SilenceRequest",
    {
        "for": "str | None",
        "labels": "dict[str, Any]",
        "reason": "str",
        "rule": "str | None",
        "until": "str | None",
    },
    total=False,
)
SimulatedEvent = TypedDict(
    "SimulatedEvent",
    {
        "at": "str",
        "detail": "str | None",
        "kind": "TimelineEventKind",
        "nodeId": "str | None",
    },
    total=False,
)
SimulatedNode = TypedDict(
    "SimulatedNode",
    {
        "error": "JobError | None",
        "finishedAt": "str | None",
        "input": "Any | None",
        "nodeId": "str",
        "output": "Any | None",
        "round": "int",
        "startedAt": "str | None",
        "status": "NodeStatus",
    },
    total=False,
)
SimulatedWait = TypedDict(
    "SimulatedWait",
    {
        "awaits": "str",
        "nodeId": "str",
        "signal": "str | None",
    },
    total=False,
)
Simulation = TypedDict(
    "Simulation",
    {
        "error": "ExecutionError | None",
        "nodes": "list[SimulatedNode]",
        "now": "str",
        "output": "Any | None",
        "status": "ExecutionStatus",
        "timeline": "list[SimulatedEvent]",
        "waitingFor": "list[SimulatedWait]",
    },
    total=False,
)
SimulationRequest = TypedDict(
    "SimulationRequest",
    {
        "definition": "Any",
        "events": "list[MockEvent]",
        "input": "Any",
        "now": "str | None",
        "results": "dict[str, Any]",
        "signals": "list[MockSignal]",
        "tenant": "str | None",
        "version": "int | None",
        "workflow": "str | None",
    },
    total=False,
)
SourcePlace = TypedDict(
    "SourcePlace",
    {
        "column": "int | None",
        "file": "str",
        "line": "int",
    },
    total=False,
)
SourceRequest = TypedDict(
    "SourceRequest",
    {
        "nodes": "dict[str, Any]",
    },
    total=False,
)
StartSignal = TypedDict(
    "StartSignal",
    {
        "name": "str",
        "payload": "Any",
    },
    total=False,
)
StatPoint = TypedDict(
    "StatPoint",
    {
        "at": "str",
        "claimed": "int",
        "completed": "int",
        "deadLettered": "int",
        "endToEndP50": "int | None",
        "endToEndP95": "int | None",
        "endToEndP99": "int | None",
        "enqueued": "int",
        "failed": "int",
        "oldestAgeMs": "int",
        "processing": "int",
        "queued": "int",
        "runP50": "int | None",
        "runP95": "int | None",
        "runP99": "int | None",
        "waitP50": "int | None",
        "waitP95": "int | None",
        "waitP99": "int | None",
    },
    total=False,
)
Stats = TypedDict(
    "Stats",
    {
        "series": "list[StatPoint]",
        "step": "str",
    },
    total=False,
)
StoredLogLine = TypedDict(
    "StoredLogLine",
    {
        "at": "str",
        "attempt": "int",
        "fields": "dict[str, Any] | None",
        "jobId": "str",
        "level": "LogLevel",
        "line": "int",
        "message": "str | None",
        "nodeId": "str | None",
    },
    total=False,
)
Suggestion = TypedDict(
    "Suggestion",
    {
        "count": "int | None",
        "detail": "str | None",
        "kind": "str",
        "text": "str",
    },
    total=False,
)
Suggestions = TypedDict(
    "Suggestions",
    {
        "from": "int",
        "items": "list[Suggestion]",
        "to": "int",
    },
    total=False,
)
Tenant = TypedDict(
    "Tenant",
    {
        "createdAt": "str | None",
        "name": "str",
    },
    total=False,
)
TenantEncryption = TypedDict(
    "TenantEncryption",
    {
        "enabled": "bool",
        "keys": "list[PayloadKey]",
    },
    total=False,
)
TenantErasure = TypedDict(
    "TenantErasure",
    {
        "cancelOpen": "bool",
        "confirm": "str",
    },
    total=False,
)
TenantQuotas = TypedDict(
    "TenantQuotas",
    {
        "apiKeys": "int | None",
        "definitionBytes": "int | None",
        "deliveryBytes": "int | None",
        "historyRows": "int | None",
        "idempotencyKeys": "int | None",
        "logBytes": "int | None",
        "openExecutions": "int | None",
        "openJobs": "int | None",
        "payloadBytes": "int | None",
        "schedules": "int | None",
        "waitingStartBytes": "int | None",
        "webhooks": "int | None",
        "workflowVersions": "int | None",
    },
    total=False,
)
TenantQuotasRequest = TypedDict(
    "TenantQuotasRequest",
    {
        "apiKeys": "Any",
        "definitionBytes": "Any",
        "deliveryBytes": "Any",
        "historyRows": "Any",
        "idempotencyKeys": "Any",
        "logBytes": "Any",
        "openExecutions": "Any",
        "openJobs": "Any",
        "payloadBytes": "Any",
        "schedules": "Any",
        "waitingStartBytes": "Any",
        "webhooks": "Any",
        "workflowVersions": "Any",
    },
    total=False,
)
TenantRequest = TypedDict(
    "TenantRequest",
    {
        "name": "str",
    },
    total=False,
)
TenantUsage = TypedDict(
    "TenantUsage",
    {
        "apiKeys": "UsageFigure",
        "asOf": "str",
        "definitionBytes": "UsageFigure",
        "deliveryBytes": "UsageFigure",
        "historyRows": "UsageFigure",
        "idempotencyKeys": "UsageFigure",
        "logBytes": "UsageFigure",
        "openExecutions": "UsageFigure",
        "openJobs": "UsageFigure",
        "payloadBytes": "UsageFigure",
        "schedules": "UsageFigure",
        "starts": "RecentFigure",
        "tenant": "str",
        "waitingStartBytes": "UsageFigure",
        "webhooks": "UsageFigure",
        "workerSeconds": "RecentFigure",
        "workflowVersions": "UsageFigure",
    },
    total=False,
)
TestedWebhook = TypedDict(
    "TestedWebhook",
    {
        "deliveryId": "str",
        "eventType": "str | None",
    },
    total=False,
)
Throttle = TypedDict(
    "Throttle",
    {
        "key": "str | None",
        "rate": "Rate",
    },
    total=False,
)
TimeMoveRequest = TypedDict(
    "TimeMoveRequest",
    {
        "advance": "str | None",
        "skip": "bool | None",
    },
    total=False,
)
TimelineEvent = TypedDict(
    "TimelineEvent",
    {
        "at": "str",
        "detail": "str | None",
        "kind": "TimelineEventKind",
        "nodeId": "str | None",
        "position": "int",
    },
    total=False,
)
Trigger = TypedDict(
    "Trigger",
    {
        "kind": "str",
    },
    total=False,
)
UsageFigure = TypedDict(
    "UsageFigure",
    {
        "exact": "bool",
        "quota": "int | None",
        "used": "int",
    },
    total=False,
)
UserTask = TypedDict(
    "UserTask",
    {
        "assignee": "str | None",
        "claimedAt": "str | None",
        "claimedBy": "str | None",
        "closedAt": "str | None",
        "completedBy": "str | None",
        "dueAt": "str | None",
        "escalatedAt": "str | None",
        "executionId": "str",
        "form": "Any | None",
        "group": "str | None",
        "input": "Any | None",
        "nodeId": "str",
        "omitted": "list[OmittedPayload]",
        "openedAt": "str",
        "round": "int",
        "status": "UserTaskStatus",
        "tenant": "str",
        "workflow": "str",
    },
    total=False,
)
UserTaskCompletion = TypedDict(
    "UserTaskCompletion",
    {
        "output": "Any | None",
        "round": "int | None",
    },
    total=False,
)
UserTaskRound = TypedDict(
    "UserTaskRound",
    {
        "round": "int | None",
    },
    total=False,
)
ValidatedWorkflow = TypedDict(
    "ValidatedWorkflow",
    {
        "contentHash": "str",
        "name": "str",
        "valid": "bool",
        "version": "int",
        "warnings": "list[Fault]",
    },
    total=False,
)
View = TypedDict(
    "View",
    {
        "columns": "list[str]",
        "createdAt": "str",
        "id": "str",
        "list": "str",
        "name": "str",
        "order": "str | None",
        "own": "bool",
        "owner": "str",
        "q": "str",
        "shared": "bool",
        "sort": "str | None",
        "updatedAt": "str",
    },
    total=False,
)
ViewRequest = TypedDict(
    "ViewRequest",
    {
        "columns": "list[str]",
        "list": "str",
        "name": "str",
        "order": "str | None",
        "q": "str | None",
        "shared": "bool",
        "sort": "str | None",
    },
    total=False,
)
Webhook = TypedDict(
    "Webhook",
    {
        "createdAt": "str",
        "dedupe": "WebhookDedupe",
        "fullUrl": "str | None",
        "id": "str",
        "lacksSecret": "bool",
        "maxBody": "int | None",
        "maxBodyEffective": "int",
        "name": "str",
        "paused": "bool",
        "provider": "WebhookProvider",
        "publicUrl": "str | None",
        "rateLimit": "WebhookRateLimit | None",
        "respondWith": "int",
        "scheme": "WebhookScheme",
        "secrets": "list[WebhookSecret] | None",
        "tenant": "str",
        "triggers": "list[WebhookTrigger]",
        "updatedAt": "str",
        "url": "str",
        "verified": "bool",
        "version": "int",
        "warnings": "list[str]",
    },
    total=False,
)
WebhookDedupe = TypedDict(
    "WebhookDedupe",
    {
        "on": "WebhookDedupeOn",
        "window": "str | None",
    },
    total=False,
)
WebhookRateLimit = TypedDict(
    "WebhookRateLimit",
    {
        "burst": "int | None",
        "per": "str",
        "requests": "int",
    },
    total=False,
)
WebhookRequest = TypedDict(
    "WebhookRequest",
    {
        "dedupe": "WebhookDedupe | None",
        "maxBody": "str",
        "name": "str",
        "paused": "bool | None",
        "provider": "WebhookProvider",
        "publicUrl": "str | None",
        "rateLimit": "WebhookRateLimit | None",
        "respondWith": "int | None",
        "scheme": "WebhookScheme | None",
        "secrets": "list[str]",
        "tenant": "str | None",
        "triggers": "list[WebhookTrigger]",
        "verifyToken": "str",
        "version": "int | None",
    },
    total=False,
)
WebhookScheme = TypedDict(
    "WebhookScheme",
    {
        "algorithm": "str",
        "encoding": "str",
        "eventType": "str",
        "header": "str",
        "idHeader": "str",
        "listSeparator": "str",
        "prefix": "str",
        "secretEncoding": "str",
        "signedContent": "str",
        "timestampHeader": "str",
        "timestampItem": "str",
        "timestampUnit": "str",
        "tolerance": "str",
    },
    total=False,
)
WebhookSecret = TypedDict(
    "WebhookSecret",
    {
        "createdAt": "str",
        "expiresAt": "str | None",
        "id": "str",
        "openable": "bool",
        "purpose": "WebhookSecretPurpose",
    },
    total=False,
)
WebhookTrigger = TypedDict(
    "WebhookTrigger",
    {
        "batch": "BatchOfEvents | None",
        "debounce": "Debounce | None",
        "events": "list[str]",
        "filter": "str | None",
        "id": "str | None",
        "input": "Any",
        "priority": "Priority | None",
        "throttle": "Throttle | None",
        "version": "int | None",
        "workflow": "str",
    },
    total=False,
)
Why = TypedDict(
    "Why",
    {
        "canStartAt": "str | None",
        "detail": "str",
        "freesWhen": "str | None",
        "holders": "list[str] | None",
        "limit": "int | None",
        "rank": "int | None",
        "rate": "Rate | None",
        "reason": "WhyReason",
        "running": "int | None",
    },
    total=False,
)
WokenNode = TypedDict(
    "WokenNode",
    {
        "executionId": "str",
        "nodeId": "str",
    },
    total=False,
)
Worker = TypedDict(
    "Worker",
    {
        "build": "str | None",
        "draining": "bool",
        "firstSeenAt": "str",
        "id": "str",
        "jobTypes": "list[str]",
        "kind": "str",
        "lastSeenAt": "str",
        "leased": "int",
        "slots": "int | None",
        "tenant": "str | None",
    },
    total=False,
)
Workflow = TypedDict(
    "Workflow",
    {
        "contentHash": "str",
        "createdAt": "str",
        "definition": "Any | None",
        "maxConcurrent": "int | None",
        "name": "str",
        "newRuns": "NewRuns | None",
        "paused": "bool",
        "source": "dict[str, Any] | None",
        "tenant": "str | None",
        "version": "int",
        "warnings": "list[Fault]",
    },
    total=False,
)
WorkflowMode = TypedDict(
    "WorkflowMode",
    {
        "name": "str",
        "newRuns": "NewRuns | None",
        "paused": "bool",
    },
    total=False,
)

OPERATIONS: dict[str, Operation] = {
    "call_back": Operation("POST", "/callbacks/{executionId}/{nodeId}/{token}", False),
    "healthz": Operation("GET", "/healthz", False),
    "answer_challenge": Operation("GET", "/hooks/{id}", False),
    "receive_delivery": Operation("POST", "/hooks/{id}", False),
    "readyz": Operation("GET", "/readyz", False),
    "get_published_schema": Operation("GET", "/schemas/workflow.json", False),
    "list_alerts": Operation("GET", "/v1/alerts", False),
    "list_notifications": Operation("GET", "/v1/alerts/notifications", False),
    "retry_notification": Operation("POST", "/v1/alerts/notifications/{id}/retry", True),
    "list_routes": Operation("GET", "/v1/alerts/routes", False),
    "get_route": Operation("GET", "/v1/alerts/routes/{name}", False),
    "put_route": Operation("PUT", "/v1/alerts/routes/{name}", True),
    "delete_route": Operation("DELETE", "/v1/alerts/routes/{name}", True),
    "test_route": Operation("POST", "/v1/alerts/routes/{name}/test", True),
    "list_rules": Operation("GET", "/v1/alerts/rules", False),
    "get_rule": Operation("GET", "/v1/alerts/rules/{name}", False),
    "put_rule": Operation("PUT", "/v1/alerts/rules/{name}", True),
    "delete_rule": Operation("DELETE", "/v1/alerts/rules/{name}", True),
    "list_silences": Operation("GET", "/v1/alerts/silences", False),
    "add_silence": Operation("POST", "/v1/alerts/silences", True),
    "get_silence": Operation("GET", "/v1/alerts/silences/{id}", False),
    "end_silence": Operation("DELETE", "/v1/alerts/silences/{id}", True),
    "list_keys": Operation("GET", "/v1/api-keys", False),
    "create_key": Operation("POST", "/v1/api-keys", True),
    "revoke_key": Operation("DELETE", "/v1/api-keys/{id}", True),
    "rotate_key": Operation("POST", "/v1/api-keys/{id}/rotate", True),
    "list_archive": Operation("GET", "/v1/archive", False),
    "export_archive": Operation("GET", "/v1/archive/export", False),
    "list_audit": Operation("GET", "/v1/audit", False),
    "export_audit": Operation("GET", "/v1/audit/export", False),
    "verify_audit": Operation("GET", "/v1/audit/verify", False),
    "create_backup": Operation("POST", "/v1/backups", True),
    "list_batches": Operation("GET", "/v1/batches", False),
    "get_batch": Operation("GET", "/v1/batches/{id}", False),
    "abort_batch": Operation("POST", "/v1/batches/{id}/abort", True),
    "list_batch_items": Operation("GET", "/v1/batches/{id}/items", False),
    "pause_batch": Operation("POST", "/v1/batches/{id}/pause", True),
    "resume_batch": Operation("POST", "/v1/batches/{id}/resume", True),
    "list_build_pins": Operation("GET", "/v1/builds", False),
    "get_command": Operation("GET", "/v1/commands/{position}", False),
    "list_dead_letters": Operation("GET", "/v1/dead-letters", False),
    "archive_dead_letters": Operation("POST", "/v1/dead-letters/archive", True),
    "list_groups": Operation("GET", "/v1/dead-letters/groups", False),
    "ignore_group": Operation("POST", "/v1/dead-letters/groups/{fingerprint}/ignore", True),
    "reopen_group": Operation("POST", "/v1/dead-letters/groups/{fingerprint}/reopen", True),
    "resolve_group": Operation("POST", "/v1/dead-letters/groups/{fingerprint}/resolve", True),
    "requeue_dead_letters": Operation("POST", "/v1/dead-letters/requeue", True),
    "get_dead_letter": Operation("GET", "/v1/dead-letters/{id}", False),
    "archive_dead_letter": Operation("POST", "/v1/dead-letters/{id}/archive", True),
    "get_dead_letter_data": Operation("GET", "/v1/dead-letters/{id}/data", False),
    "requeue_dead_letter": Operation("POST", "/v1/dead-letters/{id}/requeue", True),
    "list_deliveries": Operation("GET", "/v1/deliveries", False),
    "replay_deliveries": Operation("POST", "/v1/deliveries/replay", True),
    "get_delivery": Operation("GET", "/v1/deliveries/{id}", False),
    "get_delivery_body": Operation("GET", "/v1/deliveries/{id}/body", False),
    "replay_delivery": Operation("POST", "/v1/deliveries/{id}/replay", True),
    "move_time": Operation("POST", "/v1/dev/time", True),
    "get_dispatch": Operation("GET", "/v1/dispatch", False),
    "examine": Operation("GET", "/v1/doctor", False),
    "stream_events": Operation("GET", "/v1/events", False),
    "send_event": Operation("POST", "/v1/events", True),
    "send_event_batch": Operation("POST", "/v1/events/batch", True),
    "list_executions": Operation("GET", "/v1/executions", False),
    "start_execution": Operation("POST", "/v1/executions", True),
    "start_executions": Operation("POST", "/v1/executions/batch", True),
    "cancel_executions": Operation("POST", "/v1/executions/cancel", True),
    "rerun_executions": Operation("POST", "/v1/executions/rerun", True),
    "retry_executions": Operation("POST", "/v1/executions/retry", True),
    "get_execution": Operation("GET", "/v1/executions/{id}", False),
    "cancel_execution": Operation("POST", "/v1/executions/{id}/cancel", True),
    "list_timeline": Operation("GET", "/v1/executions/{id}/events", False),
    "get_execution_input": Operation("GET", "/v1/executions/{id}/input", False),
    "list_execution_logs": Operation("GET", "/v1/executions/{id}/logs", False),
    "list_nodes": Operation("GET", "/v1/executions/{id}/nodes", False),
    "get_node": Operation("GET", "/v1/executions/{id}/nodes/{nodeId}", False),
    "get_node_input": Operation("GET", "/v1/executions/{id}/nodes/{nodeId}/input", False),
    "list_node_items": Operation("GET", "/v1/executions/{id}/nodes/{nodeId}/items", False),
    "get_node_output": Operation("GET", "/v1/executions/{id}/nodes/{nodeId}/output", False),
    "get_execution_output": Operation("GET", "/v1/executions/{id}/output", False),
    "rerun_execution": Operation("POST", "/v1/executions/{id}/rerun", True),
    "retry_execution": Operation("POST", "/v1/executions/{id}/retry", True),
    "signal_execution": Operation("POST", "/v1/executions/{id}/signals/{name}", True),
    "list_states": Operation("GET", "/v1/executions/{id}/states", False),
    "complete_user_task": Operation("POST", "/v1/executions/{id}/user-tasks/{nodeId}/complete", True),
    "why_execution": Operation("GET", "/v1/executions/{id}/why", False),
    "get_job_type_attributes": Operation("GET", "/v1/job-types/{jobType}/attributes", False),
    "set_job_type_attributes": Operation("PUT", "/v1/job-types/{jobType}/attributes", True),
    "pin_builds": Operation("PUT", "/v1/job-types/{jobType}/builds", True),
    "unpin_builds": Operation("DELETE", "/v1/job-types/{jobType}/builds", True),
    "get_job_type_limits": Operation("GET", "/v1/job-types/{jobType}/limits", False),
    "set_job_type_limits": Operation("PUT", "/v1/job-types/{jobType}/limits", True),
    "list_jobs": Operation("GET", "/v1/jobs", False),
    "enqueue_job": Operation("POST", "/v1/jobs", True),
    "accept_jobs": Operation("POST", "/v1/jobs/accept", True),
    "enqueue_jobs": Operation("POST", "/v1/jobs/batch", True),
    "cancel_jobs": Operation("POST", "/v1/jobs/cancel", True),
    "complete_jobs": Operation("POST", "/v1/jobs/complete", False),
    "fail_jobs": Operation("POST", "/v1/jobs/fail", False),
    "heartbeat_jobs": Operation("POST", "/v1/jobs/heartbeat", False),
    "log_jobs": Operation("POST", "/v1/jobs/logs", False),
    "poll_jobs": Operation("POST", "/v1/jobs/poll", False),
    "release_jobs": Operation("POST", "/v1/jobs/release", False),
    "reprioritize_jobs": Operation("POST", "/v1/jobs/reprioritize", True),
    "retry_jobs": Operation("POST", "/v1/jobs/retry", True),
    "get_job": Operation("GET", "/v1/jobs/{id}", False),
    "cancel_job": Operation("POST", "/v1/jobs/{id}/cancel", True),
    "get_job_data": Operation("GET", "/v1/jobs/{id}/data", False),
    "list_job_logs": Operation("GET", "/v1/jobs/{id}/logs", False),
    "reprioritize_job": Operation("POST", "/v1/jobs/{id}/reprioritize", True),
    "get_job_result": Operation("GET", "/v1/jobs/{id}/result", False),
    "retry_job": Operation("POST", "/v1/jobs/{id}/retry", True),
    "why_job": Operation("GET", "/v1/jobs/{id}/why", False),
    "get_limits": Operation("GET", "/v1/limits", False),
    "set_limits": Operation("PUT", "/v1/limits", True),
    "read_me": Operation("GET", "/v1/me", False),
    "start_move": Operation("POST", "/v1/moves", True),
    "last_move": Operation("GET", "/v1/moves/last", False),
    "abort_move": Operation("POST", "/v1/moves/last/abort", True),
    "list_queues": Operation("GET", "/v1/queues", False),
    "get_queue": Operation("GET", "/v1/queues/{queue}", False),
    "drain_queue": Operation("POST", "/v1/queues/{queue}/drain", True),
    "pause_queue": Operation("POST", "/v1/queues/{queue}/pause", True),
    "resume_queue": Operation("POST", "/v1/queues/{queue}/resume", True),
    "queue_scaling": Operation("GET", "/v1/queues/{queue}/scaling", False),
    "list_rates": Operation("GET", "/v1/rates", False),
    "set_rate": Operation("PUT", "/v1/rates/{key}", True),
    "delete_rate": Operation("DELETE", "/v1/rates/{key}", True),
    "get_retention": Operation("GET", "/v1/retention", False),
    "set_retention": Operation("PUT", "/v1/retention", True),
    "list_schedules": Operation("GET", "/v1/schedules", False),
    "create_schedule": Operation("POST", "/v1/schedules", True),
    "pause_schedules": Operation("POST", "/v1/schedules/pause", True),
    "preview_cron": Operation("POST", "/v1/schedules/preview", True),
    "resume_schedules": Operation("POST", "/v1/schedules/resume", True),
    "get_schedule": Operation("GET", "/v1/schedules/{id}", False),
    "replace_schedule": Operation("PUT", "/v1/schedules/{id}", True),
    "delete_schedule": Operation("DELETE", "/v1/schedules/{id}", True),
    "backfill_schedule": Operation("POST", "/v1/schedules/{id}/backfill", True),
    "pause_schedule": Operation("POST", "/v1/schedules/{id}/pause", True),
    "preview_schedule": Operation("GET", "/v1/schedules/{id}/preview", False),
    "resume_schedule": Operation("POST", "/v1/schedules/{id}/resume", True),
    "run_schedule": Operation("POST", "/v1/schedules/{id}/run", True),
    "list_schedule_runs": Operation("GET", "/v1/schedules/{id}/runs", False),
    "suggest": Operation("GET", "/v1/search/suggest", False),
    "list_servers": Operation("GET", "/v1/servers", False),
    "read_session": Operation("GET", "/v1/session", False),
    "create_session": Operation("POST", "/v1/session", False),
    "delete_session": Operation("DELETE", "/v1/session", False),
    "get_stats": Operation("GET", "/v1/stats", False),
    "list_tenants": Operation("GET", "/v1/tenants", False),
    "create_tenant": Operation("POST", "/v1/tenants", True),
    "get_tenant_attributes": Operation("GET", "/v1/tenants/{tenant}/attributes", False),
    "set_tenant_attributes": Operation("PUT", "/v1/tenants/{tenant}/attributes", True),
    "get_tenant_encryption": Operation("GET", "/v1/tenants/{tenant}/encryption", False),
    "set_tenant_encryption": Operation("PUT", "/v1/tenants/{tenant}/encryption", True),
    "rotate_tenant_encryption": Operation("POST", "/v1/tenants/{tenant}/encryption/rotate", True),
    "erase_tenant": Operation("POST", "/v1/tenants/{tenant}/erase", True),
    "get_tenant_limits": Operation("GET", "/v1/tenants/{tenant}/limits", False),
    "set_tenant_limits": Operation("PUT", "/v1/tenants/{tenant}/limits", True),
    "get_quotas": Operation("GET", "/v1/tenants/{tenant}/quotas", False),
    "set_quotas": Operation("PUT", "/v1/tenants/{tenant}/quotas", True),
    "get_tenant_retention": Operation("GET", "/v1/tenants/{tenant}/retention", False),
    "set_tenant_retention": Operation("PUT", "/v1/tenants/{tenant}/retention", True),
    "list_secrets": Operation("GET", "/v1/tenants/{tenant}/secrets", False),
    "put_secret": Operation("PUT", "/v1/tenants/{tenant}/secrets/{name}", True),
    "delete_secret": Operation("DELETE", "/v1/tenants/{tenant}/secrets/{name}", True),
    "get_usage": Operation("GET", "/v1/tenants/{tenant}/usage", False),
    "list_triggers": Operation("GET", "/v1/triggers", False),
    "create_trigger": Operation("POST", "/v1/triggers", True),
    "get_trigger": Operation("GET", "/v1/triggers/{id}", False),
    "replace_trigger": Operation("PUT", "/v1/triggers/{id}", True),
    "delete_trigger": Operation("DELETE", "/v1/triggers/{id}", True),
    "list_user_tasks": Operation("GET", "/v1/user-tasks", False),
    "get_user_task": Operation("GET", "/v1/user-tasks/{executionId}/{nodeId}", False),
    "claim_user_task": Operation("POST", "/v1/user-tasks/{executionId}/{nodeId}/claim", True),
    "get_user_task_input": Operation("GET", "/v1/user-tasks/{executionId}/{nodeId}/input", False),
    "release_user_task": Operation("POST", "/v1/user-tasks/{executionId}/{nodeId}/release", True),
    "list_views": Operation("GET", "/v1/views", False),
    "add_view": Operation("POST", "/v1/views", True),
    "get_view": Operation("GET", "/v1/views/{id}", False),
    "change_view": Operation("PUT", "/v1/views/{id}", True),
    "delete_view": Operation("DELETE", "/v1/views/{id}", True),
    "list_webhooks": Operation("GET", "/v1/webhooks", False),
    "create_webhook": Operation("POST", "/v1/webhooks", True),
    "get_webhook": Operation("GET", "/v1/webhooks/{id}", False),
    "replace_webhook": Operation("PUT", "/v1/webhooks/{id}", True),
    "delete_webhook": Operation("DELETE", "/v1/webhooks/{id}", True),
    "list_webhook_deliveries": Operation("GET", "/v1/webhooks/{id}/deliveries", False),
    "pause_webhook": Operation("POST", "/v1/webhooks/{id}/pause", True),
    "resume_webhook": Operation("POST", "/v1/webhooks/{id}/resume", True),
    "rotate_secret": Operation("POST", "/v1/webhooks/{id}/rotate-secret", True),
    "test_webhook": Operation("POST", "/v1/webhooks/{id}/test", True),
    "list_workers": Operation("GET", "/v1/workers", False),
    "drain_worker": Operation("POST", "/v1/workers/{id}/drain", True),
    "list_workflows": Operation("GET", "/v1/workflows", False),
    "register_workflow": Operation("POST", "/v1/workflows", True),
    "get_schema": Operation("GET", "/v1/workflows/schema", False),
    "simulate_workflow": Operation("POST", "/v1/workflows/simulate", True),
    "get_workflow": Operation("GET", "/v1/workflows/{name}", False),
    "get_workflow_attributes": Operation("GET", "/v1/workflows/{name}/attributes", False),
    "set_workflow_attributes": Operation("PUT", "/v1/workflows/{name}/attributes", True),
    "get_graph": Operation("GET", "/v1/workflows/{name}/graph", False),
    "get_workflow_limits": Operation("GET", "/v1/workflows/{name}/limits", False),
    "set_workflow_limits": Operation("PUT", "/v1/workflows/{name}/limits", True),
    "pause_workflow": Operation("POST", "/v1/workflows/{name}/pause", True),
    "resume_workflow": Operation("POST", "/v1/workflows/{name}/resume", True),
    "list_versions": Operation("GET", "/v1/workflows/{name}/versions", False),
    "get_version": Operation("GET", "/v1/workflows/{name}/versions/{version}", False),
    "get_version_graph": Operation("GET", "/v1/workflows/{name}/versions/{version}/graph", False),
    "put_source": Operation("PUT", "/v1/workflows/{name}/versions/{version}/source", True),
}
