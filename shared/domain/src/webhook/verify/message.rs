//! The bytes that a signature covers.

use std::borrow::Cow;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::form;
use super::url;
use crate::webhook::rejection::Rejection;
use crate::webhook::request::RequestParts;
use crate::webhook::scheme::{Content, Scheme};
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
        url::candidates(scheme.url, registered, parts.query)
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
        pieces.extend(form::sorted_fields(parts.body).into_iter().map(Cow::Owned));
        return Message { pieces, body_matches: true };
    };
    let same = hex::decode(hash).is_ok_and(|hash| {
        let own: [u8; 32] = Sha256::digest(parts.body).into();
        bool::from(own.ct_eq(hash.as_slice()))
    });
    Message { pieces: vec![url], body_matches: same && hashes.next().is_none() }
}
