//! Failed executions that go on.

use serde_json::json;

use super::fixture::{Run, task, task_with};
use crate::names::NodeId;
use crate::workflow::advance::node_job_id;
use crate::workflow::execution::{Event, ExecutionStatus, Refusal};

#[test]
fn the_output_may_fail_and_be_retried() {
    let mut run = Run::of(&json!([task("a", &[])]), &json!({"output": "${nodes.a.output.x > 1}"}), json!({}));
    run.apply(Event::Started).expect("starts");
    run.succeed("a", json!({}));
    assert_eq!(run.state.status, ExecutionStatus::Failed);
    let error = run.state.error.clone().expect("an error");
    assert_eq!((error.node, error.code.as_deref()), (None, Some("expression")));
    run.apply(Event::Retry).expect("failed");
    assert_eq!((run.state.status, run.records.len()), (ExecutionStatus::Failed, 1));
}

#[test]
fn retry_goes_on_from_the_failed_nodes() {
    let nodes = json!([
        task("done", &[]),
        task("bad", &["done"]),
        task("sibling", &["done"]),
        task("end", &["bad", "sibling"])
    ]);
    let mut run = Run::started(&nodes, json!({}));
    assert_eq!(run.apply(Event::Retry), Err(Refusal::NotFailed("RUNNING")));
    run.succeed("done", json!(1));
    let first = run.fail("bad");
    run.apply(Event::Retry).expect("failed");
    assert_eq!((run.state.status, run.state.error.clone()), (ExecutionStatus::Running, None));
    assert_eq!(run.running(), ["bad", "sibling"]);
    assert_eq!(run.jobs[0].id, node_job_id(run.context.id, &first.node, 2));
    assert_eq!(run.apply(Run::settled(&first, Ok(json!(0)))), Err(Refusal::NotAwaited(first.node.clone())));
    let requeued = Event::NodeRequeued { node: first.node.clone(), job_id: first.id };
    assert_eq!(run.apply(requeued), Err(Refusal::NotAwaited(first.node)));
    run.succeed("bad", json!(2));
    run.succeed("sibling", json!(3));
    run.succeed("end", json!(4));
    assert_eq!(run.output, Some(json!({"end": 4})));
    assert_eq!(run.state.steps, 6);
}

#[test]
fn a_requeued_dead_letter_resumes_the_execution() {
    let nodes = json!([task("bad", &[]), task("sibling", &[]), task("end", &["bad", "sibling"])]);
    let mut run = Run::started(&nodes, json!({}));
    let sibling = run.job_id("sibling");
    let dead = run.fail("bad");
    run.requeue(&dead).expect("failed");
    assert_eq!(run.state.status, ExecutionStatus::Running);
    assert_eq!((run.job_id("bad"), run.running()), (Some(dead.id), vec!["bad", "sibling"]));
    assert_ne!(run.job_id("sibling"), sibling, "the cancelled job cannot run again");
    let again = Event::NodeRequeued { node: dead.node.clone(), job_id: dead.id };
    assert!(run.apply(again).is_ok(), "requeueing what runs changes nothing");
    // It fails once more, and is retried by the user: a job of its own.
    let dead = run.fail("bad");
    run.apply(Event::Retry).expect("failed");
    assert_ne!(run.job_id("bad"), Some(dead.id));
    run.succeed("bad", json!(1));
    run.succeed("sibling", json!(2));
    run.succeed("end", json!(3));
    assert_eq!(run.requeue(&dead), Err(Refusal::Finished("COMPLETED")));
}

#[test]
fn a_node_that_went_on_after_its_error_is_not_requeued() {
    let mut run = Run::started(
        &json!([task_with("a", &[], &json!({"onError": "continue"})), task("b", &["a"])]),
        json!({}),
    );
    let dead = run.fail("a");
    assert_eq!(run.requeue(&dead), Err(Refusal::NotAwaited(NodeId::trusted("a"))));
}
