//! What one event may bring about is bounded: in memory, in the snapshot, and in what is kept.

use serde_json::{Value, json};

use super::fixture::{Run, task, transform};
use crate::failure::JobError;
use crate::names::NodeId;
use crate::time::Timestamp;
use crate::workflow::execution::{Decision, Effect, Event, ExecutionStatus, NodeStatus, Refusal};

const MIB: usize = 1024 * 1024;

/// How many bytes of outputs a decision holds.
fn recorded_bytes(decision: &Decision) -> usize {
    let outputs = decision.effects.iter().filter_map(|effect| match effect {
        Effect::RecordNode(record) => record.output.as_ref(),
        _ => None,
    });
    outputs.map(|output| output.to_string().len()).sum()
}

fn begun(nodes: &Value, input: Value) -> (Run, Decision) {
    let mut run = Run::of(nodes, &json!({}), input);
    run.is_checked = false;
    let decision = run.apply(Event::Started).expect("a new execution starts");
    (run, decision)
}

#[test]
fn a_map_in_place_stops_where_its_results_are_too_large() {
    let map = json!({"id": "m", "type": "MAP", "items": "${input.items}",
        "node": {"type": "TRANSFORM", "output": "${input.large}"}});
    let input = json!({"items": vec![0; 1_000], "large": "x".repeat(MIB / 4)});
    let (mut run, decision) = begun(&json!([map]), input);
    assert_eq!(run.error_code(), Some("output_too_large"));
    assert!(recorded_bytes(&decision) < 2 * MIB, "{}", recorded_bytes(&decision));
    run.apply(Event::Retry).expect("failed");
    assert_eq!(run.error_code(), Some("output_too_large"));
}

#[test]
fn a_map_of_jobs_stops_where_its_results_are_too_large() {
    let map = json!({"id": "m", "type": "MAP", "items": "${input.items}", "onItemError": "collect",
        "node": {"type": "SERVICE_TASK", "jobType": "work"}});
    let mut run = Run::started(&json!([map]), json!({"items": [1, 2, 3, 4]}));
    run.succeed("m[0]", json!("x".repeat(MIB / 2)));
    assert_eq!(run.state.status, ExecutionStatus::Running);
    run.reload();
    run.succeed("m[3]", json!("x".repeat(MIB / 2)));
    assert_eq!((run.error_code(), run.jobs.len()), (Some("output_too_large"), 0));
}

#[test]
fn a_loop_in_place_goes_on_in_another_event_before_it_takes_much_memory() {
    let nodes = json!([{"id": "loop", "type": "TRANSFORM", "output": "${input.large}",
        "repeat": {"until": "false", "max": 200}}]);
    let (mut run, decision) = begun(&nodes, json!({"large": "x".repeat(MIB / 2)}));
    assert!(recorded_bytes(&decision) < 16 * MIB, "{}", recorded_bytes(&decision));
    let mut events = 1;
    while run.state.status == ExecutionStatus::Running {
        assert_eq!(run.state.next_due_at(), Some(run.now), "it goes on at once");
        let now = run.now.0;
        run.reload();
        run.due_at(now);
        events += 1;
    }
    assert!(events < 50, "{events}");
    assert_eq!(run.error_code(), Some("repeat_exhausted"));
    assert_eq!(run.recorded(NodeStatus::Completed).len(), 199);
}

#[test]
fn an_event_that_outgrows_memory_breaks_the_execution_off() {
    let nodes: Vec<Value> =
        (0..500).map(|node| transform(&format!("n{node}"), &[], &json!("${input.large}"))).collect();
    let (run, decision) = begun(&json!(nodes), json!({"large": "x".repeat(MIB / 2)}));
    assert_eq!(run.error_code(), Some("state_too_large"));
    assert!(recorded_bytes(&decision) < 100 * MIB, "{}", recorded_bytes(&decision));
}

#[test]
fn what_is_too_large_says_so() {
    let twice = json!(["${input.half}", "${input.half}"]);
    let input = json!({"half": "x".repeat(MIB / 2)});
    let code = |nodes: Value, output: Option<&Value>| {
        let more = output.map_or(json!({}), |output| json!({ "output": output }));
        let run = Run::started_with(&nodes, &more, input.clone());
        let error = run.state.error.clone().expect("it fails");
        assert!(error.message.contains("larger than 1048576 bytes"), "{error:?}");
        error.code
    };
    assert_eq!(code(json!([transform("n", &[], &twice)]), None).as_deref(), Some("output_too_large"));
    assert_eq!(
        code(json!([transform("n", &[], &json!(1))]), Some(&twice)).as_deref(),
        Some("output_too_large")
    );
    let job = json!({"id": "n", "type": "SERVICE_TASK", "jobType": "work", "input": twice});
    assert_eq!(code(json!([job]), None).as_deref(), Some("input_too_large"));
    let child = json!({"id": "n", "type": "WORKFLOW", "workflow": "child", "input": twice});
    assert_eq!(code(json!([child]), None).as_deref(), Some("input_too_large"));
}

#[test]
fn what_comes_early_is_bounded_in_bytes() {
    let nodes =
        json!([task("first", &[]), {"id": "s", "type": "SIGNAL", "signal": "go", "dependsOn": ["first"]}]);
    let mut run = Run::started(&nodes, json!({}));
    run.is_checked = false;
    let large = || Event::Signal { name: "go".to_owned(), payload: json!("x".repeat(MIB / 2)) };
    let mut taken = 0;
    let refusal = loop {
        match run.apply(large()) {
            Ok(_) => taken += 1,
            Err(refusal) => break refusal,
        }
        assert!(taken < 100, "nothing was refused");
    };
    assert_eq!(refusal, Refusal::TooManyKept(taken));
    run.succeed("first", json!(1));
    assert_eq!(run.state.status, ExecutionStatus::Completed);
}

#[test]
fn whoever_does_a_task_has_a_name_that_can_be_stored() {
    let approve = json!({"id": "t", "type": "USER_TASK", "assignee": "${input.who}"});
    let run = Run::started(&json!([approve]), json!({"who": "x".repeat(5_000)}));
    assert_eq!((run.error_code(), run.tasks.len()), (Some("expression"), 0));
    let approve = json!({"id": "t", "type": "USER_TASK", "assignee": "ann",
        "escalation": {"after": "1m", "group": "${input.who}"}});
    let mut run = Run::started(&json!([approve]), json!({"who": "x".repeat(5_000)}));
    run.due_at(70_000);
    assert_eq!(run.tasks[0].assignee.as_deref(), Some("ann"), "an escalation to nobody changes nothing");
}

#[test]
fn a_map_that_goes_on_after_a_requeue_keeps_its_timeout() {
    let map = json!({"id": "m", "type": "MAP", "items": "${input.items}", "timeout": "1m",
        "node": {"type": "SERVICE_TASK", "jobType": "work"}});
    let mut run = Run::started(&json!([map]), json!({"items": [1]}));
    let dead = run.fail("m[0]");
    assert_eq!(run.state.status, ExecutionStatus::Failed);
    run.requeue(&dead).expect("goes on");
    let due_at = run.state.nodes[&NodeId::trusted("m")].due_at;
    assert_eq!(due_at, Some(Timestamp(run.now.0 + 60_000)));
    let error = JobError::coded("late", "no");
    let job = run.take("m[0]");
    run.apply(Run::settled(&job, Err(error))).expect("awaited");
    assert_eq!(run.state.status, ExecutionStatus::Failed);
}

#[test]
fn snapshots_of_large_maps_stay_small() {
    let map = json!({"id": "m", "type": "MAP", "items": "${input.items}", "concurrency": 100,
        "node": {"type": "SERVICE_TASK", "jobType": "work"}});
    let mut run = Run::of(&json!([map]), &json!({}), json!({"items": vec![0; 10_000]}));
    run.is_checked = false;
    run.apply(Event::Started).expect("starts");
    let bytes = run.state.to_snapshot().expect("encodes").len();
    assert!(bytes < 32 * 1024, "{bytes}");
    let all = json!({"id": "m", "type": "MAP", "items": "${input.items}",
        "node": {"type": "SERVICE_TASK", "jobType": "work"}});
    let mut run = Run::of(&json!([all]), &json!({}), json!({"items": vec![0; 10_000]}));
    run.is_checked = false;
    run.apply(Event::Started).expect("starts");
    let bytes = run.state.to_snapshot().expect("encodes").len();
    println!("10,000 items under way: {bytes} bytes");
    assert!(bytes < 2 * MIB, "{bytes}");
}

#[test]
fn no_timer_ends_where_no_calendar_reaches() {
    let nodes = json!([{"id": "t", "type": "TIMER", "duration": "${input.wait}"}]);
    for wait in ["4000000d", "367d"] {
        assert_eq!(Run::started(&nodes, json!({"wait": wait})).error_code(), Some("expression"), "{wait}");
    }
    assert_eq!(Run::started(&nodes, json!({"wait": "366d"})).status("t"), NodeStatus::Waiting);
    let nodes = json!([{"id": "t", "type": "TIMER", "until": "${input.at}"}]);
    let run = Run::started(&nodes, json!({"at": "9999-12-30T21:59:59Z"}));
    assert_eq!(run.status("t"), NodeStatus::Waiting);
}
