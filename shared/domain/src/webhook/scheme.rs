//! A signature scheme as data: which headers are read, what is signed, and how fresh it must be.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::key::{Algorithm, KeyForm};
use super::template::Template;
use crate::time::DurationMs;

/// How one kind of signature is read and checked. Presets have one or several; an endpoint of the `hmac` provider
/// gets one from its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheme {
    /// The header with the signature. Compared without regard to case, as all header names.
    pub header: Cow<'static, str>,
    /// What made the signature.
    pub algorithm: Algorithm,
    /// How it is written.
    pub encoding: Encoding,
    /// What stands before each signature (`sha256=`, `v0=`). Items of a list without it are ignored: they belong to
    /// other versions of the scheme, and must neither be trusted nor stop a good one.
    pub prefix: Cow<'static, str>,
    /// What separates several signatures in the header; without it the whole header is one.
    pub list_separator: Option<char>,
    /// The bytes that are signed.
    pub content: Content,
    /// Where the time of signing stands, if it is signed.
    pub timestamp: TimestampSource,
    /// The unit of that time.
    pub timestamp_unit: TimestampUnit,
    /// How far that time may be from ours, both ways. Without meaning if no time is signed.
    pub tolerance: DurationMs,
    /// The header with the delivery's id, if the content has one.
    pub id_header: Option<Cow<'static, str>>,
    /// How the secret's text becomes a key.
    pub key: KeyForm,
    /// What `{url}` stands for.
    pub url: UrlForm,
}

/// The bytes that are signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A template over parts of the request.
    Template(Template),
    /// Twilio's: the URL and the sorted form fields, or the URL with the hash of a JSON body in its query.
    Twilio,
}

/// Where the time of signing stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimestampSource {
    /// No time is signed.
    Nowhere,
    /// In a header of its own, and in the content.
    Header(Cow<'static, str>),
    /// In the list of the signature header behind this prefix (`t=`), and in the content.
    Item(Cow<'static, str>),
    /// In the signed JSON body, as a whole number at this JSON pointer.
    Body(&'static str),
}

/// The unit of a signed time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum TimestampUnit {
    /// Seconds since the Unix epoch.
    #[default]
    #[serde(rename = "s")]
    Seconds,
    /// Milliseconds since the Unix epoch.
    #[serde(rename = "ms")]
    Milliseconds,
}

/// What `{url}` stands for. Never anything from `Host` or forwarding headers: the sender would choose them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UrlForm {
    /// The registered URL, letter by letter.
    Registered,
    /// The registered URL with the query of the request, as received and with HubSpot's list of escapes decoded.
    HubSpot,
    /// The registered URL with the query of the request, with and without a port.
    Twilio,
}

impl Scheme {
    /// Whether a time is signed, so that an old request can be distinguished from a fresh one.
    pub fn is_dated(&self) -> bool {
        self.timestamp != TimestampSource::Nowhere
    }

    /// Whether the endpoint must know its own public URL.
    pub fn signs_url(&self) -> bool {
        match &self.content {
            Content::Template(template) => template.names(super::template::Placeholder::Url),
            Content::Twilio => true,
        }
    }

    /// The names of all headers that verification reads.
    pub(super) fn headers(&self) -> impl Iterator<Item = &str> {
        let timestamp = match &self.timestamp {
            TimestampSource::Header(name) => Some(name.as_ref()),
            _ => None,
        };
        [Some(self.header.as_ref()), timestamp, self.id_header.as_deref()].into_iter().flatten()
    }
}

// How a signature is computed and written.

/// How a signature is written in its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Encoding {
    /// Hexadecimal, both cases.
    #[serde(rename = "hex")]
    Hex,
    /// Base64 by the standard alphabet, padded, with no stray bits.
    #[serde(rename = "base64")]
    Base64,
    /// The bytes as they are, for [`Algorithm::Token`].
    #[serde(skip)]
    Plain,
}

impl Encoding {
    /// The bytes of a written signature.
    pub(super) fn decode(self, text: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Hex => hex::decode(text).ok(),
            Self::Base64 => STANDARD.decode(text).ok(),
            Self::Plain => Some(text.to_vec()),
        }
        .filter(|bytes| !bytes.is_empty())
    }

    /// A signature as it is written.
    pub(super) fn encode(self, bytes: &[u8]) -> String {
        match self {
            Self::Hex => hex::encode(bytes),
            Self::Base64 => STANDARD.encode(bytes),
            Self::Plain => String::from_utf8_lossy(bytes).into_owned(),
        }
    }
}
