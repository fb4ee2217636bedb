//! The verification of one request.

use super::listed::Listed;
use super::matching::{Match, matching};
use super::message::{Signing, messages};
use super::timestamp;
use crate::time::{DurationMs, Timestamp};
use crate::webhook::algorithm::Algorithm;
use crate::webhook::config::SchemeConfig;
use crate::webhook::provider::Provider;
use crate::webhook::rejection::Rejection;
use crate::webhook::request::RequestParts;
use crate::webhook::scheme::{Content, Scheme, TimestampSource};
use crate::webhook::secret::Secret;

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
    let early = stated.map(|text| timestamp::read(text, scheme.timestamp_unit)).transpose()?;
    let id = signed_id(scheme, parts)?;
    let signing = Signing { timestamp: stated.unwrap_or_default(), id: id.unwrap_or_default() };
    let messages = messages(scheme, parts, &signing)?;
    let Match { secret_id, signature, message } = matching(scheme, secrets, &messages, &listed.signatures)?;
    if !messages[message].body_matches {
        return Err(Rejection::BodyMismatch);
    }
    let time = match &scheme.timestamp {
        TimestampSource::Body(pointer) => Some(timestamp::in_body(parts, pointer, scheme.timestamp_unit)?),
        _ => early,
    };
    if let Some(time) = time {
        timestamp::check_age(time, now, scheme.tolerance)?;
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
