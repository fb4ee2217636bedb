//! Start executions: one commit for each execution and its job, all or nothing for a batch.

use std::collections::HashMap;
use std::sync::Arc;

use domain::access::{Action, Permission, Subject, TenantScope};
use domain::error::Fault;
use domain::id::{ExecutionId, Id, JobId};
use domain::job;
use domain::names::{JobType, TenantName, WorkflowName};
use domain::problem::ProblemCode;
use domain::queue::QueueName;
use domain::quota::QuotaKind;
use domain::time::Timestamp;
use domain::workflow::definition::{Definition, check_input};
use domain::workflow::execution::{ExecutionStatus, JOB_TYPE_EXECUTION};
use serde_json::Value;
use store::audit::{AuditRecord, with_lines};
use store::executions::NewExecution;
use store::jobs::{Enqueued, NewJob};
use store::workflows::{WorkflowPause, WorkflowVersion};

use super::fresh::StartSink;
use crate::bounds::{Faults, check_batch, traceparent};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::request::{CreatedExecution, ExecutionRequest};
use crate::executions::wait::AwaitedStart;
use crate::group_commit::{Sink as _, lines_of};
use crate::traces::Sends;

/// A version with its parsed definition.
#[derive(Clone)]
pub(crate) struct Resolved {
    pub(crate) version: Arc<WorkflowVersion>,
    pub(crate) definition: Arc<Definition>,
}

/// Versions that were looked up for this request already.
pub(crate) type Lookups = HashMap<(TenantName, WorkflowName, Option<u32>), Resolved>;

impl Engine {
    /// Checks one execution as [`Engine::start_executions`] would, its input against the schema included.
    pub async fn check_execution(
        &self,
        caller: &Caller,
        request: &ExecutionRequest,
    ) -> Result<(), EngineError> {
        caller.require(Permission::Start)?;
        let tenant = caller.tenant_or_default(request.tenant.clone())?;
        may_start(caller, &request.workflow, &tenant)?;
        let resolved = self.resolve(&tenant, request, &mut Lookups::new()).await?;
        let mut faults = Faults::default();
        faults.extend(self.faults_of(&tenant, request, &resolved.definition).await?, "");
        faults.check()?;
        refuse_when_paused(&resolved.version)
    }

    /// Starts executions and answers in order. Faults of a batch of several point below `/executions/{index}`,
    /// those of a single one at its fields.
    pub async fn start_executions(
        &self,
        caller: &Caller,
        requests: Vec<ExecutionRequest>,
    ) -> Result<Vec<CreatedExecution>, EngineError> {
        self.start_with(caller, requests, |_| ()).await.map(|(created, _)| created)
    }

    /// Starts one execution whose end the caller waits for, by [`Engine::wait_started`].
    pub async fn start_awaited(
        &self,
        caller: &Caller,
        request: ExecutionRequest,
    ) -> Result<(CreatedExecution, AwaitedStart), EngineError> {
        let begin = |ids: &[ExecutionId]| ids.first().map(|&id| AwaitedStart::begin(self, id));
        let (mut created, begun) = self.start_with(caller, vec![request], begin).await?;
        // A start is answered for each request.
        let created = created.remove(0);
        let awaited = match begun.flatten().filter(|begun| begun.is_of(created.id)) {
            Some(begun) => begun.started(&created),
            None => AwaitedStart::begin(self, created.id),
        };
        Ok((created, awaited))
    }

    /// Starts executions. Those without unique keys are named to `before` before anything is stored.
    async fn start_with<T>(
        &self,
        caller: &Caller,
        requests: Vec<ExecutionRequest>,
        before: impl FnOnce(&[ExecutionId]) -> T,
    ) -> Result<(Vec<CreatedExecution>, Option<T>), EngineError> {
        caller.require(Permission::Start)?;
        check_batch(requests.len(), self.policy().batch_max, "/executions")?;
        let (mut faults, mut lookups) = (Faults::default(), Lookups::new());
        let mut ready = Vec::with_capacity(requests.len());
        for (index, request) in requests.iter().enumerate() {
            let tenant = caller.tenant_or_default(request.tenant.clone())?;
            may_start(caller, &request.workflow, &tenant)?;
            let resolved = self.resolve(&tenant, request, &mut lookups).await?;
            let prefix = if requests.len() > 1 { format!("/executions/{index}") } else { String::new() };
            faults.extend(self.faults_of(&tenant, request, &resolved.definition).await?, &prefix);
            ready.push((tenant, resolved));
        }
        faults.check()?;
        ready.iter().try_for_each(|(_, resolved)| refuse_when_paused(&resolved.version))?;
        self.refuse_when_draining(QueueName::Execution).await?;
        let now = self.now();
        if requests.iter().any(|request| request.unique.is_some()) || ready.iter().any(has_unique) {
            let created = self.start_one_by_one(caller, requests, ready, now).await?;
            return Ok((created, None));
        }
        let definitions: Vec<Arc<Definition>> =
            ready.iter().map(|(_, resolved)| Arc::clone(&resolved.definition)).collect();
        let executions: Vec<NewExecution> = requests
            .into_iter()
            .zip(ready)
            .enumerate()
            .map(|(index, (request, (tenant, resolved)))| {
                let id = self.make_id(caller, &["execution", &index.to_string()], now);
                let request = request.with_terms_of(&resolved.definition);
                self.new_execution(id, request, tenant, &resolved.version, now)
            })
            .collect();
        let work = executions.iter().map(|execution| (&execution.job.tenant, execution.input.len()));
        self.refuse_work_over_quota(QuotaKind::OpenExecutions, work).await?;
        let ids: Vec<ExecutionId> = executions.iter().map(|execution| execution.id).collect();
        let begun = before(&ids);
        // A line is of one tenant; that of a batch of several is of none.
        let tenant = executions.first().map(|execution| execution.job.tenant.clone());
        let tenant =
            tenant.filter(|tenant| executions.iter().all(|execution| execution.job.tenant == *tenant));
        let start = self.start_line(caller, "execution.start", tenant, &ids);
        let sends = Sends::of_executions(&executions, now);
        let enqueued = {
            let _announced = self.memory().fresh.announce(ids.iter().copied().zip(definitions));
            self.store_started(executions.clone(), start.into_iter().collect()).await?
        };
        self.executions_stored(&executions, &enqueued, sends, now);
        Ok((self.created(&executions, &enqueued).await?, Some(begun)))
    }

    pub(crate) async fn resolve(
        &self,
        tenant: &TenantName,
        request: &ExecutionRequest,
        lookups: &mut Lookups,
    ) -> Result<Resolved, EngineError> {
        let key = (tenant.clone(), request.workflow.clone(), request.version);
        if let Some(found) = lookups.get(&key) {
            return Ok(found.clone());
        }
        let version = self.known_workflow(Some(tenant), &request.workflow, request.version).await?;
        let row = format!("{}@{}", version.workflow.name, version.version);
        let definition = self.definition(Some(tenant), &version.content, &row).await?;
        let resolved = Resolved { version: Arc::new(version), definition };
        lookups.insert(key, resolved.clone());
        Ok(resolved)
    }

    pub(crate) async fn faults_of(
        &self,
        tenant: &TenantName,
        request: &ExecutionRequest,
        definition: &Arc<Definition>,
    ) -> Result<Vec<Fault>, EngineError> {
        let mut faults = request.faults(self.policy());
        if definition.unique.is_some() && request.unique.is_some() {
            let message = "the workflow derives the unique keys of its executions itself";
            faults.push(Fault::new("/uniqueKey", message));
        }
        if !faults.is_empty() {
            return Ok(faults);
        }
        let set = self.attributes().await?.set_on_execution(tenant, &request.workflow, &request.attributes);
        let mut faults = set.err().unwrap_or_default();
        faults.extend(self.input_faults(tenant, &request.input, definition).await?);
        Ok(faults)
    }

    /// What is wrong with an input. A check that takes long is made where it holds nobody up.
    pub(crate) async fn input_faults(
        &self,
        tenant: &TenantName,
        input: &str,
        definition: &Arc<Definition>,
    ) -> Result<Vec<Fault>, EngineError> {
        if is_quick(definition, input) {
            return Ok(faults_in(definition, input));
        }
        let (definition, input) = (Arc::clone(definition), input.to_owned());
        self.workbench().call(Some(tenant), move || faults_in(&definition, &input)).await
    }

    /// The same for a simulation, which takes no place from those who start executions.
    pub(crate) async fn input_faults_of_simulation(
        &self,
        tenant: &TenantName,
        input: &str,
        definition: &Arc<Definition>,
    ) -> Result<Vec<Fault>, EngineError> {
        if is_quick(definition, input) {
            return Ok(faults_in(definition, input));
        }
        let (definition, input) = (Arc::clone(definition), input.to_owned());
        self.workbench().simulate(tenant, move || faults_in(&definition, &input)).await
    }

    /// Whether a definition takes an input, and how many looks that took; for a check of schedules, which waits for no tenant's
    /// calls.
    pub(crate) async fn is_input_taken(
        &self,
        input: &str,
        definition: &Arc<Definition>,
    ) -> Result<(bool, u64), EngineError> {
        if is_quick(definition, input) {
            return Ok(taken_with_looks(definition, input));
        }
        let (definition, input) = (Arc::clone(definition), input.to_owned());
        self.workbench().check(move || taken_with_looks(&definition, &input)).await
    }

    /// An execution of a version, to be stored with its job, which is due when the request says, or at once.
    pub(crate) fn new_execution(
        &self,
        id: ExecutionId,
        request: ExecutionRequest,
        tenant: TenantName,
        version: &WorkflowVersion,
        now: Timestamp,
    ) -> NewExecution {
        let defaults = self.policy().queue(QueueName::Execution);
        // What is set was checked, and what is declared read, when the request was.
        let (declared, workflow) = (self.known_attributes(), &version.workflow.name);
        let set = declared.set_on_execution(&tenant, workflow, &request.attributes).unwrap_or_default();
        let attributes = declared.of_execution(&tenant, workflow, set, &request.input);
        let run_at = request.run_at.unwrap_or_else(|| request.delay.map_or(now, |delay| now.plus(delay)));
        let job = NewJob {
            id: job_id(id),
            queue: QueueName::Execution,
            tier: request.tier(),
            tenant,
            workflow: Some(version.workflow.clone()),
            job_type: JobType::trusted(JOB_TYPE_EXECUTION),
            data: "null".to_owned(),
            run_at,
            expires_at: job::expires_at(request.expires_in, run_at, now),
            retries_max: defaults.retries_max,
            backoff: defaults.backoff,
            timeout: None,
            unique_key: None,
            concurrency_key: None,
            rate_key: None,
            tags: Vec::new(),
            traceparent: traceparent(request.traceparent),
            execution_id: Some(id),
            node_id: None,
            attributes: Vec::new(),
        };
        NewExecution {
            id,
            job,
            workflow: version.workflow.clone(),
            version: version.version,
            trigger: request.trigger,
            input: request.input,
            correlation_id: request.correlation_id,
            tags: request.tags,
            parent: None,
            seed: None,
            attributes,
        }
    }

    /// Answers to executions that were stored, in order.
    pub(super) async fn created(
        &self,
        executions: &[NewExecution],
        enqueued: &[Enqueued],
    ) -> Result<Vec<CreatedExecution>, EngineError> {
        let mut created = Vec::with_capacity(executions.len());
        for (execution, job) in executions.iter().zip(enqueued) {
            let status =
                if job.existing { self.status_of(execution.id).await? } else { ExecutionStatus::Pending };
            created.push(CreatedExecution {
                id: execution.id,
                job_id: job.id,
                position: job.position,
                status,
                existing: job.existing,
                replaces: Vec::new(),
                command_position: None,
            });
        }
        Ok(created)
    }

    pub(super) async fn status_of(&self, id: ExecutionId) -> Result<ExecutionStatus, EngineError> {
        let found = self.store().execution(&TenantScope::All, id).await?;
        Ok(found.map_or(ExecutionStatus::Pending, |record| record.status))
    }
}

impl Engine {
    /// Stores executions, with the lines of the audit log of the calls that they are of; their jobs start eagerly where a
    /// pool has slots for them. One alone may share its commit with others; several are stored all or none.
    pub(crate) async fn store_started(
        &self,
        mut executions: Vec<NewExecution>,
        mut starts: Vec<AuditRecord>,
    ) -> Result<Vec<Enqueued>, EngineError> {
        let sink = || StartSink {
            store: Arc::clone(self.store()),
            clock: Arc::clone(self.clock()),
            eager: self.eager_starts(QueueName::Execution),
            fresh: Arc::clone(&self.memory().fresh),
        };
        match (executions.pop(), executions.is_empty()) {
            (Some(execution), true) => {
                Ok(vec![self.memory().starts.commit_recorded(starts.pop(), execution, sink).await?])
            }
            (last, _) => {
                executions.extend(last);
                // In a task of its own: a caller that hangs up half-way must not leave leased jobs to nobody.
                let (sink, lines) = (sink(), lines_of(&starts));
                let stored = tokio::spawn(async move { with_lines(lines, sink.commit(&executions)).await.0 });
                let lost = |source| store::StoreError::Unknown { source: Box::new(source) };
                Ok(stored.await.map_err(lost)??)
            }
        }
    }
}

fn has_unique((_, resolved): &(TenantName, Resolved)) -> bool {
    resolved.definition.unique.is_some()
}

/// Fails where the caller's scopes do not allow executions of this workflow for this tenant.
fn may_start(caller: &Caller, workflow: &WorkflowName, tenant: &TenantName) -> Result<(), EngineError> {
    let (workflow, tenant) = (Some(workflow.as_str()), Some(tenant.as_str()));
    caller.require_on(Action::ExecutionsStart, &Subject { workflow, tenant, ..Subject::default() })
}

/// Whether an input is checked in less time than it takes to hand it to another thread.
fn is_quick(definition: &Definition, input: &str) -> bool {
    definition.input_check.as_ref().is_none_or(|schema| schema.is_quick(input.len()))
}

fn faults_in(definition: &Definition, input: &str) -> Vec<Fault> {
    match serde_json::from_str::<Value>(input) {
        Ok(input) => check_input(definition, &input).err().unwrap_or_default(),
        Err(error) => vec![Fault::new("/input", format!("expected JSON: {error}"))],
    }
}

fn taken_with_looks(definition: &Definition, input: &str) -> (bool, u64) {
    let Ok(input) = serde_json::from_str::<Value>(input) else {
        return (false, 0);
    };
    let looks = definition.input_check.as_ref().map_or(0, |schema| schema.looks(&input));
    (check_input(definition, &input).is_ok(), looks)
}

/// A workflow that is paused may refuse new runs instead of queueing them.
pub(crate) fn refuse_when_paused(version: &WorkflowVersion) -> Result<(), EngineError> {
    if version.pause != Some(WorkflowPause::Refuse) {
        return Ok(());
    }
    Err(EngineError::Conflict {
        code: ProblemCode::WorkflowPaused,
        message: format!("The workflow {} is paused and rejects new executions.", version.workflow.name),
    })
}

/// The job of an execution is derived from it, so that starting the same execution twice makes one job.
pub(crate) fn job_id(execution: ExecutionId) -> JobId {
    Id::derive(execution.uuid(), &["job"])
}
