//! The shape of a scheme in the table: names that are known at compile time, so that a row can be written as what it
//! differs in from the usual.

use std::borrow::Cow;

use crate::time::DurationMs;
use crate::webhook::algorithm::{Algorithm, Encoding};
use crate::webhook::key::KeyForm;
use crate::webhook::scheme::{Content, Scheme, TimestampSource, TimestampUnit, UrlForm};
use crate::webhook::template::Template;

/// Where a preset's signed time stands.
#[derive(Clone, Copy)]
pub(super) enum At {
    Nowhere,
    Header(&'static str),
    Item(&'static str),
    Body(&'static str),
}

/// What a preset signs.
#[derive(Clone, Copy)]
pub(super) enum Signed {
    Template(&'static str),
    Twilio,
}

/// A scheme that is known at compile time.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) header: &'static str,
    pub(super) algorithm: Algorithm,
    pub(super) encoding: Encoding,
    pub(super) prefix: &'static str,
    pub(super) list_separator: Option<char>,
    pub(super) signed: Signed,
    pub(super) timestamp: At,
    pub(super) timestamp_unit: TimestampUnit,
    pub(super) tolerance: DurationMs,
    pub(super) id_header: Option<&'static str>,
    pub(super) key: KeyForm,
    pub(super) url: UrlForm,
}

/// The usual: one HMAC-SHA256 of the body in hexadecimal, by the text of the secret, with no time.
pub(super) const USUAL: Row = Row {
    header: "",
    algorithm: Algorithm::HmacSha256,
    encoding: Encoding::Hex,
    prefix: "",
    list_separator: None,
    signed: Signed::Template("{body}"),
    timestamp: At::Nowhere,
    timestamp_unit: TimestampUnit::Seconds,
    tolerance: DurationMs::from_secs(300),
    id_header: None,
    key: KeyForm::Text,
    url: UrlForm::Registered,
};

impl Row {
    /// The scheme of this row.
    pub(super) const fn scheme(self) -> Scheme {
        Scheme {
            header: Cow::Borrowed(self.header),
            algorithm: self.algorithm,
            encoding: self.encoding,
            prefix: Cow::Borrowed(self.prefix),
            list_separator: self.list_separator,
            content: match self.signed {
                Signed::Template(text) => Content::Template(Template::preset(text)),
                Signed::Twilio => Content::Twilio,
            },
            timestamp: match self.timestamp {
                At::Nowhere => TimestampSource::Nowhere,
                At::Header(name) => TimestampSource::Header(Cow::Borrowed(name)),
                At::Item(prefix) => TimestampSource::Item(Cow::Borrowed(prefix)),
                At::Body(pointer) => TimestampSource::Body(pointer),
            },
            timestamp_unit: self.timestamp_unit,
            tolerance: self.tolerance,
            id_header: match self.id_header {
                Some(name) => Some(Cow::Borrowed(name)),
                None => None,
            },
            key: self.key,
            url: self.url,
        }
    }
}
