//! Lines of jobs: what an outside worker logs, and reading it.

use domain::access::{Permission, TenantScope};
use domain::id::{ExecutionId, JobId};
use domain::job_log::{LOG_LINES_OF_CALL_MAX, LogLevel, LogLine};
use domain::queue::QueueName;
use store::job_logs::{LogPage, LogPosition, LoggedLines, LogsOf};
use store::jobs::{LeaseAnswer, LeaseRef};
use store::wakeup::Hint;

use crate::bounds::check_batch;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

/// Which part of a log is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogRequest {
    /// Lines that matter at least this much.
    pub level: LogLevel,
    /// Only what comes after this line.
    pub after: Option<LogPosition>,
    /// How many at most.
    pub limit: u32,
}

impl Engine {
    /// Keeps lines of jobs that a worker holds. Answers in order.
    pub async fn log_jobs(
        &self,
        caller: &Caller,
        logged: Vec<LoggedLines>,
    ) -> Result<Vec<LeaseAnswer>, EngineError> {
        caller.require(Permission::Work)?;
        check_batch(logged.len(), self.policy().batch_max, "/jobs")?;
        let answers = self.keep_lines(caller, logged).await?;
        metrics::lost(QueueName::Node, &answers);
        Ok(answers)
    }

    /// Keeps lines that came with reports or heartbeats, before those are looked at. Lines whose lease is gone are not kept;
    /// the report says so.
    pub async fn log_with_reports(
        &self,
        caller: &Caller,
        logged: Vec<LoggedLines>,
    ) -> Result<(), EngineError> {
        caller.require(Permission::Work)?;
        if logged.is_empty() {
            return Ok(());
        }
        self.keep_lines(caller, logged).await.map(|_| ())
    }

    async fn keep_lines(
        &self,
        caller: &Caller,
        mut logged: Vec<LoggedLines>,
    ) -> Result<Vec<LeaseAnswer>, EngineError> {
        let lines: usize = logged.iter().map(|logged| logged.lines.len()).sum();
        if lines > LOG_LINES_OF_CALL_MAX {
            let detail = format!("expected at most {LOG_LINES_OF_CALL_MAX} log lines in a call");
            return Err(EngineError::invalid("/jobs", detail));
        }
        let now = self.now();
        for logged in &mut logged {
            let lines = std::mem::take(&mut logged.lines);
            logged.lines = lines.into_iter().map(|line: LogLine| line.bounded(now)).collect();
        }
        let answers = self.store().append_logs(&caller.scope, &logged, now).await?;
        let kept = logged
            .iter()
            .zip(&answers)
            .filter(|(logged, answer)| answer.ok().is_some() && !logged.lines.is_empty());
        let hints: Vec<Hint> =
            kept.map(|(LoggedLines { lease: LeaseRef { id, .. }, .. }, _)| Hint::Logged(*id)).collect();
        self.wake(&hints);
        Ok(answers)
    }

    /// Lines of a job, of one attempt or of all.
    pub async fn job_logs(
        &self,
        caller: &Caller,
        id: JobId,
        attempt: Option<u32>,
        request: LogRequest,
    ) -> Result<LogPage, EngineError> {
        caller.require(Permission::Read)?;
        let page = self.read_log(&caller.scope, LogsOf::Job(id, attempt), request).await?;
        // Lines may outlive their job, and a job may have none.
        if page.lines.is_empty() && request.after.is_none() {
            self.known_job(caller, id).await?;
        }
        Ok(page)
    }

    /// Lines of all nodes of an execution, by time.
    pub async fn execution_logs(
        &self,
        caller: &Caller,
        id: ExecutionId,
        request: LogRequest,
    ) -> Result<LogPage, EngineError> {
        caller.require(Permission::Read)?;
        let page = self.read_log(&caller.scope, LogsOf::Execution(id), request).await?;
        if page.lines.is_empty() && request.after.is_none() {
            self.execution(caller, id).await?;
        }
        Ok(page)
    }

    async fn read_log(
        &self,
        scope: &TenantScope,
        of: LogsOf,
        request: LogRequest,
    ) -> Result<LogPage, EngineError> {
        let LogRequest { level, after, limit } = request;
        Ok(self.store().list_logs(scope, of, level, after, limit).await?)
    }
}
