//! What expressions give, and what cannot be computed.

use serde_json::json;

use super::fixture::{context, evaluate, outputs, state};
use crate::workflow::expression::{EXPRESSION_BYTES_MAX, Expression, Local, Scope};

#[test]
fn expressions_give_values() {
    let table = [
        // Paths, with null for what is missing.
        ("input.name", json!("Ada")),
        ("input.missing", json!(null)),
        ("input.missing.further.down", json!(null)),
        ("input.name.further", json!(null)),
        ("input[\"a-b\"]", json!(1)),
        ("input.deep.a.b[1].c", json!("end")),
        ("input.deep.a.b[9]", json!(null)),
        ("input.big", json!(u64::MAX)),
        ("nodes.charge.output.total", json!(1000.5)),
        ("nodes.charge.status", json!("COMPLETED")),
        ("nodes[\"credit-score\"].output", json!(720)),
        ("nodes.left.output", json!(null)),
        ("nodes.left.output.field", json!(null)),
        ("nodes.left.status", json!("SKIPPED")),
        ("execution.version", json!(3)),
        ("execution.workflow", json!("orders")),
        ("execution.tenant", json!("acme")),
        ("execution.id", json!("exe_00000000000000000000000000000007")),
        ("execution.startedAt", json!("1970-01-01T00:00:00.000Z")),
        // Numbers keep their type, and compare across types.
        ("1 + 2", json!(3)),
        ("7 / 2", json!(3)),
        ("1.5 + 1.5", json!(3.0)),
        ("input.count + 1", json!(4)),
        ("nodes.charge.output.total > 1000", json!(true)),
        ("nodes.charge.output.whole > 1000", json!(true)),
        ("nodes.charge.output.whole > 1000.9", json!(true)),
        ("input.price < input.count", json!(true)),
        ("input.big > input.count", json!(true)),
        ("input.count == 3.0", json!(true)),
        ("nodes[\"credit-score\"].output >= 700 && nodes.charge.status == \"COMPLETED\"", json!(true)),
        // The rest of CEL.
        ("input.yes ? \"a\" : \"b\"", json!("a")),
        ("has(input.name) && !has(input.missing)", json!(true)),
        ("input.?missing.orValue(\"other\")", json!("other")),
        ("input.?missing", json!(null)),
        ("size(input.tags) + input.name.size()", json!(5)),
        ("\"x\" in input.tags", json!(true)),
        ("input.ref.matches(\"^refs/heads/\")", json!(true)),
        ("input.tags.map(tag, tag + \"!\")", json!(["x!", "y!"])),
        ("nodes.charge.output.lines.filter(line, line.sku != \"a\")", json!([{"sku": "b"}])),
        ("nodes.charge.output.lines.exists(line, input.tags.exists(tag, tag == line.sku))", json!(false)),
        ("input.tags.map(input, input)", json!(["x", "y"])),
        ("{\"a\": input.count, \"b\": [input.name]}", json!({"a": 3, "b": ["Ada"]})),
        ("{1: true}", json!({"1": true})),
        ("type(input.count) == int", json!(true)),
        ("string(input.count) + \"x\"", json!("3x")),
        ("input.none == null", json!(true)),
        ("execution.tenant + \"/\" + execution.workflow", json!("acme/orders")),
    ];
    for (source, expected) in table {
        assert_eq!(evaluate(source), Ok(expected), "{source}");
    }
}

#[test]
fn what_cannot_be_computed_is_an_error_that_names_no_values() {
    let table = [
        ("input.missing > 3", "there is no field `missing`"),
        ("input.missing == 3", "there is no field `missing`"),
        ("input.missing == null", "there is no field `missing`"),
        ("input.deep.x.y == 3", "there is no field `x`"),
        ("nodes.left.output.total > 3", "null"),
        ("input.none > 3", ">"),
        ("input.name > 3", "(string, int)"),
        ("input.name + 3", "add"),
        ("1 / 0", "division by zero"),
        ("9223372036854775807 + 1", "overflows"),
        ("input.tags[5] == \"x\"", "outside of the list"),
        ("int(input.name)", "int"),
        ("b\"abc\"", "bytes"),
        ("1.0 / 0.0", "JSON cannot hold"),
    ];
    for (source, part) in table {
        let message = evaluate(source).expect_err(source).to_string();
        assert!(message.contains(part), "{source}: {message}");
        assert!(!message.replace(source, "").contains("Ada"), "{source}: {message}");
    }
}

#[test]
fn conditions_are_true_or_false() {
    let (context, state, outputs) = (context(json!({"yes": true, "text": "true"})), state(), outputs());
    let scope = Scope { context: &context, state: &state, outputs: &outputs, local: Local::default() };
    let test = |source: &str| Expression::compile(source, EXPRESSION_BYTES_MAX).expect(source).test(&scope);
    assert_eq!(test("input.yes"), Ok(true));
    assert_eq!(test("!input.yes"), Ok(false));
    for source in ["input.text", "input.missing", "1", "\"true\" + \"\""] {
        let message = test(source).expect_err(source).to_string();
        assert!(message.contains("not true or false"), "{message}");
    }
}
