//! The `scheme` object in the OpenAPI document. The domain reads and writes it itself.

use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

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
            "How requests are signed. The provider `hmac` takes all of it and needs `header`; the others take \
             `tolerance` and `eventType`.",
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
}
