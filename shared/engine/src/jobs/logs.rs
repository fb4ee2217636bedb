//! Lines of jobs: what an outside worker logs, and reading it.

use std::collections::BTreeMap;

use domain::access::{Permission, TenantScope};
use domain::id::{ExecutionId, JobId};
use domain::job_log::{LOG_LINE_ROW_BYTES, LOG_LINES_OF_CALL_MAX, LogLevel, LogLine};
use domain::names::TenantName;
use domain::queue::QueueName;
use domain::quota::QuotaKind;
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
    /// Keeps lines of jobs that a worker holds. Answers in order. Fails where all of them are of tenants that have as many as they
    /// may have; where only some are, these are dropped.
    pub async fn log_jobs(
        &self,
        caller: &Caller,
        logged: Vec<LoggedLines>,
    ) -> Result<Vec<LeaseAnswer>, EngineError> {
        caller.require(Permission::Work)?;
        check_batch(logged.len(), self.policy().batch_max, "/jobs")?;
        let answers = self.keep_lines(caller, logged, true).await?;
        metrics::lost(QueueName::Node, &answers);
        Ok(answers)
    }

    /// Keeps lines that came with reports or heartbeats, before those are looked at. Lines whose lease is gone are not kept;
    /// the report says so. Nor are lines beyond a quota, and the log says so: no report fails for what was logged.
    pub async fn log_with_reports(
        &self,
        caller: &Caller,
        logged: Vec<LoggedLines>,
    ) -> Result<(), EngineError> {
        caller.require(Permission::Work)?;
        if logged.is_empty() {
            return Ok(());
        }
        self.keep_lines(caller, logged, false).await.map(|_| ())
    }

    async fn keep_lines(
        &self,
        caller: &Caller,
        mut logged: Vec<LoggedLines>,
        may_refuse: bool,
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
        let full = self.tenants_full_of_lines(&caller.scope, &logged, may_refuse).await?;
        let answers = self.store().append_logs(&caller.scope, &logged, &full, now).await?;
        let kept = logged
            .iter()
            .zip(&answers)
            .filter(|(logged, answer)| answer.ok().is_some() && !logged.lines.is_empty());
        let hints: Vec<Hint> =
            kept.map(|(LoggedLines { lease: LeaseRef { id, .. }, .. }, _)| Hint::Logged(*id)).collect();
        self.wake(&hints);
        Ok(answers)
    }

    /// The tenants of lines that may keep none of them. Fails where that is so of all and a refusal is what helps.
    async fn tenants_full_of_lines(
        &self,
        scope: &TenantScope,
        logged: &[LoggedLines],
        may_refuse: bool,
    ) -> Result<Vec<TenantName>, EngineError> {
        let has_lines = logged.iter().any(|logged| !logged.lines.is_empty());
        if !has_lines || !self.has_quotas_of(QuotaKind::LogBytes).await? {
            return Ok(Vec::new());
        }
        let mut bytes: BTreeMap<TenantName, u64> = BTreeMap::new();
        let tenants = self.store().tenants_logged(scope, logged).await?;
        for (tenant, logged) in tenants.into_iter().zip(logged) {
            let each = logged.lines.iter().map(|line| u64::from(line.bytes()) + LOG_LINE_ROW_BYTES);
            if let Some(tenant) = tenant {
                *bytes.entry(tenant).or_default() += each.sum::<u64>();
            }
        }
        let (mut full, mut refusal) = (Vec::new(), None);
        let tenants = bytes.len();
        for (tenant, more) in bytes {
            match self.refuse_over_quota(&tenant, &[(QuotaKind::LogBytes, more)]).await {
                Err(error @ EngineError::QuotaExceeded { .. }) => {
                    refusal = Some(error);
                    full.push(tenant);
                }
                Err(error @ EngineError::Store(_)) => return Err(error),
                // Of a tenant that is being erased the store drops them.
                Ok(()) | Err(_) => {}
            }
        }
        match refusal {
            Some(refusal) if may_refuse && full.len() == tenants => Err(refusal),
            _ => Ok(full),
        }
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
