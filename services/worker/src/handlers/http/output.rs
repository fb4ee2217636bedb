//! From the response to the output of the node.

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::egress::EgressResponse;

#[derive(Serialize)]
struct Output<'a> {
    status: u16,
    headers: BTreeMap<&'a str, String>,
    body: Body<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Body<'a> {
    Json(&'a RawValue),
    Text(Cow<'a, str>),
}

/// `{"status", "headers": {lower-case name: value}, "body"}` as JSON text. The body is JSON where the content type
/// says so and it parses, and text otherwise. JSON is carried over as it came, so that numbers keep their digits.
pub(super) fn of(response: &EgressResponse) -> String {
    let output = Output {
        status: response.status.as_u16(),
        headers: headers_of(&response.headers),
        body: json_of(response)
            .map_or_else(|| Body::Text(String::from_utf8_lossy(&response.body)), Body::Json),
    };
    serde_json::to_string(&output).expect("strings and valid JSON can be written as JSON")
}

fn headers_of(headers: &HeaderMap) -> BTreeMap<&str, String> {
    let mut by_name: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        by_name
            .entry(name.as_str())
            .and_modify(|joined| {
                joined.push_str(", ");
                joined.push_str(&value);
            })
            .or_insert_with(|| value.into_owned());
    }
    by_name
}

/// The body as JSON. Parsed for real as well, because a raw value is not checked for depth, and whoever reads the
/// output later would fail on it.
fn json_of(response: &EgressResponse) -> Option<&RawValue> {
    if !response.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(is_json) {
        return None;
    }
    let text = std::str::from_utf8(&response.body).ok()?;
    serde_json::from_str::<serde_json::Value>(text).ok()?;
    serde_json::from_str(text).ok()
}

/// `application/json`, `text/json` and everything that ends in `+json`.
fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || essence == "text/json" || essence.ends_with("+json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::StatusCode;
    use reqwest::header::HeaderValue;

    fn output(content_type: &'static str, body: &[u8]) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        of(&EgressResponse { status: StatusCode::OK, headers, body: body.to_vec() })
    }

    #[test]
    fn json_is_carried_over_and_the_rest_is_text() {
        for (content_type, body, expected) in [
            (
                "application/json",
                r#"{"a": 1.500, "b":12345678901234567890123}"#,
                r#"{"a": 1.500, "b":12345678901234567890123}"#,
            ),
            ("application/problem+json; charset=utf-8", "[1]", "[1]"),
            ("application/json", "{broken", r#""{broken""#),
            ("application/json", "", r#""""#),
            ("text/plain", "[1]", r#""[1]""#),
        ] {
            let seen = output(content_type, body.as_bytes());
            assert_eq!(
                seen,
                format!(
                    r#"{{"status":200,"headers":{{"content-type":"{content_type}"}},"body":{expected}}}"#
                )
            );
        }
    }

    #[test]
    fn hostile_bodies_are_text() {
        let deep = "[".repeat(10_000) + &"]".repeat(10_000);
        assert!(output("application/json", deep.as_bytes()).contains("\"body\":\"[[["));
        let seen = output("text/plain", b"a\xff\0b");
        assert!(seen.ends_with("\"body\":\"a\u{fffd}\\u0000b\"}"), "{seen}");
    }

    #[test]
    fn repeated_headers_are_joined() {
        let mut headers = HeaderMap::new();
        headers.append("X-Many", HeaderValue::from_static("a"));
        headers.append("x-many", HeaderValue::from_static("b"));
        assert_eq!(headers_of(&headers)["x-many"], "a, b");
    }
}
