//! JSON that is carried along unread: payloads, inputs, results. Payloads, and the tokens in them, are left out of answers
//! to callers that are not to see them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// What is left out of payloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Veil {
    /// The tokens of callback addresses: whoever has one may use it.
    Tokens,
    /// All of it.
    Payloads,
}

tokio::task_local! {
    /// Set while a call is answered whose caller sees not all of the payloads.
    static VEIL: Veil;
}

/// Does something whose answer is veiled.
pub(crate) async fn veiled<T>(veil: Veil, answer: impl Future<Output = T>) -> T {
    VEIL.scope(veil, answer).await
}

/// Whether the answer that is being made may hold payloads.
pub(crate) fn payloads_are_shown() -> bool {
    veil() != Some(Veil::Payloads)
}

fn veil() -> Option<Veil> {
    VEIL.try_with(|veil| *veil).ok()
}

/// How far behind its beginning a callback address is looked at: further than any is long.
const ADDRESS_BYTES_MAX: usize = 1_024;

/// The text with the tokens of callback addresses replaced.
fn without_tokens(text: &str) -> String {
    const ROUTE: &str = "/callbacks";
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(ROUTE) {
        let (before, address) = rest.split_at(at + ROUTE.len());
        kept.push_str(before);
        rest = address;
        // Execution and node stay.
        if let Some((from, to)) = token_in(address) {
            kept.push_str(&address[..from]);
            kept.push_str("[redacted]");
            rest = &address[to..];
        }
    }
    kept.push_str(rest);
    kept
}

/// Where the token lies in what stands behind `/callbacks`. Some writers of JSON escape slashes, and those of JSON in JSON escape
/// that.
fn token_in(address: &str) -> Option<(usize, usize)> {
    let mut end = address.len().min(ADDRESS_BYTES_MAX);
    while !address.is_char_boundary(end) {
        end -= 1;
    }
    let address = &address[..end];
    let escapes = address.len() - address.trim_start_matches('\\').len();
    let slash = address.get(..=escapes).filter(|slash| slash.ends_with('/'))?;
    let mut parts = address[slash.len()..].splitn(3, slash);
    let (execution, node, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let is_name = |name: &str| !name.is_empty() && !name.contains(['"', '\\', ' ', '?', '#']);
    let is_of_token = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    let length = rest.len() - rest.trim_start_matches(is_of_token).len();
    let from = address.len() - rest.len();
    (is_name(execution) && is_name(node) && length > 0).then_some((from, from + length))
}

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

    /// A payload that the store gave us: `null` in answers to callers that see none.
    pub(crate) fn payload(text: String) -> Self {
        match veil() {
            None => Self::stored(text),
            Some(Veil::Tokens) => Self::stored(without_tokens(&text)),
            Some(Veil::Payloads) => Self(RawValue::NULL.to_owned()),
        }
    }

    /// The same, or `null` where there is none.
    pub(crate) fn payload_or_null(text: Option<String>) -> Self {
        text.map_or_else(|| Self(RawValue::NULL.to_owned()), Self::payload)
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

    #[tokio::test]
    async fn payloads_are_left_out_where_they_are_not_to_be_seen() {
        let shown = || serde_json::to_string(&RawJson::payload("{\"a\":1}".to_owned())).expect("encodes");
        assert_eq!(shown(), "{\"a\":1}");
        assert_eq!(veiled(Veil::Payloads, async { shown() }).await, "null");
        assert_eq!(veiled(Veil::Tokens, async { shown() }).await, "{\"a\":1}");
        assert_eq!(shown(), "{\"a\":1}");
    }

    #[test]
    fn tokens_of_callback_addresses_are_replaced() {
        for (text, expected) in [
            (
                r#"{"u":"https://x/callbacks/exe_1/paid/s3cret","n":1}"#,
                r#"{"u":"https://x/callbacks/exe_1/paid/[redacted]","n":1}"#,
            ),
            (
                r#"["/callbacks/e/n/t","/callbacks/e/m/u"]"#,
                r#"["/callbacks/e/n/[redacted]","/callbacks/e/m/[redacted]"]"#,
            ),
            (r#""/callbacks/e/n/t?x=1""#, r#""/callbacks/e/n/[redacted]?x=1""#),
            (r#""/callbacks/ and a/b/c""#, r#""/callbacks/ and a/b/c""#),
            (r#""\/callbacks\/e\/n\/t\/x""#, r#""\/callbacks\/e\/n\/[redacted]\/x""#),
            (
                r#""{\"u\":\"https:\\/\\/x\\/callbacks\\/e\\/n\\/t\"}""#,
                r#""{\"u\":\"https:\\/\\/x\\/callbacks\\/e\\/n\\/[redacted]\"}""#,
            ),
            (r#""{\"u\":\"/callbacks/e/n/t\"}""#, r#""{\"u\":\"/callbacks/e/n/[redacted]\"}""#),
            (r#""/callbacks\\""#, r#""/callbacks\\""#),
            (r#""/callbacks""#, r#""/callbacks""#),
            (r#""/callbacks/e/n/""#, r#""/callbacks/e/n/""#),
            (r#""nothing""#, r#""nothing""#),
        ] {
            assert_eq!(without_tokens(text), expected);
        }
    }

    #[test]
    fn a_bad_row_does_not_break_the_answer() {
        assert_eq!(RawJson::stored("{".to_owned()).text(), "\"this value is not readable\"");
    }
}
