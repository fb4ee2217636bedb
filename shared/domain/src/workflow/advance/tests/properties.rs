//! Random graphs, random orders of events, replayed answers, and the state stored and loaded in between.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::fixture::{Run, task, transform};
use crate::failure::JobError;
use crate::id::JobId;
use crate::names::NodeId;
use crate::workflow::execution::{
    Effect, Event, ExecutionState, ExecutionStatus, NodeJob, NodeState, NodeStatus, Outputs,
};

/// A random graph: each node waits for a few of those before it, in a list that is not in that order.
fn any_nodes() -> impl Strategy<Value = Vec<Value>> {
    let node =
        (prop::collection::vec(any::<prop::sample::Index>(), 0..4), 0..4_u8, any::<bool>(), any::<bool>());
    prop::collection::vec(node, 1..16).prop_flat_map(|drafts| {
        let nodes: Vec<Value> = drafts
            .into_iter()
            .enumerate()
            .map(|(index, (picks, kind, is_guarded, goes_on))| {
                let mut before: Vec<String> =
                    picks.iter().filter(|_| index > 0).map(|pick| format!("n{}", pick.index(index))).collect();
                before.sort();
                before.dedup();
                let names: Vec<&str> = before.iter().map(String::as_str).collect();
                let id = format!("n{index}");
                let mut node = if kind == 0 {
                    transform(&id, &names, &json!({"own": id, "seen": names.iter().map(|n| format!("${{nodes.{n}.status}}")).collect::<Vec<_>>()}))
                } else {
                    task(&id, &names)
                };
                if is_guarded {
                    let is_on = index % 3 != 1;
                    node["when"] = json!(names.first().map_or(format!("input.yes == {is_on}"), |name| {
                        format!("nodes.{name}.status == 'COMPLETED' && {is_on}")
                    }));
                }
                if goes_on {
                    node["onError"] = json!("continue");
                }
                node
            })
            .collect();
        Just(nodes).prop_shuffle()
    })
}

/// What happens next, chosen by numbers, so that a run shrinks well.
type Choices = Vec<(u8, u16)>;

fn any_choices() -> impl Strategy<Value = Choices> {
    prop::collection::vec((any::<u8>(), any::<u16>()), 0..120)
}

fn pick(which: u16, len: usize) -> usize {
    usize::from(which) % len
}

/// Stores the state and loads it again.
fn reload(run: &mut Run) {
    let bytes = run.state.to_snapshot().expect("encodes");
    let loaded = ExecutionState::restore(&bytes, &run.definition).expect("decodes");
    run.state = loaded;
}

/// The output of a job depends on nothing but its node.
fn output_of(job: &NodeJob) -> Value {
    json!({"own": job.node.as_str()})
}

/// The state without what depends on when things happened.
fn timeless(run: &Run) -> (ExecutionStatus, BTreeMap<NodeId, NodeState>, Outputs, Option<Value>, u32) {
    let nodes = run.state.nodes.iter().map(|(id, node)| {
        (id.clone(), NodeState { started_at: None, finished_at: None, completed_as: None, ..node.clone() })
    });
    (run.state.status, nodes.collect(), run.outputs.clone(), run.output.clone(), run.state.steps)
}

/// Runs to the end without failures, in the order that the choices give.
fn run_to_the_end(nodes: &[Value], choices: &Choices) -> Run {
    let mut run = Run::started(&Value::from(nodes.to_vec()), json!({"yes": true}));
    let mut answered: Vec<NodeJob> = Vec::new();
    let mut choices = choices.iter().cycle();
    for _ in 0..2_000 {
        if run.jobs.is_empty() {
            break;
        }
        reload(&mut run);
        let (what, which) = choices.next().copied().unwrap_or((1, 0));
        if what % 4 == 0 && !answered.is_empty() {
            let job = answered[pick(which, answered.len())].clone();
            assert!(run.apply(Run::settled(&job, Ok(json!("again")))).is_err());
        }
        let job = run.jobs.remove(pick(which, run.jobs.len()));
        run.apply(Run::settled(&job, Ok(output_of(&job)))).expect("awaited");
        answered.push(job);
    }
    run
}

/// One random event, possibly one that does not fit.
fn any_event(run: &mut Run, dead: &mut Vec<NodeJob>, old: &[NodeJob], what: u8, which: u16) {
    match what % 10 {
        0..=4 if !run.jobs.is_empty() => {
            let job = run.jobs.remove(pick(which, run.jobs.len()));
            run.apply(Run::settled(&job, Ok(output_of(&job)))).expect("awaited");
        }
        5 | 6 if !run.jobs.is_empty() => {
            let job = run.jobs.remove(pick(which, run.jobs.len()));
            run.apply(Run::settled(&job, Err(JobError::coded("boom", "it broke")))).expect("awaited");
            dead.push(job);
        }
        7 if !dead.is_empty() => {
            let job = dead.remove(pick(which, dead.len()));
            let _ = run.requeue(&job);
        }
        8 => {
            let _ = run.apply(Event::Retry);
        }
        9 if !old.is_empty() => {
            let job = old[pick(which, old.len())].clone();
            if !run.jobs.iter().any(|queued| queued.id == job.id) {
                let state = &run.state.nodes[&job.node];
                let is_cancelled = state.status == NodeStatus::Cancelled && state.job_id == Some(job.id);
                assert_eq!(run.apply(Run::settled(&job, Ok(json!("late")))).is_ok(), is_cancelled);
            }
        }
        _ => {
            let _ = run.apply(if what > 250 {
                Event::Cancel { reason: None, compensate: false }
            } else {
                Event::Started
            });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_order_of_answers_ends_in_the_same_state(
        nodes in any_nodes(), one in any_choices(), other in any_choices(),
    ) {
        let (one, other) = (run_to_the_end(&nodes, &one), run_to_the_end(&nodes, &other));
        prop_assert_eq!(one.state.status, ExecutionStatus::Completed);
        prop_assert_eq!(timeless(&one), timeless(&other));
        prop_assert_eq!(one.records.len(), nodes.len());
    }

    #[test]
    fn i08_a_completed_node_never_runs_again(nodes in any_nodes(), choices in any_choices()) {
        let mut run = Run::of(&Value::from(nodes), &json!({}), json!({"yes": true}));
        let mut completed: HashSet<NodeId> = HashSet::new();
        let mut enqueued: HashSet<JobId> = HashSet::new();
        let (mut dead, mut old): (Vec<NodeJob>, Vec<NodeJob>) = (Vec::new(), Vec::new());
        let first = run.apply(Event::Started).expect("starts");
        prop_assert!(first.output.is_none() || run.state.status == ExecutionStatus::Completed);
        let mut records_seen = 0;
        for choice in choices.into_iter().map(Some).chain([None]) {
            for job in &run.jobs {
                prop_assert!(!completed.contains(&job.node), "{} has a job again", job.node);
                if enqueued.insert(job.id) {
                    old.push(job.clone());
                }
            }
            for record in &run.records[records_seen..] {
                prop_assert!(!completed.contains(&record.node), "{} was settled again", record.node);
                if matches!(record.status, NodeStatus::Completed | NodeStatus::Skipped) {
                    completed.insert(record.node.clone());
                }
            }
            records_seen = run.records.len();
            for node in &completed {
                let status = run.state.nodes[node].status;
                prop_assert!(matches!(status, NodeStatus::Completed | NodeStatus::Skipped));
            }
            let Some((what, which)) = choice else { break };
            reload(&mut run);
            any_event(&mut run, &mut dead, &old, what, which);
        }
    }

    #[test]
    fn the_same_event_has_the_same_effects(nodes in any_nodes()) {
        let effects = || {
            let mut run = Run::of(&Value::from(nodes.clone()), &json!({}), json!({"yes": true}));
            run.apply(Event::Started).expect("starts").effects
        };
        let (one, other) = (effects(), effects());
        prop_assert_eq!(&one, &other);
        let order = |effects: &[Effect]| -> Vec<String> {
            effects.iter().filter_map(|effect| if let Effect::EnqueueNode(job) = effect { Some(job.node.to_string()) } else { None }).collect()
        };
        prop_assert_eq!(order(&one).iter().collect::<HashSet<_>>().len(), order(&one).len());
    }
}
