//! What does not compile, and what stops before it takes too long.

use serde_json::{Value, json};

use super::fixture::{context, evaluate_on, outputs, state};
use crate::workflow::expression::{
    Allowance, EXPRESSION_BYTES_MAX, EvaluationError, EvaluationLimits, Expression, Local, PatternCount,
    PatternFault, Scope,
};

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

#[test]
fn an_evaluation_that_makes_too_much_stops() {
    let numbers: Vec<Value> = (0..440).map(Value::from).collect();
    let input = json!({"l": numbers, "text": "x".repeat(1_000_000)});
    let hostile = [
        "size(input.l.map(a, input.l.map(b, input.l)))",
        "size(input.l.map(a, input.l.map(b, [a, b, input.l])))",
        "size(input.l.map(a, {\"k\": input.text}))",
        "size(input.l.map(a, {input.text: a}))",
        "size(input.l.map(a, a > 0 ? input.text : \"\"))",
        "size(input.l.map(a, optional.of(input.text)))",
        "size(input.l.map(a, string(input.text)))",
        "size(input.l.map(a, input.text + input.text))",
        "input.l.all(a, size(input.text + input.text) > 0)",
        "size([input.text].map(a, a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a))",
    ];
    for source in hostile {
        let error = evaluate_on(input.clone(), source).expect_err(source);
        let is_refused =
            matches!(error, EvaluationError::TooMuchMade { .. } | EvaluationError::TooManySteps { .. });
        assert!(is_refused, "{source}: {error}");
    }
    // What is made of it in an ordinary way is not in the way.
    let pairs = "size(input.l.map(a, input.l.filter(b, b == a)))";
    assert_eq!(evaluate_on(input.clone(), pairs), Ok(json!(440)));
    assert_eq!(evaluate_on(input, "size(input.text + input.text)"), Ok(json!(2_000_000)));
}

/// The variable of a macro may hold as much as the input, and is gone through again for each item of another one.
#[test]
fn what_is_gone_through_for_each_item_counts_each_time() {
    let input = json!({"l": numbers_to(10_000), "text": "x".repeat(500_000)});
    let hostile = [
        "[input.l].all(l, l.all(x, x in l))",
        "size([input.l].map(l, l.filter(x, x in l))) == 1",
        "[input].exists(i, i.l.all(x, i.l == i.l))",
        "[input.l].exists(l, l.all(x, size(x > 0 ? l : [x]) != x + 1000000))",
        "[input].exists(i, i.l.all(x, !i.text.contains(\"y\")))",
        "[input].exists(i, i.l.all(x, i[\"text\"].size() != x))",
        "[input.l].exists(l, l.all(x, optional.of(l).hasValue()))",
        "[input].exists(input, input.l.all(x, x in input.l))",
    ];
    for source in hostile {
        let error = evaluate_on(input.clone(), source).expect_err(source);
        assert!(matches!(error, EvaluationError::TooManySteps { .. }), "{source}: {error}");
    }
    // What is ordinary costs as much as it is large, and no more.
    let rows: Vec<Value> =
        (0..2_000).map(|n| json!({"n": n, "tags": ["a", "b"], "of": [n, n + 1]})).collect();
    let input = json!({"rows": rows, "wanted": ["b"], "l": numbers_to(300)});
    for (source, expected) in [
        ("size(input.rows.filter(row, \"b\" in row.tags))", 2_000),
        ("size(input.rows.filter(row, row.tags.exists(tag, tag in input.wanted)))", 2_000),
        ("size(input.rows.filter(row, row.n in row.of && row.n == row.of[0]))", 2_000),
        ("size([input.l].map(l, l.filter(x, x in l))[0])", 300),
    ] {
        assert_eq!(evaluate_on(input.clone(), source), Ok(json!(expected)), "{source}");
    }
}

fn numbers_to(end: u32) -> Vec<Value> {
    (0..end).map(Value::from).collect()
}

/// Finding out that a pattern is too large takes longest of all.
#[test]
fn patterns_that_are_refused_count_as_well() {
    let patterns: Vec<Value> = (0..20).map(|n| json!(format!("\\pL{{1000}}counted{n}"))).collect();
    let mut context = context(json!({"l": patterns}));
    let limits = EvaluationLimits { steps_max: 1_000_000, ..EvaluationLimits::default() };
    context.allowance = Allowance::metered(limits);
    let (state, outputs) = (state(), outputs());
    let scope = Scope { context: &context, state: &state, outputs: &outputs, local: Local::default() };
    let source = "input.l.all(pattern, \"a\".matches(pattern))";
    let expression = Expression::compile(source, EXPRESSION_BYTES_MAX).expect("compiles");
    assert!(matches!(expression.test(&scope), Err(EvaluationError::TooManySteps { .. })));
}

#[test]
fn patterns_are_compiled_once_and_bounded() {
    let texts: Vec<Value> = (0..20_000).map(|n| json!(format!("order-{n}"))).collect();
    let input =
        json!({"l": texts, "pattern": "^order-[0-9]*7$", "large": "\\pL{1000}", "text": "x".repeat(900_000)});
    let many = "size(input.l.filter(a, a.matches(input.pattern)))";
    assert_eq!(evaluate_on(input.clone(), many), Ok(json!(2_000)));
    assert_eq!(evaluate_on(input.clone(), "matches(\"abc\", \"^a.c$\")"), Ok(json!(true)));
    for (source, part) in [
        ("input.text.matches(input.large)", "matches failed"),
        ("input.text.matches(\"(a\")", "matches failed"),
        ("input.l[0].matches(3)", "matches cannot be applied to (string, int)"),
    ] {
        let message = evaluate_on(input.clone(), source).expect_err(source).to_string();
        assert!(message.contains(part), "{source}: {message}");
    }
    let again = "input.l.all(a, !input.text.matches(\"(?:x?){200}y\"))";
    assert!(matches!(evaluate_on(input, again), Err(EvaluationError::TooManySteps { .. })));
    let mut count = PatternCount::default();
    let fault = |source: &str, count: &mut PatternCount| {
        let expression = Expression::compile(source, EXPRESSION_BYTES_MAX).expect("compiles");
        expression.pattern_faults(count).iter().map(ToString::to_string).collect::<String>()
    };
    assert!(fault("\"a\".matches(\"(\")", &mut count).contains("must be a regular expression"));
    assert!(fault("\"a\".matches(r\"\\pL{1000}\")", &mut count).contains("too large"));
    assert_eq!(fault("input.a.matches(input.b)", &mut count), "");
    let counted: Vec<_> = (0..2_000).map(|n| count.take(&format!("^{n}$"))).collect();
    assert_eq!(counted.iter().filter(|taken| **taken == Err(PatternFault::TooMany)).count(), 1, "once");
}

#[test]
fn the_expressions_of_one_step_share_what_they_may_take() {
    let limits = EvaluationLimits { execution_steps_max: 2_000, ..EvaluationLimits::default() };
    let mut context = context(json!({"l": (0..100).collect::<Vec<_>>()}));
    context.allowance = Allowance::metered(limits);
    let (state, outputs) = (state(), outputs());
    let scope = Scope { context: &context, state: &state, outputs: &outputs, local: Local::default() };
    let expression = Expression::compile("input.l.all(a, a >= 0)", EXPRESSION_BYTES_MAX).expect("compiles");
    assert_eq!(expression.test(&scope), Ok(true));
    assert!(context.allowance.is_low(), "what can wait is left to the next step");
    assert!(matches!(expression.test(&scope), Err(EvaluationError::StepUsedUp { .. })));
    context.allowance.renew();
    assert_eq!(expression.test(&scope), Ok(true));
    context.allowance.renew();
    context.allowance.stop();
    assert!(matches!(expression.test(&scope), Err(EvaluationError::Stopped { .. })));
}
