//! `step` and `commit`: what the owner of an execution writes.

use std::collections::HashMap;

use domain::id::JobId;
use domain::names::NodeId;
use domain::time::Timestamp;
use domain::trace::{JobTrace, SpanPlace, StepTraces, TraceContext};
use domain::workflow::advance::node_job_id;
use domain::workflow::definition::Definition;
use domain::workflow::execution::{ExecutionState, NodeStatus};
use parking_lot::Mutex;
use store::executions::{ExecutionCommit, ExecutionRecord, SettledNode};
use telemetry::{Span, SpanKind, Tracer, tracer};

use super::{Sends, commit};

/// The spans of an execution's nodes, as far as an owner remembers. Empty while spans go nowhere.
#[derive(Debug, Default)]
pub(crate) struct StepSpans {
    /// When nodes became ready that have not ended.
    ready: Mutex<HashMap<JobId, Timestamp>>,
}

/// What is recorded once a commit is written.
#[derive(Debug, Default)]
pub(crate) struct TracedCommit {
    sends: Sends,
    steps: Vec<Span>,
    number: u64,
    handed: Timestamp,
}

impl StepSpans {
    /// The context that the job of a node, or the child that it starts, carries: its step's, or the execution's own while
    /// spans go nowhere.
    pub(crate) fn traceparent(
        execution: &ExecutionRecord,
        definition: &Definition,
        (job, key): (JobId, &NodeId),
        round: u32,
    ) -> Option<String> {
        match tracer() {
            Some(tracer) => Some(place(tracer, execution, definition, job, key, round).context.to_string()),
            None => execution.traceparent.clone(),
        }
    }

    /// What to record of a commit once it is written.
    pub(crate) fn of(
        &self,
        execution: &ExecutionRecord,
        definition: &Definition,
        commit: &ExecutionCommit,
        now: Timestamp,
    ) -> TracedCommit {
        let Some(tracer) = tracer() else {
            return TracedCommit::default();
        };
        let correlation = || execution.correlation_id.clone();
        let jobs = commit.enqueue.iter().map(|job| (job, correlation()));
        let children = commit
            .children
            .iter()
            .map(|child| (&child.job, child.correlation_id.as_ref().map(ToString::to_string)));
        let sends = Sends::with(jobs.chain(children), now);
        let mut ready = self.ready.lock();
        ready.extend(commit.enqueue.iter().map(|job| (job.id, now)));
        let ended = commit.records.iter().filter(|record| record.status != NodeStatus::Skipped);
        let steps = ended.map(|record| {
            let job = node_job_id(execution.id, &record.node, record.round);
            let ready_at = ready.remove(&job).or(record.started_at).unwrap_or(record.finished_at);
            let place = place(tracer, execution, definition, job, &record.node, record.round);
            step_span(place, execution, record, ready_at)
        });
        let number = u64::try_from(commit.step).unwrap_or_default();
        TracedCommit { sends, steps: steps.collect(), number, handed: now }
    }
}

/// The round of a node as its state has it; items of a `MAP` and compensations are in one trace whatever their rounds.
pub(crate) fn round_of(state: &ExecutionState, key: &NodeId) -> u32 {
    state.nodes.get(key).map_or(1, |node| node.round)
}

fn place(
    tracer: &Tracer,
    execution: &ExecutionRecord,
    definition: &Definition,
    job: JobId,
    key: &NodeId,
    round: u32,
) -> SpanPlace {
    let of_execution = JobTrace::of(execution.job_id, execution.traceparent.as_deref(), tracer.share());
    StepTraces::new(of_execution, definition).step(job, key, round)
}

fn step_span(
    place: SpanPlace,
    execution: &ExecutionRecord,
    record: &SettledNode,
    ready_at: Timestamp,
) -> Span {
    let name = format!("step {}", record.node);
    let error = record.error.as_ref().filter(|_| record.status == NodeStatus::Failed);
    let mut span = Span::new(place, name, SpanKind::Internal, (ready_at, record.finished_at))
        .with("trunkline.tenant", execution.tenant.to_string())
        .with("trunkline.workflow", execution.workflow.name.to_string())
        .with("trunkline.execution.id", execution.id.to_string())
        .with("trunkline.node.id", record.node.to_string())
        .with("trunkline.status", record.status.as_str())
        .with_some("messaging.message.conversation_id", execution.correlation_id.clone());
    span.error = error.map(|error| error.code.clone().unwrap_or_else(|| "error".to_owned()));
    span
}

impl TracedCommit {
    /// Records what was written. `turn` is the owner's turn that waited for it, where there was an owner.
    pub(crate) fn written(self, turn: Option<TraceContext>, now: Timestamp) {
        let Some(tracer) = tracer() else {
            return;
        };
        if let Some(turn) = turn {
            commit(tracer, turn, self.number, (self.handed, now));
        }
        self.sends.stored(now);
        for step in self.steps {
            tracer.record(step);
        }
    }
}
