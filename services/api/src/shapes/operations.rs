//! Workers, the audit log, bulk operations, commands, and why a job waits.

use domain::id::{BatchId, EventId, ExecutionId};
use domain::time::Timestamp;
use domain::why::Why;
use serde::Serialize;
use store::executions::{CommandRecord, CommandStatus};
use store::operations::{AuditRecord, BatchRecord, WorkerRecord};
use utoipa::ToSchema;

use super::words::JobStatusSchema;
use crate::json::RawJson;

/// A worker that showed itself in the last minutes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Worker)]
pub(crate) struct WorkerResponse {
    id: String,
    /// `external`, or `pool` for Trunkline's own.
    kind: String,
    /// The tenant that its key is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    job_types: Vec<String>,
    /// Jobs that it holds.
    leased: u32,
    #[schema(value_type = String, format = DateTime)]
    first_seen_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    last_seen_at: Timestamp,
}

impl From<WorkerRecord> for WorkerResponse {
    fn from(worker: WorkerRecord) -> Self {
        Self {
            id: worker.id.to_string(),
            kind: worker.kind,
            tenant: worker.tenant.map(|tenant| tenant.to_string()),
            job_types: worker.job_types.iter().map(ToString::to_string).collect(),
            leased: worker.leased,
            first_seen_at: worker.first_seen_at,
            last_seen_at: worker.last_seen_at,
        }
    }
}

/// A line of the audit log.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuditLine)]
pub(crate) struct AuditResponse {
    #[schema(value_type = String)]
    id: EventId,
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// A key's id, `loopback` or `system`.
    actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    /// What was done.
    #[schema(example = "queue.pause")]
    action: String,
    /// To what.
    subject: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<RawJson>,
    /// Where the call came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// What its client called itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_agent: Option<String>,
    /// The id of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
}

impl From<AuditRecord> for AuditResponse {
    fn from(line: AuditRecord) -> Self {
        Self {
            id: line.id,
            at: line.at,
            actor: line.actor,
            tenant: line.tenant.map(|tenant| tenant.to_string()),
            action: line.action,
            subject: line.subject,
            detail: line.detail.map(RawJson::stored),
            address: line.address,
            user_agent: line.user_agent,
            request_id: line.request_id,
        }
    }
}

/// A bulk operation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Batch)]
pub(crate) struct BatchResponse {
    #[schema(value_type = String)]
    id: BatchId,
    /// What it does: `dead_letters.requeue` or `dead_letters.archive`.
    kind: String,
    /// `running`, `completed`, `aborted` or `failed`.
    status: String,
    /// How many items matched.
    total: u64,
    /// How many are done.
    done: u64,
    /// How many could not be done.
    failed: u64,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<BatchRecord> for BatchResponse {
    fn from(batch: BatchRecord) -> Self {
        Self {
            id: batch.id,
            kind: batch.kind,
            status: batch.status,
            total: batch.total,
            done: batch.done,
            failed: batch.failed,
            created_at: batch.created_at,
            updated_at: batch.updated_at,
        }
    }
}

/// A command that was sent to an execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Command)]
pub(crate) struct CommandResponse {
    position: i64,
    #[schema(value_type = String)]
    execution_id: ExecutionId,
    /// What it asks for, such as `cancel` or `retry`.
    intent: String,
    /// `pending`, `applied` or `refused`.
    #[schema(value_type = String)]
    status: &'static str,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The step of the execution that applied or refused it, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<i64>,
}

impl From<CommandRecord> for CommandResponse {
    fn from(command: CommandRecord) -> Self {
        let (status, reason) = match command.status {
            CommandStatus::Pending => ("pending", None),
            CommandStatus::Applied => ("applied", None),
            CommandStatus::Refused(reason) => ("refused", Some(reason)),
        };
        Self {
            position: command.position,
            execution_id: command.execution_id,
            intent: command.intent,
            status,
            reason,
            step: command.step,
        }
    }
}

/// A command was noted.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CommandAccepted)]
pub(crate) struct CommandAcceptedResponse {
    /// Where to look what became of it: `/v1/commands/{position}`.
    pub(crate) command_position: i64,
}

/// Why a job is not running.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Why)]
pub(crate) struct WhyResponse {
    /// `not_due`, `queue_paused`, `limit_global`, `limit_tenant`, `limit_workflow`, `limit_key`, `no_worker`,
    /// `behind`, `waiting`, `running` or `finished`.
    #[schema(value_type = String)]
    reason: &'static str,
    /// A sentence.
    detail: String,
    /// Jobs that hold the slots, at most ten.
    #[serde(skip_serializing_if = "Option::is_none")]
    holders: Option<Vec<String>>,
    /// The limit that is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u32>,
    /// How many it counts now.
    #[serde(skip_serializing_if = "Option::is_none")]
    running: Option<u32>,
    /// How many jobs of the same lane are ahead.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<u64>,
    /// What would let it run.
    #[serde(skip_serializing_if = "Option::is_none")]
    frees_when: Option<String>,
}

impl From<Why> for WhyResponse {
    fn from(why: Why) -> Self {
        let (limit, running) = why.level.as_ref().map(|level| (level.limit, level.running)).unzip();
        Self {
            reason: why.reason,
            detail: why.detail,
            holders: why.level.map(|level| level.holders),
            limit,
            running,
            rank: why.rank,
            frees_when: why.frees_when,
        }
    }
}

/// A job after it was changed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobChange)]
pub(crate) struct JobChangeResponse {
    #[schema(value_type = String)]
    pub(crate) id: domain::id::JobId,
    /// Its status now.
    #[schema(value_type = JobStatusSchema)]
    pub(crate) status: &'static str,
}
