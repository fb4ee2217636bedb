//! Strings with expressions in them.

use serde_json::{Value, json};

use super::fixture::{context, outputs, state};
use crate::workflow::definition::NodeKind;
use crate::workflow::expression::json::text_bytes;
use crate::workflow::expression::{EvaluationError, Local, Piece, Scope, cut};
use crate::workflow::parse::{DefinitionLimits, Format, parse};

/// Renders a TRANSFORM's output.
fn render(template: &Value, input: Value) -> Result<Value, EvaluationError> {
    let text =
        json!({"name": "w", "version": 1, "nodes": [{"id": "t", "type": "TRANSFORM", "output": template}]});
    let parsed =
        parse(text.to_string().as_bytes(), Format::Json, &DefinitionLimits::default()).expect("valid");
    let NodeKind::Transform { output } = &parsed.definition.nodes[0].kind else { panic!("not a TRANSFORM") };
    let (context, state, outputs) = (context(input), state(), outputs());
    output.render(&Scope { context: &context, state: &state, outputs: &outputs, local: Local::default() })
}

#[test]
fn texts_are_cut_at_the_right_braces() {
    let text = |plain: &str| Piece::Text(plain.to_owned());
    let table = [
        ("", vec![]),
        ("plain $5 {x} $", vec![text("plain $5 {x} $")]),
        ("${a}", vec![Piece::Expression("a")]),
        ("x${a}y${b}", vec![text("x"), Piece::Expression("a"), text("y"), Piece::Expression("b")]),
        ("$${a}", vec![text("${a}")]),
        ("$$${a}", vec![text("$${a}")]),
        ("${ {\"a\": {\"b\": 1}} }", vec![Piece::Expression(" {\"a\": {\"b\": 1}} ")]),
        ("${\"}\"}", vec![Piece::Expression("\"}\"")]),
        ("${'a\\'}'}", vec![Piece::Expression("'a\\'}'")]),
        ("${r'\\'}", vec![Piece::Expression("r'\\'")]),
        ("${\"\"\"a\"}\"\"\"}", vec![Piece::Expression("\"\"\"a\"}\"\"\"")]),
        ("ä${ü}ö", vec![text("ä"), Piece::Expression("ü"), text("ö")]),
    ];
    for (source, expected) in table {
        assert_eq!(cut(source), Ok(expected), "{source}");
    }
    for source in ["${", "x${a", "${\"}", "${{}"] {
        assert!(cut(source).is_err(), "{source}");
    }
}

#[test]
fn templates_keep_types_and_make_text() {
    let input = json!({"n": 3, "f": 1.0, "t": "x", "l": [1, null], "o": {"k": true}});
    let table = [
        (json!("${input.n}"), json!(3)),
        (json!("${input.f}"), json!(1.0)),
        (json!("${input.l}"), json!([1, null])),
        (json!(" ${input.n}"), json!(" 3")),
        (json!("${input.t}-${input.n}-${input.missing}"), json!("x-3-null")),
        (json!("l=${input.l} o=${input.o}"), json!("l=[1,null] o={\"k\":true}")),
        (json!("$${input.n}"), json!("${input.n}")),
        (json!("$${a} ${input.n}"), json!("${a} 3")),
        (json!({"a": ["${input.o.k}", {"b": "$${x}"}], "c": 1}), json!({"a": [true, {"b": "${x}"}], "c": 1})),
        (json!({"a": ["$${x}"]}), json!({"a": ["${x}"]})),
        (json!([]), json!([])),
        (json!(""), json!("")),
        (json!(null), json!(null)),
    ];
    for (template, expected) in table {
        assert_eq!(render(&template, input.clone()), Ok(expected), "{template}");
    }
}

#[test]
fn what_is_rendered_is_bounded() {
    let half = json!({"text": "x".repeat(600_000)});
    assert!(render(&json!("${input.text}"), half.clone()).is_ok());
    let twice = json!(["${input.text}", "${input.text}"]);
    assert_eq!(render(&twice, half.clone()), Err(EvaluationError::TooLarge { max: 1024 * 1024 }));
    let many = Value::from(vec!["${input.text}"; 10_000]);
    assert_eq!(render(&many, half), Err(EvaluationError::TooLarge { max: 1024 * 1024 }));

    let mut deep = json!(1);
    for _ in 0..60 {
        deep = json!([deep]);
    }
    let mut template = json!("${input.deep}");
    for _ in 0..50 {
        template = json!([template]);
    }
    assert_eq!(render(&template, json!({"deep": deep})), Err(EvaluationError::TooDeep { max: 100 }));
    assert_eq!(render(&json!("${'\\x00' + input.a}"), json!({"a": "b"})), Err(EvaluationError::Nul));
}

#[test]
fn sizes_are_those_of_the_json_text() {
    let values = [
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(-17),
        json!(10),
        json!(u64::MAX),
        json!(1.5e300),
        json!(""),
        json!("a\"b\\c\n\u{1}ä"),
        json!([]),
        json!({}),
        json!([1, [2], {}]),
        json!({"a": 1, "b\n": [null]}),
    ];
    for value in values {
        assert_eq!(text_bytes(&value, usize::MAX), Some(value.to_string().len()), "{value}");
    }
}
