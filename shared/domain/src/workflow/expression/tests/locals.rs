//! What is in scope only in some places: items of a `MAP`, the error of a failed execution, callback addresses.

use serde_json::{Value, json};

use super::fixture::{context, evaluate_local};
use crate::names::NodeId;
use crate::workflow::callback::is_callback_token;
use crate::workflow::execution::ExecutionError;
use crate::workflow::expression::{EXPRESSION_BYTES_MAX, Expression, Local, Variables};

#[test]
fn items_and_errors_are_read() {
    let item = json!({"sku": "a", "lines": [{"n": 1}, {"n": 2}]});
    let error =
        ExecutionError { node: Some(NodeId::trusted("charge")), message: "declined".to_owned(), code: None };
    let local = Local { item: Some(&item), index: Some(17), error: Some(&error), event: None };
    let table = [
        ("item", item.clone()),
        ("item.sku", json!("a")),
        ("item.lines[1].n", json!(2)),
        ("item.missing.further", json!(null)),
        ("index", json!(17)),
        ("index.x", json!(null)),
        ("index + 1", json!(18)),
        ("item.sku + string(index % 2)", json!("a1")),
        ("item.lines.map(index, index.n)", json!([1, 2])),
        ("item.lines.exists(line, line.n == input.n)", json!(true)),
        ("item.lines.map(line, line.n + index)", json!([18, 19])),
        ("error", json!({"node": "charge", "message": "declined", "code": null})),
        ("error.node", json!("charge")),
        ("error.code", json!(null)),
        ("error.code == null", json!(true)),
        ("error.message + \"!\"", json!("declined!")),
        ("error.node == \"charge\" && nodes.charge.output.whole > 1000", json!(true)),
    ];
    for (source, expected) in table {
        assert_eq!(evaluate_local(local, source), Ok(expected), "{source}");
    }
    for source in ["item", "item.sku", "index", "error", "error.message"] {
        assert_eq!(evaluate_local(Local::default(), source), Ok(Value::Null), "{source}");
    }
    let message = evaluate_local(local, "item.missing == 3").expect_err("missing").to_string();
    assert!(message.contains("there is no field `missing`"), "{message}");
    let large = json!("x".repeat(2_000_000));
    assert!(evaluate_local(Local { item: Some(&large), ..Local::default() }, "item").is_err());
}

#[test]
fn callback_addresses_are_those_that_are_accepted() {
    let url = evaluate_local(Local::default(), "nodes[\"hook-1\"].callbackUrl").expect("an address");
    let context = context(json!({}));
    let start = format!("https://jobs.example/callbacks/{}/hook-1/", context.id);
    let token = url.as_str().and_then(|url| url.strip_prefix(&start)).expect("the path");
    assert!(is_callback_token(&context.callbacks, context.id, &NodeId::trusted("hook-1"), token));
    assert!(!is_callback_token(&context.callbacks, context.id, &NodeId::trusted("hook-2"), token));
    let joined = "nodes[\"hook-1\"].callbackUrl + \"?x=\" + nodes.charge.status";
    let expected = format!("{}?x=COMPLETED", url.as_str().expect("text"));
    assert_eq!(evaluate_local(Local::default(), joined), Ok(json!(expected)));
}

#[test]
fn what_is_read_is_known() {
    let source = "nodes.a.callbackUrl + nodes.b.output + nodes.a.callbackUrl + nodes.b.status";
    let expression = Expression::compile(source, EXPRESSION_BYTES_MAX).expect("compiles");
    assert_eq!(expression.nodes(), [NodeId::trusted("b")]);
    assert_eq!(expression.callback_nodes(), [NodeId::trusted("a")]);
    let only_items = Variables { item: true, ..Variables::default() };
    assert!(Expression::compile_with("item + index", EXPRESSION_BYTES_MAX, only_items).is_ok());
    assert!(Expression::compile_with("error.code", EXPRESSION_BYTES_MAX, only_items).is_err());
    let all = Variables { item: true, error: true, ..Variables::default() };
    let faults =
        Expression::compile_with("error.reason", EXPRESSION_BYTES_MAX, all).expect_err("no such field");
    assert!(faults[0].to_string().contains("only node, message and code"), "{faults:?}");
}
