//! Commit a step: everything it did in one transaction, gated by the lease.

use std::sync::Arc;

use domain::failure::JobError;
use domain::id::{ExecutionId, JobId};
use domain::job;
use domain::names::NodeId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use domain::workflow::definition::Definition;
use domain::workflow::execution::{ChildStart, Event, ExecutionState, NodeJob};
use serde_json::json;
use store::events::EventWaitChange;
use store::executions::{
    Committed, ExecutionCommit, ExecutionRecord, NewExecution, OwnerNext, Parent, Trigger,
};
use store::jobs::{LeaseRef, NewJob};
use store::wakeup::Hint;
use store::workflows::WorkflowPause;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::own::step::Step;
use crate::executions::request::ExecutionRequest;
use crate::executions::start::Lookups;
use crate::jobs::enqueue_hint;
use crate::policy::QueuePolicy;
use crate::traces::{StepSpans, TracedCommit, round_of};

/// What the jobs of an execution's nodes and its children have in common.
pub(super) struct NodeJobTemplate {
    pub(super) execution: ExecutionRecord,
    definition: Arc<Definition>,
    defaults: QueuePolicy,
    spans: StepSpans,
}

impl NodeJobTemplate {
    pub(super) fn new(
        execution: ExecutionRecord,
        definition: Arc<Definition>,
        defaults: QueuePolicy,
    ) -> Self {
        Self { execution, definition, defaults, spans: StepSpans::default() }
    }

    /// What is recorded of a commit that was made at this instant, once it is written.
    pub(super) fn traced(&self, commit: &ExecutionCommit, made_at: Timestamp) -> TracedCommit {
        self.spans.of(&self.execution, &self.definition, commit, made_at)
    }

    /// The trace context of what a node starts. `job` is the id that the node's job has, or would have.
    pub(super) fn traceparent(&self, state: &ExecutionState, job: JobId, node: &NodeId) -> Option<String> {
        let round = round_of(state, node);
        StepSpans::traceparent(&self.execution, &self.definition, (job, node), round)
    }

    fn node_job(&self, state: &ExecutionState, job: NodeJob, now: Timestamp) -> NewJob {
        NewJob {
            id: job.id,
            queue: QueueName::Node,
            tier: job.tier,
            tenant: self.execution.tenant.clone(),
            workflow: Some(self.execution.workflow.clone()),
            job_type: job.job_type,
            data: job.data.to_string(),
            run_at: now,
            expires_at: job::expires_at(job.expires_in, now, now),
            retries_max: job.retries_max.unwrap_or(self.defaults.retries_max),
            backoff: job.backoff.unwrap_or(self.defaults.backoff),
            timeout: job.timeout,
            unique_key: None,
            concurrency_key: job.concurrency_key,
            rate_key: job.rate_key,
            tags: Vec::new(),
            traceparent: self.traceparent(state, job.id, &job.node),
            execution_id: Some(self.execution.id),
            node_id: Some(job.node),
            attributes: Vec::new(),
        }
    }

    /// Puts a step into the form of the store.
    pub(super) fn commit_of(
        &self,
        lease: LeaseRef,
        state: &ExecutionState,
        made: PreparedCommit,
    ) -> ExecutionCommit {
        let PreparedCommit { number, step, snapshot, next, now } = made;
        ExecutionCommit {
            id: self.execution.id,
            tenant: self.execution.tenant.clone(),
            lease,
            step: number,
            status: state.status,
            state: snapshot,
            started_at: state.started_at,
            records: step.records.into_iter().map(Into::into).collect(),
            events: step.events,
            enqueue: step.enqueue.into_iter().map(|job| self.node_job(state, job, now)).collect(),
            cancel: step.cancel,
            children: step.children,
            cancel_children: step.cancel_children,
            undo_children: step.undo_children,
            retry_children: step.retry_children,
            user_tasks: step.user_tasks,
            event_waits: step.event_waits,
            attributes: Vec::new(),
            inbox: step.inbox,
            completed: step.completed,
            output: step.output.map(|output| output.to_string()),
            error: state.error.clone(),
            releases_held: step.releases_held,
            next,
            is_child: self.execution.parent.is_some(),
        }
    }
}

/// A step that is ready to be written.
pub(super) struct PreparedCommit {
    /// How many steps were committed before it.
    pub(super) number: i64,
    pub(super) step: Step,
    /// The state after it.
    pub(super) snapshot: Vec<u8>,
    pub(super) next: OwnerNext,
    pub(super) now: Timestamp,
}

/// The snapshot of a state.
pub(super) fn encode(state: &ExecutionState) -> Result<Vec<u8>, EngineError> {
    state.to_snapshot().map_err(|source| EngineError::Encoding {
        what: "the state of an execution",
        source: Box::new(source),
    })
}

/// The parts of a commit that decide whom to wake.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of the commit")]
#[derive(Debug, Clone, Copy)]
pub(super) struct Outline {
    enqueues: bool,
    has_children: bool,
    ends: bool,
    /// A node waits for events from now on: what came before is to be looked for.
    pub(super) looks_back: bool,
}

impl Outline {
    pub(super) fn of(commit: &ExecutionCommit) -> Self {
        Self {
            enqueues: !commit.enqueue.is_empty(),
            has_children: !commit.children.is_empty(),
            ends: commit.next == OwnerNext::Finish,
            looks_back: commit.event_waits.iter().any(|change| matches!(change, EventWaitChange::Open(_))),
        }
    }
}

impl Engine {
    /// Hints after a commit.
    pub(super) fn wake_committed(&self, id: ExecutionId, outline: Outline, committed: &Committed) {
        let mut hints = Vec::new();
        let inputs = enqueue_hint(QueueName::Node, &committed.enqueued);
        // Jobs are leased as they are stored only where nothing waits for a slot.
        let is_started = outline.enqueues && inputs.is_none();
        if !is_started && committed.freed_node_slots {
            // Jobs that were there before are looked for everywhere.
            let all = inputs.filter(|hint| matches!(hint, Hint::Queue(_)));
            hints.push(all.unwrap_or(Hint::Freed(QueueName::Node)));
        } else {
            hints.extend(inputs);
        }
        if outline.ends && !committed.goes_on {
            hints.push(Hint::Finished(id));
        }
        // A parent that was parked, or a child that was never taken up, is in the queue now.
        hints.extend(committed.parent.map(Hint::Inbox));
        for &child in &committed.touched_children {
            hints.extend([Hint::Inbox(child), Hint::Finished(child)]);
        }
        let frees_slot = outline.ends || committed.parked;
        if frees_slot
            || outline.has_children
            || committed.parent.is_some()
            || !committed.touched_children.is_empty()
        {
            hints.push(Hint::Freed(QueueName::Execution));
        }
        self.wake(&hints);
    }
}

// Children that a step is to start: looked up and checked before the commit. One that cannot be started is a child
// that failed, and the execution gets that result in the same step.

impl Engine {
    /// Checks the children of a step. Answers the events of those that cannot be started; the others are created by
    /// the step's commit.
    pub(super) async fn resolve_children(
        &self,
        template: &NodeJobTemplate,
        depth: u32,
        starts: Vec<ChildStart>,
        now: Timestamp,
    ) -> Result<(Vec<NewExecution>, Vec<Event>), EngineError> {
        let mut lookups = Lookups::new();
        let (mut children, mut refused) = (Vec::with_capacity(starts.len()), Vec::new());
        for start in starts {
            let (node, child_id) = (start.node.clone(), start.id);
            match self.resolve_child(template, depth, start, &mut lookups, now).await? {
                Ok(child) => children.push(child),
                Err(error) => refused.push(Event::ChildRefused { node, child_id, error }),
            }
        }
        Ok((children, refused))
    }

    async fn resolve_child(
        &self,
        template: &NodeJobTemplate,
        depth: u32,
        start: ChildStart,
        lookups: &mut Lookups,
        now: Timestamp,
    ) -> Result<Result<NewExecution, JobError>, EngineError> {
        let depth_max = self.policy().child_depth_max;
        if depth >= depth_max {
            let message = format!("Executions can be nested at most {depth_max} levels deep.");
            return Ok(Err(JobError::coded("too_deep", message)));
        }
        let (id, node) = (start.id, start.node.clone());
        let parent = &template.execution;
        let request = request_of(template, start);
        let resolved = match self.resolve(&parent.tenant, &request, lookups).await {
            Ok(resolved) => resolved,
            Err(EngineError::NotFound { .. }) => {
                let message = format!("There is no workflow {}.", described(&request));
                return Ok(Err(JobError::coded("workflow_not_found", message)));
            }
            Err(error) => return Err(error),
        };
        if resolved.version.pause == Some(WorkflowPause::Refuse) {
            let message = format!("The workflow {} is paused and rejects new executions.", request.workflow);
            return Ok(Err(JobError::coded("workflow_paused", message)));
        }
        let faults = self.faults_of(&parent.tenant, &request, &resolved.definition).await?;
        if let Some(fault) = faults.first() {
            let message = format!("The workflow {} rejects the input: {fault}", described(&request));
            let listed: Vec<_> = faults
                .iter()
                .map(|fault| json!({ "pointer": fault.pointer, "message": fault.message }))
                .collect();
            let details = Some(json!({ "faults": listed }));
            return Ok(Err(JobError { details, ..JobError::coded("invalid_input", message) }));
        }
        let request = request.with_terms_of(&resolved.definition);
        let mut child = self.new_execution(id, request, parent.tenant.clone(), &resolved.version, now);
        child.parent = Some(Parent { execution_id: parent.id, node_id: node, depth: depth + 1 });
        Ok(Ok(child))
    }
}

fn request_of(template: &NodeJobTemplate, start: ChildStart) -> ExecutionRequest {
    let parent = &template.execution;
    let detail = json!({ "executionId": parent.id, "nodeId": start.node });
    ExecutionRequest {
        version: start.version,
        tier: Some(start.tier),
        tenant: Some(parent.tenant.clone()),
        expires_in: start.expires_in,
        traceparent: parent.traceparent.clone(),
        trigger: Trigger { kind: "parent".to_owned(), detail: Some(detail.to_string()) },
        ..ExecutionRequest::new(start.workflow, start.input.to_string())
    }
}

fn described(request: &ExecutionRequest) -> String {
    match request.version {
        Some(version) => format!("{}@{version}", request.workflow),
        None => request.workflow.to_string(),
    }
}
