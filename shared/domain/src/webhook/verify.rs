//! Verification: whether one of an endpoint's active secrets signed this request, and recently.
//!
//! Signature headers and signed times are read here, `message` builds the bytes that are signed, `matching` compares.
//! Nothing is decoded or parsed before it is verified, but for the header's own grammar and for Twilio, which signs the
//! fields of a form and not its bytes.

mod matching;
mod message;

use crate::time::{DurationMs, Timestamp};
use crate::webhook::config::SchemeConfig;
use crate::webhook::key::Algorithm;
use crate::webhook::provider::Provider;
use crate::webhook::rejection::Rejection;
use crate::webhook::request::RequestParts;
use crate::webhook::scheme::{Content, Scheme, TimestampSource, TimestampUnit};
use crate::webhook::secret::Secret;
use matching::{Match, matching};

pub(super) use matching::mac;
pub(super) use message::{Message, Signing, form_fields, messages};

// The verification of one request.

/// The longest signed id, in bytes.
const ID_BYTES_MAX: usize = 256;

/// What is known of a request that was let in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verified {
    /// Which secret signed it; `None` for the provider `none`.
    pub secret_id: Option<String>,
    /// The signature's bytes. Empty where nothing is signed: by `none`, and where the header holds the secret itself.
    pub signature: Vec<u8>,
    /// SHA-256 over what the signature covers; `None` where nothing is signed. Unlike the signature it is the same
    /// for each of several signatures of one request, and for both forms of one ECDSA signature.
    pub signed: Option<[u8; 32]>,
    /// The delivery's id, if the scheme signs one.
    pub id: Option<String>,
    /// The time of signing, if the scheme signs one.
    pub timestamp: Option<Timestamp>,
    /// How far that time may be from ours; there if the time is.
    pub tolerance: Option<DurationMs>,
}

/// Decides whether a request is let in: whether any of its signatures is one of this request by any of the active
/// secrets, and whether its signed time, if there is one, is within the tolerance of `now`, both ways.
///
/// Every signature is compared with every secret in constant time before anything is decided. The answer to the sender
/// must not depend on the rejection but by its status.
pub fn verify(
    config: &SchemeConfig,
    secrets: &[Secret<'_>],
    parts: &RequestParts<'_>,
    now: Timestamp,
) -> Result<Verified, Rejection> {
    if config.provider() == Provider::None {
        return Ok(Verified::default());
    }
    for scheme in config.schemes() {
        for name in scheme.headers() {
            parts.sole(name)?;
        }
    }
    if secrets.is_empty() {
        return Err(Rejection::SecretMissing);
    }
    let mut best = Err(Rejection::SecretMissing);
    for scheme in config.schemes() {
        match attempt(scheme, secrets, parts, now) {
            Ok(verified) if best.is_err() => best = Ok(verified),
            Ok(_) => {}
            Err(rejection) if rejection.status() != 401 => return Err(rejection),
            Err(rejection) => {
                if let Err(earlier) = &best
                    && earlier.progress() < rejection.progress()
                {
                    best = Err(rejection);
                }
            }
        }
    }
    best
}

fn attempt(
    scheme: &Scheme,
    secrets: &[Secret<'_>],
    parts: &RequestParts<'_>,
    now: Timestamp,
) -> Result<Verified, Rejection> {
    let header = parts.sole(&scheme.header)?.filter(|value| !value.is_empty());
    let listed = Listed::read(scheme, header.ok_or(Rejection::SignatureMissing)?)?;
    let stated = stated_time(scheme, parts, &listed)?;
    let early = stated.map(|text| read(text, scheme.timestamp_unit)).transpose()?;
    let id = signed_id(scheme, parts)?;
    let signing = Signing { timestamp: stated.unwrap_or_default(), id: id.unwrap_or_default() };
    let messages = messages(scheme, parts, &signing)?;
    let Match { secret_id, signature, message } = matching(scheme, secrets, &messages, &listed.signatures)?;
    if !messages[message].body_matches {
        return Err(Rejection::BodyMismatch);
    }
    let time = match &scheme.timestamp {
        TimestampSource::Body(pointer) => Some(in_body(parts, pointer, scheme.timestamp_unit)?),
        _ => early,
    };
    if let Some(time) = time {
        check_age(time, now, scheme.tolerance)?;
    }
    let is_token = scheme.algorithm == Algorithm::Token;
    Ok(Verified {
        secret_id: Some(secret_id.to_owned()),
        signature: if is_token { Vec::new() } else { signature.to_vec() },
        signed: if is_token { None } else { Some(messages[message].digest()) },
        id: id.map(str::to_owned),
        timestamp: time,
        tolerance: time.map(|_| scheme.tolerance),
    })
}

/// The text of the time that is part of the signed content.
fn stated_time<'a>(
    scheme: &Scheme,
    parts: &RequestParts<'a>,
    listed: &Listed<'a>,
) -> Result<Option<&'a [u8]>, Rejection> {
    let stated = match &scheme.timestamp {
        TimestampSource::Nowhere | TimestampSource::Body(_) => return Ok(None),
        TimestampSource::Header(name) => parts.sole(name)?,
        TimestampSource::Item(_) => listed.timestamp,
    };
    stated.filter(|text| !text.is_empty()).ok_or(Rejection::TimestampMissing).map(Some)
}

/// The signed id. It may not hold the text that follows it in the signed content: with `{id}.{timestamp}.{body}` an id
/// with a dot could be cut at another place, and would verify as another request.
fn signed_id<'a>(scheme: &Scheme, parts: &RequestParts<'a>) -> Result<Option<&'a str>, Rejection> {
    let Some(name) = &scheme.id_header else { return Ok(None) };
    let value = parts.sole(name)?.filter(|value| !value.is_empty()).ok_or(Rejection::IdMissing)?;
    let id = std::str::from_utf8(value).map_err(|_| Rejection::IdMalformed)?;
    let after = match &scheme.content {
        Content::Template(template) => template.literal_after(crate::webhook::template::Placeholder::Id),
        Content::Twilio => "",
    };
    let ambiguous = !after.is_empty() && id.contains(after);
    if id.len() > ID_BYTES_MAX || ambiguous || id.chars().any(char::is_control) {
        return Err(Rejection::IdMalformed);
    }
    Ok(Some(id))
}

// The grammar of signature headers: one signature or a list of them, each behind a prefix, perhaps with the time.

/// The most signatures in a header. Rotation needs two.
pub const SIGNATURES_MAX: usize = 16;

/// What a signature header holds.
#[derive(Debug, PartialEq, Eq)]
struct Listed<'a> {
    /// The decoded signatures of the scheme's version; at least one.
    signatures: Vec<Vec<u8>>,
    /// The text of the time, if the scheme puts it here.
    timestamp: Option<&'a [u8]>,
}

impl<'a> Listed<'a> {
    /// Reads the header. Items of other versions are counted and ignored.
    fn read(scheme: &Scheme, header: &'a [u8]) -> Result<Self, Rejection> {
        let mut listed = Self { signatures: Vec::new(), timestamp: None };
        let (mut count, mut malformed) = (0, false);
        for item in items(header, scheme.list_separator) {
            if let TimestampSource::Item(prefix) = &scheme.timestamp
                && let Some(time) = item.strip_prefix(prefix.as_bytes())
            {
                // Of two times one would be checked and perhaps the other signed.
                if listed.timestamp.replace(time).is_some() {
                    return Err(Rejection::TimestampMalformed);
                }
                continue;
            }
            count += 1;
            if count > SIGNATURES_MAX {
                return Err(Rejection::SignaturesTooMany);
            }
            let Some(text) = item.strip_prefix(scheme.prefix.as_bytes()) else { continue };
            match scheme.encoding.decode(text) {
                Some(signature) => listed.signatures.push(signature),
                None => malformed = true,
            }
        }
        match (listed.signatures.is_empty(), malformed, count) {
            (false, _, _) => Ok(listed),
            (true, true, _) => Err(Rejection::SignatureMalformed),
            (true, false, 0) => Err(Rejection::SignatureMissing),
            (true, false, _) => Err(Rejection::SignatureUnknown),
        }
    }
}

fn items(header: &[u8], separator: Option<char>) -> impl Iterator<Item = &[u8]> {
    header
        .split(move |byte| separator.is_some_and(|char| char == char::from(*byte)))
        .map(<[u8]>::trim_ascii)
        .filter(|item| !item.is_empty())
}

// Signed times: how they are written, and whether they are near enough.

/// The most digits that fit the largest instant.
const DIGITS_MAX: usize = 19;

/// Reads 1 to 19 digits and nothing else: no sign, no fraction, no exponent, no space.
fn read(text: &[u8], unit: TimestampUnit) -> Result<Timestamp, Rejection> {
    if text.is_empty() || text.len() > DIGITS_MAX || !text.iter().all(u8::is_ascii_digit) {
        return Err(Rejection::TimestampMalformed);
    }
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<i64>().ok());
    scaled(number.ok_or(Rejection::TimestampMalformed)?, unit)
}

/// Reads the time in a verified JSON body: a whole number, not a text.
fn in_body(parts: &RequestParts<'_>, pointer: &str, unit: TimestampUnit) -> Result<Timestamp, Rejection> {
    let value = parts.json().and_then(|body| body.pointer(pointer)).ok_or(Rejection::TimestampMissing)?;
    scaled(value.as_i64().filter(|number| *number >= 0).ok_or(Rejection::TimestampMalformed)?, unit)
}

/// Whether the time is within the tolerance, both ways: a time far in the future would be good for replays until then.
fn check_age(time: Timestamp, now: Timestamp, tolerance: DurationMs) -> Result<(), Rejection> {
    if now.0.saturating_sub(time.0) > tolerance.0 {
        return Err(Rejection::TimestampPast);
    }
    if time.0.saturating_sub(now.0) > tolerance.0 {
        return Err(Rejection::TimestampFuture);
    }
    Ok(())
}

fn scaled(number: i64, unit: TimestampUnit) -> Result<Timestamp, Rejection> {
    match unit {
        TimestampUnit::Milliseconds => Ok(Timestamp(number)),
        TimestampUnit::Seconds => {
            number.checked_mul(1000).map(Timestamp).ok_or(Rejection::TimestampMalformed)
        }
    }
}
