//! Rows become jobs, executions, signals and events, in their order; neighbours of a kind together.

use domain::access::{Role, TenantScope};
use domain::event::EVENT_BYTES_MAX;
use domain::id::{DeliveryId, ExecutionId, Id, JobId};
use domain::names::CallerKey;
use domain::problem::ProblemCode;
use domain::workflow::unique::UniquePolicy;
use store::audit::{AuditRecord, with_lines};
use store::executions::NewExecution;
use store::intake::{IntakeKind, IntakeRefusal, IntakeRow};
use store::jobs::NewJob;
use store::webhooks::Acceptance;

use super::{BUSY_FOR, CHECK_WAIT, request};
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::{Lookups, unique_of};
use crate::group_commit::lines_of;
use crate::traces::Sends;

impl Engine {
    /// Makes what rows ask for. Answers those that cannot be; any other error means that nothing is known of them, and all
    /// are taken again.
    pub(super) async fn take(&self, rows: &[IntakeRow]) -> Result<Vec<IntakeRefusal>, EngineError> {
        let mut refused = Vec::new();
        for run in rows.chunk_by(|one, next| one.kind == next.kind) {
            match run.first().map(|row| row.kind) {
                Some(IntakeKind::Enqueue) => self.take_jobs(run, &mut refused).await?,
                Some(IntakeKind::Start) => self.take_starts(run, &mut refused).await?,
                Some(IntakeKind::Signal) => self.take_signals(run, &mut refused).await?,
                Some(IntakeKind::Event) => self.take_events(run, &mut refused).await?,
                None => {}
            }
        }
        Ok(refused)
    }

    async fn take_jobs(
        &self,
        rows: &[IntakeRow],
        refused: &mut Vec<IntakeRefusal>,
    ) -> Result<(), EngineError> {
        let now = self.now();
        let mut jobs: Vec<NewJob> = Vec::with_capacity(rows.len());
        let mut starts: Vec<AuditRecord> = Vec::with_capacity(rows.len());
        for row in rows {
            let id: JobId = Id::from_uuid(row.subject);
            let request = request::job(row).and_then(|request| {
                let mut faults = Faults::default();
                faults.extend(request.faults(self.policy()), "");
                faults.check().map(|()| request)
            });
            match request {
                Ok(request) => jobs.push(request.into_job(id, row.tenant.clone(), self.policy(), now)),
                Err(error) => {
                    refused.push(refusal(row, error)?);
                    continue;
                }
            }
            starts.extend(self.start_line(&caller(row), "job.enqueue", None, &[id]));
        }
        if !jobs.is_empty() {
            self.commit_jobs(jobs, starts).await?;
        }
        Ok(())
    }

    async fn take_starts(
        &self,
        rows: &[IntakeRow],
        refused: &mut Vec<IntakeRefusal>,
    ) -> Result<(), EngineError> {
        let (now, mut lookups) = (self.now(), Lookups::new());
        let mut executions: Vec<NewExecution> = Vec::with_capacity(rows.len());
        let mut starts: Vec<AuditRecord> = Vec::with_capacity(rows.len());
        for row in rows {
            let id: ExecutionId = Id::from_uuid(row.subject);
            let start = self.start_line(&caller(row), "execution.start", None, &[id]);
            match self.new_start(row, id, &mut lookups, now).await {
                Ok((execution, None)) => {
                    executions.push(execution);
                    starts.extend(start);
                }
                Ok((execution, Some(unique))) => {
                    let started = self.start_with_key(execution, unique, None, now);
                    if let Err(error) = with_lines(lines_of(&start), started).await.0 {
                        refused.push(refusal(row, error)?);
                    }
                }
                Err(error) => refused.push(refusal(row, error)?),
            }
        }
        if !executions.is_empty() {
            let sends = Sends::of_executions(&executions, now);
            let enqueued = self.store_started(executions.clone(), starts).await?;
            self.executions_stored(&executions, &enqueued, sends, now);
        }
        Ok(())
    }

    async fn new_start(
        &self,
        row: &IntakeRow,
        id: ExecutionId,
        lookups: &mut Lookups,
        now: domain::time::Timestamp,
    ) -> Result<(NewExecution, Option<(CallerKey, UniquePolicy)>), EngineError> {
        let request = request::start(row)?;
        let checked = async {
            let resolved = self.resolve(&row.tenant, &request, lookups).await?;
            let faults = self.faults_of(&row.tenant, &request, &resolved.definition).await?;
            Ok::<_, EngineError>((resolved, faults))
        };
        let overloaded = |_elapsed| EngineError::Overloaded { retry_after: BUSY_FOR };
        let (resolved, found) =
            tokio::time::timeout(CHECK_WAIT.to_std(), checked).await.map_err(overloaded)??;
        let mut faults = Faults::default();
        faults.extend(found, "");
        faults.check()?;
        let unique = unique_of(&resolved.definition, &request.input)?;
        let request = request.with_terms_of(&resolved.definition);
        Ok((self.new_execution(id, request, row.tenant.clone(), &resolved.version, now), unique))
    }

    async fn take_signals(
        &self,
        rows: &[IntakeRow],
        refused: &mut Vec<IntakeRefusal>,
    ) -> Result<(), EngineError> {
        for row in rows {
            let sent = async {
                let name = request::signal_name(row)?;
                let execution =
                    row.target.ok_or_else(|| EngineError::invalid("/execution", "is required"))?;
                let execution = Id::from_uuid(execution);
                self.signal_execution(&caller(row), execution, &name, row.data.clone()).await
            };
            if let Err(error) = sent.await {
                refused.push(refusal(row, error)?);
            }
        }
        Ok(())
    }

    /// An event is a delivery under the id of its row: taken again, it is the one that is there.
    async fn take_events(
        &self,
        rows: &[IntakeRow],
        refused: &mut Vec<IntakeRefusal>,
    ) -> Result<(), EngineError> {
        let now = self.now();
        let mut acceptances: Vec<Acceptance> = Vec::with_capacity(rows.len());
        let mut starts: Vec<AuditRecord> = Vec::with_capacity(rows.len());
        for row in rows {
            let id: DeliveryId = Id::from_uuid(row.subject);
            let request = request::event(row).and_then(|request| {
                let mut faults = Faults::default();
                faults.json("/data", &request.data, EVENT_BYTES_MAX);
                faults.check().map(|()| request)
            });
            match request {
                Ok(request) => {
                    acceptances.push(self.event_acceptance(id, request, row.tenant.clone(), now));
                    starts.extend(self.start_line(&caller(row), "event.send", None, &[id]));
                }
                Err(error) => refused.push(refusal(row, error)?),
            }
        }
        if !acceptances.is_empty() {
            self.accept_events(&acceptances, starts).await?;
        }
        Ok(())
    }
}

/// Who asks: a role of the database, which may start things for its tenant. What it sends is the same when it is taken
/// again.
fn caller(row: &IntakeRow) -> Caller {
    let scope = TenantScope::One(row.tenant.clone());
    Caller { seed: Some(row.subject), ..Caller::new(scope, Role::Client, format!("sql:{}", row.role)) }
}

/// The refusal of a row. An error that says nothing about the row is passed on.
fn refusal(row: &IntakeRow, error: EngineError) -> Result<IntakeRefusal, EngineError> {
    match error {
        EngineError::Invalid(_)
        | EngineError::NotFound { .. }
        | EngineError::Conflict { .. }
        | EngineError::ExecutionExists { .. }
        | EngineError::TooMany { code: ProblemCode::QueueFull, .. } => {
            Ok(IntakeRefusal { id: row.id, reason: error.public_message() })
        }
        error => Err(error),
    }
}
