//! Values that are small wherever they are right: attributes, and the details of errors ([`failure::small_value`]).

use std::collections::BTreeMap;
use std::fmt;

use domain::failure;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// The most fields that are read of an object of such values.
const FIELDS_READ_MAX: usize = 1_000;

/// Reads a value, where there is one.
pub(crate) fn small_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    let raw = Option::<Box<RawValue>>::deserialize(deserializer)?;
    raw.map(|raw| failure::small_value(raw.get()).map_err(D::Error::custom)).transpose()
}

/// Reads an object of values.
pub(crate) fn small_values<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Value>, D::Error> {
    deserializer.deserialize_map(ValuesVisitor)
}

struct ValuesVisitor;

impl<'de> Visitor<'de> for ValuesVisitor {
    type Value = BTreeMap<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<BTreeMap<String, Value>, A::Error> {
        let mut values = BTreeMap::new();
        while let Some((name, raw)) = map.next_entry::<String, Box<RawValue>>()? {
            if values.len() == FIELDS_READ_MAX {
                return Err(A::Error::custom(format!("expected at most {FIELDS_READ_MAX} fields")));
            }
            values.insert(name, failure::small_value(raw.get()).map_err(A::Error::custom)?);
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json::parse;

    #[derive(Debug, Deserialize)]
    struct Body {
        #[serde(default, deserialize_with = "small_value")]
        details: Option<Value>,
        #[serde(default, deserialize_with = "small_values")]
        attributes: BTreeMap<String, Value>,
    }

    #[test]
    fn what_is_too_long_is_carried_along_as_text() {
        let small =
            parse::<Body>(r#"{"details": {"a": [1, null]}, "attributes": {"b": 2.5}}"#).expect("valid");
        assert_eq!(small.details, Some(json!({"a": [1, null]})));
        assert_eq!(small.attributes, BTreeMap::from([("b".to_owned(), json!(2.5))]));
        let zeros = json!(vec![0; failure::SMALL_BYTES_MAX]).to_string();
        let large = parse::<Body>(&format!(r#"{{"details": {zeros}, "attributes": {{"b": {zeros}}}}}"#));
        let large = large.expect("it is refused elsewhere");
        assert_eq!(large.details, Some(Value::from(zeros.as_str())));
        assert_eq!(large.attributes["b"], Value::from(zeros));
        let none = parse::<Body>(r#"{"details": null}"#).expect("valid");
        assert!(none.details.is_none() && none.attributes.is_empty());
    }

    #[test]
    fn many_fields_are_not_read() {
        let fields: Vec<String> = (0..=FIELDS_READ_MAX).map(|number| format!(r#""a{number}":0"#)).collect();
        let refused =
            parse::<Body>(&format!(r#"{{"attributes": {{{}}}}}"#, fields.join(","))).expect_err("many");
        let problem = serde_json::to_value(refused.shape()).expect("encodes");
        assert_eq!(problem["errors"][0]["pointer"], "/attributes");
    }
}
