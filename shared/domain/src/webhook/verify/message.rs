//! The bytes that a signature covers.

use std::borrow::Cow;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::webhook::rejection::Rejection;
use crate::webhook::request::RequestParts;
use crate::webhook::scheme::{Content, Scheme, UrlForm};
use crate::webhook::template::{Placeholder, Template, TemplatePart};

/// The query parameter by which Twilio signs a JSON body.
const TWILIO_BODY_HASH: &str = "bodySHA256";

/// What of a request stands in its headers and is signed.
pub(in crate::webhook) struct Signing<'a> {
    /// The time, letter by letter.
    pub(in crate::webhook) timestamp: &'a [u8],
    /// The id.
    pub(in crate::webhook) id: &'a str,
}

/// One reading of what is signed, in pieces: the body is not copied.
#[derive(Debug)]
pub(in crate::webhook) struct Message<'a> {
    /// The pieces in order.
    pub(in crate::webhook) pieces: Vec<Cow<'a, [u8]>>,
    /// Whether the body is the one whose hash is among the pieces; true where the body itself is.
    pub(in crate::webhook) body_matches: bool,
}

impl Message<'_> {
    /// SHA-256 over all pieces.
    pub(in crate::webhook) fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        for piece in &self.pieces {
            hash.update(piece);
        }
        hash.finalize().into()
    }
}

/// All readings of what the sender may have signed: several where senders disagree how to write the URL.
pub(in crate::webhook) fn messages<'a>(
    scheme: &Scheme,
    parts: &RequestParts<'a>,
    signing: &Signing<'a>,
) -> Result<Vec<Message<'a>>, Rejection> {
    let urls = if scheme.signs_url() {
        let registered = parts.public_url.ok_or(Rejection::PublicUrlMissing)?;
        candidates(scheme.url, registered, parts.query)
    } else {
        vec![String::new()]
    };
    Ok(urls
        .into_iter()
        .map(|url| match &scheme.content {
            Content::Template(template) => from_template(template, parts, signing, &url),
            Content::Twilio => twilio(parts, url),
        })
        .collect())
}

fn from_template<'a>(
    template: &Template,
    parts: &RequestParts<'a>,
    signing: &Signing<'a>,
    url: &str,
) -> Message<'a> {
    let piece = |part| -> Cow<'a, [u8]> {
        match part {
            TemplatePart::Literal(text) => text.as_bytes().to_vec().into(),
            TemplatePart::Value(Placeholder::Id) => signing.id.as_bytes().into(),
            TemplatePart::Value(Placeholder::Timestamp) => signing.timestamp.into(),
            TemplatePart::Value(Placeholder::Url) => url.as_bytes().to_vec().into(),
            TemplatePart::Value(Placeholder::Method) => parts.method.to_ascii_uppercase().into_bytes().into(),
            TemplatePart::Value(Placeholder::Body) => parts.body.into(),
        }
    };
    Message { pieces: template.parts().map(piece).collect(), body_matches: true }
}

/// The URL alone where its query holds the hash of the body; else the URL and the fields of the form. The body is
/// read as a form whatever `Content-Type` says: if another type meant no fields, a signature of the URL alone would
/// let in any body.
fn twilio<'a>(parts: &RequestParts<'a>, url: String) -> Message<'a> {
    let mut hashes = parts
        .query
        .unwrap_or_default()
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .filter(|(name, _)| *name == TWILIO_BODY_HASH)
        .map(|(_, hash)| hash);
    let url = Cow::Owned(url.into_bytes());
    let Some(hash) = hashes.next() else {
        let mut pieces = vec![url];
        pieces.extend(sorted_fields(parts.body).into_iter().map(Cow::Owned));
        return Message { pieces, body_matches: true };
    };
    let same = hex::decode(hash).is_ok_and(|hash| {
        let own: [u8; 32] = Sha256::digest(parts.body).into();
        bool::from(own.ct_eq(hash.as_slice()))
    });
    Message { pieces: vec![url], body_matches: same && hashes.next().is_none() }
}

// Forms (`application/x-www-form-urlencoded`), read to bytes: text would make different bytes the same.

/// The fields in order, decoded.
pub(in crate::webhook) fn form_fields(body: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    body.split(|byte| *byte == b'&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let cut = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
            (decode(&pair[..cut]), decode(pair.get(cut + 1..).unwrap_or_default()))
        })
        .collect()
}

/// Names and values as Twilio signs them: sorted by name and then by value, equal ones once.
pub(super) fn sorted_fields(body: &[u8]) -> Vec<Vec<u8>> {
    let mut fields = form_fields(body);
    fields.sort();
    fields.dedup();
    fields.into_iter().flat_map(|(name, value)| [name, value]).collect()
}

fn decode(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let escaped = if byte == b'%' { text.get(at + 1..at + 3).and_then(hex_pair) } else { None };
        at += if escaped.is_some() { 3 } else { 1 };
        bytes.push(match (escaped, byte) {
            (Some(escaped), _) => escaped,
            (None, b'+') => b' ',
            (None, other) => other,
        });
    }
    bytes
}

fn hex_pair(pair: &[u8]) -> Option<u8> {
    let mut byte = [0];
    hex::decode_to_slice(pair, &mut byte).ok()?;
    Some(byte[0])
}

// The URL that a sender signs, made of the registered one and of the query as received.

/// The escapes that HubSpot decodes before it signs.
const HUBSPOT_ESCAPES: [(&str, &str); 12] = [
    ("%3A", ":"),
    ("%2F", "/"),
    ("%3F", "?"),
    ("%40", "@"),
    ("%21", "!"),
    ("%24", "$"),
    ("%27", "'"),
    ("%28", "("),
    ("%29", ")"),
    ("%2A", "*"),
    ("%2C", ","),
    ("%3B", ";"),
];

/// The URLs to try; at least one, the first being what the sender's documents say.
pub(super) fn candidates(form: UrlForm, registered: &str, query: Option<&str>) -> Vec<String> {
    match form {
        UrlForm::Registered => vec![registered.to_owned()],
        UrlForm::HubSpot => {
            let url = with_query(registered, query);
            let decoded = HUBSPOT_ESCAPES.iter().fold(url.clone(), |url, (escape, char)| {
                url.replace(escape, char).replace(&escape.to_ascii_lowercase(), char)
            });
            if decoded == url { vec![url] } else { vec![decoded, url] }
        }
        UrlForm::Twilio => {
            let url = with_query(registered, query);
            let other = other_port(&url);
            std::iter::once(url).chain(other).collect()
        }
    }
}

/// The registered URL without its fragment, which is never sent, and with the received query in place of its own.
fn with_query(registered: &str, query: Option<&str>) -> String {
    let url = registered.split('#').next().unwrap_or_default();
    match query.filter(|query| !query.is_empty()) {
        None => url.to_owned(),
        Some(query) => format!("{}?{query}", url.split('?').next().unwrap_or_default()),
    }
}

/// The same URL without its port, or with the default port of its scheme if it has none.
fn other_port(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    // A colon within brackets or before an `@` belongs to an IPv6 address or a password.
    let host = authority.rfind([']', '@']).map_or(0, |at| at + 1);
    match authority[host..].find(':') {
        Some(colon) => Some(format!("{scheme}://{}{path}", &authority[..host + colon])),
        None if scheme.eq_ignore_ascii_case("https") => Some(format!("{scheme}://{authority}:443{path}")),
        None if scheme.eq_ignore_ascii_case("http") => Some(format!("{scheme}://{authority}:80{path}")),
        None => None,
    }
}
