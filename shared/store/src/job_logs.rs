//! Lines that handlers log while they work on jobs. Never a part of a job's row.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::{ExecutionId, JobId};
use domain::job_log::{LogLevel, LogLine};
use domain::names::{NodeId, TenantName};
use domain::time::Timestamp;

use crate::error::StoreResult;
use crate::jobs::{LeaseAnswer, LeaseRef};

/// Lines of an attempt that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedLines {
    /// The lease of the attempt.
    pub lease: LeaseRef,
    /// Its lines, in order.
    pub lines: Vec<LogLine>,
}

/// A line as it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRecord {
    /// Where it stands.
    pub position: LogPosition,
    /// How much it matters.
    pub level: LogLevel,
    /// What it says.
    pub message: String,
    /// What it says for programs: a JSON object as raw text.
    pub fields: Option<String>,
    /// The node that the job ran.
    pub node_id: Option<NodeId>,
}

/// Where a line stands: lines of a job are in the order of attempt and number, those of an execution in the order of all
/// four.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogPosition {
    /// When it was logged.
    pub at: Timestamp,
    /// The job.
    pub job_id: JobId,
    /// The attempt, from 1.
    pub attempt: u32,
    /// Its number in the attempt, from 1.
    pub number: u32,
}

/// Part of a log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogPage {
    /// The lines, in order.
    pub lines: Vec<LogRecord>,
    /// After which line the next part begins; `None` at the end.
    pub next: Option<LogPosition>,
}

/// Whose lines to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogsOf {
    /// Those of a job, perhaps of one attempt only.
    Job(JobId, Option<u32>),
    /// Those of all nodes of an execution.
    Execution(ExecutionId),
}

/// The store's operations on lines of jobs.
#[async_trait]
pub trait JobLogStore {
    /// Keeps lines of attempts whose leases hold and whose jobs are in this scope, as many as an attempt may have
    /// ([`domain::job_log::admit`]); none of the tenants that are `full`. Answers in order whether the lease holds.
    async fn append_logs(
        &self,
        scope: &TenantScope,
        logged: &[LoggedLines],
        full: &[TenantName],
        now: Timestamp,
    ) -> StoreResult<Vec<LeaseAnswer>>;

    /// Whose the lines are, in order; `None` where the lease does not hold or the job is not in this scope.
    async fn tenants_logged(
        &self,
        scope: &TenantScope,
        logged: &[LoggedLines],
    ) -> StoreResult<Vec<Option<TenantName>>>;

    /// Lines of at least this level after a position, in order. A page may be short or empty and still name the next one,
    /// where few of many lines matter as much.
    async fn list_logs(
        &self,
        scope: &TenantScope,
        of: LogsOf,
        level: LogLevel,
        after: Option<LogPosition>,
        limit: u32,
    ) -> StoreResult<LogPage>;
}
