//! JSON that is carried along unread: payloads, inputs, results.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Any JSON value, as the text in which it was sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct RawJson(Box<RawValue>);

impl RawJson {
    /// The text.
    pub(crate) fn into_text(self) -> String {
        String::from(Box::<str>::from(self.0))
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        self.0.get()
    }

    /// A value that the store gave us. Text that is no JSON is shown as a string, so that one bad row does not
    /// break a list.
    pub(crate) fn stored(text: String) -> Self {
        RawValue::from_string(text)
            .or_else(|_| serde_json::value::to_raw_value("this value is not readable"))
            .map_or_else(|_| Self(RawValue::NULL.to_owned()), Self)
    }
}

impl PartialSchema for RawJson {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(SchemaType::AnyValue).description(Some("Any JSON value.")).into()
    }
}

impl ToSchema for RawJson {
    fn name() -> std::borrow::Cow<'static, str> {
        "AnyJson".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_carried_is_not_altered() {
        let text = "{\"b\" : 1.0e2,\n \"a\":[ 12345678901234567890123 ]}";
        let raw: RawJson = serde_json::from_str(text).expect("valid");
        assert_eq!(raw.text(), text);
        assert_eq!(serde_json::to_string(&RawJson::stored(text.to_owned())).expect("encodes"), text);
    }

    #[test]
    fn a_bad_row_does_not_break_the_answer() {
        assert_eq!(RawJson::stored("{".to_owned()).text(), "\"this value is not readable\"");
    }
}
