//! Timers, signals, callbacks, user tasks, children: what ends a wait, early and late.

use serde_json::{Value, json};

use super::fixture::{Run, task, transform};
use crate::failure::JobError;
use crate::names::NodeId;
use crate::time::Timestamp;
use crate::workflow::advance::{KEPT_MAX, child_execution_id};
use crate::workflow::execution::{
    Activity, Effect, Event, ExecutionStatus, Kept, NodeStatus, Refusal, UserTaskEnd,
};

fn signal(name: &str, payload: Value) -> Event {
    Event::Signal { name: name.to_owned(), payload }
}

fn callback(node: &str, payload: Value) -> Event {
    Event::Callback { node: NodeId::trusted(node), round: None, payload }
}

#[test]
fn timers_end_when_they_are_due() {
    let nodes = json!([
        {"id": "short", "type": "TIMER", "duration": "5s"},
        {"id": "given", "type": "TIMER", "duration": "${input.wait}"},
        {"id": "until", "type": "TIMER", "until": "${input.at}"},
        {"id": "past", "type": "TIMER", "until": "1970-01-01T00:00:00Z"},
        task("after", &["short"]),
    ]);
    let mut run = Run::started(&nodes, json!({"wait": "1m", "at": "1970-01-01T00:00:30Z"}));
    assert_eq!(run.status("past"), NodeStatus::Completed);
    assert_eq!(run.state.activity(), Activity::Waits { due_at: Some(Timestamp(6_001)) });
    assert_eq!(run.due_at(6_000).effects, []);
    run.due_at(6_001);
    assert_eq!(run.running(), ["after"]);
    assert_eq!(run.state.activity(), Activity::Busy);
    run.succeed("after", json!(1));
    assert_eq!(run.state.next_due_at(), Some(Timestamp(30_000)));
    // Both at once, in the order of their times.
    run.due_at(90_000);
    assert_eq!(run.recorded(NodeStatus::Completed), ["past", "short", "after", "until", "given"]);
    assert_eq!(run.state.status, ExecutionStatus::Completed);
    for bad in [json!("soon"), json!(5), json!(null)] {
        let nodes = json!([{"id": "t", "type": "TIMER", "duration": "${input.wait}"}]);
        assert_eq!(Run::started(&nodes, json!({"wait": bad})).error_code(), Some("expression"));
        let nodes = json!([{"id": "t", "type": "TIMER", "until": "${input.wait}"}]);
        assert_eq!(Run::started(&nodes, json!({"wait": bad})).error_code(), Some("expression"));
    }
}

#[test]
fn due_times_are_applied_in_their_order_and_the_deadline_among_them() {
    let nodes = json!([
        {"id": "late", "type": "TIMER", "duration": "20s"},
        {"id": "early", "type": "TIMER", "duration": "5s"},
        {"id": "wait", "type": "SIGNAL", "signal": "s", "timeout": "8s"},
    ]);
    let mut run = Run::started_with(&nodes, &json!({"timeout": "10s"}), json!({}));
    run.due_at(60_000);
    assert_eq!(run.status("early"), NodeStatus::Completed);
    assert_eq!((run.status("wait"), run.status("late")), (NodeStatus::Failed, NodeStatus::Cancelled));
    assert_eq!(
        run.state.error.as_ref().and_then(|error| error.node.as_ref()),
        Some(&NodeId::trusted("wait"))
    );
    // The deadline first.
    let mut run = Run::started_with(&nodes, &json!({"timeout": "7s"}), json!({}));
    run.due_at(60_000);
    assert_eq!((run.status("early"), run.status("wait")), (NodeStatus::Completed, NodeStatus::Cancelled));
    assert_eq!((run.error_code(), run.state.next_due_at()), (Some("timeout"), None));
}

#[test]
fn signals_go_to_one_node_and_are_kept_while_none_waits() {
    let nodes = json!([
        {"id": "second", "type": "SIGNAL", "signal": "paid", "dependsOn": ["a"]},
        {"id": "first", "type": "SIGNAL", "signal": "paid"},
        task("a", &[]),
        {"id": "other", "type": "SIGNAL", "signal": "x", "dependsOn": ["a"]},
    ]);
    let mut run = Run::of(&nodes, &json!({}), json!({}));
    run.apply(signal("x", json!("early"))).expect("kept before the start");
    run.apply(Event::Started).expect("starts");
    run.apply(signal("paid", json!(1))).expect("taken");
    assert_eq!(run.outputs[&NodeId::trusted("first")], json!(1));
    run.apply(signal("paid", json!(2))).expect("kept");
    run.apply(signal("paid", json!(3))).expect("kept");
    assert_eq!(run.state.kept.len(), 3);
    run.reload();
    run.succeed("a", json!(0));
    assert_eq!(run.output, Some(json!({"first": 1, "second": 2, "other": "early"})));
    assert_eq!(run.apply(signal("paid", json!(4))), Err(Refusal::Finished("COMPLETED")));
}

#[test]
fn what_is_kept_is_bounded() {
    let mut run = Run::started(&json!([task("a", &[])]), json!({}));
    run.is_checked = false;
    for number in 0..KEPT_MAX {
        run.apply(signal("x", json!(number))).expect("kept");
    }
    run.is_checked = true;
    assert_eq!(run.apply(signal("x", json!(0))), Err(Refusal::TooManyKept(KEPT_MAX)));
    run.apply(Event::Cancel { reason: None, compensate: false }).expect("running");
    assert_eq!(run.state.kept, Vec::<Kept>::new());
}

#[test]
fn a_signal_that_does_not_come_fails_its_node_or_leads_elsewhere() {
    let node = |on_error: Value| {
        json!([
            {"id": "wait", "type": "SIGNAL", "signal": "s", "timeout": "1m", "onError": on_error},
            transform("next", &["wait"], &json!("${nodes.wait.output}")),
            transform("late", &[], &json!("${nodes.wait.output.error.code}")),
        ])
    };
    let mut failing =
        Run::started(&node(json!("fail")).as_array().map(|all| json!(all[..2])).unwrap(), json!({}));
    failing.due_at(61_001);
    assert_eq!((failing.state.status, failing.error_code()), (ExecutionStatus::Failed, Some("timeout")));
    let mut run = Run::started(&node(json!({"goto": "late"})), json!({}));
    run.due_at(61_001);
    assert_eq!(
        (run.status("next"), run.output.clone()),
        (NodeStatus::Skipped, Some(json!({"late": "timeout"})))
    );
    let mut run = Run::started(&node(json!({"goto": "late"})), json!({}));
    run.apply(signal("s", json!(7))).expect("waits");
    assert_eq!((run.status("late"), run.output.clone()), (NodeStatus::Skipped, Some(json!({"next": 7}))));
}

#[test]
fn the_first_request_to_a_callback_address_counts() {
    let nodes = json!([
        task("a", &[]),
        {"id": "hook", "type": "WAIT_WEBHOOK", "dependsOn": ["a"]},
        {"id": "now", "type": "WAIT_WEBHOOK", "timeout": "1m"},
    ]);
    let mut run = Run::started(&nodes, json!({}));
    run.apply(callback("hook", json!(1))).expect("kept");
    let refused = Err(Refusal::NotAwaited(NodeId::trusted("hook")));
    assert_eq!(run.apply(callback("hook", json!(2))), refused);
    run.reload();
    run.succeed("a", json!(0));
    assert_eq!(run.apply(callback("hook", json!(3))), refused);
    assert_eq!(run.apply(callback("a", json!(3))), Err(Refusal::NotAwaited(NodeId::trusted("a"))));
    assert_eq!(run.apply(callback("zzz", json!(3))), Err(Refusal::NotAwaited(NodeId::trusted("zzz"))));
    run.apply(callback("now", json!(4))).expect("waits");
    assert_eq!(run.output, Some(json!({"hook": 1, "now": 4})));
}

#[test]
fn a_request_that_is_sent_twice_completes_one_round() {
    let nodes = json!([{"id": "hook", "type": "WAIT_WEBHOOK",
        "repeat": {"until": "nodes.hook.output.done == true", "max": 5}}]);
    let mut run = Run::started(&nodes, json!({}));
    let request = |round: u32, done: bool| Event::Callback {
        node: NodeId::trusted("hook"),
        round: Some(round),
        payload: json!({"done": done}),
    };
    run.apply(request(1, false)).expect("it waits");
    let hook = NodeId::trusted("hook");
    assert_eq!(run.apply(request(1, true)), Err(Refusal::NotAwaited(hook)), "the second copy");
    run.apply(request(2, true)).expect("it waits again");
    assert_eq!(run.output, Some(json!({"hook": {"done": true}})));
}

#[test]
fn a_person_does_a_task() {
    let nodes = json!([{"id": "approve", "type": "USER_TASK", "assignee": "${input.who}", "group": "finance",
        "form": {"type": "object"}, "input": {"total": "${input.total}"}, "dueIn": "1h", "timeout": "3d",
        "escalation": {"after": "2h", "group": "bosses"}}]);
    let mut run = Run::started(&nodes, json!({"who": "ada", "total": 7}));
    let open = run.tasks[0].clone();
    assert_eq!((open.assignee.as_deref(), open.group.as_deref()), (Some("ada"), Some("finance")));
    assert_eq!((open.input, open.form), (Some(json!({"total": 7})), Some(json!({"type": "object"}))));
    assert_eq!((open.due_at, open.round), (Some(Timestamp(3_601_001)), 1));
    assert_eq!(run.state.next_due_at(), Some(Timestamp(7_201_001)));
    run.due_at(7_201_001);
    assert_eq!((run.tasks[0].assignee.clone(), run.tasks[0].group.as_deref()), (None, Some("bosses")));
    assert_eq!(run.due_at(7_201_002).effects, [], "it is handed on once");
    run.reload();
    let done = Event::UserTaskCompleted {
        node: NodeId::trusted("approve"),
        round: Some(1),
        output: json!({"ok": true}),
        actor: "grace".to_owned(),
    };
    let decision = run.apply(done.clone()).expect("open");
    let end = UserTaskEnd::Completed { actor: "grace".to_owned() };
    let close = Effect::CloseUserTask { node: NodeId::trusted("approve"), round: 1, end };
    assert!(decision.effects.contains(&close));
    assert_eq!(run.output, Some(json!({"approve": {"ok": true}})));
    assert_eq!(run.apply(done), Err(Refusal::Finished("COMPLETED")));
    let mut late = Run::started(&nodes, json!({"who": null, "total": 7}));
    late.due_at(4 * 86_400_000);
    assert_eq!((late.error_code(), late.tasks.len()), (Some("timeout"), 0));
    assert_eq!(late.timeline.iter().filter(|(kind, _)| *kind == "user_task_escalated").count(), 1);
    let nobody = json!([{"id": "t", "type": "USER_TASK", "assignee": "${input.who}"}]);
    assert_eq!(Run::started(&nobody, json!({})).error_code(), Some("expression"));
}

#[test]
fn children_end_their_nodes() {
    let nodes = json!([
        {"id": "child", "type": "WORKFLOW", "workflow": "other", "version": 3, "input": {"x": "${input.x}"},
            "timeout": "1m", "retryCount": 1},
        task("sibling", &[]),
    ]);
    let mut run = Run::started(&nodes, json!({"x": 5}));
    let first = run.children[0].clone();
    assert_eq!((first.version, first.input.clone()), (Some(3), json!({"x": 5})));
    assert_eq!(first.id, child_execution_id(run.context.id, &first.node, 1));
    run.child_ends("child", Err(JobError::coded("boom", "it broke")));
    assert_eq!(run.children[0].id, child_execution_id(run.context.id, &first.node, 2));
    let late = Event::ChildSettled { node: first.node.clone(), child_id: first.id, result: Ok(json!(0)) };
    assert_eq!(run.apply(late), Err(Refusal::NotAwaited(first.node)));
    run.child_ends("child", Err(JobError::coded("boom", "it broke again")));
    assert_eq!((run.state.status, run.error_code()), (ExecutionStatus::Failed, Some("boom")));
    run.apply(Event::Retry).expect("failed");
    let decision = run.apply(Event::Cancel { reason: None, compensate: false }).expect("running");
    assert!(
        decision
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::CancelChildren { children, .. } if children.len() == 1))
    );
    let mut late = Run::started(&nodes, json!({}));
    let decision = late.due_at(61_001);
    assert!(decision.effects.iter().any(|effect| matches!(effect, Effect::CancelChildren { .. })));
    assert_eq!((late.state.status, late.children.len()), (ExecutionStatus::Compensating, 0));
    late.stopped_child_ends("child", Err(JobError::coded("cancelled", "it was cancelled")));
    assert_eq!((late.error_code(), late.children.len()), (Some("timeout"), 0));
    late.apply(Event::Retry).expect("failed");
    late.child_ends("child", Ok(json!("done")));
    late.succeed("sibling", json!(1));
    assert_eq!(late.output, Some(json!({"child": "done", "sibling": 1})));
}

#[test]
fn an_execution_that_only_waits_rests() {
    let nodes = json!([task("a", &[]), {"id": "s", "type": "SIGNAL", "signal": "s"}]);
    let mut run = Run::of(&nodes, &json!({}), json!({}));
    assert_eq!(run.state.activity(), Activity::Busy);
    run.apply(Event::Started).expect("starts");
    assert_eq!(run.state.activity(), Activity::Busy);
    run.succeed("a", json!(1));
    assert_eq!(run.state.activity(), Activity::Waits { due_at: None });
    run.apply(signal("s", json!(1))).expect("waits");
    assert_eq!(run.state.activity(), Activity::Busy);
}

fn open_wait(run: &Run) -> Option<crate::workflow::execution::EventWait> {
    run.event_waits.first().cloned()
}

#[test]
fn a_wait_for_an_event_is_opened_and_closed_once() {
    let nodes = json!([
        {"id": "paid", "type": "WAIT_EVENT", "event": ["order.paid", "order.free"], "lookback": "5s",
         "match": {"body.order": "${input.order}", "body.a": 1}, "timeout": "1m"},
        task("after", &["paid"]),
    ]);
    let mut run = Run::started(&nodes, json!({"order": {"id": 7}}));
    let wait = open_wait(&run).expect("it is opened");
    assert_eq!((wait.round, wait.paths.as_str()), (1, r#"["body.a","body.order"]"#));
    let body = json!({"order": {"id": 7.0}, "a": 1, "more": true});
    assert_eq!(crate::event::body_digest(&wait.paths, &body), Some(wait.digest));
    assert_eq!(wait.began_at.since(wait.look_from), crate::time::DurationMs::from_secs(5));
    let came = |round: u32| Event::EventCame {
        node: NodeId::trusted("paid"),
        round,
        output: json!({"event": "order.paid"}),
    };
    assert_eq!(run.apply(came(2)), Err(Refusal::NotAwaited(NodeId::trusted("paid"))));
    let decision = run.apply(came(1)).expect("it is awaited");
    let closed = Effect::CloseEventWait { node: NodeId::trusted("paid"), round: 1 };
    assert_eq!(decision.effects.iter().filter(|effect| **effect == closed).count(), 1);
    assert_eq!(run.running(), ["after"]);
    assert_eq!(run.apply(came(1)), Err(Refusal::NotAwaited(NodeId::trusted("paid"))));
}

#[test]
fn a_wait_for_an_event_closes_with_its_timeout_and_its_execution() {
    let nodes = json!([{"id": "paid", "type": "WAIT_EVENT", "event": "order.paid", "timeout": "5s"}]);
    let closed = Effect::CloseEventWait { node: NodeId::trusted("paid"), round: 1 };
    let mut run = Run::started(&nodes, json!({}));
    assert!(run.due_at(90_000).effects.contains(&closed));
    assert_eq!(run.error_code(), Some("timeout"));
    let mut run = Run::started(&nodes, json!({}));
    let cancelled = run.apply(Event::Cancel { reason: None, compensate: false }).expect("it is applied");
    assert!(cancelled.effects.contains(&closed));
    let nodes = json!([
        {"id": "paid", "type": "WAIT_EVENT", "event": "order.paid", "match": {"body.id": "${input.none}"}},
        {"id": "other", "type": "WAIT_EVENT", "event": "order.paid"},
    ]);
    let run = Run::started(&nodes, json!({}));
    assert_eq!(run.error_code(), Some("expression"), "nothing is equal to nothing");
    assert_eq!(open_wait(&run), None, "what the same event ends is never opened");
}
