//! Results that were accepted before what they belong to was cancelled.

use serde_json::{Value, json};

use super::fixture::{Run, task, task_with};
use crate::failure::JobError;
use crate::names::NodeId;
use crate::time::Timestamp;
use crate::workflow::execution::{Event, ExecutionStatus, NodeStatus, Refusal};

fn undo() -> Value {
    json!({"compensate": {"type": "SERVICE_TASK", "jobType": "undo", "input": "${nodes.b.output}"}})
}

fn cancel(compensate: bool) -> Event {
    Event::Cancel { reason: None, compensate }
}

#[test]
fn i08_what_completed_before_its_sibling_failed_stays_completed() {
    let nodes = json!([task("a", &[]), task("b", &[]), task("end", &["a", "b"])]);
    let mut run = Run::started(&nodes, json!({}));
    run.fail("a");
    assert_eq!((run.state.status, run.status("b")), (ExecutionStatus::Failed, NodeStatus::Cancelled));
    run.reload();
    run.late("b", json!("B")).expect("it had completed");
    assert_eq!((run.state.status, run.status("b")), (ExecutionStatus::Failed, NodeStatus::Completed));
    run.reload();
    run.apply(Event::Retry).expect("failed");
    assert_eq!(run.running(), ["a"], "what completed does not run again");
    run.succeed("a", json!("A"));
    run.succeed("end", json!("E"));
    assert_eq!(run.outputs[&NodeId::trusted("b")], json!("B"));
}

#[test]
fn what_completes_late_is_undone_first() {
    let first = task_with("first", &[], &json!({"compensate": {"type": "SERVICE_TASK", "jobType": "undo"}}));
    let nodes = json!([first, task("a", &["first"]), task_with("b", &["first"], &undo())]);
    let mut run = Run::started(&nodes, json!({}));
    run.succeed("first", json!(1));
    run.fail("a");
    assert_eq!(run.running(), ["first:compensate"]);
    run.late("b", json!("B")).expect("it had completed");
    run.succeed("first:compensate", json!(null));
    assert_eq!((run.running(), run.jobs[0].data.clone()), (vec!["b:compensate"], json!("B")));
    run.succeed("b:compensate", json!(null));
    assert_eq!((run.state.status, run.error_code()), (ExecutionStatus::Failed, Some("boom")));
}

#[test]
fn an_execution_that_has_failed_undoes_what_completes_late() {
    let nodes = json!([task("a", &[]), task_with("b", &[], &undo())]);
    let mut run = Run::started(&nodes, json!({}));
    run.fail("a");
    assert_eq!(run.state.status, ExecutionStatus::Failed);
    run.late("b", json!("B")).expect("it had completed");
    assert_eq!((run.state.status, run.running()), (ExecutionStatus::Compensating, vec!["b:compensate"]));
    run.reload();
    run.succeed("b:compensate", json!(null));
    assert_eq!((run.state.status, run.error_code()), (ExecutionStatus::Failed, Some("boom")));
}

#[test]
fn a_cancel_says_whether_what_completes_late_is_undone() {
    let nodes = json!([task_with("b", &[], &undo())]);
    for undoes in [false, true] {
        let mut run = Run::started(&nodes, json!({}));
        run.apply(cancel(undoes)).expect("running");
        assert_eq!(run.state.status, ExecutionStatus::Cancelled);
        run.late("b", json!("B")).expect("it had completed");
        assert_eq!(run.status("b"), NodeStatus::Completed);
        assert_eq!(run.running().len(), usize::from(undoes));
        if undoes {
            run.succeed("b:compensate", json!(null));
        }
        assert_eq!(run.state.status, ExecutionStatus::Cancelled);
    }
}

#[test]
fn a_late_failure_and_a_late_round_of_a_loop_change_nothing() {
    let looped = json!({"repeat": {"until": "nodes.b.output.stop", "max": 3}});
    let nodes = json!([task("a", &[]), task_with("b", &[], &looped)]);
    for (result, is_applied) in [
        (Ok(json!({"stop": false})), false),
        (Err(JobError::coded("boom", "it broke")), false),
        (Ok(json!({"stop": true})), true),
    ] {
        let mut run = Run::started(&nodes, json!({}));
        run.fail("a");
        let job = run.cancelled.remove(0);
        let answer = run.apply(Run::settled(&job, result));
        assert_eq!(answer.is_ok(), is_applied, "{answer:?}");
        let status = if is_applied { NodeStatus::Completed } else { NodeStatus::Cancelled };
        assert_eq!(run.status("b"), status);
    }
}

#[test]
fn an_item_that_completed_before_its_map_failed_stays_completed() {
    let map = json!({"id": "m", "type": "MAP", "items": [1, 2, 3], "node": {"type": "SERVICE_TASK", "jobType": "work"}});
    let mut run = Run::started(&json!([map]), json!({}));
    run.fail("m[0]");
    run.late("m[1]", json!("one")).expect("it had completed");
    run.reload();
    run.apply(Event::Retry).expect("failed");
    assert_eq!(run.running(), ["m[0]", "m[2]"]);
    run.succeed("m[0]", json!("zero"));
    run.succeed("m[2]", json!("two"));
    assert_eq!(run.output, Some(json!({"m": ["zero", "one", "two"]})));
}

#[test]
fn a_child_that_completed_before_its_time_was_up_counts() {
    let child = json!({"id": "sub", "type": "WORKFLOW", "workflow": "other", "timeout": "5s",
        "compensate": {"type": "SERVICE_TASK", "jobType": "undo"}});
    let mut run = Run::started(&json!([child]), json!({}));
    let at = run.state.next_due_at().expect("a timeout").0;
    run.due_at(at);
    assert_eq!((run.state.status, run.error_code()), (ExecutionStatus::Compensating, None));
    run.stopped_child_ends("sub", Ok(json!("done")));
    assert_eq!((run.status("sub"), run.running()), (NodeStatus::Completed, vec!["sub:compensate"]));
    run.succeed("sub:compensate", json!(null));
    assert_eq!((run.state.status, run.error_code()), (ExecutionStatus::Failed, Some("timeout")));
}

#[test]
fn nothing_is_late_twice() {
    let mut run = Run::started(&json!([task("a", &[]), task("b", &[])]), json!({}));
    run.fail("a");
    let job = run.cancelled[0].clone();
    run.late("b", json!("B")).expect("it had completed");
    run.now = Timestamp(9_000);
    assert_eq!(run.apply(Run::settled(&job, Ok(json!(2)))), Err(Refusal::NotAwaited(job.node)));
}
