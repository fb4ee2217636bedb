//! What a simulation makes of results, signals, timeouts and too much work.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};
use uuid::Uuid;

use super::*;
use crate::failure::JobError;
use crate::id::ExecutionId;
use crate::names::{EventType, TenantName};
use crate::queue::Tier;
use crate::time::{DurationMs, Timestamp};
use crate::workflow::callback::CallbackBase;
use crate::workflow::definition::Definition;
use crate::workflow::execution::{ExecutionContext, ExecutionStatus, NodeStatus};
use crate::workflow::expression::{Allowance, EvaluationLimits};
use crate::workflow::parse::{DefinitionLimits, Format, parse};

const START: Timestamp = Timestamp(1_000_000);
const HOUR: DurationMs = DurationMs(3_600_000);

fn definition(nodes: &Value, more: &Value) -> Definition {
    let mut text = json!({"name": "w", "version": 1, "nodes": nodes});
    for (field, value) in more.as_object().expect("an object") {
        text[field] = value.clone();
    }
    let parsed = parse(text.to_string().as_bytes(), Format::Json, &DefinitionLimits::default());
    parsed.unwrap_or_else(|faults| panic!("a valid definition: {faults:?} {text}")).definition
}

fn context(definition: &Definition, input: Value, limits: EvaluationLimits) -> ExecutionContext {
    ExecutionContext {
        id: ExecutionId::from_uuid(Uuid::from_u128(42)),
        tenant: TenantName::trusted("acme"),
        workflow: definition.name.clone(),
        version: definition.version,
        tier: Tier::Normal,
        input,
        created_at: START,
        depth: 0,
        callbacks: CallbackBase { url: String::new(), key: [7; 32] },
        allowance: Allowance::metered(limits),
    }
}

fn output(value: Value) -> MockResult {
    MockResult { outcome: MockOutcome::Output(value), after: DurationMs::ZERO }
}

fn error(message: &str) -> MockResult {
    MockResult { outcome: MockOutcome::Error(JobError::coded("declined", message)), after: DurationMs::ZERO }
}

fn times_out() -> MockResult {
    MockResult { outcome: MockOutcome::TimesOut, after: DurationMs::ZERO }
}

fn script<const N: usize>(results: [(&str, Vec<MockResult>); N]) -> Script {
    let results: BTreeMap<String, VecDeque<MockResult>> =
        results.into_iter().map(|(key, list)| (key.to_owned(), list.into())).collect();
    Script { results, ..Script::default() }
}

fn run(nodes: &Value, input: Value, script: Script) -> Simulated {
    let definition = definition(nodes, &json!({}));
    let context = context(&definition, input, EvaluationLimits::default());
    simulate(&definition, &context, script, START).expect("it is small")
}

fn task(id: &str, more: &Value) -> Value {
    let mut node = json!({"id": id, "type": "SERVICE_TASK", "jobType": id});
    for (field, value) in more.as_object().expect("an object") {
        node[field] = value.clone();
    }
    node
}

fn statuses(simulated: &Simulated) -> Vec<(&str, NodeStatus)> {
    simulated.rounds.iter().map(|round| (round.key.as_str(), round.status)).collect()
}

#[test]
fn results_lead_to_the_output_and_inputs_are_shown() {
    let nodes = json!([
        task("a", &json!({"input": {"n": "${input.n + 1}"}})),
        task("b", &json!({"dependsOn": ["a"], "input": {"from": "${nodes.a.output.id}"}})),
    ]);
    let given = script([("a", vec![output(json!({"id": 7}))]), ("b", vec![output(json!("done"))])]);
    let simulated = run(&nodes, json!({"n": 1}), given);
    assert_eq!(simulated.status, ExecutionStatus::Completed);
    assert_eq!(simulated.output, Some(json!({"b": "done"})));
    assert_eq!(simulated.rounds[0].input, Some(json!({"n": 2})));
    assert_eq!(simulated.rounds[1].input, Some(json!({"from": 7})));
    assert_eq!(simulated.waiting_for, []);
    assert_eq!(simulated.timeline.last().map(|line| line.kind.as_str()), Some("execution_completed"));
}

#[test]
fn a_node_without_a_result_ends_the_run_as_waiting_for_it() {
    let nodes = json!([task("a", &json!({})), task("b", &json!({"dependsOn": ["a"]}))]);
    let simulated = run(&nodes, json!({}), script([("a", vec![output(json!(1))])]));
    assert_eq!(simulated.status, ExecutionStatus::Running);
    assert_eq!(statuses(&simulated), [("a", NodeStatus::Completed), ("b", NodeStatus::Running)]);
    let [waiting] = &simulated.waiting_for[..] else { panic!("{:?}", simulated.waiting_for) };
    assert_eq!((waiting.key.as_str(), &waiting.awaited), ("b", &Awaited::Result));
}

#[test]
fn a_failure_undoes_what_completed() {
    let nodes = json!([
        task("reserve", &json!({"compensate": {"type": "SERVICE_TASK", "jobType": "release"}})),
        task("charge", &json!({"dependsOn": ["reserve"]})),
    ]);
    let given = script([
        ("reserve", vec![output(json!({"id": 1}))]),
        ("charge", vec![error("the card was declined")]),
        ("reserve:compensate", vec![output(json!(null))]),
    ]);
    let simulated = run(&nodes, json!({}), given);
    assert_eq!(simulated.status, ExecutionStatus::Failed);
    let keys: Vec<&str> = simulated.rounds.iter().map(|round| round.key.as_str()).collect();
    assert_eq!(keys, ["reserve", "charge", "reserve:compensate"]);
    assert_eq!(simulated.error.and_then(|error| error.code).as_deref(), Some("declined"));
}

#[test]
fn the_clock_jumps_over_timers_and_stops_before_the_timeout_of_a_person() {
    let nodes = json!([
        {"id": "sleep", "type": "TIMER", "duration": "2h"},
        {"id": "approve", "type": "USER_TASK", "assignee": "ada", "dependsOn": ["sleep"], "timeout": "1h"},
    ]);
    let waiting = run(&nodes, json!({}), Script::default());
    assert_eq!(waiting.status, ExecutionStatus::Running);
    assert_eq!(waiting.now, START.plus(HOUR).plus(HOUR));
    assert_eq!(waiting.waiting_for[0].awaited, Awaited::UserTask);

    let approved = run(&nodes, json!({}), script([("approve", vec![output(json!({"ok": true}))])]));
    assert_eq!(approved.output, Some(json!({"approve": {"ok": true}})));

    let late = run(&nodes, json!({}), script([("approve", vec![times_out()])]));
    assert_eq!(late.status, ExecutionStatus::Failed);
    assert_eq!(late.now, START.plus(DurationMs(3 * HOUR.0)));
}

#[test]
fn a_result_that_takes_longer_comes_later() {
    let nodes = json!([task("slow", &json!({})), task("quick", &json!({}))]);
    let slow = MockResult { outcome: MockOutcome::Output(json!(1)), after: HOUR };
    let simulated = run(&nodes, json!({}), script([("slow", vec![slow]), ("quick", vec![output(json!(2))])]));
    let keys: Vec<&str> = simulated.rounds.iter().map(|round| round.key.as_str()).collect();
    assert_eq!(keys, ["quick", "slow"]);
    assert_eq!(simulated.now, START.plus(HOUR));
}

#[test]
fn signals_come_when_they_are_awaited_or_at_their_time() {
    let nodes = json!([{"id": "go", "type": "SIGNAL", "signal": "approved", "timeout": "1h"}]);
    let signal = |after| Script {
        signals: vec![MockSignal { name: "approved".to_owned(), payload: json!("yes"), after }],
        ..Script::default()
    };
    for (after, status) in [
        (None, ExecutionStatus::Completed),
        (Some(DurationMs(HOUR.0 / 2)), ExecutionStatus::Completed),
        // It comes too late: the wait has timed out by then.
        (Some(DurationMs(HOUR.0 * 2)), ExecutionStatus::Failed),
    ] {
        assert_eq!(run(&nodes, json!({}), signal(after)).status, status, "{after:?}");
    }
    let by_node = run(&nodes, json!({}), script([("go", vec![output(json!("yes"))])]));
    assert_eq!(by_node.output, Some(json!({"go": "yes"})));
}

#[test]
fn items_take_results_in_order_unless_they_have_their_own() {
    let nodes = json!([{
        "id": "label", "type": "MAP", "items": "${input.items}",
        "node": {"type": "SERVICE_TASK", "jobType": "label", "input": {"item": "${item}"}},
    }]);
    let given = script([
        ("label", vec![output(json!("x")), output(json!("z"))]),
        ("label[1]", vec![output(json!("y"))]),
    ]);
    let simulated = run(&nodes, json!({"items": [1, 2, 3]}), given);
    assert_eq!(simulated.output, Some(json!({"label": ["x", "y", "z"]})));
}

#[test]
fn children_and_callbacks_get_results_too() {
    let nodes = json!([
        {"id": "child", "type": "WORKFLOW", "workflow": "other", "input": {"a": 1}},
        {"id": "paid", "type": "WAIT_WEBHOOK", "dependsOn": ["child"]},
    ]);
    let given = script([("child", vec![output(json!(5))]), ("paid", vec![output(json!({"ok": 1}))])]);
    let simulated = run(&nodes, json!({}), given);
    assert_eq!(simulated.output, Some(json!({"paid": {"ok": 1}})));
    assert_eq!(simulated.rounds[0].input, Some(json!({"a": 1})));
}

#[test]
fn faults_of_a_script_have_pointers() {
    let definition = definition(&json!([{"id": "go", "type": "SIGNAL", "signal": "s"}]), &json!({}));
    let faults = script([("go", vec![error("no")]), ("nope", Vec::new())]).faults(&definition);
    let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(pointers, ["/results/go/0/error", "/results/nope"]);
}

#[test]
fn what_takes_too_much_is_refused() {
    let definition = definition(
        &json!([{"id": "a", "type": "TRANSFORM", "output": "${input.l.map(x, input.l.map(y, x + y))}"}]),
        &json!({}),
    );
    let list: Vec<u32> = (0..300).collect();
    let limits = EvaluationLimits { execution_steps_max: 1_000, ..EvaluationLimits::default() };
    let context = context(&definition, json!({"l": list}), limits);
    assert_eq!(simulate(&definition, &context, Script::default(), START), Err(TooMuch));
}

/// Whoever asks for a simulation may be gone: then its allowance is taken away, and it ends with the next event that comes, also
/// where no node goes on.
#[test]
fn events_that_end_no_wait_end_a_simulation_that_may_do_no_more() {
    let wait = json!({"id": "a", "type": "WAIT_EVENT", "event": "x", "filter": "body.all(n, n == 0) && size(body) == 0"});
    let definition = definition(&json!([wait]), &json!({}));
    let numbers = json!(vec![0; 100]);
    let events = |count: i64| {
        let events = (0..count).map(|at| event("x", numbers.clone(), Some(DurationMs(1 + at))));
        Script { events: events.collect(), ..Script::default() }
    };
    let limits = EvaluationLimits { execution_steps_max: 100_000, ..EvaluationLimits::default() };
    let within = |script| simulate(&definition, &context(&definition, json!({}), limits), script, START);
    assert_eq!(within(events(1)).map(|simulated| simulated.waiting_for.len()), Ok(1));
    assert_eq!(within(events(1_000)), Err(TooMuch));
}

fn event(name: &str, data: Value, after: Option<DurationMs>) -> MockEvent {
    MockEvent { name: EventType::trusted(name), data, after }
}

#[test]
fn events_end_the_waits_that_they_meet() {
    let wait = |id: &str, more: &Value| {
        let mut node =
            json!({"id": id, "type": "WAIT_EVENT", "event": "paid", "match": {"body.id": "${input.id}"}});
        for (field, value) in more.as_object().expect("an object") {
            node[field] = value.clone();
        }
        node
    };
    let large = json!({"filter": "body.amount > 10"});
    let nodes = json!([wait("any", &json!({})), wait("large", &large)]);
    let events = vec![
        event("other", json!({"id": 7}), None),
        event("paid", json!({"id": 8, "amount": 90}), None),
        event("paid", json!({"id": 7, "amount": 9}), None),
        event("paid", json!({"id": 7, "amount": 90}), Some(HOUR)),
    ];
    let simulated = run(&nodes, json!({"id": 7}), Script { events: events.clone(), ..Script::default() });
    assert_eq!(simulated.status, ExecutionStatus::Completed);
    assert_eq!(simulated.now, START.plus(HOUR), "the second waits for the larger amount");
    let amount = |node: &str| {
        let round = simulated.rounds.iter().find(|round| round.key.as_str() == node).expect("it ran");
        round.output.as_ref().map(|output| output["body"]["amount"].clone())
    };
    assert_eq!((amount("any"), amount("large")), (Some(json!(9)), Some(json!(90))));
    let first = Script { events: events[..3].to_vec(), ..Script::default() };
    let waiting = run(&nodes, json!({"id": 7}), first).waiting_for;
    assert_eq!(waiting.iter().map(|open| open.key.as_str()).collect::<Vec<_>>(), ["large"]);
}

#[test]
fn an_event_wakes_all_that_wait_for_it_and_is_looked_back_for() {
    let wait = |id: &str| json!({"id": id, "type": "WAIT_EVENT", "event": "paid"});
    let timer = json!({"id": "later", "type": "TIMER", "duration": "1m"});
    let mut back = wait("back");
    back["lookback"] = "5m".into();
    let mut none = wait("none");
    for node in [&mut back, &mut none] {
        node["dependsOn"] = json!(["later"]);
    }
    let nodes = json!([wait("one"), wait("two"), timer, back, none]);
    let events = vec![event("paid", json!(1), Some(DurationMs(10_000)))];
    let simulated = run(&nodes, json!({}), Script { events, ..Script::default() });
    let ended: Vec<&str> = simulated
        .rounds
        .iter()
        .filter(|round| round.status == NodeStatus::Completed)
        .map(|round| round.key.as_str())
        .collect();
    for node in ["one", "two", "back"] {
        assert!(ended.contains(&node), "{node} is not among {ended:?}");
    }
    assert_eq!(simulated.waiting_for.iter().map(|open| open.key.as_str()).collect::<Vec<_>>(), ["none"]);
}
