//! Run an execution again from a chosen node: another execution, which takes over the results of the nodes that do not
//! come after the chosen one.

use domain::access::Permission;
use domain::id::ExecutionId;
use domain::names::{CallerKey, NodeId, Tag};
use domain::problem::ProblemCode;
use domain::queue::QueueName;
use domain::quota::QuotaKind;
use domain::workflow::definition::Definition;
use domain::workflow::execution::ExecutionState;
use domain::workflow::rerun::{Rerun, plan_rerun};
use serde_json::json;
use store::executions::{ExecutionDetail, ExecutionRecord, Seed, Trigger};

use super::commands::{refuse_without_payloads, refused};
use super::request::{CreatedExecution, ExecutionRequest};
use super::start::refuse_when_paused;
use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::why::restore;

impl Engine {
    /// Starts another execution of the same version that begins where an ended one stood before `from`. Its input is
    /// `input` as raw JSON text, or that of the first run. If it fails it undoes what it did, and with `undoes_original`
    /// also what it took over. Faults point at `/fromNode` and below `/input`.
    pub async fn rerun_execution(
        &self,
        caller: &Caller,
        id: ExecutionId,
        from: &NodeId,
        input: Option<String>,
        undoes_original: bool,
    ) -> Result<CreatedExecution, EngineError> {
        caller.require(Permission::Start)?;
        let tenant = self.known_execution(caller, id).await?.tenant;
        let new_id = self.make_id(caller, &["rerun"], self.now());
        let detail = json!({ "fromNode": from, "executionId": new_id });
        let audited = AuditedAction::new("execution.rerun", &id).of(Some(tenant)).with(detail);
        let mut recording = self.recording(caller, audited);
        let created = recording.of(self.rerun_as(caller, (id, new_id), from, input, undoes_original)).await?;
        // A repeat of the call finds the first one's execution, which has its line.
        if !created.existing {
            self.recorded(recording).await;
        }
        Ok(created)
    }

    /// The same without a line of the audit log, for batches, which have one in all.
    pub(crate) async fn rerun_unaudited(
        &self,
        caller: &Caller,
        id: ExecutionId,
        from: &NodeId,
        input: Option<String>,
    ) -> Result<CreatedExecution, EngineError> {
        let new_id = self.make_id(caller, &["rerun"], self.now());
        self.rerun_as(caller, (id, new_id), from, input, false).await
    }

    async fn rerun_as(
        &self,
        caller: &Caller,
        (id, new_id): (ExecutionId, ExecutionId),
        from: &NodeId,
        input: Option<String>,
        undoes_original: bool,
    ) -> Result<CreatedExecution, EngineError> {
        caller.require(Permission::Start)?;
        // What is taken over is copied by the store.
        let found = self.store().execution_head(&caller.scope, id).await?;
        let detail = found.ok_or_else(|| EngineError::not_found("execution", &id))?;
        let record = &detail.record;
        if !record.status.is_terminal() {
            return Err(refused(ProblemCode::ExecutionNotFinished, record.status, "run again"));
        }
        refuse_without_payloads(record)?;
        let definition =
            self.definition(Some(&detail.record.tenant), &detail.definition, &id.to_string()).await?;
        let rerun = plan(&detail, &definition, from, undoes_original)?;
        let request = request_of(record, from, input);
        let mut faults = Faults::default();
        faults.extend(self.faults_of(&record.tenant, &request, &definition).await?, "");
        faults.check()?;
        let (owner, name) = (record.workflow.owner.as_ref(), &record.workflow.name);
        let version = self.known_workflow(owner, name, Some(record.version)).await?;
        refuse_when_paused(&version)?;
        self.refuse_when_draining(QueueName::Execution).await?;
        let now = self.now();
        let mut execution = self.new_execution(new_id, request, record.tenant.clone(), &version, now);
        execution.seed = Some(seed_of(id, rerun)?);
        let work = std::iter::once((&execution.job.tenant, execution.input.len()));
        self.refuse_work_over_quota(QuotaKind::OpenExecutions, work).await?;
        let enqueued = self.store_executions(std::slice::from_ref(&execution), now).await?;
        let created = self.created(&[execution], &enqueued).await?;
        created.into_iter().next().ok_or_else(|| EngineError::not_found("execution", &id))
    }
}

fn seed_of(from: ExecutionId, rerun: Rerun) -> Result<Seed, EngineError> {
    let state = rerun.state.to_snapshot().map_err(|source| EngineError::Encoding {
        what: "the state of an execution",
        source: Box::new(source),
    })?;
    Ok(Seed { state, from, nodes: rerun.kept })
}

fn plan(
    detail: &ExecutionDetail,
    definition: &Definition,
    from: &NodeId,
    undoes_original: bool,
) -> Result<Rerun, EngineError> {
    let state = match &detail.state {
        Some(bytes) => restore(bytes, definition, detail.record.id)?,
        None => ExecutionState::new(definition),
    };
    plan_rerun(definition, &state, from, undoes_original)
        .map_err(|refusal| EngineError::invalid("/fromNode", refusal.to_string()))
}

fn request_of(first: &ExecutionRecord, from: &NodeId, input: Option<String>) -> ExecutionRequest {
    let detail = json!({ "rerunOf": first.id, "fromNode": from });
    ExecutionRequest {
        version: Some(first.version),
        tier: Some(first.tier),
        tenant: Some(first.tenant.clone()),
        correlation_id: first.correlation_id.as_ref().map(CallerKey::trusted),
        tags: first.tags.iter().map(Tag::trusted).collect(),
        traceparent: first.traceparent.clone(),
        trigger: Trigger { kind: "user".to_owned(), detail: Some(detail.to_string()) },
        ..ExecutionRequest::new(first.workflow.name.clone(), input.unwrap_or_else(|| first.input.clone()))
    }
}
