//! Children that undo what they did, and children that go on after they failed.

use serde_json::{Value, json};

use super::fixture::{Run, task, task_with};
use crate::failure::JobError;
use crate::job;
use crate::names::CallerKey;
use crate::time::DurationMs;
use crate::workflow::execution::{Effect, Event, ExecutionStatus, NodeJob, NodeStatus, Refusal};

fn sub(id: &str, depends_on: &[&str]) -> Value {
    json!({"id": id, "type": "WORKFLOW", "workflow": "other", "dependsOn": depends_on})
}

fn undoable(id: &str) -> Value {
    task_with(id, &[], &json!({"compensate": {"type": "SERVICE_TASK", "jobType": "undo"}}))
}

fn boom() -> JobError {
    JobError::coded("boom", "it broke")
}

fn cancelled() -> JobError {
    JobError::coded("cancelled", "The child execution was cancelled.")
}

/// `first` is done; `sub` has a child and `other` a job.
fn under_way() -> Run {
    let nodes = json!([undoable("first"), sub("sub", &["first"]), task("other", &["first"])]);
    let mut run = Run::started(&nodes, json!({}));
    run.succeed("first", json!(1));
    run
}

#[test]
fn children_undo_what_they_did_before_their_parent_does() {
    for (event, status) in [
        (None, ExecutionStatus::Failed),
        (Some(Event::Cancel { reason: None, compensate: true }), ExecutionStatus::Cancelled),
    ] {
        let mut run = under_way();
        let child = run.children[0].id;
        let event = event.unwrap_or_else(|| Run::settled(&run.take("other"), Err(boom())));
        let decision = run.apply(event).expect("running");
        let asked = Effect::CancelChildren { children: vec![child], undoes: true };
        assert!(decision.effects.contains(&asked), "{decision:?}");
        assert_eq!((run.state.status, run.running()), (ExecutionStatus::Compensating, Vec::<&str>::new()));
        run.reload();
        run.stopped_child_ends("sub", Err(cancelled()));
        assert_eq!(run.running(), ["first:compensate"]);
        run.succeed("first:compensate", json!(null));
        assert_eq!(run.state.status, status);
    }
}

#[test]
fn children_undo_what_they_did_when_the_time_of_their_parent_is_up() {
    let nodes = json!([undoable("first"), sub("sub", &["first"]), task("other", &["first"])]);
    let mut run = Run::started_with(&nodes, &json!({"timeout": "10s"}), json!({}));
    run.succeed("first", json!(1));
    let child = run.children[0].id;
    let deadline = run.state.deadline_at.expect("it has a timeout");
    let decision = run.due_at(deadline.0);
    let asked = Effect::CancelChildren { children: vec![child], undoes: true };
    assert!(decision.effects.contains(&asked), "{decision:?}");
    assert_eq!(run.state.status, ExecutionStatus::Compensating);
    run.stopped_child_ends("sub", Err(cancelled()));
    assert_eq!(run.running(), ["first:compensate"]);
    run.succeed("first:compensate", json!(null));
    assert_eq!((run.state.status, run.error_code()), (ExecutionStatus::Failed, Some("timeout")));
}

#[test]
fn an_execution_without_anything_to_undo_waits_for_its_children() {
    let mut run = Run::started(&json!([sub("sub", &[]), task("other", &[])]), json!({}));
    run.fail("other");
    assert_eq!(run.state.status, ExecutionStatus::Compensating);
    run.stopped_child_ends("sub", Err(cancelled()));
    assert_eq!((run.state.status, run.error_code()), (ExecutionStatus::Failed, Some("boom")));
    run.apply(Event::Retry).expect("failed");
    assert_eq!(run.children.len(), 1, "what was undone starts anew");
    assert!(run.failed.is_empty());
}

#[test]
fn a_plain_cancel_stops_the_undoing_of_children() {
    let mut run = under_way();
    let child = run.children[0].id;
    run.fail("other");
    let decision = run.apply(Event::Cancel { reason: None, compensate: false }).expect("undoing");
    assert!(decision.effects.contains(&Effect::CancelChildren { children: vec![child], undoes: false }));
    assert_eq!(run.state.status, ExecutionStatus::Cancelled);
}

#[test]
fn a_retry_goes_on_with_the_child_that_failed() {
    let mut run = Run::started(&json!([sub("sub", &[]), task("other", &[])]), json!({}));
    let child = run.children[0].id;
    run.child_ends("sub", Err(boom()));
    assert_eq!(run.state.status, ExecutionStatus::Failed);
    run.reload();
    run.apply(Event::Retry).expect("failed");
    assert_eq!(run.children.iter().map(|child| child.id).collect::<Vec<_>>(), [child]);
    run.child_ends("sub", Ok(json!("done")));
    run.succeed("other", json!(1));
    assert_eq!(run.output, Some(json!({"sub": "done", "other": 1})));
}

#[test]
fn a_retry_starts_another_child_where_the_last_one_cannot_go_on() {
    // It was cancelled, or there never was one.
    let mut run = Run::started(&json!([sub("sub", &[])]), json!({}));
    let first = run.children[0].clone();
    run.child_ends("sub", Err(cancelled()));
    run.apply(Event::Retry).expect("failed");
    assert_ne!(run.children[0].id, first.id);
    let second = run.children.remove(0);
    let refused = Event::ChildRefused { node: second.node, child_id: second.id, error: boom() };
    run.apply(refused).expect("awaited");
    run.apply(Event::Retry).expect("failed");
    assert_ne!(run.children[0].id, second.id);
}

#[test]
fn a_retry_starts_another_child_where_what_came_before_runs_again() {
    let nodes = json!([undoable("first"), sub("sub", &["first"])]);
    let mut run = Run::started(&nodes, json!({}));
    run.succeed("first", json!(1));
    let child = run.children[0].clone();
    run.child_ends("sub", Err(boom()));
    run.succeed("first:compensate", json!(null));
    run.apply(Event::Retry).expect("failed");
    run.succeed("first", json!(2));
    assert_ne!(run.children[0].id, child.id);
    assert_eq!(run.child_goes_on(&child), Err(Refusal::NotAwaited(child.node.clone())));
}

#[test]
fn a_child_that_goes_on_brings_its_parent_back() {
    let mut run = Run::started(&json!([sub("sub", &[]), task("other", &[])]), json!({}));
    let child = run.children[0].clone();
    run.child_ends("sub", Err(boom()));
    run.reload();
    run.child_goes_on(&child).expect("failed");
    assert_eq!((run.state.status, run.status("sub")), (ExecutionStatus::Running, NodeStatus::Waiting));
    assert_eq!(run.running(), ["other"], "cancelled siblings start again");
    run.child_ends("sub", Ok(json!("done")));
    run.succeed("other", json!(1));
    assert_eq!(run.state.status, ExecutionStatus::Completed);
}

#[test]
fn a_child_of_an_item_brings_its_map_back() {
    let map = json!({"id": "m", "type": "MAP", "items": [1, 2, 3], "concurrency": 2,
        "node": {"type": "WORKFLOW", "workflow": "other", "input": {"n": "${item}"}}});
    let mut run = Run::started(&json!([map]), json!({}));
    let child = run.children[0].clone();
    run.child_ends("m[0]", Err(boom()));
    assert_eq!(run.state.status, ExecutionStatus::Compensating);
    run.stopped_child_ends("m[1]", Err(cancelled()));
    assert_eq!(run.state.status, ExecutionStatus::Failed);
    run.reload();
    run.child_goes_on(&child).expect("failed");
    for item in ["m[0]", "m[1]", "m[2]"] {
        run.child_ends(item, Ok(json!(item)));
    }
    assert_eq!(run.output, Some(json!({"m": ["m[0]", "m[1]", "m[2]"]})));
}

/// An execution that failed and runs a `MAP` in `onFailure`: one of its children failed, and the other is asked to undo.
fn failed_map_of_ending() -> Run {
    let map = json!({"id": "m", "type": "MAP", "items": [1, 2],
        "node": {"type": "WORKFLOW", "workflow": "other"}});
    let mut run = Run::started_with(&json!([task("a", &[])]), &json!({"onFailure": [map]}), json!({}));
    run.fail("a");
    run.child_ends("m[0]", Err(boom()));
    assert_eq!((run.children.len(), run.stopping.len()), (0, 1));
    run
}

#[test]
fn an_item_starts_again_once_its_child_has_undone_what_it_did() {
    let mut run = failed_map_of_ending();
    let (failed, before) = (run.failed[0].clone(), run.stopping[0].id);
    run.child_goes_on(&failed).expect("failed");
    assert_eq!((run.children.len(), run.stopping.len()), (1, 1), "one that stops cannot go on");
    run.reload();
    run.child_ends("m[0]", Ok(json!(1)));
    assert_eq!((run.status("m"), run.status("m[1]")), (NodeStatus::Waiting, NodeStatus::Cancelled));
    run.stopped_child_ends("m[1]", Err(cancelled()));
    assert_ne!(run.children[0].id, before, "another child");
    run.child_ends("m[1]", Ok(json!(2)));
    assert_eq!((run.status("m"), run.state.status), (NodeStatus::Completed, ExecutionStatus::Failed));
}

#[test]
fn an_item_whose_child_completed_before_it_was_to_stop_does_not_start_again() {
    let mut run = failed_map_of_ending();
    let failed = run.failed[0].clone();
    run.child_goes_on(&failed).expect("failed");
    run.stopped_child_ends("m[1]", Ok(json!(2)));
    assert_eq!(run.children.len(), 1);
    run.child_ends("m[0]", Ok(json!(1)));
    assert_eq!((run.status("m"), run.state.status), (NodeStatus::Completed, ExecutionStatus::Failed));
}

#[test]
fn a_child_that_is_followed_by_another_goes_on_alone() {
    let nodes = json!([{"id": "sub", "type": "WORKFLOW", "workflow": "other", "retryCount": 1}]);
    let mut run = Run::started(&nodes, json!({}));
    let first = run.children[0].clone();
    run.child_ends("sub", Err(boom()));
    assert_eq!(run.child_goes_on(&first), Err(Refusal::NotAwaited(first.node.clone())));
    run.child_ends("sub", Ok(json!(1)));
    assert_eq!(run.state.status, ExecutionStatus::Completed);
}

#[test]
fn a_child_that_nobody_started_is_not_tried_again() {
    let mut child = sub("sub", &[]);
    child["retry"] = json!({"maxRetries": 3});
    child["expiresIn"] = json!("10m");
    let mut run = Run::started(&json!([child]), json!({}));
    assert_eq!(run.children[0].expires_in, Some(DurationMs::from_secs(600)));
    run.child_ends("sub", Err(job::execution_error()));
    assert_eq!((run.state.status, run.error_code()), (ExecutionStatus::Failed, Some("expired")));
    assert!(run.children.is_empty(), "no other child is started");
}

#[test]
fn a_child_whose_own_work_expired_goes_on() {
    let mut child = sub("sub", &[]);
    child["retry"] = json!({"maxRetries": 1});
    let mut run = Run::started(&json!([child]), json!({}));
    let before = run.children[0].id;
    run.child_ends("sub", Err(JobError::coded(job::CODE_EXPIRED, "Nobody started the job in time.")));
    assert_eq!(run.state.status, ExecutionStatus::Running);
    assert_ne!(before, run.children[0].id, "another child, as after any failure");
}

#[test]
fn the_jobs_of_nodes_and_items_expire_and_compensations_do_not() {
    let nodes = json!([
        task_with("a", &[], &json!({
            "expiresIn": "5s", "onError": "continue", "compensate": {"type": "SERVICE_TASK", "jobType": "undo"}
        })),
        {"id": "m", "type": "MAP", "items": "${[1, 2]}", "expiresIn": "7s",
         "node": {"type": "SERVICE_TASK", "jobType": "item"}, "dependsOn": ["a"]},
        task("b", &["m"]),
    ]);
    let mut run = Run::started(&nodes, json!({}));
    let job = run.take("a");
    assert_eq!(job.expires_in, Some(DurationMs::from_secs(5)));
    run.apply(Run::settled(&job, Err(job::job_error()))).expect("running");
    let item = run.take("m[0]");
    assert_eq!(item.expires_in, Some(DurationMs::from_secs(7)), "onError holds, and the map goes on");
    run.apply(Run::settled(&item, Ok(json!(1)))).expect("running");
    run.succeed("m[1]", json!(2));
    assert_eq!(run.take("b").expires_in, None);
}

#[test]
fn jobs_of_nodes_and_items_have_their_keys() {
    let nodes = json!([
        task_with("a", &[], &json!({"concurrencyKey": "c-${input.n}", "rateKey": "${'smtp:' + input.domain}"})),
        task_with("none", &[], &json!({"rateKey": "${input.missing}"})),
        {"id": "m", "type": "MAP", "items": "${['x', 'y']}", "rateKey": "${item}", "concurrencyKey": "${index}",
         "node": {"type": "SERVICE_TASK", "jobType": "item"}},
    ]);
    let mut run = Run::started(&nodes, json!({"n": 7, "domain": "example.org", "missing": null}));
    let keys = |job: &NodeJob| {
        let text = |key: &Option<CallerKey>| key.as_ref().map(ToString::to_string);
        (text(&job.concurrency_key), text(&job.rate_key))
    };
    let some = |concurrency: &str, rate: &str| (Some(concurrency.to_owned()), Some(rate.to_owned()));
    assert_eq!(keys(&run.take("a")), some("c-7", "smtp:example.org"));
    assert_eq!(keys(&run.take("none")), (None, None), "null is no key");
    assert_eq!(keys(&run.take("m[0]")), some("0", "x"));
    assert_eq!(keys(&run.take("m[1]")), some("1", "y"));
}

#[test]
fn a_key_that_cannot_be_made_fails_the_node() {
    let nodes = json!([task_with("a", &[], &json!({"rateKey": "${input}"}))]);
    let run = Run::started(&nodes, json!({"n": 7}));
    assert_eq!((run.state.status, run.error_code()), (ExecutionStatus::Failed, Some("expression")));
}
