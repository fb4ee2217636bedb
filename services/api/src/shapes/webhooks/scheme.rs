//! The `scheme` object in the OpenAPI document. The domain reads and writes it itself.

use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// How requests are signed. The provider `hmac` takes all of it and needs `header`; the others take `tolerance` and
/// `eventType`.
#[derive(Debug)]
pub(super) enum SchemeSchema {}

/// Name, values if they are words, and what it says.
const FIELDS: [(&str, &[&str], &str); 13] = [
    ("header", &[], "The header with the signature."),
    ("algorithm", &["sha1", "sha256", "sha384", "sha512"], "`sha256` where absent."),
    ("encoding", &["hex", "base64"], "`hex` where absent."),
    ("prefix", &[], "What stands before each signature, such as `sha256=`."),
    ("listSeparator", &[",", ";", " ", "|"], "What separates several signatures."),
    (
        "signedContent",
        &[],
        "A template over {id}, {timestamp}, {url}, {method} and {body}; `{body}` where absent.",
    ),
    ("timestampHeader", &[], "The header with the signed time."),
    ("timestampItem", &[], "What stands before the signed time within the signature header, such as `t=`."),
    ("timestampUnit", &["s", "ms"], "`s` where absent."),
    ("tolerance", &[], "How far the signed time may be from ours, both ways, 1s to 24h; 5m where absent."),
    ("idHeader", &[], "The header with the signed id."),
    ("secretEncoding", &["text", "hex", "base64"], "How the secret is written; `text` where absent."),
    ("eventType", &[], "Where the event type stands: `header:<name>` or `field:<JSON pointer>`."),
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
