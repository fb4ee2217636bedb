//! Failed executions that go on.

use serde_json::json;

use super::fixture::{Run, task, task_with};
use crate::names::NodeId;
use crate::time::Timestamp;
use crate::workflow::advance::node_job_id;
use crate::workflow::execution::{Event, ExecutionStatus, NodeStatus, Refusal};

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

#[test]
fn a_loop_that_is_retried_begins_without_the_outputs_of_before() {
    let nodes = json!([task_with(
        "loop",
        &[],
        &json!({"input": {"before": "${nodes.loop.output}"},
        "repeat": {"until": "nodes.loop.output.done", "max": 9}})
    )]);
    for reloads in [false, true] {
        let mut run = Run::started(&nodes, json!({}));
        run.succeed("loop", json!({"done": false}));
        if reloads {
            run.reload();
        }
        assert_eq!(run.jobs[0].data, json!({"before": {"done": false}}));
        run.fail("loop");
        if reloads {
            run.reload();
        }
        run.apply(Event::Retry).expect("failed");
        assert_eq!(run.jobs[0].data, json!({"before": null}), "{reloads}");
    }
}

#[test]
fn a_node_that_is_undone_and_then_skipped_has_no_output() {
    let undo = json!({"compensate": {"type": "TRANSFORM", "output": 0}});
    let charge = task_with(
        "charge",
        &["stock"],
        &json!({"when": "nodes.stock.output.there",
        "compensate": {"type": "TRANSFORM", "output": 0}}),
    );
    let nodes = json!([task_with("stock", &[], &undo), charge, task("ship", &["stock", "charge"])]);
    let more = json!({"output": {"charge": "${nodes.charge.output}"}});
    for reloads in [false, true] {
        let mut run = Run::started_with(&nodes, &more, json!({}));
        run.succeed("stock", json!({"there": true}));
        run.succeed("charge", json!("paid"));
        run.fail("ship");
        assert_eq!(run.state.status, ExecutionStatus::Failed);
        run.apply(Event::Retry).expect("failed");
        run.succeed("stock", json!({"there": false}));
        assert_eq!(run.status("charge"), NodeStatus::Skipped);
        if reloads {
            run.reload();
        }
        run.succeed("ship", json!(1));
        assert_eq!(run.output, Some(json!({"charge": null})), "{reloads}");
    }
}

#[test]
fn an_output_that_a_later_round_replaced_by_a_failure_does_not_come_back() {
    let handler = json!({"onFailure": [task("tell", &[])]});
    let mut run = Run::started_with(&json!([task("a", &[])]), &handler, json!({}));
    for is_reported in [true, false] {
        run.fail("a");
        if is_reported {
            run.succeed("tell", json!("told"));
        } else {
            run.fail("tell");
        }
        assert_eq!(run.state.status, ExecutionStatus::Failed);
        run.apply(Event::Retry).expect("failed");
        assert_eq!(run.outputs.len(), usize::from(is_reported), "the handler has it until it starts again");
        run.reload();
        assert_eq!(run.outputs.len(), usize::from(is_reported), "{:?}", run.outputs);
    }
}

#[test]
fn what_a_finished_map_was_made_of_is_not_loaded_again() {
    let map = json!({"id": "m", "type": "MAP", "items": "${input.items}",
        "node": {"type": "SERVICE_TASK", "jobType": "work"}});
    let mut run = Run::started(&json!([map, task("after", &["m"])]), json!({"items": [1, 2]}));
    run.succeed("m[0]", json!("a"));
    run.reload();
    assert_eq!(run.outputs.len(), 1);
    run.succeed("m[1]", json!("b"));
    run.reload();
    assert_eq!(run.outputs.len(), 1, "{:?}", run.outputs);
}

#[test]
fn what_was_failed_from_outside_has_its_time_anew_when_it_is_retried() {
    let mut run = Run::started_with(&json!([task("a", &[])]), &json!({"timeout": "10s"}), json!({}));
    let job = run.jobs[0].id;
    // Its owners were lost, and the state did not record that it had failed.
    run.now = Timestamp(1_000_000);
    run.apply(Event::Retry).expect("it goes on");
    run.apply(Event::Due).expect("not ended");
    assert_eq!((run.state.status, run.jobs[0].id), (ExecutionStatus::Running, job));
    run.due_at(1_010_001);
    assert_eq!(run.error_code(), Some("timeout"));
}
