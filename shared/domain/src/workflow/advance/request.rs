//! The evaluated request of an `HTTP` node, checked: expressions can make anything of it.

use serde_json::{Map, Value};

use crate::secret::HeaderPart;
use crate::workflow::parse::is_http;

/// Why a request cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum RequestFault {
    #[error("the request's url is not a URL that starts with http:// or https://")]
    Url,
    #[error("the request's header `{0}` is not a text without line breaks")]
    Header(String),
    #[error("the request is not an object")]
    Shape,
}

/// `{method, url, headers, body?, expect, secretHeaders?}`. Headers become texts: numbers and bools are written out, null
/// drops one. Those with secrets in them are lists of parts: what an expression made of an input is never taken for a secret,
/// whatever it looks like.
pub(super) fn to_request(
    request: Value,
    expect: &[u16],
    sealed: Vec<(String, Vec<HeaderPart>)>,
) -> Result<Value, RequestFault> {
    let Value::Object(mut request) = request else {
        return Err(RequestFault::Shape);
    };
    if !request.get("url").and_then(Value::as_str).is_some_and(is_http) {
        return Err(RequestFault::Url);
    }
    let mut headers = Map::new();
    if let Some(Value::Object(given)) = request.remove("headers") {
        for (name, value) in given {
            let text = match value {
                Value::Null => continue,
                Value::String(text) if !text.contains(char::is_control) => text,
                Value::Number(_) | Value::Bool(_) => value.to_string(),
                _ => return Err(RequestFault::Header(name)),
            };
            headers.insert(name, Value::String(text));
        }
    }
    request.insert("headers".to_owned(), Value::Object(headers));
    // The definition has no field of this name.
    request.remove("secretHeaders");
    if !sealed.is_empty() {
        let mut secret_headers = Map::new();
        for (name, parts) in sealed {
            let is_bad = |part: &HeaderPart| matches!(part, HeaderPart::Plain(text) if text.contains(char::is_control));
            if parts.iter().any(is_bad) {
                return Err(RequestFault::Header(name));
            }
            secret_headers.insert(name, parts.iter().map(HeaderPart::to_json).collect());
        }
        request.insert("secretHeaders".to_owned(), Value::Object(secret_headers));
    }
    request.insert("expect".to_owned(), Value::from(expect));
    Ok(Value::Object(request))
}
