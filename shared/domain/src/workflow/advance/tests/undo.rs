//! Compensations, `onFailure`, cancels, and what a retry makes of them.

use serde_json::{Value, json};

use super::fixture::{Run, task, task_with, transform};
use crate::names::NodeId;
use crate::workflow::execution::{Event, ExecutionState, ExecutionStatus, NodeStatus, Refusal};
use crate::workflow::rerun::plan_rerun;

fn undoable(id: &str, depends_on: &[&str]) -> Value {
    let input =
        json!({"of": format!("${{nodes.{id}.output}}"), "why": "${error.message}", "code": "${error.code}"});
    task_with(
        id,
        depends_on,
        &json!({"compensate": {"type": "SERVICE_TASK", "jobType": "undo", "input": input}}),
    )
}

fn three() -> Value {
    json!([undoable("a", &[]), undoable("b", &[]), undoable("c", &["a", "b"]), task("d", &["c"])])
}

fn cancel(compensate: bool) -> Event {
    Event::Cancel { reason: Some("by hand".to_owned()), compensate }
}

/// `b` completes before `a`, then `c`, and `d` is under way.
fn under_way(more: &Value) -> Run {
    let mut run = Run::started_with(&three(), more, json!({}));
    run.succeed("b", json!("B"));
    run.succeed("a", json!("A"));
    run.succeed("c", json!("C"));
    run
}

#[test]
fn what_completed_is_undone_in_reverse() {
    let mut run = under_way(&json!({"timeout": "1h"}));
    run.fail("d");
    assert_eq!((run.state.status, run.state.deadline_at), (ExecutionStatus::Compensating, None));
    assert_eq!(run.jobs[0].data, json!({"of": "C", "why": "it broke", "code": "boom"}));
    for node in ["c:compensate", "a:compensate", "b:compensate"] {
        assert_eq!(run.running(), [node]);
        run.reload();
        run.succeed(node, json!(null));
    }
    assert_eq!((run.state.status, run.error_code()), (ExecutionStatus::Failed, Some("boom")));
    // All of it starts again, and is undone again.
    run.apply(Event::Retry).expect("failed");
    assert_eq!(run.running(), ["a", "b"], "c was undone as well and waits for both, and d for c");
    run.succeed("a", json!(1));
    run.succeed("b", json!(1));
    run.succeed("c", json!(1));
    run.fail("d");
    for node in ["c:compensate", "b:compensate", "a:compensate"] {
        run.succeed(node, json!(null));
    }
    assert_eq!(run.state.status, ExecutionStatus::Failed);
}

#[test]
fn a_compensation_that_fails_is_passed_over_and_can_be_requeued() {
    let mut run = under_way(&json!({}));
    run.fail("d");
    let dead = run.fail("c:compensate");
    assert!(run.timeline.iter().any(|(kind, node)| *kind == "compensation_failed" && node.is_some()));
    run.succeed("a:compensate", json!(null));
    run.succeed("b:compensate", json!(null));
    assert_eq!(run.state.status, ExecutionStatus::Failed);
    run.reload();
    run.requeue(&dead).expect("failed");
    assert_eq!((run.state.status, run.running()), (ExecutionStatus::Compensating, vec!["c:compensate"]));
    run.succeed("c:compensate", json!(null));
    assert_eq!((run.state.status, run.error_code()), (ExecutionStatus::Failed, Some("boom")));
    assert!(run.state.nodes[&NodeId::trusted("c")].is_undone);
    assert!(run.requeue(&dead).is_err());
}

#[test]
fn on_failure_runs_after_the_compensations() {
    let handlers = json!({"onFailure": [
        task_with("tell", &[], &json!({"input": {"error": "${error.message}", "node": "${error.node}"}})),
        task("other", &[]),
        task("after", &["tell"]),
        transform("join", &["tell", "other"], &json!("${nodes.a.output}")),
        {"id": "slow", "type": "SIGNAL", "signal": "seen", "dependsOn": ["other"]},
    ]});
    let mut run = under_way(&handlers);
    run.fail("d");
    for node in ["c:compensate", "a:compensate", "b:compensate"] {
        run.succeed(node, json!(null));
    }
    assert_eq!(run.running(), ["tell", "other"]);
    assert_eq!(run.jobs[0].data, json!({"error": "it broke", "node": "d"}));
    let job = run.fail("tell");
    assert_eq!((run.status("after"), run.running()), (NodeStatus::Skipped, vec!["other"]));
    run.succeed("other", json!(1));
    assert_eq!(run.status("join"), NodeStatus::Completed);
    run.reload();
    run.apply(Event::Signal { name: "seen".to_owned(), payload: json!(1) }).expect("waits");
    assert_eq!((run.state.status, run.error_code()), (ExecutionStatus::Failed, Some("boom")));
    run.requeue(&job).expect("failed");
    run.succeed("tell", json!(1));
    assert_eq!(run.state.status, ExecutionStatus::Failed);
    run.apply(Event::Retry).expect("failed");
    assert_eq!(run.status("tell"), NodeStatus::Pending);
}

#[test]
fn a_requeued_node_of_on_failure_is_waited_for_again() {
    let handlers = json!({"onFailure": [task("one", &[]), task("two", &[]), task("join", &["one", "two"])]});
    let mut run = Run::started_with(&json!([task("a", &[])]), &handlers, json!({}));
    run.fail("a");
    let dead = run.fail("one");
    run.requeue(&dead).expect("undoing");
    run.succeed("two", json!(2));
    assert_eq!(run.running(), ["one"]);
    run.succeed("one", json!(1));
    run.succeed("join", json!(3));
    assert_eq!((run.state.status, run.error_code()), (ExecutionStatus::Failed, Some("boom")));
}

#[test]
fn an_old_snapshot_is_read() {
    // As it was stored before nodes could wait: every node, and no field that came later.
    let node = |status: &str, waits_for: u32, round: u32| {
        json!({"status": status, "round": round, "waits_for": waits_for, "job_id": null, "attempts": round,
            "started_at": null, "finished_at": null, "error": null})
    };
    let mut run = Run::started(&json!([task("a", &[]), task("b", &["a"]), task("c", &["b"])]), json!({}));
    let old = json!({"status": "RUNNING", "steps": 1, "nodes_open": 3, "started_at": "1970-01-01T00:00:01.001Z",
        "deadline_at": null, "error": null,
        "nodes": {"a": node("COMPLETED", 0, 1), "b": node("PENDING", 0, 0), "c": node("PENDING", 1, 0)}});
    let bytes = rmp_serde::to_vec_named(&old).expect("encodes");
    let state = ExecutionState::restore(&bytes, &run.definition).expect("decodes");
    assert_eq!((state.nodes_open, state.nodes[&NodeId::trusted("c")].waits_for), (2, 1));
    run.succeed("a", json!(1));
    run.reload();
    assert_eq!(run.running(), ["b"]);
    assert!(
        !ExecutionState::from_snapshot(&run.state.to_snapshot().expect("encodes"))
            .expect("decodes")
            .nodes
            .contains_key(&NodeId::trusted("c"))
    );
}

#[test]
fn cancel_with_and_without_undoing() {
    let mut run = under_way(&json!({"onFailure": [task("tell", &[])]}));
    run.apply(cancel(true)).expect("running");
    assert_eq!(run.state.status, ExecutionStatus::Compensating);
    assert_eq!(run.jobs[0].data["code"], json!("cancelled"));
    assert_eq!(run.apply(cancel(true)), Err(Refusal::Compensating));
    for node in ["c:compensate", "a:compensate", "b:compensate"] {
        run.succeed(node, json!(null));
    }
    assert_eq!((run.state.status, run.status("tell")), (ExecutionStatus::Cancelled, NodeStatus::Pending));
    let mut run = under_way(&json!({}));
    run.fail("d");
    run.apply(cancel(false)).expect("undoing");
    assert_eq!((run.state.status, run.jobs.len()), (ExecutionStatus::Cancelled, 0));
    let mut run = Run::started(&three(), json!({}));
    run.apply(cancel(true)).expect("running");
    assert_eq!(run.state.status, ExecutionStatus::Cancelled, "there was nothing to undo");
}

#[test]
fn a_dead_letter_that_is_requeued_while_its_inputs_are_undone_runs_after_them() {
    let mut run = under_way(&json!({}));
    let dead = run.fail("d");
    run.requeue(&dead).expect("undoing");
    assert_eq!(run.running(), ["c:compensate"], "it does not run on what is being undone");
    for node in ["c:compensate", "a:compensate", "b:compensate"] {
        assert_eq!(run.running(), [node]);
        run.reload();
        run.succeed(node, json!(null));
    }
    assert_eq!((run.state.status, run.running()), (ExecutionStatus::Running, vec!["a", "b"]));
    for node in ["a", "b", "c"] {
        run.succeed(node, json!(1));
    }
    assert_ne!(run.job_id("d"), Some(dead.id));
    run.succeed("d", json!("D"));
    assert_eq!(run.output, Some(json!({"d": "D"})));
}

#[test]
fn a_dead_letter_that_is_requeued_after_its_inputs_were_undone_runs_after_them() {
    let mut run = under_way(&json!({}));
    let dead = run.fail("d");
    for node in ["c:compensate", "a:compensate", "b:compensate"] {
        run.succeed(node, json!(null));
    }
    run.requeue(&dead).expect("failed");
    assert_eq!((run.state.status, run.running()), (ExecutionStatus::Running, vec!["a", "b"]));
}

#[test]
fn a_dead_letter_beside_what_is_undone_runs_at_once() {
    let nodes = json!([undoable("a", &[]), task("b", &[]), task("c", &["a", "b"])]);
    let mut run = Run::started(&nodes, json!({}));
    run.succeed("a", json!(1));
    let dead = run.fail("b");
    run.requeue(&dead).expect("undoing");
    assert_eq!(run.running(), ["a:compensate", "b"]);
    run.succeed("b", json!(2));
    run.succeed("a:compensate", json!(null));
    assert_eq!((run.state.status, run.running()), (ExecutionStatus::Running, vec!["a"]));
}

#[test]
fn compensations_in_place_do_not_wait() {
    let node = task_with(
        "a",
        &[],
        &json!({"compensate": {"type": "TRANSFORM", "output": "${nodes.a.output.x + 1}"}}),
    );
    let mut run = Run::started(&json!([node, task("b", &["a"])]), json!({}));
    run.succeed("a", json!({"x": 1}));
    run.fail("b");
    assert_eq!(run.state.status, ExecutionStatus::Failed);
    let undone = run.records.iter().find(|record| record.node.as_str() == "a:compensate").expect("recorded");
    assert_eq!(undone.output, Some(json!(2)));
}

#[test]
fn ways_of_a_switch() {
    let table =
        [(1, Some("one"), json!("one")), (2, Some("two"), json!("two")), (3, Some("rest"), json!("rest"))];
    for (number, taken, chosen) in table {
        let nodes = json!([
            {"id": "route", "type": "SWITCH", "default": "rest",
                "cases": [{"when": "input.n == 1", "goto": "one"}, {"when": "input.n <= 2", "goto": "two"}]},
            task("slow", &[]),
            transform("one", &["slow"], &json!(1)),
            transform("two", &[], &json!(2)),
            transform("rest", &[], &json!(3)),
            transform("join", &["one", "two", "rest"], &json!("${nodes.route.output.chosen}")),
        ]);
        let mut run = Run::started(&nodes, json!({"n": number}));
        assert_eq!(run.state.nodes["route"].attempts, 1);
        // What was not chosen is skipped at once, whatever else it waits for.
        assert_eq!(run.status("one") == NodeStatus::Skipped, taken != Some("one"));
        run.succeed("slow", json!(0));
        for target in ["one", "two", "rest"] {
            let expected = if taken == Some(target) { NodeStatus::Completed } else { NodeStatus::Skipped };
            assert_eq!(run.status(target), expected, "{number} {target}");
        }
        assert_eq!(run.output, Some(json!({"join": chosen})));
    }
}

#[test]
fn a_rerun_begins_with_what_comes_before_its_node() {
    let nodes = json!([
        undoable("a", &[]),
        {"id": "route", "type": "SWITCH", "dependsOn": ["a"], "cases": [{"when": "input.yes", "goto": "b"}], "default": "c"},
        task("b", &[]),
        task("c", &["a"]),
        task("d", &["b", "c"]),
    ]);
    let mut run = Run::started(&nodes, json!({"yes": true}));
    for node in ["a", "b", "d"] {
        run.succeed(node, json!(node));
    }
    let from = |node: &str| plan_rerun(&run.definition, &run.state, &NodeId::trusted(node), false);
    assert_eq!(from("zzz"), Err(Refusal::UnknownNode(NodeId::trusted("zzz"))));
    let plan = from("b").expect("a node");
    assert_eq!(plan.kept, [NodeId::trusted("a"), NodeId::trusted("route")]);
    let mut again = Run::of(&nodes, &json!({}), json!({"yes": true}));
    again.records = run.records.iter().filter(|record| plan.kept.contains(&record.node)).cloned().collect();
    again.state = plan.state;
    again.reload();
    again.apply(Event::Started).expect("pending");
    assert_eq!((again.running(), again.status("c")), (vec!["b"], NodeStatus::Skipped));
    again.succeed("b", json!("new"));
    again.succeed("d", json!("new"));
    assert_eq!(again.output, Some(json!({"d": "new"})));
    assert_eq!(from("a").expect("a node").kept, Vec::<NodeId>::new());
}

#[test]
fn a_rerun_that_fails_undoes_what_it_took_over_only_if_asked() {
    for undoes_original in [false, true] {
        let mut run = under_way(&json!({}));
        run.succeed("d", json!("D"));
        let plan = plan_rerun(&run.definition, &run.state, &NodeId::trusted("c"), undoes_original);
        let plan = plan.expect("a node");
        let mut again = Run::of(&three(), &json!({}), json!({}));
        again.records =
            run.records.iter().filter(|record| plan.kept.contains(&record.node)).cloned().collect();
        again.state = plan.state;
        again.reload();
        again.apply(Event::Started).expect("pending");
        again.succeed("c", json!("new"));
        again.fail("d");
        again.succeed("c:compensate", json!(null));
        assert_eq!(again.running().is_empty(), !undoes_original);
        if undoes_original {
            again.succeed("a:compensate", json!(null));
            again.succeed("b:compensate", json!(null));
        }
        assert_eq!(again.state.status, ExecutionStatus::Failed);
        again.apply(Event::Retry).expect("failed");
        assert_eq!(again.running(), if undoes_original { vec!["a", "b"] } else { vec!["c"] });
    }
}
