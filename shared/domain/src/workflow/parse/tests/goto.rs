//! Where `SWITCH` and `onError` lead: edges that nobody lists, cycles through them, and the list of `onFailure`.

use serde_json::{Value, json};

use super::fixture::{assert_fault, parse_json, transform, workflow};
use crate::names::NodeId;

fn switch(id: &str, targets: &[&str], default: Option<&str>) -> Value {
    let cases: Vec<Value> = targets
        .iter()
        .enumerate()
        .map(|(place, target)| json!({"when": format!("input.way == {place}"), "goto": target}))
        .collect();
    let mut node = json!({"id": id, "type": "SWITCH", "cases": cases});
    if let Some(default) = default {
        node["default"] = json!(default);
    }
    node
}

#[test]
fn targets_wait_for_the_node_that_names_them() {
    let one = json!(1);
    let mut risky = transform("risky", &["b"], &one);
    risky["onError"] = json!({"goto": "mend"});
    let definition = workflow(&[
        switch("s", &["b", "c", "b"], Some("d")),
        transform("b", &["s"], &one),
        transform("c", &[], &one),
        transform("d", &[], &json!("${nodes.s.output.chosen}")),
        risky,
        transform("mend", &[], &json!("${nodes.risky.output.error}")),
        transform("end", &["risky", "d"], &one),
    ]);
    let parsed = parse_json(&definition).expect("valid");
    let graph = &parsed.definition.graph;
    assert_eq!(graph.dependencies, [vec![], vec![0], vec![0], vec![0], vec![1], vec![4], vec![4, 3]]);
    assert_eq!(graph.dependents[0], [1, 2, 3]);
    assert_eq!(graph.dependents[4], [5, 6]);
    assert_eq!((&graph.roots, &graph.leaves), (&vec![0], &vec![2, 5, 6]));
    assert_eq!(parsed.definition.nodes[2].depends_on, Vec::<NodeId>::new());
}

#[test]
fn a_way_back_is_a_cycle() {
    let one = json!(1);
    let back = workflow(&[transform("a", &[], &one), transform("b", &["a"], &one), {
        let mut node = switch("s", &["a"], None);
        node["dependsOn"] = json!(["b"]);
        node
    }]);
    assert_fault(&back, "/nodes/2/cases/0/goto", "a -> b -> s -> a; to run a node again, give it `repeat`");
    assert_eq!(parse_json(&back).expect_err("one").len(), 1);
    let mut again = transform("b", &["a"], &one);
    again["onError"] = json!({"goto": "a"});
    let back = workflow(&[transform("a", &[], &one), again]);
    assert_fault(&back, "/nodes/1/onError/goto", "a -> b -> a; to run a node again");
}

#[test]
fn nodes_of_on_failure_are_a_graph_of_their_own() {
    let mut definition = workflow(&[transform("a", &[], &json!(1)), transform("b", &["a"], &json!(2))]);
    definition["onFailure"] = json!([
        {"id": "tell", "type": "SERVICE_TASK", "jobType": "tell", "input": {
            "error": "${error.message}", "a": "${nodes.b.output}", "code": "${has(error.code) ? error.code : ''}"
        }},
        {"id": "choose", "type": "SWITCH", "dependsOn": ["tell"], "cases": [{"when": "error.node == 'a'", "goto": "page"}]},
        {"id": "page", "type": "TRANSFORM", "output": "${nodes.tell.output}"},
        {"id": "log", "type": "MAP", "items": "${nodes.a.output}", "node":
            {"type": "TRANSFORM", "output": {"item": "${item}", "error": "${error}"}}},
    ]);
    let parsed = parse_json(&definition).expect("valid");
    let read = &parsed.definition;
    assert_eq!((read.nodes.len(), read.on_failure_from), (6, 2));
    assert!(!read.is_on_failure(1) && read.is_on_failure(2));
    let graph = &read.graph;
    assert_eq!((&graph.roots, &graph.leaves), (&vec![0], &vec![1]));
    assert_eq!(graph.on_failure_roots, [2, 5]);
    assert_eq!(graph.dependencies[4], [3]);

    let mut outside = definition.clone();
    outside["nodes"][1]["dependsOn"] = json!(["tell"]);
    assert_fault(&outside, "/nodes/1/dependsOn", "`tell` is a node of `onFailure`");
    let mut reads = definition.clone();
    reads["nodes"][1]["output"] = json!("${nodes.tell.output}");
    assert_fault(&reads, "/nodes/1/output", "only nodes of `onFailure` can read");
    let mut output = definition.clone();
    output["output"] = json!("${nodes.tell.output}");
    assert_fault(&output, "/output", "only nodes of `onFailure` can read");
    let mut early = definition.clone();
    early["onFailure"][0]["input"] = json!("${nodes.page.output}");
    assert_fault(&early, "/onFailure/0/input", "it comes after `tell`");
    let mut cycle = definition;
    cycle["onFailure"][0]["dependsOn"] = json!(["page"]);
    assert_fault(&cycle, "/onFailure/1/cases/0/goto", "tell -> choose -> page -> tell");
}

#[test]
fn nodes_of_on_failure_count_as_nodes() {
    let nodes: Vec<Value> = (0..990).map(|index| transform(&format!("n{index}"), &[], &json!(1))).collect();
    let last: Vec<Value> = (0..11).map(|index| transform(&format!("f{index}"), &[], &json!(1))).collect();
    let mut definition = workflow(&nodes);
    definition["onFailure"] = json!(last[..10]);
    assert!(parse_json(&definition).is_ok());
    definition["onFailure"] = json!(last);
    assert_fault(
        &definition,
        "/onFailure",
        "at most 1000 nodes, those of onFailure included; this one has 1001",
    );
}
