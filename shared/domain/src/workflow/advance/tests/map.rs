//! `MAP`: order, concurrency, failures, and what goes on after them; and `repeat`.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fixture::{Run, task, task_with, transform};
use crate::failure::JobError;
use crate::names::NodeId;
use crate::workflow::advance::{CONCURRENCY_DEFAULT, MAP_ITEMS_MAX};
use crate::workflow::execution::{Activity, Effect, Event, ExecutionStatus, NodeStatus};

fn map_of(more: &Value) -> Value {
    let mut node = json!({"id": "m", "type": "MAP", "items": "${input.items}",
        "node": {"type": "SERVICE_TASK", "jobType": "work", "input": {"item": "${item}", "at": "${index}"}}});
    for (field, value) in more.as_object().expect("an object") {
        node[field] = value.clone();
    }
    node
}

#[test]
fn results_are_in_the_order_of_the_items() {
    let nodes =
        json!([map_of(&json!({"concurrency": 2})), transform("after", &["m"], &json!("${nodes.m.output}"))]);
    let mut run = Run::started(&nodes, json!({"items": ["a", "b", "c"]}));
    assert_eq!(run.running(), ["m[0]", "m[1]"]);
    assert_eq!(run.jobs[1].data, json!({"item": "b", "at": 1}));
    run.succeed("m[1]", json!("B"));
    assert_eq!(run.running(), ["m[0]", "m[2]"]);
    run.reload();
    run.succeed("m[2]", json!("C"));
    assert_eq!((run.running(), run.status("m")), (vec!["m[0]"], NodeStatus::Running));
    run.succeed("m[0]", json!("A"));
    assert_eq!(run.output, Some(json!({"after": ["A", "B", "C"]})));
    assert_eq!(run.recorded(NodeStatus::Completed), ["m[1]", "m[2]", "m[0]", "m", "after"]);
    assert_eq!((run.state.steps, run.state.items_started), (2, 3));
    assert_eq!(run.state.nodes.len(), 2);
}

#[test]
fn lists_that_cannot_be_walked() {
    assert_eq!(
        Run::started(&json!([map_of(&json!({}))]), json!({"items": []})).output,
        Some(json!({"m": []}))
    );
    let many = json!({"items": vec![0; MAP_ITEMS_MAX + 1]});
    for (input, code) in
        [(json!({"items": 3}), "expression"), (json!({}), "expression"), (many, "too_many_items")]
    {
        assert_eq!(Run::started(&json!([map_of(&json!({}))]), input).error_code(), Some(code));
    }
    let large = "x".repeat(400_000);
    let mut run = Run::started(&json!([map_of(&json!({}))]), json!({"items": [1, 2, 3]}));
    for item in ["m[0]", "m[1]", "m[2]"] {
        run.succeed(item, json!(large));
    }
    assert_eq!(run.error_code(), Some("output_too_large"));
    run.apply(Event::Retry).expect("failed");
    assert_eq!((run.error_code(), run.jobs.len()), (Some("output_too_large"), 0), "no item runs again");
}

#[test]
fn items_in_place_and_as_children() {
    let place = map_of(&json!({"node": {"type": "TRANSFORM", "output": "${item * 2}"}, "concurrency": 1}));
    assert_eq!(
        Run::started(&json!([place]), json!({"items": [1, 2, 3]})).output,
        Some(json!({"m": [2, 4, 6]}))
    );
    let bad =
        map_of(&json!({"node": {"type": "TRANSFORM", "output": "${1 / item}"}, "onItemError": "collect"}));
    let run = Run::started(&json!([bad]), json!({"items": [1, 0]}));
    let output = run.output.expect("collected");
    assert_eq!((&output["m"][0], &output["m"][1]["error"]["code"]), (&json!(1), &json!("expression")));
    let child = json!({"type": "WORKFLOW", "workflow": "w", "input": {"n": "${item}"}, "timeout": "1m"});
    let nodes = json!([map_of(&json!({"node": child, "concurrency": 2}))]);
    let mut run = Run::started(&nodes, json!({"items": [1, 2, 3]}));
    assert_eq!((run.status("m"), run.children.len()), (NodeStatus::Waiting, 2));
    assert!(matches!(run.state.activity(), Activity::Waits { due_at: Some(_) }));
    run.child_ends("m[0]", Ok(json!(10)));
    run.child_ends("m[1]", Ok(json!(20)));
    run.child_ends("m[2]", Ok(json!(30)));
    assert_eq!(run.output, Some(json!({"m": [10, 20, 30]})));
    let mut late = Run::started(&nodes, json!({"items": [1, 2, 3]}));
    late.due_at(61_001);
    for item in ["m[0]", "m[1]"] {
        late.stopped_child_ends(item, Err(JobError::coded("cancelled", "it was cancelled")));
    }
    assert_eq!((late.error_code(), late.children.len()), (Some("timeout"), 0));
}

#[test]
fn one_failure_fails_all_or_is_collected() {
    let input = json!({"items": [0, 1, 2, 3]});
    let mut run = Run::started(&json!([map_of(&json!({"concurrency": 3}))]), input.clone());
    run.succeed("m[0]", json!("zero"));
    let dead = run.fail("m[1]");
    assert_eq!(
        (run.state.status, run.error_code(), run.jobs.len()),
        (ExecutionStatus::Failed, Some("boom"), 0)
    );
    let error = run.records.last().and_then(|record| record.error.clone()).expect("the MAP's");
    assert_eq!(error.details, Some(json!({"index": 1})));
    assert_eq!(run.recorded(NodeStatus::Cancelled), ["m[2]", "m[3]"]);
    run.reload();
    // The dead letter goes on as the same job, its siblings as others; what completed does not run again.
    run.requeue(&dead).expect("failed");
    assert_eq!(run.running(), ["m[1]", "m[2]", "m[3]"]);
    run.reload();
    for item in ["m[3]", "m[1]", "m[2]"] {
        run.succeed(item, json!(item));
    }
    assert_eq!(run.output, Some(json!({"m": ["zero", "m[1]", "m[2]", "m[3]"]})));
    let mut run = Run::started(&json!([map_of(&json!({"concurrency": 2}))]), input.clone());
    run.succeed("m[0]", json!("zero"));
    run.fail("m[2]");
    run.apply(Event::Retry).expect("failed");
    assert_eq!(run.running(), ["m[1]", "m[2]"]);
    let mut run = Run::started(&json!([map_of(&json!({"onItemError": "collect"}))]), input);
    for item in ["m[0]", "m[1]", "m[3]"] {
        run.succeed(item, json!(item));
    }
    run.fail("m[2]");
    let output = run.output.clone().expect("collected");
    assert_eq!((&output["m"][2]["error"]["code"], &output["m"][3]), (&json!("boom"), &json!("m[3]")));
}

#[test]
fn a_map_runs_again_with_all_its_items() {
    let again = json!({"repeat": {"until": "nodes.m.output == ['x', 'x']", "max": 3}});
    let mut run = Run::started(&json!([map_of(&again)]), json!({"items": [1, 2]}));
    run.succeed("m[0]", json!("y"));
    run.succeed("m[1]", json!("x"));
    assert_eq!(
        (run.running(), run.outputs[&NodeId::trusted("m")].clone()),
        (vec!["m[0]", "m[1]"], json!(["y", "x"]))
    );
    run.reload();
    run.succeed("m[1]", json!("x"));
    let dead = run.fail("m[0]");
    run.requeue(&dead).expect("failed");
    run.succeed("m[0]", json!("x"));
    assert_eq!(run.output, Some(json!({"m": ["x", "x"]})));
    assert!(run.timeline.iter().any(|(kind, _)| *kind == "node_repeated"));
}

#[test]
fn nodes_repeat_until_their_condition_holds() {
    let node = |delay: &str| {
        json!([
            task_with(
                "poll",
                &[],
                &json!({
            "input": {"before": "${nodes.poll.output}"},
            "repeat": {"until": "nodes.poll.output.done == true", "max": 3, "delay": delay}})
            ),
            transform("after", &["poll"], &json!("${nodes.poll.output}"))
        ])
    };
    let mut run = Run::started(&node("10s"), json!({}));
    assert_eq!(run.jobs[0].data, json!({"before": null}));
    let first = run.jobs[0].id;
    run.succeed("poll", json!({"done": false}));
    assert_eq!((run.status("poll"), run.jobs.len()), (NodeStatus::Waiting, 0));
    assert_eq!(run.status("after"), NodeStatus::Pending);
    run.reload();
    let due_at = run.state.next_due_at().expect("a delay");
    run.due_at(due_at.0);
    assert_eq!(run.jobs[0].data, json!({"before": {"done": false}}));
    assert_ne!(run.jobs[0].id, first);
    run.succeed("poll", json!({"done": true}));
    assert_eq!(run.output, Some(json!({"after": {"done": true}})));
    let mut run = Run::started(&node("0s"), json!({}));
    for _ in 0..3 {
        run.succeed("poll", json!({"done": false}));
    }
    assert_eq!((run.error_code(), run.state.steps), (Some("repeat_exhausted"), 3));
    run.apply(Event::Retry).expect("failed");
    run.succeed("poll", json!({"done": 1}));
    assert_eq!(run.running(), ["poll"], "a new run of the loop");
    let mut run = Run::started(&node("0s"), json!({}));
    run.succeed("poll", json!("no object"));
    assert_eq!(run.error_code(), Some("expression"));
    // A loop in place, with as many rounds as there may be.
    let place =
        json!([{"id": "x", "type": "TRANSFORM", "output": 1, "repeat": {"until": "false", "max": 10_000}}]);
    let mut run = Run::of(&place, &json!({}), json!({}));
    run.is_checked = false;
    run.apply(Event::Started).expect("starts");
    assert_eq!(run.error_code(), Some("repeat_exhausted"));
}

#[test]
fn large_maps_are_fast() {
    let started = Instant::now();
    let nodes = json!([map_of(&json!({"concurrency": 10_000}))]);
    let mut run = Run::of(&nodes, &json!({}), json!({"items": (0..10_000).collect::<Vec<_>>()}));
    run.is_checked = false;
    let decision = run.apply(Event::Started).expect("starts");
    assert_eq!(
        decision.effects.iter().filter(|effect| matches!(effect, Effect::EnqueueNode(_))).count(),
        10_000
    );
    for job in std::mem::take(&mut run.jobs) {
        run.apply(Run::settled(&job, Ok(json!(1)))).expect("awaited");
    }
    assert_eq!(run.output.as_ref().and_then(|output| output["m"].as_array()).map(Vec::len), Some(10_000));
    assert!(run.state.to_snapshot().expect("encodes").len() < 1_000, "completed items leave the state");
    // Generous: a cost per event that grows with the items takes minutes.
    assert!(started.elapsed() < Duration::from_mins(1));
}

#[test]
fn a_map_that_fails_can_lead_elsewhere() {
    let nodes = json!([
        map_of(&json!({"onError": {"goto": "other"}})),
        task("next", &["m"]),
        transform("other", &[], &json!("${nodes.m.output.error.message}")),
    ]);
    let mut run = Run::started(&nodes, json!({"items": [1, 2]}));
    let job = run.take("m[0]");
    run.apply(Run::settled(&job, Err(JobError::coded("boom", "it broke")))).expect("awaited");
    assert_eq!((run.output.clone(), run.jobs.len()), (Some(json!({"other": "it broke"})), 0));
}

#[test]
fn a_map_that_says_nothing_has_a_hundred_items_under_way() {
    let mut run = Run::started(&json!([map_of(&json!({}))]), json!({"items": vec![0; 250]}));
    assert_eq!(run.running().len(), CONCURRENCY_DEFAULT as usize);
    run.succeed("m[0]", json!(1));
    assert_eq!(run.running().len(), CONCURRENCY_DEFAULT as usize);
}

/// Items with large inputs are started by and by: what one event brings about is bounded in bytes.
#[test]
fn a_map_of_large_inputs_goes_on_in_another_event() {
    let map = json!({"id": "m", "type": "MAP", "items": "${input.items}", "concurrency": 10_000,
        "node": {"type": "SERVICE_TASK", "jobType": "work", "input": {"text": "${input.large}", "at": "${index}"}}});
    let input = json!({"items": vec![0; 200], "large": "x".repeat(200_000)});
    let mut run = Run::of(&json!([map]), &json!({}), input);
    run.is_checked = false;
    let first = run.apply(Event::Started).expect("starts");
    let (mut events, mut most, mut started) = (1, first.bytes, run.jobs.len());
    assert!(started < 50, "{started}");
    while run.jobs.len() < 200 {
        let due_at = run.state.next_due_at().expect("it goes on at once");
        assert!(due_at <= run.now, "{due_at}");
        run.reload();
        let now = run.now.0;
        let decision = run.due_at(now);
        assert!(run.jobs.len() > started, "each event starts some");
        (events, most, started) = (events + 1, most.max(decision.bytes), run.jobs.len());
    }
    assert!(most < 10 * 1024 * 1024, "{most}");
    assert!((4..20).contains(&events), "{events}");
    assert_eq!(run.state.next_due_at(), None);
    assert_eq!(run.state.activity(), Activity::Busy);
}
