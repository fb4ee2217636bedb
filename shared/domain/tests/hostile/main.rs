//! Input that was made to fill the memory, in a process of its own that may not take more than a little of it.
//!
//! Each test runs its own program again with a bound on the address space. What exceeds it aborts, and the test fails.

use std::process::Command;
use std::time::{Duration, Instant};

use domain::id::ExecutionId;
use domain::names::{TENANT_DEFAULT, TenantName};
use domain::queue::Tier;
use domain::time::Timestamp;
use domain::workflow::advance::advance;
use domain::workflow::callback::CallbackBase;
use domain::workflow::execution::{Event, ExecutionContext, ExecutionState, ExecutionStatus, Outputs};
use domain::workflow::expression::{Allowance, EvaluationLimits};
use domain::workflow::parse::{DefinitionLimits, Format, parse, parse_stored};
use serde_json::{Value, json};
use uuid::Uuid;

/// Says to the program that it is the one with the bound.
const INSIDE: &str = "TRUNKLINE_TEST_BOUNDED";

/// What the process may take beside its program and its stacks.
const ADDRESS_SPACE: u64 = 768 * 1024 * 1024;

/// Far more than any of it takes, and far less than what it was made to take.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs `hostile` in a process with the bound.
fn bounded(test: &str, hostile: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        rlimit::setrlimit(rlimit::Resource::AS, ADDRESS_SPACE, ADDRESS_SPACE).expect("the bound is taken");
        let begun = Instant::now();
        hostile();
        assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
        return;
    }
    let program = std::env::current_exe().expect("the program has a path");
    let output = Command::new(program)
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(INSIDE, "1")
        .output()
        .expect("the program runs");
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text.contains("1 passed"), "{}: {text}", output.status);
}

fn refused(text: &str, format: Format) -> String {
    let faults = parse(text.as_bytes(), format, &DefinitionLimits::default()).expect_err("refused");
    assert!(faults.len() <= 1_000);
    faults.first().map(|fault| format!("{} {}", fault.pointer, fault.message)).unwrap_or_default()
}

fn workflow(input: &Value) -> String {
    json!({"name": "w", "version": 1, "input": input, "nodes": [{"id": "a", "type": "TRANSFORM", "output": 1}]})
        .to_string()
}

/// `allOf` of two references to the next, 26 times: 2^26 looks at one value.
fn chain() -> Value {
    let mut definitions = json!({"d26": {"required": ["missing"]}});
    for place in 0..26 {
        let next = json!({"$ref": format!("#/$defs/d{}", place + 1)});
        definitions[format!("d{place}")] = json!({"allOf": [next, next]});
    }
    json!({"type": "object", "$ref": "#/$defs/d0", "$defs": definitions})
}

#[test]
fn a_chain_of_references_is_refused() {
    bounded("a_chain_of_references_is_refused", || {
        let message = refused(&workflow(&chain()), Format::Json);
        assert!(message.starts_with("/input") && message.contains("visit one value"), "{message}");
    });
}

#[test]
fn a_stored_chain_of_references_refuses_its_inputs() {
    bounded("a_stored_chain_of_references_refuses_its_inputs", || {
        let definition = parse_stored(&workflow(&chain())).expect("a stored definition keeps its meaning");
        let faults = domain::workflow::definition::check_input(&definition, &json!({})).expect_err("refused");
        assert_eq!(faults[0].pointer, "/input");
        assert!(faults[0].message.contains("register another version"), "{faults:?}");
    });
}

#[test]
fn patterns_that_compile_to_much_are_refused() {
    bounded("patterns_that_compile_to_much_are_refused", || {
        let all: Vec<Value> = (0..800).map(|n| json!({"pattern": format!("\\p{{L}}{{100}}{n}")})).collect();
        assert!(refused(&workflow(&json!({ "allOf": all })), Format::Json).contains("pattern"));
        let nodes: Vec<Value> = (0..800)
            .map(|n| {
                json!({"id": format!("n{n}"), "type": "TRANSFORM", "output": 1,
                "when": format!("input.a.matches(r\"\\pL{{100}}{n}\")")})
            })
            .collect();
        let text = json!({"name": "w", "version": 1, "nodes": nodes}).to_string();
        assert!(refused(&text, Format::Json).contains("pattern"));
    });
}

#[test]
fn yaml_that_takes_long_is_refused() {
    bounded("yaml_that_takes_long_is_refused", || {
        let tags = (0..45_000).map(|n| format!("%TAG !t{n}! tag:x:")).collect::<Vec<_>>().join("\n");
        assert!(refused(&tags, Format::Yaml).contains("directives"));
        let lists = "- ".repeat(500_000);
        assert!(refused(&lists, Format::Yaml).contains("nested"));
        let anchors = (0..60_000).map(|n| format!("- &a{n} x")).collect::<Vec<_>>().join("\n");
        assert!(refused(&anchors, Format::Yaml).contains("anchors"));
    });
}

/// Applies the start of an execution with one node; answers its state.
fn started(output: &str, input: Value) -> ExecutionState {
    let text =
        json!({"name": "w", "version": 1, "nodes": [{"id": "a", "type": "TRANSFORM", "output": output}]});
    let parsed = parse(text.to_string().as_bytes(), Format::Json, &DefinitionLimits::default());
    let definition = parsed.expect("valid").definition;
    let context = ExecutionContext {
        id: ExecutionId::from_uuid(Uuid::from_u128(1)),
        tenant: TenantName::trusted(TENANT_DEFAULT),
        workflow: definition.name.clone(),
        version: 1,
        tier: Tier::Normal,
        input,
        created_at: Timestamp(0),
        depth: 0,
        callbacks: CallbackBase { url: String::new(), key: [0; 32] },
        allowance: Allowance::metered(EvaluationLimits::default()),
    };
    let mut state = ExecutionState::new(&definition);
    advance(&definition, &context, &mut state, &mut Outputs::new(), Event::Started, Timestamp(0))
        .expect("a new execution starts");
    state
}

#[test]
fn maps_in_maps_over_many_numbers_fail_their_node() {
    bounded("maps_in_maps_over_many_numbers_fail_their_node", || {
        let input = json!({"l": (0..440).collect::<Vec<_>>()});
        for output in [
            "${input.l.map(a, input.l.map(b, input.l))}",
            "${input.l.map(a, input.l.map(b, [a, b, [input.l, input.l]]))}",
        ] {
            let state = started(output, input.clone());
            let error = state.error.expect("it fails");
            assert_eq!((state.status, error.code.as_deref()), (ExecutionStatus::Failed, Some("expression")));
            assert!(error.message.contains("creates values of more than"), "{error:?}");
        }
    });
}

#[test]
fn patterns_in_loops_are_compiled_once() {
    bounded("patterns_in_loops_are_compiled_once", || {
        let texts: Vec<String> = (0..10_000).map(|n| format!("text {n}")).collect();
        let output = "${size(input.l.filter(a, a.matches(r\"^\\w+ [0-9]*7$\")))}";
        assert_eq!(started(output, json!({ "l": texts })).status, ExecutionStatus::Completed);
    });
}
