//! Who waits for whom, and who reads whom.

use serde_json::json;

use super::fixture::{assert_fault, parse_json, transform, workflow};

#[test]
fn faults_of_the_graph_are_found() {
    let one = json!(1);
    assert_fault(
        &workflow(&[transform("a", &[], &one), transform("a", &[], &one)]),
        "/nodes/1/id",
        "already the id",
    );
    let twice = workflow(&[transform("a", &[], &one), transform("b", &["a", "a"], &one)]);
    assert_fault(&twice, "/nodes/1/dependsOn/1", "listed twice");
    let slip = workflow(&[transform("charge", &[], &one), transform("b", &["chrage"], &one)]);
    assert_fault(&slip, "/nodes/1/dependsOn", "did you mean `charge`?");

    let cycles = workflow(&[
        transform("root", &[], &one),
        transform("a", &["c", "root"], &one),
        transform("b", &["a"], &one),
        transform("c", &["b"], &one),
        transform("behind", &["c"], &one),
        transform("x", &["y"], &one),
        transform("y", &["x"], &one),
    ]);
    assert_fault(&cycles, "/nodes/1/dependsOn", "a -> b -> c -> a");
    let faults = parse_json(&cycles).expect_err("cycles");
    assert_eq!(faults.len(), 2, "{faults:#?}");
    assert!(faults[1].message.contains("x -> y -> x"), "{faults:#?}");
    let beside = workflow(&[
        transform("x", &["y"], &json!("${nodes.b.output}")),
        transform("y", &["x"], &one),
        transform("b", &[], &json!("${nodes.x.output}")),
        transform("c", &[], &json!("${nodes.b.output}")),
    ]);
    assert_fault(&beside, "/nodes/0/dependsOn", "x -> y -> x");
    assert_fault(&beside, "/nodes/2/output", "`nodes.x`: not done before `b` starts");
    assert_fault(&beside, "/nodes/3/output", "`nodes.b`: not done before `c` starts");
    assert_eq!(parse_json(&beside).expect_err("three").len(), 3, "what waits for itself reads what it likes");

    let sibling = workflow(&[
        transform("a", &[], &one),
        transform("b", &["a"], &json!({"fine": "${nodes.a.output}"})),
        transform("c", &["a"], &json!({"no": "x ${nodes.b.output.z}"})),
        transform("d", &["b"], &json!("${nodes.a.output + nodes.b.output}")),
        transform("e", &["d"], &json!("${has(nodes.f.output.x)}")),
    ]);
    assert_fault(&sibling, "/nodes/2/output/no", "not done before `c` starts; add it to dependsOn");
    assert_fault(&sibling, "/nodes/4/output", "there is no such node");
    assert_eq!(parse_json(&sibling).expect_err("two").len(), 2);
}
