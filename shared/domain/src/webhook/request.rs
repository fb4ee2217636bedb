//! A request as it was received: what verification reads, and nothing that was made of it.

use std::sync::OnceLock;

use serde_json::Value;

use super::rejection::Rejection;

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
