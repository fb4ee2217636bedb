//! An example for each request body: one table by method and path, so that bodies read side by side tell one story.
//!
//! A test sends each of them to a server, so that what is shown is also accepted.

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{OpenApi, RefOr};

const EXAMPLES: &str = include_str!("examples.json");

/// Puts the examples into the bodies of the document. A body of a text type has a text, and one that may be JSON or YAML
/// shows JSON.
pub(super) fn add(document: &mut OpenApi) {
    let mut examples: BTreeMap<String, Value> = serde_json::from_str(EXAMPLES).unwrap_or_default();
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in [("POST", &mut item.post), ("PUT", &mut item.put)] {
            if let (Some(operation), Some(example)) =
                (operation, examples.remove(&format!("{method} {path}")))
            {
                show(operation, example);
            }
        }
    }
}

fn show(operation: &mut Operation, example: Value) {
    if let Some(RefOr::T(body)) = &mut operation.request_body
        && let Some(RefOr::T(content)) = body.content.values_mut().next()
    {
        content.example = Some(example);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_body_has_an_example_and_every_example_a_body() {
        let named: BTreeSet<String> =
            serde_json::from_str::<BTreeMap<String, Value>>(EXAMPLES).expect("JSON").into_keys().collect();
        let document = crate::openapi::openapi();
        let mut bodies = BTreeSet::new();
        for (path, item) in &document.paths.paths {
            for (method, operation) in [("POST", &item.post), ("PUT", &item.put)] {
                if operation.as_ref().is_some_and(|operation| operation.request_body.is_some()) {
                    bodies.insert(format!("{method} {path}"));
                }
            }
        }
        assert_eq!(named, bodies);
    }
}
