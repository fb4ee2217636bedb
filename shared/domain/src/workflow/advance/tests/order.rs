//! Order: joins, skips, data from node to node, and that none of it is slow.

use serde_json::{Value, json};

use super::fixture::{Run, task, task_with, transform};
use crate::names::NodeId;
use crate::queue::Tier;
use crate::time::{DurationMs, Timestamp};
use crate::workflow::advance::node_job_id;
use crate::workflow::execution::{Effect, Event, ExecutionStatus, JOB_TYPE_HTTP, NodeStatus, Refusal};

#[test]
fn a_diamond_runs_in_parallel_and_joins() {
    let nodes = json!([task("a", &[]), task("b", &["a"]), task("c", &["a"]), task("d", &["b", "c"])]);
    let mut run = Run::started(&nodes, json!({}));
    assert_eq!(run.state.started_at, Some(Timestamp(1_001)));
    assert_eq!(run.running(), ["a"]);
    run.succeed("a", json!(1));
    assert_eq!(run.running(), ["b", "c"]);
    run.succeed("c", json!(2));
    assert_eq!(run.running(), ["b"]);
    run.succeed("b", json!(3));
    assert_eq!(run.running(), ["d"]);
    let decision = run.succeed("d", json!({"done": true}));
    assert_eq!(decision.output, Some(json!({"d": {"done": true}})));
    assert_eq!(run.state.status, ExecutionStatus::Completed);
    let records: Vec<_> =
        run.records.iter().map(|record| (record.node.as_str(), record.round, record.attempts)).collect();
    assert_eq!(records, [("a", 1, 1), ("c", 1, 1), ("b", 1, 1), ("d", 1, 1)]);
    assert_eq!(run.records[0].started_at, Some(Timestamp(900)));
    let kinds: Vec<_> = decision
        .effects
        .iter()
        .filter_map(|effect| if let Effect::Emit(event) = effect { Some(event.kind.as_str()) } else { None })
        .collect();
    assert_eq!(kinds, ["node_completed", "execution_completed"]);
}

#[test]
fn data_flows_from_node_to_node() {
    let nodes = json!([
        task_with("charge", &[], &json!({"input": {"order": "${input.id}", "note": "for ${input.name}"}, "priority": "low",
            "retry": {"maxRetries": 2, "initial": "3s"}, "timeout": "9s"})),
        transform("sum", &["charge"], &json!({"total": "${nodes.charge.output.total + 1}", "was": "${nodes.charge.status}"})),
        {"id": "call", "type": "HTTP", "dependsOn": ["sum"], "expect": [201], "request": {"method": "POST",
            "url": "https://x.example/${input.id}", "headers": {"x-total": "${nodes.sum.output.total}", "x-none": "${input.none}"},
            "body": {"t": "${nodes.sum.output.total}"}}},
    ]);
    let mut run = Run::of(
        &nodes,
        &json!({"output": {"status": "${nodes.call.output.status}"}}),
        json!({"id": "o1", "name": "Ada"}),
    );
    run.apply(Event::Started).expect("starts");
    let charge = run.jobs[0].clone();
    assert_eq!(charge.id, node_job_id(run.context.id, &NodeId::trusted("charge"), 1));
    assert_eq!(charge.data, json!({"order": "o1", "note": "for Ada"}));
    assert_eq!(
        (charge.tier, charge.retries_max, charge.timeout),
        (Tier::Low, Some(2), Some(DurationMs::from_secs(9)))
    );
    assert_eq!(charge.backoff.map(|backoff| backoff.initial), Some(DurationMs::from_secs(3)));
    run.succeed("charge", json!({"total": 41}));
    let call = run.jobs[0].clone();
    assert_eq!((call.job_type.as_str(), call.tier), (JOB_TYPE_HTTP, Tier::Normal));
    let request = json!({"method": "POST", "url": "https://x.example/o1", "headers": {"x-total": "42"}, "body": {"t": 42}, "expect": [201]});
    assert_eq!(call.data, request);
    assert_eq!(run.records[1].output, Some(json!({"total": 42, "was": "COMPLETED"})));
    assert_eq!((run.records[1].attempts, run.records[1].input.clone()), (1, None));
    run.succeed("call", json!({"status": 201, "headers": {}, "body": null}));
    assert_eq!(run.output, Some(json!({"status": 201})));
}

#[test]
fn secrets_stay_unexpanded_and_inputs_are_no_secrets() {
    let headers = json!({
        "authorization": "Bearer ${secrets.api-key}",
        "x-mixed": "${input.note} ${secrets.other}${input.number}",
        "x-plain": "${input.note}",
    });
    let nodes =
        json!([{"id": "call", "type": "HTTP", "request": {"url": "https://x.example/", "headers": headers}}]);
    let run = Run::started(&nodes, json!({"note": "${secrets.api-key}", "number": 7}));
    assert_eq!(
        run.jobs[0].job_type.as_str(),
        "trunkline:http-secrets",
        "no older version sends it without them"
    );
    let data = run.jobs[0].data.clone();
    assert_eq!(
        data["secretHeaders"],
        json!({
            "authorization": ["Bearer ", {"secret": "api-key"}],
            // What an input holds is text, though it looks like a secret.
            "x-mixed": ["${secrets.api-key}", " ", {"secret": "other"}, "7"],
        })
    );
    assert_eq!(data["headers"], json!({"x-plain": "${secrets.api-key}"}));
}

#[test]
fn joins_and_skips() {
    // Which nodes `when` skips, and what becomes of the join behind both.
    let table: [(bool, bool, NodeStatus); 4] = [
        (true, true, NodeStatus::Completed),
        (true, false, NodeStatus::Completed),
        (false, true, NodeStatus::Completed),
        (false, false, NodeStatus::Skipped),
    ];
    for (left, right, expected) in table {
        let guarded = |id: &str| {
            let mut node = transform(id, &[], &json!("${input}"));
            node["when"] = json!(format!("input.{id}"));
            node
        };
        let nodes = json!([
            guarded("left"),
            guarded("right"),
            transform("join", &["left", "right"], &json!(1)),
            transform("after", &["join"], &json!("${nodes.left.output == null}")),
        ]);
        let run = Run::started(&nodes, json!({"left": left, "right": right}));
        assert_eq!(run.status("join"), expected, "{left} {right}");
        assert_eq!(run.status("after"), expected, "{left} {right}");
        assert_eq!(run.state.status, ExecutionStatus::Completed);
        let output = if expected == NodeStatus::Completed { json!({"after": !left}) } else { json!({}) };
        assert_eq!(run.output, Some(output));
    }
}

#[test]
fn starts_and_answers_that_come_twice_do_nothing() {
    let mut run = Run::started(&json!([task("a", &[]), task("b", &["a"])]), json!({}));
    assert_eq!(run.apply(Event::Started).map(|decision| decision.effects), Ok(vec![]));
    let job = run.jobs[0].clone();
    run.succeed("a", json!(1));
    assert_eq!(run.apply(Run::settled(&job, Ok(json!(2)))), Err(Refusal::NotAwaited(NodeId::trusted("a"))));
    let unknown = Event::NodeRequeued { node: NodeId::trusted("zzz"), job_id: job.id };
    assert_eq!(run.apply(unknown), Err(Refusal::NotAwaited(NodeId::trusted("zzz"))));
}

#[test]
fn long_chains_and_wide_joins_are_fast_and_do_not_recurse() {
    let chain: Vec<Value> = (0..1_000)
        .map(|index| {
            let before = if index == 0 { vec![] } else { vec![format!("n{}", index - 1)] };
            json!({"id": format!("n{index}"), "type": "TRANSFORM", "dependsOn": before, "output": index})
        })
        .collect();
    assert_eq!(Run::started(&Value::from(chain), json!({})).output, Some(json!({"n999": 999})));
    let mut wide: Vec<Value> = (0..999).map(|index| task(&format!("n{index}"), &[])).collect();
    let all: Vec<String> = (0..999).map(|index| format!("n{index}")).collect();
    wide.push(json!({"id": "join", "type": "TRANSFORM", "dependsOn": all, "output": "${nodes.n7.output}"}));
    let mut run = Run::of(&Value::from(wide), &json!({}), json!({}));
    run.is_checked = false;
    run.apply(Event::Started).expect("starts");
    while let Some(job) = run.jobs.pop() {
        run.apply(Run::settled(&job, Ok(json!(job.node.as_str())))).expect("awaited");
    }
    assert_eq!(run.output, Some(json!({"join": "n7"})));
}

#[test]
fn a_wide_fan_out_and_a_long_chain_of_waits_cost_what_they_touch() {
    let started = std::time::Instant::now();
    let mut nodes: Vec<Value> = (0..990).map(|index| task(&format!("n{index}"), &["root"])).collect();
    nodes.push(task("root", &[]));
    let mut run = Run::of(&Value::from(nodes), &json!({}), json!({}));
    run.is_checked = false;
    run.apply(Event::Started).expect("starts");
    run.succeed("root", json!(1));
    for job in std::mem::take(&mut run.jobs) {
        run.apply(Run::settled(&job, Ok(json!(1)))).expect("awaited");
    }
    assert_eq!(run.state.status, ExecutionStatus::Completed);
    let chain: Vec<Value> = (0..1_000)
        .map(|index| {
            let before = if index == 0 { vec![] } else { vec![format!("n{}", index - 1)] };
            json!({"id": format!("n{index}"), "type": "SIGNAL", "signal": "next", "dependsOn": before})
        })
        .collect();
    let mut run = Run::of(&Value::from(chain), &json!({}), json!({}));
    run.is_checked = false;
    run.apply(Event::Started).expect("starts");
    for number in 0..1_000 {
        run.apply(Event::Signal { name: "next".to_owned(), payload: json!(number) }).expect("waits");
    }
    assert_eq!(run.output, Some(json!({"n999": 999})));
    // Generous: what grows with the square of the nodes takes much longer.
    assert!(started.elapsed() < std::time::Duration::from_mins(1));
}
