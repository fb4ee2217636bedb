//! How an endpoint knows repetitions: a word, or the header or field that tells.

use domain::time::DurationMs;
use domain::webhook::{Dedupe, DedupeOn, Locator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Deduplication of deliveries.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WebhookDedupe)]
pub(super) struct DedupeBody {
    /// Deduplication key (default `auto`: the provider's ID if it is signed, else its ID with the body, else the body).
    #[serde(default)]
    #[schema(required = false)]
    on: DedupeOnResponse,
    /// Deduplication window, 1m to 30d (default: the provider's retry period, at least 24h).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "24h")]
    window: Option<DurationMs>,
}

/// `auto`, `body`, `none`, `{"header": name}` or `{"field": pointer}`.
#[derive(Debug, Default)]
struct DedupeOnResponse(DedupeOn);

/// A location in a delivery.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Place {
    header: Option<String>,
    field: Option<String>,
}

const EXPECTED: &str =
    "expected \"auto\", \"body\", \"none\", {\"header\": name} or {\"field\": JSON pointer}";

impl<'de> Deserialize<'de> for DedupeOnResponse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = || serde::de::Error::custom(EXPECTED);
        let text = match Value::deserialize(deserializer)? {
            Value::String(text) => text,
            object @ Value::Object(_) => match serde_json::from_value(object).map_err(|_error| expected())? {
                Place { header: Some(name), field: None } => format!("header:{name}"),
                Place { header: None, field: Some(pointer) } => format!("field:{pointer}"),
                Place { .. } => return Err(expected()),
            },
            _ => return Err(expected()),
        };
        DedupeOn::parse(&text).map(Self).map_err(|_fault| expected())
    }
}

impl Serialize for DedupeOnResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            DedupeOn::At(Locator::Header(name)) => serializer.collect_map([("header", name)]),
            DedupeOn::At(Locator::Field(pointer)) => serializer.collect_map([("field", pointer)]),
            word => serializer.collect_str(word),
        }
    }
}

impl PartialSchema for DedupeOnResponse {
    fn schema() -> RefOr<Schema> {
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let place = |name: &str| ObjectBuilder::new().property(name, text()).required(name);
        OneOfBuilder::new()
            .item(text().enum_values(Some(["auto", "body", "none"])))
            .item(place("header"))
            .item(place("field"))
            .into()
    }
}

impl ToSchema for DedupeOnResponse {
    fn name() -> std::borrow::Cow<'static, str> {
        "WebhookDedupeOn".into()
    }
}

impl From<DedupeBody> for Dedupe {
    fn from(shape: DedupeBody) -> Self {
        Self { on: shape.on.0, window: shape.window }
    }
}

impl From<Dedupe> for DedupeBody {
    fn from(dedupe: Dedupe) -> Self {
        Self { on: DedupeOnResponse(dedupe.on), window: dedupe.window }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_forms_are_read_and_shown() {
        for on in
            [json!("auto"), json!("body"), json!("none"), json!({"header": "X-Id"}), json!({"field": "/id"})]
        {
            let shape: DedupeBody =
                serde_json::from_value(json!({"on": on, "window": "1h"})).expect("a known form");
            let again = DedupeBody::from(Dedupe::from(shape));
            assert_eq!(serde_json::to_value(&again).expect("encodes"), json!({"on": on, "window": "1h"}));
        }
        let bad = [
            json!("other"),
            json!({}),
            json!({"header": "a", "field": "/b"}),
            json!({"field": "b"}),
            json!(1),
        ];
        for on in bad {
            assert!(serde_json::from_value::<DedupeBody>(json!({"on": on})).is_err(), "{on}");
        }
        let shape: DedupeBody = serde_json::from_value(json!({})).expect("all of it may be left out");
        assert_eq!(Dedupe::from(shape), Dedupe::default());
    }
}
