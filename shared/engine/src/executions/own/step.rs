//! One step of an execution: events folded through `domain`, their effects gathered. No I/O.

use std::sync::Arc;

use domain::failure::JobError;
use domain::id::JobId;
use domain::time::Timestamp;
use domain::workflow::advance::advance;
use domain::workflow::definition::Definition;
use domain::workflow::execution::{
    Decision, Effect, Event, ExecutionContext, ExecutionError, ExecutionState, ExecutionStatus, NodeJob,
    NodeRecord, NodeSettled, Outputs, Refusal,
};
use serde_json::Value;
use store::executions::{EventLine, InboxEntry, InboxResult, InboxRow};

/// An execution in the memory of its owner.
pub(super) struct Running {
    pub(super) definition: Arc<Definition>,
    pub(super) context: Arc<ExecutionContext>,
    pub(super) state: ExecutionState,
    pub(super) outputs: Outputs,
}

/// What a step is to write besides the state.
#[derive(Default)]
pub(super) struct Step {
    pub(super) records: Vec<NodeRecord>,
    pub(super) events: Vec<EventLine>,
    pub(super) enqueue: Vec<NodeJob>,
    pub(super) cancel: Vec<JobId>,
    pub(super) inbox: Vec<InboxResult>,
    pub(super) output: Option<Value>,
    /// Whether an event changed the state.
    pub(super) is_changed: bool,
}

impl Step {
    /// Whether there is something to write.
    pub(super) fn is_due(&self) -> bool {
        self.is_changed || !self.inbox.is_empty()
    }

    /// Bytes of the outputs that this step adds.
    pub(super) fn output_bytes(&self) -> usize {
        self.records
            .iter()
            .filter_map(|record| record.output.as_ref())
            .map(|output| output.to_string().len())
            .sum()
    }

    fn take(&mut self, decision: Decision) {
        self.is_changed = true;
        if decision.output.is_some() {
            self.output = decision.output;
        }
        for effect in decision.effects {
            match effect {
                Effect::EnqueueNode(job) => self.enqueue.push(job),
                Effect::CancelJobs(jobs) => self.cancel(jobs),
                Effect::RecordNode(record) => self.records.push(record),
                Effect::Emit(event) => self.events.push(EventLine {
                    kind: event.kind.to_owned(),
                    node_id: event.node,
                    detail: event.detail.map(printable),
                    at: event.at,
                }),
            }
        }
    }

    /// A job that this very step was to enqueue is not enqueued at all.
    fn cancel(&mut self, jobs: Vec<JobId>) {
        self.enqueue.retain(|job| !jobs.contains(&job.id));
        self.cancel.extend(jobs);
    }
}

impl Running {
    /// Folds entries of the inbox in order.
    pub(super) fn fold_inbox(&mut self, step: &mut Step, rows: Vec<InboxRow>, now: Timestamp) {
        for InboxRow { position, entry } in rows {
            let kind = Kind::of(&entry);
            let refusal = self.fold(step, event_of(entry), now);
            let refused = refusal.filter(|refusal| kind.hears_of(refusal, self.state.status));
            let refused = refused.map(|refusal| refusal.to_string());
            step.inbox.push(InboxResult { position, refused });
        }
    }

    /// Folds one event. Answers why it was refused, if it was.
    pub(super) fn fold(&mut self, step: &mut Step, event: Event, now: Timestamp) -> Option<Refusal> {
        match advance(&self.definition, &self.context, &mut self.state, &mut self.outputs, event, now) {
            Ok(decision) => {
                step.take(decision);
                None
            }
            Err(refusal) => Some(refusal),
        }
    }

    /// Whether the execution's own timeout has passed.
    pub(super) fn is_overdue(&self, now: Timestamp) -> bool {
        !self.state.status.is_terminal() && self.state.deadline_at.is_some_and(|deadline| deadline <= now)
    }

    /// The execution cannot go on.
    pub(super) fn fail(&mut self, step: &mut Step, code: &str, message: impl Into<String>, now: Timestamp) {
        let error = ExecutionError { node: None, message: message.into(), code: Some(code.to_owned()) };
        self.fold(step, Event::Broken(error), now);
    }
}

/// What an entry is, as far as its refusal goes.
#[derive(Clone, Copy)]
enum Kind {
    News,
    Cancel,
    Retry,
}

impl Kind {
    const fn of(entry: &InboxEntry) -> Self {
        match entry {
            InboxEntry::NodeSettled { .. } | InboxEntry::NodeRequeued { .. } => Self::News,
            InboxEntry::Cancel { .. } => Self::Cancel,
            InboxEntry::Retry => Self::Retry,
        }
    }

    /// Whether somebody is told of a refusal. News that come late or twice are done with. A retry only gets here
    /// after the execution had failed: where its state does not say so, its owner was lost, and taking it up again is
    /// what was asked for.
    const fn hears_of(self, refusal: &Refusal, status: ExecutionStatus) -> bool {
        match (self, refusal) {
            (Self::News, _) => false,
            (Self::Retry, Refusal::NotFailed(_)) => status.is_terminal(),
            (Self::Cancel | Self::Retry, _) => true,
        }
    }
}

fn event_of(entry: InboxEntry) -> Event {
    match entry {
        InboxEntry::NodeSettled { node_id, job_id, result, attempts, started_at } => {
            Event::NodeSettled(NodeSettled {
                node: node_id,
                job_id,
                result: result.and_then(|text| read_result(&text)),
                attempts,
                started_at,
            })
        }
        InboxEntry::NodeRequeued { node_id, job_id } => Event::NodeRequeued { node: node_id, job_id },
        InboxEntry::Cancel { reason } => Event::Cancel { reason },
        InboxEntry::Retry => Event::Retry,
    }
}

/// A result is stored as the worker sent it. Text that is well formed can still be no value of ours: a number
/// beyond all bounds, or half of a surrogate pair. Then the node fails, not the execution's owner.
fn read_result(text: &str) -> Result<Value, JobError> {
    serde_json::from_str(text)
        .map_err(|error| JobError::coded("invalid_result", format!("The result cannot be read: {error}.")))
}

/// Text that both databases can hold.
fn printable(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_are_no_values_fail_the_node() {
        assert_eq!(read_result("{\"a\":1}").ok(), Some(serde_json::json!({ "a": 1 })));
        for text in ["1e999", r#""\ud800""#, ""] {
            let error = read_result(text).expect_err("no value");
            assert_eq!(error.code.as_deref(), Some("invalid_result"), "{text}");
        }
    }

    #[test]
    fn nul_is_not_stored() {
        assert_eq!(printable("a\0b".into()), "a\u{fffd}b");
    }
}
