//! Any expression over a body: it does not compile, fails, or gives a value, within its bounds.

#![no_main]

use domain::workflow::expression::{EXPRESSION_BYTES_MAX, Expression, Scope, Variables};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fuzz_target!(|text: &str| {
    // The expression on the first line, the body on the others.
    let (source, body) = text.split_once('\n').unwrap_or((text, "[1, 2, 3]"));
    let body = serde_json::from_str::<Value>(body).unwrap_or_else(|_| Value::from(body));
    let event = json!({"body": body, "headers": {"x": "y"}, "event": "push", "query": {}, "delivery": "d"});
    let scope = Scope::of_event(&event);
    if let Ok(expression) = Expression::compile_with(source, EXPRESSION_BYTES_MAX, Variables::EVENT) {
        let first = expression.evaluate(&scope).map_err(|error| error.to_string());
        let again = expression.evaluate(&scope).map_err(|error| error.to_string());
        assert_eq!(first.is_ok(), again.is_ok());
        let _ = expression.test(&scope);
    }
});
