//! Start executions with unique keys: each by itself, decided by the store one after the other for each key.

use std::time::Instant;

use domain::error::Fault;
use domain::id::{CommandId, ExecutionId};
use domain::names::{CallerKey, TenantName};
use domain::problem::ProblemCode;
use domain::queue::QueueName;
use domain::quota::QuotaKind;
use domain::time::{DurationMs, Timestamp};
use domain::workflow::definition::Definition;
use domain::workflow::execution::ExecutionStatus;
use domain::workflow::unique::{UNIQUE_QUEUE_MAX, UniquePolicy};
use store::audit::with_lines;
use store::executions::{ExecutionRecord, InboxEntry, NewExecution, UniqueKey, UniqueStart, UniqueStarted};
use store::wakeup::Hint;

use super::start::Resolved;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::request::{CreatedExecution, ExecutionRequest};
use crate::group_commit::lines_of;
use crate::jobs::enqueue_hint;
use crate::metrics;
use crate::traces::Sends;

/// When a caller may come again that found the queue of a key full.
const QUEUE_RETRY_AFTER: DurationMs = DurationMs::from_secs(5);

/// How many keys one step of upkeep looks at.
const BATCH: u32 = 100;

impl Engine {
    /// Starts executions of which some have unique keys, one after the other. Those before one that is refused are started.
    pub(super) async fn start_one_by_one(
        &self,
        caller: &Caller,
        requests: Vec<ExecutionRequest>,
        ready: Vec<(TenantName, Resolved)>,
        now: Timestamp,
    ) -> Result<Vec<CreatedExecution>, EngineError> {
        let mut created = Vec::with_capacity(requests.len());
        for (index, (mut request, (tenant, resolved))) in requests.into_iter().zip(ready).enumerate() {
            let id: ExecutionId = self.make_id(caller, &["execution", &index.to_string()], now);
            let command: CommandId = self.make_id(caller, &["start-signal", &index.to_string()], now);
            let unique = match request.unique.take() {
                Some(unique) => Some(unique),
                None => unique_of(&resolved.definition, &request.input)?,
            };
            let signal = request
                .signal
                .take()
                .map(|(name, payload)| (command, InboxEntry::Signal { name: name.to_string(), payload }));
            let request = request.with_terms_of(&resolved.definition);
            let execution = self.new_execution(id, request, tenant.clone(), &resolved.version, now);
            let lines = lines_of(&self.start_line(caller, "execution.start", Some(tenant), &[id]));
            let one = if let Some(unique) = unique {
                with_lines(lines, self.start_within_quota(execution, unique, signal, now)).await.0?
            } else {
                let work = [(&execution.job.tenant, execution.input.len())];
                self.refuse_work_over_quota(QuotaKind::OpenExecutions, work.into_iter()).await?;
                let execution = [execution];
                let enqueued = with_lines(lines, self.store_executions(&execution, now)).await.0?;
                self.created(&execution, &enqueued).await?.remove(0)
            };
            created.push(one);
        }
        Ok(created)
    }

    /// Starts an execution with a key if its tenant may have one more. What is open answers a start that joins it or is refused
    /// because of it, also at the quota: only what starts counts.
    pub(crate) async fn start_within_quota(
        &self,
        execution: NewExecution,
        (key, policy): (CallerKey, UniquePolicy),
        signal: Option<(CommandId, InboxEntry)>,
        now: Timestamp,
    ) -> Result<CreatedExecution, EngineError> {
        let asked_at = Instant::now();
        let (tenant, bytes) = (execution.job.tenant.clone(), execution.input.len());
        let work = [(&tenant, bytes)];
        let refusal = match self.refuse_work_over_quota(QuotaKind::OpenExecutions, work.into_iter()).await {
            Ok(()) => None,
            Err(refusal @ EngineError::QuotaExceeded { .. }) => Some(refusal),
            Err(error) => return Err(error),
        };
        let start = UniqueStart { execution, key, policy, signal, is_over_quota: refusal.is_some() };
        let is_within = refusal.is_none();
        let started = self.start_unique(&start, refusal, now).await;
        let has_started = match &started {
            Ok(created) => !created.existing,
            // It may have: then the figure is rather too high than too low.
            Err(EngineError::Store(_)) => true,
            Err(_) => false,
        };
        if is_within && !has_started {
            self.give_back_execution(&tenant, bytes as u64, asked_at);
        }
        started
    }

    /// Starts an execution with a key, whatever its tenant has.
    pub(crate) async fn start_with_key(
        &self,
        execution: NewExecution,
        (key, policy): (CallerKey, UniquePolicy),
        signal: Option<(CommandId, InboxEntry)>,
        now: Timestamp,
    ) -> Result<CreatedExecution, EngineError> {
        let start = UniqueStart { execution, key, policy, signal, is_over_quota: false };
        self.start_unique(&start, None, now).await
    }

    /// Starts an execution with a key; with a refusal, that is the answer where one would be created.
    async fn start_unique(
        &self,
        start: &UniqueStart,
        refusal: Option<EngineError>,
        now: Timestamp,
    ) -> Result<CreatedExecution, EngineError> {
        let freed = Hint::Freed(QueueName::Execution);
        let sends = Sends::of_executions([&start.execution], self.now());
        match self.store().start_unique(start, now).await? {
            UniqueStarted::Exists(existing) => Err(EngineError::ExecutionExists { existing }),
            UniqueStarted::QueueFull => Err(EngineError::TooMany {
                code: ProblemCode::QueueFull,
                message: format!("{UNIQUE_QUEUE_MAX} executions wait for the unique key {}.", start.key),
                retry_after: QUEUE_RETRY_AFTER,
            }),
            UniqueStarted::InboxFull => Err(super::commands::full()),
            // The store answers it only where there is a refusal.
            UniqueStarted::OverQuota => {
                Err(refusal.unwrap_or(EngineError::Overloaded { retry_after: QUEUE_RETRY_AFTER }))
            }
            UniqueStarted::Joined { id, job_id, position, command_position } => {
                if command_position.is_some() {
                    self.wake(&[Hint::Inbox(id), freed]);
                }
                let status = self.status_of(id).await?;
                let replaces = Vec::new();
                Ok(CreatedExecution {
                    id,
                    job_id,
                    position,
                    status,
                    existing: true,
                    replaces,
                    command_position,
                })
            }
            UniqueStarted::Started { job, is_held, replaces, command_position } => {
                let id = start.execution.id;
                if !job.existing {
                    metrics::started(&start.execution);
                    self.memory().stats.enqueued(std::iter::once(&start.execution.job), now);
                    sends.durable(std::slice::from_ref(&job), self.now());
                }
                let mut hints: Vec<Hint> =
                    replaces.iter().flat_map(|&id| [Hint::Inbox(id), Hint::Finished(id)]).collect();
                if !is_held {
                    hints.extend(enqueue_hint(QueueName::Execution, std::slice::from_ref(&job)));
                }
                if !replaces.is_empty() {
                    hints.push(freed);
                }
                self.wake(&hints);
                let existing = job.existing;
                let status = if existing { self.status_of(id).await? } else { ExecutionStatus::Pending };
                Ok(CreatedExecution {
                    id,
                    job_id: job.id,
                    position: job.position,
                    status,
                    existing,
                    replaces,
                    command_position,
                })
            }
        }
    }

    /// Lets the next execution go after the end of one with a unique key. What fails is made up for by upkeep.
    pub(crate) async fn admit_next(&self, record: &ExecutionRecord) {
        let Some(key) = &record.unique_key else {
            return;
        };
        let key =
            UniqueKey { tenant: record.tenant.clone(), workflow: record.workflow.clone(), key: key.clone() };
        if let Err(error) = self.admit_with(&key).await {
            tracing::debug!(
                execution.id = %record.id,
                error = &error as &dyn std::error::Error,
                "the next execution with the unique key could not be started; upkeep will retry"
            );
        }
    }

    async fn admit_with(&self, key: &UniqueKey) -> Result<(), EngineError> {
        if self.store().admit_unique(key, self.now()).await? {
            self.wake(&[Hint::Queue(QueueName::Execution)]);
        }
        Ok(())
    }

    /// One bounded step over keys whose next execution nobody has let go. Answers whether there may be more.
    pub(crate) async fn admit_left_tick(&self) -> Result<bool, EngineError> {
        let keys = self.store().unique_keys_left(BATCH).await?;
        for key in &keys {
            self.admit_with(key).await?;
        }
        Ok(keys.len() >= BATCH as usize)
    }
}

/// The key that a definition makes of an input, and its policy.
pub(crate) fn unique_of(
    definition: &Definition,
    input: &str,
) -> Result<Option<(CallerKey, UniquePolicy)>, EngineError> {
    let Some(spec) = &definition.unique else {
        return Ok(None);
    };
    let input = serde_json::from_str(input)
        .map_err(|error| EngineError::invalid("/input", format!("expected JSON: {error}")))?;
    match spec.key_of(&input) {
        Ok(key) => Ok(Some((key, spec.policy))),
        Err(why) => {
            let message = format!("the unique key of the execution cannot be evaluated: {why}");
            Err(EngineError::Invalid(vec![Fault::new("/input", message)]))
        }
    }
}
