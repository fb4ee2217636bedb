//! Workers, commands, and why a job waits.

use domain::id::ExecutionId;
use domain::rate::Rate;
use domain::time::Timestamp;
use domain::why::Why;
use serde::Serialize;
use store::executions::{CommandRecord, CommandStatus};
use store::operations::WorkerRecord;
use utoipa::ToSchema;

use super::limits::RateDocument;
use super::words::{CommandStatusSchema, JobStatusSchema, WhyReasonSchema};

/// A recently active worker.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Worker)]
pub(crate) struct WorkerResponse {
    id: String,
    /// `external`, or `pool` for Trunkline's own workers.
    kind: String,
    /// Tenant that the worker's key is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    job_types: Vec<String>,
    /// Number of leased jobs.
    leased: u32,
    /// Maximum number of jobs that it has requested at once; for Trunkline's own workers, their concurrency. Absent for
    /// workers that receive jobs only through Kafka.
    #[serde(skip_serializing_if = "Option::is_none")]
    slots: Option<u32>,
    /// Build that it runs, if it reports one.
    #[serde(skip_serializing_if = "Option::is_none")]
    build: Option<String>,
    /// Whether it is being drained: it receives no more jobs and is asked to exit.
    draining: bool,
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
            slots: worker.slots,
            build: worker.build.map(|build| build.to_string()),
            draining: worker.draining_at.is_some(),
            first_seen_at: worker.first_seen_at,
            last_seen_at: worker.last_seen_at,
        }
    }
}

/// A command to an execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Command)]
pub(crate) struct CommandResponse {
    position: i64,
    #[schema(value_type = String)]
    execution_id: ExecutionId,
    /// Kind of command, such as `cancel` or `retry`.
    intent: String,
    #[schema(value_type = CommandStatusSchema)]
    status: &'static str,
    /// Reason for refusing the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Step of the execution that applied or refused the command, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<i64>,
}

impl From<CommandRecord> for CommandResponse {
    fn from(command: CommandRecord) -> Self {
        let status = command.status.as_str();
        let reason = match command.status {
            CommandStatus::Pending | CommandStatus::Applied => None,
            CommandStatus::Refused(reason) => Some(reason),
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

/// A stored command.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CommandAccepted)]
pub(crate) struct CommandAcceptedResponse {
    /// Position of the command; its status is at `/v1/commands/{position}`.
    pub(crate) command_position: i64,
}

/// Why a job is not running.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Why)]
pub(crate) struct WhyResponse {
    #[schema(value_type = WhyReasonSchema)]
    reason: &'static str,
    /// Explanation.
    detail: String,
    /// Jobs that use the limit, at most ten.
    #[serde(skip_serializing_if = "Option::is_none")]
    holders: Option<Vec<String>>,
    /// The exhausted limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u32>,
    /// Current usage of the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    running: Option<u32>,
    /// Number of jobs ahead in the same lane.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<u64>,
    /// The rate that the job waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RateDocument>)]
    rate: Option<Rate>,
    /// Earliest instant at which the rate can admit the job: a lower bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    can_start_at: Option<Timestamp>,
    /// What allows the job to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    frees_when: Option<String>,
}

impl From<Why> for WhyResponse {
    fn from(why: Why) -> Self {
        let (limit, running) = why.level.as_ref().map(|level| (level.limit, level.running)).unzip();
        Self {
            reason: why.reason.as_str(),
            detail: why.detail,
            holders: why.level.map(|level| level.holders),
            limit,
            running,
            rank: why.rank,
            rate: why.rate,
            can_start_at: why.can_start_at,
            frees_when: why.frees_when,
        }
    }
}

/// A changed job.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobChange)]
pub(crate) struct JobChangeResponse {
    #[schema(value_type = String)]
    pub(crate) id: domain::id::JobId,
    /// New status.
    #[schema(value_type = JobStatusSchema)]
    pub(crate) status: &'static str,
}
