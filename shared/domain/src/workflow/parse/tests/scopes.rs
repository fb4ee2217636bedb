//! What may be read where.

use serde_json::{Value, json};

use super::fixture::{assert_fault, parse_json, transform, workflow};

fn assert_good(definition: &Value) {
    if let Err(faults) = parse_json(definition) {
        panic!("{definition}: {faults:#?}");
    }
}

#[test]
fn a_node_that_repeats_reads_what_it_gave_before() {
    let repeat =
        json!({"until": "nodes.a.output.done && nodes.a.status == 'COMPLETED'", "max": 5, "delay": "1s"});
    let node = json!({
        "id": "a", "type": "SERVICE_TASK", "jobType": "poll", "input": "${nodes.a.output.cursor}", "repeat": repeat,
    });
    let good = workflow(std::slice::from_ref(&node));
    assert_good(&good);
    let mut once = good.clone();
    once["nodes"][0].as_object_mut().expect("an object").remove("repeat");
    assert_fault(&once, "/nodes/0/input", "cannot read its own output, unless it has a `repeat`");
    let mut other = workflow(&[node, transform("b", &[], &json!(1))]);
    other["nodes"][0]["repeat"]["until"] = json!("nodes.b.output");
    assert_fault(&other, "/nodes/0/repeat/until", "not done before `a` starts");
}

#[test]
fn compensations_read_every_node_and_the_error() {
    let undo = json!({"type": "SERVICE_TASK", "jobType": "refund", "retryCount": 9, "input": {
        "charge": "${nodes.a.output.id}", "later": "${nodes.b.output}", "why": "${error.message + string(error.code)}",
    }});
    let mut charge = transform("a", &[], &json!({"id": 1}));
    charge["compensate"] = undo;
    let mut good = workflow(&[charge, transform("b", &["a"], &json!(1))]);
    good["retry"] = json!({"maxRetries": 2, "initial": "7s"});
    let parsed = parse_json(&good).expect("valid");
    let task = parsed.definition.nodes[0].compensate.as_ref().expect("one");
    let retry = task.retry.expect("its own and the definition's");
    assert_eq!((retry.retries_max, retry.backoff.map(|backoff| backoff.initial.0)), (Some(9), Some(7_000)));
    assert_eq!(task.kind.type_name(), "SERVICE_TASK");
    let mut bad = good;
    bad["nodes"][0]["output"] = json!("${error.message}");
    assert_fault(&bad, "/nodes/0/output", "only in `compensate` and `onFailure`");
}

#[test]
fn callback_addresses_are_read_from_anywhere() {
    let wait = json!({"id": "wait", "type": "WAIT_WEBHOOK", "dependsOn": ["ask"], "timeout": "1h"});
    let good = workflow(&[
        transform("ask", &[], &json!("call ${nodes.wait.callbackUrl} or ${size(nodes.wait.callbackUrl)}")),
        wait,
    ]);
    assert_good(&good);
    let mut other = good.clone();
    other["nodes"][1]["type"] = json!("USER_TASK");
    other["nodes"][1]["group"] = json!("x");
    assert_fault(
        &other,
        "/nodes/0/output",
        "`nodes.wait.callbackUrl`: only a WAIT_WEBHOOK has one, and this is a USER_TASK",
    );
    let mut missing = good.clone();
    missing["nodes"][0]["output"] = json!("${nodes.wiat.callbackUrl}");
    assert_fault(
        &missing,
        "/nodes/0/output",
        "`nodes.wiat.callbackUrl`: there is no such node; did you mean `wait`?",
    );
    let mut output = good;
    output["nodes"][0]["output"] = json!("${nodes.wait.output}");
    assert_fault(&output, "/nodes/0/output", "it comes after `ask`");
}

#[test]
fn retries_of_children_are_their_own() {
    let child = json!({"type": "WORKFLOW", "workflow": "child", "input": {"n": "${index}"}});
    let mut definition = workflow(&[
        json!({"id": "a", "type": "WORKFLOW", "workflow": "child"}),
        json!({"id": "b", "type": "WORKFLOW", "workflow": "child", "version": 3, "retryCount": 1}),
        json!({"id": "c", "type": "MAP", "items": "${input.list}", "node": child}),
        json!({"id": "d", "type": "MAP", "items": [1], "retryCount": 4, "node": {"type": "TRANSFORM", "output": "${item}"}}),
    ]);
    definition["retry"] = json!({"maxRetries": 2});
    let parsed = parse_json(&definition).expect("valid");
    let retries = |index: usize| parsed.definition.nodes[index].retry.and_then(|retry| retry.retries_max);
    assert_eq!([retries(0), retries(1)], [None, Some(1)]);
    let of_item = |index: usize| match &parsed.definition.nodes[index].kind {
        crate::workflow::definition::NodeKind::Map(map) => map.task.retry.and_then(|retry| retry.retries_max),
        _ => panic!("a MAP"),
    };
    assert_eq!([of_item(2), of_item(3)], [None, Some(4)]);
}
