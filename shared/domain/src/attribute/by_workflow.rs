//! Attributes that a workflow sets on its executions.

use serde_json::Value;

use super::path::VALUES_MAX;
use super::value::{AttributeType, AttributeValue};
use crate::names::AttributeName;

/// A name that an execution is given values of.
#[derive(Debug, Clone, PartialEq)]
pub struct SetAttribute {
    /// The name.
    pub name: AttributeName,
    /// Its type.
    pub kind: AttributeType,
    /// Its values, which take the place of those that it had. Without any it keeps those.
    pub values: Vec<AttributeValue>,
    /// How many values were left out because they do not fit.
    pub skipped: u32,
}

impl SetAttribute {
    /// What an expression gives; `None` where it could not be evaluated. A list gives up to [`VALUES_MAX`] values, null gives
    /// none. Nothing fails: an execution is not stopped because it cannot be found.
    pub fn of(name: AttributeName, kind: AttributeType, value: Option<&Value>) -> Self {
        let given = match value {
            None => return Self { name, kind, values: Vec::new(), skipped: 1 },
            Some(Value::Null) => &[],
            Some(Value::Array(values)) => values.as_slice(),
            Some(value) => std::slice::from_ref(value),
        };
        let read = given.iter().take(VALUES_MAX).map(|value| AttributeValue::of_json(kind, value));
        let values: Vec<AttributeValue> = read.flatten().collect();
        let skipped = u32::try_from(given.len() - values.len()).unwrap_or(u32::MAX);
        Self { name, kind, values, skipped }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_fits_is_set_and_the_rest_is_counted() {
        for (value, expected, skipped) in [
            (Some(json!(7)), vec![7], 0),
            (Some(json!("7")), vec![], 1),
            (Some(json!([1, null, "x", 2])), vec![1, 2], 2),
            (Some(json!(vec![3; 18])), vec![3; 16], 2),
            (Some(json!(null)), vec![], 0),
            (None, vec![], 1),
        ] {
            let set = SetAttribute::of(AttributeName::trusted("n"), AttributeType::Integer, value.as_ref());
            let expected: Vec<_> = expected.into_iter().map(AttributeValue::Integer).collect();
            assert_eq!((set.values, set.skipped), (expected, skipped), "{value:?}");
        }
    }
}
