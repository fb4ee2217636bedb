//! The spans of an execution's nodes. They are in the execution's trace, until there are so many that they go on in others.

use crate::id::JobId;
use crate::names::NodeId;
use crate::trace::jobs::{JobTrace, SpanPlace};
use crate::trace::{TraceContext, span_id, trace_id};
use crate::workflow::NodeKey;
use crate::workflow::definition::{Definition, NodeKind};

/// How many nodes and items are in one trace: each has up to six spans (its step, and of its job send, wait, process, a
/// request and a commit), and a trace has about a thousand.
const STEPS_PER_TRACE: u32 = 150;
/// How many rounds of a node are in the trace of the first one.
const ROUNDS_PER_TRACE: u32 = 20;

/// Where the spans of an execution's nodes stand.
#[derive(Debug, Clone)]
pub struct StepTraces<'a> {
    job: JobTrace,
    definition: &'a Definition,
}

impl<'a> StepTraces<'a> {
    /// Those of an execution whose job has these traces.
    pub const fn new(job: JobTrace, definition: &'a Definition) -> Self {
        Self { job, definition }
    }

    /// The span of a node, an item or a compensation in a round. `job` is the id that its job has, or would have.
    pub fn step(&self, job: JobId, key: &NodeId, round: u32) -> SpanPlace {
        let first = self.job.first_turn();
        let span = span_id(&[b"step", job.uuid().as_bytes()]);
        match self.part_of(key, round) {
            None => SpanPlace::below(first, span),
            Some((what, part)) => {
                let of_execution = first.span.0.to_be_bytes();
                let trace = trace_id(&[b"steps", &of_execution, what.as_bytes(), &part.to_be_bytes()]);
                let context = TraceContext { trace, span, is_sampled: first.is_sampled };
                SpanPlace { context, parent: None, links: vec![first] }
            }
        }
    }

    /// The trace beside the execution's own in which a node's span is; `None` for the execution's own. The trace follows
    /// from the node alone, whichever process asks and whatever ran before.
    fn part_of(&self, key: &NodeId, round: u32) -> Option<(String, u32)> {
        match NodeKey::of(key) {
            NodeKey::Item { node, index } => {
                let own = self.items_in_own_trace();
                (index >= own).then(|| (node.to_string(), (index - own) / STEPS_PER_TRACE))
            }
            NodeKey::Node(node) if round >= ROUNDS_PER_TRACE => {
                Some((format!("{node}@rounds"), round / ROUNDS_PER_TRACE))
            }
            NodeKey::Node(node) | NodeKey::Compensation(node) => {
                let place =
                    self.definition.nodes.iter().position(|known| known.id == node).unwrap_or_default();
                let part = place as u32 / STEPS_PER_TRACE;
                (part > 0).then_some(("@nodes".to_owned(), part))
            }
        }
    }

    /// How many items of each `MAP` are in the execution's own trace, beside its nodes.
    fn items_in_own_trace(&self) -> u32 {
        let maps = self.definition.nodes.iter().filter(|node| matches!(node.kind, NodeKind::Map(_))).count();
        let room = STEPS_PER_TRACE.saturating_sub(self.definition.nodes.len() as u32);
        room / (maps.max(1) as u32)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;
    use crate::id::ExecutionId;
    use crate::workflow::advance::node_job_id;
    use crate::workflow::parse::parse_stored;
    use crate::workflow::{compensation_key, item_key};

    fn definition(nodes: &[Value]) -> Definition {
        let text = json!({ "name": "traced", "version": 1, "nodes": nodes }).to_string();
        parse_stored(&text).expect("a definition")
    }

    fn task(id: &str) -> Value {
        json!({ "id": id, "type": "SERVICE_TASK", "jobType": "work" })
    }

    fn map(id: &str) -> Value {
        json!({ "id": id, "type": "MAP", "items": "${input.items}", "node": { "type": "SERVICE_TASK", "jobType": "work" } })
    }

    fn job() -> JobTrace {
        JobTrace::of(JobId::from_uuid(Uuid::from_u128(9)), None, 1.0)
    }

    fn step(traces: &StepTraces<'_>, key: &NodeId, round: u32) -> SpanPlace {
        let execution = ExecutionId::from_uuid(Uuid::from_u128(8));
        traces.step(node_job_id(execution, key, round), key, round)
    }

    #[test]
    fn steps_are_below_the_first_turn() {
        let definition = definition(&[task("charge"), map("each")]);
        let (first, node) = (job().first_turn(), NodeId::trusted("charge"));
        let traces = StepTraces::new(job(), &definition);
        for key in [node.clone(), compensation_key(&node), item_key(&NodeId::trusted("each"), 147)] {
            let step = step(&traces, &key, 1);
            assert_eq!((step.context.trace, step.parent), (first.trace, Some(first.span)), "{key}");
        }
        assert_ne!(step(&traces, &node, 1).context.span, step(&traces, &node, 2).context.span);
    }

    #[test]
    fn many_steps_go_on_in_linked_traces() {
        let definition = definition(&[task("charge"), map("each")]);
        let (first, each) = (job().first_turn(), NodeId::trusted("each"));
        let traces = StepTraces::new(job(), &definition);
        let (next, last) = (step(&traces, &item_key(&each, 148), 1), step(&traces, &item_key(&each, 297), 1));
        assert_eq!((next.parent, next.links.as_slice()), (None, [first].as_slice()));
        assert!(next.context.trace != first.trace && next.context.is_sampled);
        assert_eq!(next.context.trace, last.context.trace);
        assert_ne!(step(&traces, &item_key(&each, 298), 1).context.trace, last.context.trace);
        let rounds = step(&traces, &NodeId::trusted("charge"), ROUNDS_PER_TRACE);
        assert_eq!(rounds.links, [first]);
    }

    #[test]
    fn large_definitions_are_divided() {
        let definition = definition(&(0..200).map(|number| task(&format!("n{number}"))).collect::<Vec<_>>());
        let (first, traces) = (job().first_turn(), StepTraces::new(job(), &definition));
        assert_eq!(step(&traces, &NodeId::trusted("n149"), 1).context.trace, first.trace);
        assert_ne!(step(&traces, &NodeId::trusted("n150"), 1).context.trace, first.trace);
    }
}
