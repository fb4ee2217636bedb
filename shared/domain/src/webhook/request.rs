//! A request as it was received: what verification reads, and nothing that was made of it.

use std::sync::{LazyLock, OnceLock};

use serde_json::Value;

use super::preset::preset;
use super::provider::Provider;
use super::rejection::Rejection;
use super::scheme::SchemeConfig;

/// The most bytes of any one header that verification reads.
pub const HEADER_BYTES_MAX: usize = 8 * 1024;

/// A received request. The body is the exact bytes, before any decoding; the headers are in the order and number in
/// which they came.
#[derive(Debug)]
pub struct RequestParts<'a> {
    /// The HTTP method.
    pub method: &'a str,
    /// The URL under which the sender knows the endpoint, from its settings. Never made of `Host` or of forwarding
    /// headers.
    pub public_url: Option<&'a str>,
    /// The path, as received.
    pub path: &'a str,
    /// What follows `?`, as received.
    pub query: Option<&'a str>,
    /// Names and values.
    pub headers: &'a [(&'a str, &'a [u8])],
    /// The exact bytes.
    pub body: &'a [u8],
    decoded: Option<&'a [u8]>,
    json: OnceLock<Option<Value>>,
}

impl<'a> RequestParts<'a> {
    /// A request without query and public URL.
    pub const fn new(
        method: &'a str,
        path: &'a str,
        headers: &'a [(&'a str, &'a [u8])],
        body: &'a [u8],
    ) -> Self {
        Self {
            method,
            public_url: None,
            path,
            query: None,
            headers,
            body,
            decoded: None,
            json: OnceLock::new(),
        }
    }

    /// With what followed `?`.
    #[must_use]
    pub const fn with_query(mut self, query: Option<&'a str>) -> Self {
        self.query = query;
        self
    }

    /// With the registered URL.
    #[must_use]
    pub const fn with_public_url(mut self, url: Option<&'a str>) -> Self {
        self.public_url = url;
        self
    }

    /// With the body after its `Content-Encoding` was undone, for reading; signatures are over the bytes as received.
    #[must_use]
    pub fn with_decoded(mut self, decoded: &'a [u8]) -> Self {
        self.decoded = Some(decoded);
        self.json = OnceLock::new();
        self
    }

    /// The body as JSON, parsed once; `None` if it is none. Does not look at `Content-Type`, which may lie.
    pub fn json(&self) -> Option<&Value> {
        self.json.get_or_init(|| serde_json::from_slice(self.decoded.unwrap_or(self.body)).ok()).as_ref()
    }

    /// The first value of a header, trimmed.
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        self.values(name).next()
    }

    /// The first value of a header as text, trimmed; `None` if it is not visible ASCII or UTF-8, or empty.
    pub fn header_text(&self, name: &str) -> Option<&'a str> {
        self.header(name).and_then(|value| std::str::from_utf8(value).ok()).filter(|text| !text.is_empty())
    }

    /// The one value of a header that verification reads.
    pub(super) fn sole(&self, name: &str) -> Result<Option<&'a [u8]>, Rejection> {
        let mut values = self.values(name);
        let first = values.next();
        if values.next().is_some() {
            return Err(Rejection::HeaderRepeated);
        }
        match first {
            Some(value) if value.len() > HEADER_BYTES_MAX => Err(Rejection::HeaderTooLarge),
            other => Ok(other),
        }
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        let headers = self.headers;
        headers
            .iter()
            .filter(move |(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim_ascii())
    }
}

// What is kept of a request's headers and query: all names, and no value that could be used again.

/// What stands in place of a value.
pub const REDACTED: &str = "[redacted]";

/// Parts of names whose values are secrets, whoever sends them.
const TELLING: [&str; 17] = [
    "authorization",
    "authentication",
    "cookie",
    "signature",
    "hmac",
    "token",
    "secret",
    "password",
    "passwd",
    "api-key",
    "apikey",
    "access-key",
    "credential",
    "session",
    "x-auth",
    "passphrase",
    "jwt",
];

/// Names of query parameters that hold secrets, whole: `https://example.com/hooks/x?key=…`.
const TELLING_PARAMETERS: [&str; 5] = ["key", "sig", "auth", "pass", "pwd"];

/// Names that contain a telling part and are no secrets.
const HARMLESS: [&str; 2] = ["i-twilio-idempotency-token", "x-twilio-webhooks-signature-settings"];

/// The headers of all presets that hold signatures, each once.
static PRESET_HEADERS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let schemes = Provider::ALL.iter().flat_map(|provider| preset(*provider).schemes);
    let mut headers: Vec<&'static str> = schemes.map(|scheme| &*scheme.header).collect();
    headers.sort_unstable();
    headers.dedup();
    headers
});

/// The headers as they may be stored and shown: in order, with all names, without the values of signatures, tokens,
/// credentials and cookies. Other values that are not UTF-8 are shown with replacement characters.
pub fn redact(config: &SchemeConfig, headers: &[(&str, &[u8])]) -> Vec<(String, String)> {
    headers
        .iter()
        .map(|(name, value)| {
            let shown = if is_secret_header(config, name) {
                REDACTED.to_owned()
            } else {
                String::from_utf8_lossy(value).into_owned()
            };
            ((*name).to_owned(), shown)
        })
        .collect()
}

/// The query as it may be stored and shown. Names are kept; values of telling names are not.
pub fn redact_query(query: &str) -> String {
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if is_telling_parameter(name) => format!("{name}={REDACTED}"),
        _ => pair.to_owned(),
    });
    pairs.collect::<Vec<_>>().join("&")
}

fn is_secret_header(config: &SchemeConfig, name: &str) -> bool {
    is_telling(name)
        || PRESET_HEADERS.iter().any(|header| header.eq_ignore_ascii_case(name))
        || config.schemes().iter().any(|scheme| scheme.header.eq_ignore_ascii_case(name))
}

fn is_telling_parameter(name: &str) -> bool {
    is_telling(&name.replace('_', "-"))
        || TELLING_PARAMETERS.iter().any(|telling| name.eq_ignore_ascii_case(telling))
}

fn is_telling(name: &str) -> bool {
    let name = name.as_bytes();
    // Every header of every delivery comes by here, so nothing is allocated.
    let begins = |rest: &[u8], part: &str| {
        rest.get(..part.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(part.as_bytes()))
    };
    let has_part = |at: usize| {
        let first = name[at].to_ascii_lowercase();
        TELLING.iter().any(|part| part.as_bytes()[0] == first && begins(&name[at..], part))
    };
    (0..name.len()).any(has_part) && !HARMLESS.iter().any(|whole| name.eq_ignore_ascii_case(whole.as_bytes()))
}
