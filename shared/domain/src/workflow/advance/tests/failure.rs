//! Failing nodes and executions, cancels and deadlines.

use serde_json::json;

use super::fixture::{Run, task, task_with, transform};
use crate::failure::JobError;
use crate::names::NodeId;
use crate::time::Timestamp;
use crate::workflow::advance::STEPS_MAX;
use crate::workflow::execution::{Effect, Event, ExecutionStatus, NodeSettled, NodeStatus, Refusal};

#[test]
fn a_failed_node_fails_the_execution_and_cancels_its_siblings() {
    let nodes = json!([task("a", &[]), task("b", &[]), task("c", &["a"]), task("d", &["c", "b"])]);
    let mut run = Run::started(&nodes, json!({}));
    let b = run.jobs[1].id;
    let job = run.take("a");
    let decision = run.apply(Run::settled(&job, Err(JobError::coded("boom", "it broke")))).expect("awaited");
    assert!(decision.effects.contains(&Effect::CancelJobs(vec![b])));
    assert_eq!(run.state.status, ExecutionStatus::Failed);
    let statuses: Vec<_> = ["a", "b", "c", "d"].map(|node| run.status(node)).to_vec();
    assert_eq!(
        statuses,
        [NodeStatus::Failed, NodeStatus::Cancelled, NodeStatus::Pending, NodeStatus::Pending]
    );
    let error = run.state.error.clone().expect("an error");
    assert_eq!(
        (error.node, error.message.as_str(), error.code.as_deref()),
        (Some(NodeId::trusted("a")), "it broke", Some("boom"))
    );
    let recorded: Vec<_> = run.records.iter().map(|record| (record.node.as_str(), record.status)).collect();
    assert_eq!(recorded, [("a", NodeStatus::Failed), ("b", NodeStatus::Cancelled)]);
    // The sibling's failure comes too late.
    let late = NodeSettled {
        node: NodeId::trusted("b"),
        job_id: b,
        result: Err(JobError::coded("boom", "it broke too")),
        attempts: 1,
        started_at: None,
    };
    assert_eq!(run.apply(Event::NodeSettled(late)), Err(Refusal::NotAwaited(NodeId::trusted("b"))));
    assert_eq!(run.apply(Event::Started), Err(Refusal::Finished("FAILED")));
}

#[test]
fn on_error_continue_makes_the_error_the_output() {
    let nodes = json!([
        task_with("a", &[], &json!({"onError": "continue"})),
        {"id": "b", "type": "TRANSFORM", "onError": "continue", "output": "${1 / 0}"},
        transform("c", &["a", "b"], &json!(["${nodes.a.output.error.code}", "${nodes.b.output.error.code}", "${nodes.a.status}"])),
    ]);
    let mut run = Run::started(&nodes, json!({}));
    run.fail("a");
    assert_eq!(run.output, Some(json!({"c": ["boom", "expression", "COMPLETED"]})));
    let record = run.records.iter().find(|record| record.node.as_str() == "a").expect("recorded");
    assert_eq!(record.output, Some(json!({"error": {"message": "it broke", "code": "boom"}})));
    assert_eq!((record.status, record.error.is_some()), (NodeStatus::Completed, true));
}

#[test]
fn expression_errors_fail_the_node() {
    let table = [
        transform("x", &[], &json!("${input.missing > 3}")),
        task_with("x", &[], &json!({"when": "input.missing == 3"})),
        task_with("x", &[], &json!({"when": "input.text"})),
        task_with("x", &[], &json!({"input": {"a": "${input.text + 1}"}})),
        json!({"id": "x", "type": "HTTP", "request": {"url": "${input.text}"}}),
        json!({"id": "x", "type": "HTTP", "request": {"url": "https://a.example", "headers": {"h": "${input.lines}"}}}),
        json!({"id": "x", "type": "HTTP", "request": {"url": "https://a.example", "headers": {"h": "${input}"}}}),
    ];
    for node in table {
        let run = Run::started(&json!([task("sibling", &[]), node]), json!({"text": "abc", "lines": "a\nb"}));
        assert_eq!(run.state.status, ExecutionStatus::Failed, "{node}");
        assert_eq!(run.status("x"), NodeStatus::Failed, "{node}");
        assert_eq!(
            run.state.error.clone().and_then(|error| error.code).as_deref(),
            Some("expression"),
            "{node}"
        );
        let record = run.records.iter().find(|record| record.node.as_str() == "x").expect("recorded");
        assert!(record.error.as_ref().is_some_and(|error| !error.message.is_empty()), "{node}");
        // The sibling was to be enqueued by the same event: it never was, so there is nothing to cancel.
        assert_eq!((run.status("sibling"), run.running().len()), (NodeStatus::Cancelled, 0), "{node}");
    }
}

#[test]
fn cancel_stops_what_runs() {
    let mut run = Run::started(&json!([task("a", &[]), task("b", &[]), task("c", &["b"])]), json!({}));
    run.succeed("a", json!(1));
    let decision =
        run.apply(Event::Cancel { reason: Some("by hand".into()), compensate: false }).expect("running");
    assert_eq!(run.state.status, ExecutionStatus::Cancelled);
    assert_eq!(
        ["a", "b", "c"].map(|node| run.status(node)),
        [NodeStatus::Completed, NodeStatus::Cancelled, NodeStatus::Pending]
    );
    assert!(
        decision.effects.iter().any(|effect| matches!(effect, Effect::CancelJobs(ids) if ids.len() == 1))
    );
    for event in [Event::Cancel { reason: None, compensate: false }, Event::Due, Event::Started] {
        assert_eq!(run.apply(event), Err(Refusal::Finished("CANCELLED")));
    }
    assert_eq!(run.apply(Event::Retry), Err(Refusal::NotFailed("CANCELLED")));

    let mut fresh = Run::of(&json!([task("a", &[])]), &json!({}), json!({}));
    fresh.apply(Event::Cancel { reason: None, compensate: false }).expect("not started");
    assert_eq!(fresh.apply(Event::Started), Err(Refusal::Finished("CANCELLED")));
}

#[test]
fn the_deadline_is_checked_again() {
    let mut run = Run::of(&json!([task("a", &[])]), &json!({"timeout": "10s"}), json!({}));
    run.apply(Event::Started).expect("starts");
    assert_eq!(run.state.deadline_at, Some(Timestamp(11_001)));
    let early = run.apply(Event::Due).expect("too early is no fault");
    assert_eq!((early.effects.len(), run.state.status), (0, ExecutionStatus::Running));
    run.now = Timestamp(11_000);
    run.apply(Event::Due).expect("due");
    assert_eq!(run.state.status, ExecutionStatus::Failed);
    assert_eq!(run.state.error.clone().and_then(|error| error.code).as_deref(), Some("timeout"));
    assert_eq!((run.status("a"), run.state.deadline_at), (NodeStatus::Cancelled, None));
    run.now = Timestamp(50_000);
    run.apply(Event::Retry).expect("failed");
    assert_eq!(run.state.deadline_at, Some(Timestamp(60_001)));
    run.succeed("a", json!(1));
    assert_eq!(run.state.status, ExecutionStatus::Completed);
}

#[test]
fn steps_are_bounded() {
    let mut run = Run::started(&json!([task("a", &[]), task("b", &["a"])]), json!({}));
    run.state.steps = STEPS_MAX;
    run.succeed("a", json!(1));
    assert_eq!(run.state.status, ExecutionStatus::Failed);
    assert_eq!(run.state.error.clone().and_then(|error| error.code).as_deref(), Some("too_many_steps"));
    assert_eq!(run.status("b"), NodeStatus::Pending);
}
