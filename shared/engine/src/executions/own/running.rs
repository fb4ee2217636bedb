//! An execution in the memory of its owner: events folded through `domain`. No I/O.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use domain::failure::JobError;
use domain::names::NodeId;
use domain::time::Timestamp;
use domain::workflow::advance::advance;
use domain::workflow::definition::{Definition, NodeKind};
use domain::workflow::execution::{
    Event, ExecutionContext, ExecutionError, ExecutionState, ExecutionStatus, NodeRecord, NodeSettled,
    NodeStatus, Outputs, Refusal,
};
use serde_json::Value;
use store::executions::{InboxEntry, InboxResult, InboxRow};

use crate::bounds::json_bytes;
use crate::executions::own::delivered::DeliveredResult;
use crate::executions::own::step::Step;

/// Up to this many nodes, entries of the inbox and bytes a fold takes less time than handing it to another thread.
const CHEAP_NODES_MAX: usize = 64;
const CHEAP_ENTRIES_MAX: usize = 64;
const CHEAP_BYTES_MAX: usize = 32 * 1024;
/// What expressions go through lists with.
const LOOPS: [&str; 5] = [".map(", ".filter(", ".all(", ".exists", ".sort"];

/// An execution in the memory of its owner.
pub(super) struct Running {
    pub(super) definition: Arc<Definition>,
    pub(super) context: Arc<ExecutionContext>,
    pub(super) state: ExecutionState,
    pub(super) outputs: Outputs,
    /// Bytes of each output in memory, and of all of them.
    pub(super) sizes: Sizes,
    /// Whether expressions can be evaluated in the blink of an eye.
    pub(super) is_small: bool,
}

impl Running {
    /// Folds what happened since the last step, in this order: the first start, results of the inbox, the rest of it,
    /// what was delivered in memory, the clock. What completed before a failure or a cancel was applied has completed.
    pub(super) fn fold_all(&mut self, step: &mut Step, inputs: StepInputs, now: Timestamp) {
        let StepInputs { rows, delivered } = inputs;
        if self.state.status == ExecutionStatus::Pending {
            self.fold(step, Event::Started, now);
        }
        let mut is_first = true;
        for InboxRow { position, entry } in results_first(rows) {
            if !std::mem::take(&mut is_first) && self.is_full(step) {
                step.has_left = true;
                break;
            }
            let kind = Kind::of(&entry);
            let refused = match event_of(entry) {
                Ok(event) => {
                    let refusal = self.fold(step, event, now);
                    let heard = refusal.filter(|refusal| kind.is_notified_of(refusal, self.state.status));
                    heard.map(|refusal| refusal.to_string())
                }
                Err(error) => Some(error.message),
            };
            step.inbox.push(InboxResult { position, refused });
        }
        for delivered in delivered {
            // What is dropped takes the way through the inbox.
            if self.is_full(step) {
                break;
            }
            self.fold_delivered(step, delivered, now);
        }
        if self.is_due(now) {
            self.fold(step, Event::Due, now);
        }
    }

    /// Whether what has come can wait for the next step: this one brings about much, or its expressions took much.
    fn is_full(&self, step: &Step) -> bool {
        let allowance = &self.context.allowance;
        step.bytes > allowance.limits().effect_bytes_max || allowance.is_low()
    }

    /// Folds a result. One that is refused may come too late, or something in the inbox has to go before it: it is
    /// dropped, and takes the way through the inbox.
    fn fold_delivered(&mut self, step: &mut Step, delivered: DeliveredResult, now: Timestamp) {
        if delivered.is_given_up() || self.is_stopped_before(step, &delivered) {
            return;
        }
        if let Ok(event) = event_of(delivered.entry())
            && self.fold(step, event, now).is_none()
        {
            let (completed, ack) = delivered.into_parts();
            step.completed.push(completed);
            step.acks.push(ack);
        }
    }

    /// Whether an earlier step has stopped the job: then its lease is lost, and the store says so.
    fn is_stopped_before(&self, step: &Step, delivered: &DeliveredResult) -> bool {
        let state = self.state.nodes.get(&delivered.node_id);
        state.is_some_and(|state| state.status == NodeStatus::Cancelled)
            && !step.cancel.contains(&delivered.lease.id)
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

    /// Whether the clock has passed something in the state.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        !self.state.status.is_terminal() && self.state.next_due_at().is_some_and(|due_at| due_at <= now)
    }

    /// The execution cannot go on.
    pub(super) fn fail(&mut self, step: &mut Step, code: &str, message: impl Into<String>, now: Timestamp) {
        let error = ExecutionError { node: None, message: message.into(), code: Some(code.to_owned()) };
        self.fold(step, Event::Broken(error), now);
    }

    /// Counts the outputs that a step brought.
    pub(super) fn count(&mut self, step: &Step) {
        self.sizes.count(&step.records);
        let is_map = |record: &NodeRecord| {
            matches!(self.definition.node(&record.node).map(|node| &node.kind), Some(NodeKind::Map(_)))
        };
        if step.records.iter().any(is_map) {
            self.sizes.keep(&self.outputs);
        }
    }

    /// Whether a fold takes less time than handing it to another thread.
    pub(super) fn is_cheap(&self, entries: usize) -> bool {
        self.is_small && entries <= CHEAP_ENTRIES_MAX && self.sizes.total <= CHEAP_BYTES_MAX
    }
}

/// What has come since the last step.
#[derive(Default)]
pub(super) struct StepInputs {
    pub(super) rows: Vec<InboxRow>,
    pub(super) delivered: Vec<DeliveredResult>,
}

impl StepInputs {
    /// Entries of the inbox alone.
    pub(super) const fn of(rows: Vec<InboxRow>) -> Self {
        Self { rows, delivered: Vec::new() }
    }

    pub(super) const fn len(&self) -> usize {
        self.rows.len() + self.delivered.len()
    }
}

/// Entries in their order, but results before all that may stop what they belong to. The result of a job that was
/// requeued stays behind its requeue.
fn results_first(rows: Vec<InboxRow>) -> Vec<InboxRow> {
    let requeued: HashSet<NodeId> = rows
        .iter()
        .filter_map(|row| match &row.entry {
            InboxEntry::NodeRequeued { node_id, .. } | InboxEntry::ChildResumed { node_id, .. } => {
                Some(node_id.clone())
            }
            _ => None,
        })
        .collect();
    let stops = |entry: &InboxEntry| match entry {
        InboxEntry::NodeSettled { result, .. } | InboxEntry::ChildSettled { result, .. } => result.is_err(),
        InboxEntry::Cancel { .. } => true,
        _ => false,
    };
    if !rows.iter().any(|row| stops(&row.entry)) {
        return rows;
    }
    let is_result = |row: &InboxRow| match &row.entry {
        InboxEntry::NodeSettled { node_id, result: Ok(_), .. }
        | InboxEntry::ChildSettled { node_id, result: Ok(_), .. } => !requeued.contains(node_id),
        _ => false,
    };
    let (mut results, others): (Vec<InboxRow>, Vec<InboxRow>) = rows.into_iter().partition(is_result);
    results.extend(others);
    results
}

/// Whether expressions of an execution of `definition` can be evaluated in the blink of an eye, as long as its
/// outputs are small: few nodes, little text, and nothing that goes through lists.
pub(super) fn is_small(definition: &Definition, input_bytes: usize) -> bool {
    definition.nodes.len() <= CHEAP_NODES_MAX
        && definition.canonical_json.len() + input_bytes <= CHEAP_BYTES_MAX
        && !definition.nodes.iter().any(|node| matches!(node.kind, NodeKind::Map(_)))
        && !LOOPS.iter().any(|text| definition.canonical_json.contains(text))
}

/// How many bytes of JSON the outputs in memory take.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    by_node: HashMap<NodeId, usize>,
    pub(super) total: usize,
}

impl Sizes {
    pub(super) fn set(&mut self, node: NodeId, bytes: usize) {
        let before = self.by_node.insert(node, bytes).unwrap_or_default();
        self.total = (self.total + bytes).saturating_sub(before);
    }

    /// Counts the outputs of a step's records.
    fn count(&mut self, records: &[NodeRecord]) {
        for record in records {
            if let Some(output) = &record.output {
                self.set(record.node.clone(), json_bytes(output));
            }
        }
    }

    /// Drops what is not in memory any more: the items of a `MAP` that is done.
    fn keep(&mut self, outputs: &Outputs) {
        self.by_node.retain(|node, _| outputs.contains_key(node));
        self.total = self.by_node.values().sum();
    }
}

/// What an entry is, as far as its refusal goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What became of something that the execution itself has started.
    StepInputs,
    /// Somebody sent it and may ask what became of it.
    Command,
    Retry,
}

impl Kind {
    pub(super) const fn of(entry: &InboxEntry) -> Self {
        match entry {
            InboxEntry::NodeSettled { .. }
            | InboxEntry::NodeRequeued { .. }
            | InboxEntry::ChildResumed { .. }
            | InboxEntry::ChildSettled { .. }
            | InboxEntry::Event { .. } => Self::StepInputs,
            InboxEntry::Cancel { .. }
            | InboxEntry::Signal { .. }
            | InboxEntry::UserTaskCompleted { .. }
            | InboxEntry::Callback { .. } => Self::Command,
            InboxEntry::Retry => Self::Retry,
        }
    }

    /// Whether somebody is notified of a refusal. Results that come late or twice are dropped. A retry only gets here
    /// after the execution had failed: where its state does not say so, its owner was lost, and another owner is
    /// what was asked for.
    pub(super) const fn is_notified_of(self, refusal: &Refusal, status: ExecutionStatus) -> bool {
        match (self, refusal) {
            (Self::StepInputs, _) => false,
            (Self::Retry, Refusal::NotFailed(_)) => status.is_terminal(),
            (Self::Command | Self::Retry, _) => true,
        }
    }
}

/// The event that an entry stands for, or why it stands for none.
pub(super) fn event_of(entry: InboxEntry) -> Result<Event, JobError> {
    Ok(match entry {
        InboxEntry::NodeSettled { node_id, job_id, result, attempts, started_at } => {
            let result = result.and_then(|text| read_entries(&text, "result"));
            Event::NodeSettled(NodeSettled { node: node_id, job_id, result, attempts, started_at })
        }
        InboxEntry::NodeRequeued { node_id, job_id } => Event::NodeRequeued { node: node_id, job_id },
        InboxEntry::ChildSettled { node_id, child_id, result } => {
            let result = result.and_then(|text| read_entries(&text, "result"));
            Event::ChildSettled { node: node_id, child_id, result }
        }
        InboxEntry::ChildResumed { node_id, child_id } => Event::ChildResumed { node: node_id, child_id },
        InboxEntry::Cancel { reason, compensate } => Event::Cancel { reason, compensate },
        InboxEntry::Retry => Event::Retry,
        InboxEntry::Signal { name, payload } => {
            Event::Signal { name, payload: read_entries(&payload, "payload")? }
        }
        InboxEntry::UserTaskCompleted { node_id, round, output, actor } => {
            Event::UserTaskCompleted { node: node_id, round, output: read_entries(&output, "output")?, actor }
        }
        InboxEntry::Event { node_id, round, output } => {
            Event::EventCame { node: node_id, round, output: read_entries(&output, "output")? }
        }
        InboxEntry::Callback { node_id, round, payload } => {
            Event::Callback { node: node_id, round, payload: read_entries(&payload, "payload")? }
        }
    })
}

/// Text is stored as it was sent. What is well formed can still be no value of ours: a number beyond all bounds, or
/// half of a surrogate pair. Then the node fails or the command is refused, and the execution's owner goes on.
pub(super) fn read_entries(text: &str, what: &str) -> Result<Value, JobError> {
    serde_json::from_str(text).map_err(|error| {
        JobError::coded(&format!("invalid_{what}"), format!("The {what} cannot be read: {error}."))
    })
}

#[cfg(test)]
mod tests {
    use domain::failure::JobError;
    use domain::id::JobId;
    use serde_json::json;

    use super::*;

    fn record(node: &str, output: Value) -> NodeRecord {
        NodeRecord {
            node: NodeId::trusted(node),
            round: 1,
            status: NodeStatus::Completed,
            input: None,
            output: Some(output),
            error: None,
            attempts: 1,
            started_at: None,
            finished_at: Timestamp(1),
        }
    }

    fn settled(position: i64, node: &str, is_done: bool) -> InboxRow {
        let result = if is_done { Ok("1".to_owned()) } else { Err(JobError::coded("boom", "it broke")) };
        let entry = InboxEntry::NodeSettled {
            node_id: NodeId::trusted(node),
            job_id: JobId::derive(uuid::Uuid::nil(), &[node]),
            result,
            attempts: 1,
            started_at: None,
        };
        InboxRow { position, entry }
    }

    #[test]
    fn results_go_before_what_stops_their_nodes() {
        let order = |rows: Vec<InboxRow>| -> Vec<i64> {
            results_first(rows).into_iter().map(|row| row.position).collect()
        };
        let requeued = |position: i64, node: &str| {
            let job_id = JobId::derive(uuid::Uuid::nil(), &[node]);
            InboxRow { position, entry: InboxEntry::NodeRequeued { node_id: NodeId::trusted(node), job_id } }
        };
        let cancel = InboxEntry::Cancel { reason: None, compensate: true };
        assert_eq!(order(vec![settled(1, "a", false), settled(2, "b", true)]), [2, 1]);
        assert_eq!(order(vec![InboxRow { position: 1, entry: cancel }, settled(2, "b", true)]), [2, 1]);
        let rows =
            vec![settled(1, "a", false), requeued(2, "a"), settled(3, "a", true), settled(4, "b", true)];
        assert_eq!(order(rows), [4, 1, 2, 3]);
        let early = InboxEntry::Signal { name: "go".to_owned(), payload: "1".to_owned() };
        assert_eq!(order(vec![InboxRow { position: 1, entry: early }, settled(2, "b", true)]), [1, 2]);
    }

    #[test]
    fn the_latest_output_of_each_node_counts_once() {
        let mut sizes = Sizes::default();
        sizes.count(&[record("a", json!("four")), record("b", json!([1, 2]))]);
        assert_eq!(sizes.total, 6 + 5);
        sizes.count(&[record("a", json!(1))]);
        assert_eq!(sizes.total, 1 + 5);
        sizes.count(&[record("b", json!({"x": null}))]);
        assert_eq!(sizes.total, 1 + 10);
        sizes.keep(&Outputs::from([(NodeId::trusted("a"), json!(1))]));
        assert_eq!(sizes.total, 1);
    }

    #[test]
    fn results_that_are_no_values_fail_the_node() {
        assert_eq!(read_entries("{\"a\":1}", "result").ok(), Some(json!({ "a": 1 })));
        for text in ["1e999", r#""\ud800""#, ""] {
            let error = read_entries(text, "result").expect_err("no value");
            assert_eq!(error.code.as_deref(), Some("invalid_result"), "{text}");
        }
    }

    #[test]
    fn commands_that_are_no_values_are_no_events() {
        let signal = InboxEntry::Signal { name: "go".to_owned(), payload: "1e999".to_owned() };
        assert!(event_of(signal).is_err());
    }

    #[test]
    fn nobody_is_notified_of_late_results() {
        let late = Refusal::Finished("COMPLETED");
        assert!(!Kind::StepInputs.is_notified_of(&late, ExecutionStatus::Completed));
        assert!(Kind::Command.is_notified_of(&late, ExecutionStatus::Completed));
        assert!(!Kind::Retry.is_notified_of(&Refusal::NotFailed("RUNNING"), ExecutionStatus::Running));
    }
}
