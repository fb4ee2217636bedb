//! What does not compile, and what stops before it takes too long.

use serde_json::{Value, json};

use super::fixture::evaluate_on;
use crate::workflow::expression::{EXPRESSION_BYTES_MAX, EvaluationError, Expression};

#[test]
fn bad_expressions_do_not_compile() {
    let table = [
        ("", "empty"),
        ("   ", "empty"),
        ("1 +", "not a CEL expression"),
        ("a b", "not a CEL expression"),
        ("\"open", "not a CEL expression"),
        ("inputs.name", "unknown variable `inputs`"),
        ("name", "unknown variable `name`"),
        (".input", "unknown variable"),
        ("error.message", "unknown variable `error`: it is in scope only in `compensate` and `onFailure`"),
        ("item", "unknown variable `item`: it is in scope only in the `node` of a MAP"),
        ("input.a + index", "unknown variable `index`"),
        ("nodes", "with the id of a node written out"),
        ("nodes[input.name].output", "with the id of a node written out"),
        ("nodes[0]", "with the id of a node written out"),
        ("size(nodes)", "with the id of a node written out"),
        ("nodes.charge.outputs", "only output and status"),
        ("execution.name", "no field `name`"),
        ("lenght(input.name)", "unknown function `lenght`"),
        ("input.name.trim()", "unknown function `trim`"),
        ("optional.some(1)", "unknown function `some`"),
        ("contains(input.name, \"a\")", "unknown function `contains`"),
        ("acme.User{name: \"x\"}", "unknown type"),
        ("input.a.map(x, x.map(y, y.map(z, z)))", "nested deeper than 2"),
        ("@budget", "not a CEL expression"),
    ];
    for (source, part) in table {
        let faults = Expression::compile(source, EXPRESSION_BYTES_MAX).expect_err(source);
        let text = faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        assert!(text.contains(part), "{source}: {text}");
    }
}

#[test]
fn hostile_expressions_are_refused_without_overflowing_the_stack() {
    let many = |part: &str, times: usize| part.repeat(times);
    let sources = [
        format!("1{}", many("+1", 2_000)),
        format!("input{}", many(".a", 1_900)),
        format!("input{}", many("[0]", 1_300)),
        format!("{}1{}", many("(", 2_000), many(")", 2_000)),
        format!("{}1{}", many("[", 450), many("]", 450)),
        format!("1{}", many("+1", 400)),
        format!("input.a{}", many(".size()", 240)),
        many("{1:", 1_300),
        many("!", 4_000),
        many("\"", 3_999),
        many("input.x.map(y,", 250),
        format!("1{}", many("<1", 499)),
        format!("{}1", many("1?1:", 1_000)),
    ];
    for source in sources {
        assert!(Expression::compile(&source, EXPRESSION_BYTES_MAX).is_err(), "{}", &source[..20]);
    }
    let long = format!("\"{}\"", many("a", EXPRESSION_BYTES_MAX));
    assert!(Expression::compile(&long, EXPRESSION_BYTES_MAX).is_err());
}

#[test]
fn an_evaluation_that_takes_too_long_stops() {
    let items: Vec<Value> = (0..20_000).map(Value::from).collect();
    let input = json!({"items": items, "text": "x".repeat(500_000)});
    let too_many =
        ["input.items.all(a, input.items.exists(b, b == a + 1000000))", "input.items.map(a, input.items)"];
    for source in too_many {
        let error = evaluate_on(input.clone(), source).expect_err(source);
        assert!(matches!(error, EvaluationError::TooManySteps { .. }), "{source}: {error}");
    }
    let repeated = format!("size(input.text{})", " + input.text".repeat(40));
    assert_eq!(
        evaluate_on(input.clone(), &repeated),
        Err(EvaluationError::TooLarge { max: 16 * 1024 * 1024 })
    );
    let doubled = "input.text + input.text + input.text";
    assert_eq!(evaluate_on(input.clone(), doubled), Err(EvaluationError::TooLarge { max: 1024 * 1024 }));
    // One pass over the same list is nothing special.
    assert_eq!(evaluate_on(input, "size(input.items.filter(a, a % 2 == 0))"), Ok(json!(10_000)));
}
