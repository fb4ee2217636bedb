//! A trigger as it is sent, and described in the OpenAPI document. Answers show what is stored.

use domain::names::WorkflowName;
use domain::queue::Tier;
use domain::time::DurationMs;
use domain::webhook::{
    BatchConfig, DebounceConfig, Dedupe, DedupeOn, Locator, ThrottleConfig, TriggerConfig,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::json::{RawJson, present};
use crate::shapes::PrioritySchema;
use crate::shapes::limits::RateDocument;
use crate::shapes::list::RequiredFields;

/// A trigger that starts a workflow.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WebhookTrigger)]
pub(super) struct TriggerBody {
    /// Trigger ID, unique within the endpoint (default: derived from the workflow name).
    #[schema(max_length = 100)]
    id: Option<String>,
    /// Workflow to start.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    workflow: Option<WorkflowName>,
    /// Workflow version (default: the latest).
    version: Option<u32>,
    /// Event types to match, such as `push` or `issue.*` (default: all).
    #[serde(default)]
    #[schema(required = false)]
    events: Vec<String>,
    /// CEL condition over `body`, `headers`, `event`, `query` and `delivery`.
    #[schema(example = "body.ref == 'refs/heads/main'")]
    filter: Option<String>,
    /// Execution input, with `${…}` expressions in strings (default: the body).
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    input: Option<Value>,
    /// Priority (default `high`).
    #[schema(value_type = Option<PrioritySchema>)]
    priority: Option<Tier>,
    /// Starts one execution with the input of the last event, after a period without events.
    #[schema(value_type = Option<DebounceDocument>)]
    debounce: Option<DebounceConfig>,
    /// Limits the number of starts in any period. Further starts are delayed.
    #[schema(value_type = Option<ThrottleDocument>)]
    throttle: Option<ThrottleConfig>,
    /// Starts one execution for several events. In `input`, only `batch` is in scope:
    /// a list of `{event, body, delivery}`.
    #[schema(value_type = Option<BatchDocument>)]
    batch: Option<BatchConfig>,
}

impl TriggerBody {
    /// The trigger, or faults at its place in the list.
    pub(super) fn into_config(self, index: usize, needed: &mut RequiredFields) -> Option<TriggerConfig> {
        let workflow = needed.field(&format!("triggers/{index}/workflow"), self.workflow)?;
        Some(TriggerConfig {
            id: self.id,
            workflow,
            version: self.version,
            events: self.events,
            filter: self.filter,
            input: self.input,
            priority: self.priority,
            debounce: self.debounce,
            throttle: self.throttle,
            batch: self.batch,
        })
    }
}

// Debounce, throttle and batch of a trigger in the OpenAPI document. The domain reads and writes them itself.

/// Starts one execution with the input of the last event, after a period without events.
#[derive(Serialize, ToSchema)]
#[schema(as = Debounce)]
pub(crate) struct DebounceDocument {
    /// Period without an event after which the execution starts, up to 30d.
    #[schema(example = "10s")]
    period: String,
    /// Key of the events that belong together, with `${…}` expressions (default: all events of the trigger).
    #[schema(example = "${body.id}")]
    key: Option<String>,
    /// Maximum wait after the first event (default: 10 periods).
    #[schema(example = "1m")]
    timeout: Option<String>,
}

/// Limits the number of starts in any period. Further starts are delayed.
#[derive(Serialize, ToSchema)]
#[schema(as = Throttle)]
pub(crate) struct ThrottleDocument {
    /// Starts per period.
    rate: RateDocument,
    /// Key of the starts that are counted together, with `${…}` expressions (default: all starts of the trigger).
    #[schema(example = "${body.customer}")]
    key: Option<String>,
}

/// Starts one execution for several events.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BatchOfEvents)]
pub(crate) struct BatchDocument {
    /// Number of events after which the execution starts.
    #[schema(minimum = 1, maximum = 1_000)]
    max_size: u32,
    /// Maximum wait after the first event, up to 30d.
    #[schema(example = "10s")]
    timeout: String,
    /// Key of the events that belong together, with `${…}` expressions (default: all events of the trigger).
    key: Option<String>,
}

// The `scheme` object in the OpenAPI document. The domain reads and writes it itself.

/// Signature scheme. The provider `hmac` accepts all fields and requires `header`; others accept only `tolerance` and
/// `eventType`.
#[derive(Debug)]
pub(super) enum SchemeSchema {}

/// Name, values if they are words, and what it says.
const FIELDS: [(&str, &[&str], &str); 13] = [
    ("header", &[], "Header that contains the signature."),
    ("algorithm", &["sha1", "sha256", "sha384", "sha512"], "HMAC algorithm (default `sha256`)."),
    ("encoding", &["hex", "base64"], "Encoding of the signature (default `hex`)."),
    ("prefix", &[], "Prefix of each signature, such as `sha256=`."),
    ("listSeparator", &[",", ";", " ", "|"], "Separator of multiple signatures."),
    (
        "signedContent",
        &[],
        "Template of the signed content over {id}, {timestamp}, {url}, {method} and {body} (default `{body}`).",
    ),
    ("timestampHeader", &[], "Header that contains the signed timestamp."),
    ("timestampItem", &[], "Prefix of the signed timestamp in the signature header, such as `t=`."),
    ("timestampUnit", &["s", "ms"], "Unit of the timestamp (default `s`)."),
    ("tolerance", &[], "Maximum clock difference of the signed timestamp, 1s to 24h (default 5m)."),
    ("idHeader", &[], "Header that contains the signed ID."),
    ("secretEncoding", &["text", "hex", "base64"], "Encoding of the secret (default `text`)."),
    ("eventType", &[], "Location of the event type: `header:<name>` or `field:<JSON pointer>`."),
];

impl PartialSchema for SchemeSchema {
    fn schema() -> RefOr<Schema> {
        let object = ObjectBuilder::new().schema_type(Type::Object).description(Some(
            "How requests are signed. The provider `hmac` supports all fields and requires `header`; other providers \
             support only `tolerance` and `eventType`.",
        ));
        FIELDS
            .iter()
            .fold(object, |object, (name, words, description)| {
                let text = ObjectBuilder::new().schema_type(Type::String).description(Some(*description));
                let field =
                    if words.is_empty() { text } else { text.enum_values(Some(words.iter().copied())) };
                object.property(*name, field)
            })
            .into()
    }
}

impl ToSchema for SchemeSchema {
    fn name() -> std::borrow::Cow<'static, str> {
        "WebhookScheme".into()
    }
}

// How an endpoint knows repetitions: a word, or the header or field that tells.

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
    use domain::webhook::SchemeSettings;
    use serde_json::{Map, Value, json};

    use super::*;

    #[test]
    fn the_document_knows_every_field() {
        for (name, words, _) in FIELDS {
            let value = match (name, words.first()) {
                (_, Some(word)) => json!(word),
                ("tolerance", None) => json!("1m"),
                ("signedContent", None) => json!("{body}"),
                ("eventType", None) => json!("header:x"),
                (_, None) => json!("x"),
            };
            let object = Value::Object(Map::from_iter([(name.to_owned(), value)]));
            let read: SchemeSettings = serde_json::from_value(object.clone()).expect("a known field");
            assert_eq!(serde_json::to_value(read).expect("encodes"), object);
        }
    }

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
