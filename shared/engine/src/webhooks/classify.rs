//! Classify a request at an endpoint: a delivery, a handshake, or neither. Pure, but for the clock of the measurement.

use std::borrow::Cow;
use std::io::Read;
use std::sync::LazyLock;
use std::time::Instant;

use domain::id::{DeliveryId, SecretId};
use domain::time::Timestamp;
use domain::webhook::{
    DeliveryStatus, Guards, HandshakeAnswer, HandshakeRefusal, Provider, Rejection, RequestParts,
    SchemeConfig, Secret, challenge, event_type, guards, handshake, provider_id, redact, redact_query,
    verify,
};
use flate2::read::MultiGzDecoder;
use store::webhooks::NewDelivery;

use super::endpoint::Endpoint;
use super::incoming::{Incoming, RefusedDelivery};
use crate::bounds::traceparent;
use crate::engine::Engine;
use crate::metrics;

/// The longest method that is kept, in bytes.
const METHOD_BYTES_MAX: usize = 32;
/// The longest path and query that are kept, in bytes.
const TARGET_BYTES_MAX: usize = 8 * 1024;

/// How much is kept of the header lines of a request, in bytes: what a delivery counts beside its body against quotas does not
/// grow with them. Of one that nobody has signed as much as is counted.
const HEADER_BYTES_MAX: usize = 16 * 1024;
const UNSIGNED_HEADER_BYTES_MAX: usize = 4 * 1024;

/// What a request is.
pub(super) enum Classified {
    /// A verified delivery.
    Delivery(Box<Verdict>),
    /// A question of the provider, answered.
    Handshake(HandshakeAnswer),
    /// Nothing that is let in. The reason is for the delivery log only.
    Refused { refused: RefusedDelivery, reason: &'static str },
}

/// What is known of a verified delivery.
pub(super) struct Verdict {
    pub(super) guards: Guards,
    event_type: Option<String>,
    provider_event_id: Option<String>,
    secret_id: Option<SecretId>,
}

/// What becomes of a request, for its row.
pub(super) struct NewParts {
    pub(super) status: DeliveryStatus,
    pub(super) reason: Option<&'static str>,
    pub(super) verdict: Option<Verdict>,
}

/// Classifies a request.
pub(super) fn classify(endpoint: &Endpoint, incoming: &Incoming, now: Timestamp) -> Classified {
    let scheme = &endpoint.scheme;
    let headers = borrowed(&incoming.headers);
    let parts = RequestParts::new(&incoming.method, &incoming.path, &headers, &incoming.body)
        .with_query(incoming.query.as_deref())
        .with_public_url(endpoint.public_url.as_deref());
    match challenge(scheme, &parts, endpoint.verify_token(now)) {
        Some(answer) => return answered(answer),
        None if !incoming.method.eq_ignore_ascii_case("POST") => {
            return refused(RefusedDelivery::new(405, "method"), "method");
        }
        None => {}
    }
    let secrets = endpoint.active(now);
    let verified = match timed(scheme, &secrets, &parts, now) {
        Ok(verified) => verified,
        Err(rejection) => return refused(refusal_of(&rejection), rejection.code()),
    };
    let encodings: Vec<&[u8]> = headers
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("content-encoding"))
        .map(|(_, value)| *value)
        .collect();
    let body = match decoded(&encodings, &incoming.body, endpoint.body_bytes_max) {
        Ok(body) => body,
        Err(EncodingFault::Unsupported) => {
            return refused(RefusedDelivery::new(415, "encoding"), "encoding_unsupported");
        }
        Err(EncodingFault::Broken) => {
            return refused(RefusedDelivery::new(400, "malformed"), "encoding_broken");
        }
        Err(EncodingFault::TooLarge) => {
            return refused(RefusedDelivery::new(413, "too_large"), "too_large");
        }
    };
    let parts = RequestParts::new(&incoming.method, &incoming.path, &headers, &incoming.body)
        .with_query(incoming.query.as_deref())
        .with_public_url(endpoint.public_url.as_deref())
        .with_decoded(&body);
    if let Some(answer) = handshake(scheme, &parts, &verified, &secrets) {
        return answered(answer);
    }
    Classified::Delivery(Box::new(Verdict {
        guards: guards(scheme, &endpoint.config.dedupe, &parts, &verified, endpoint.record.id.uuid()),
        event_type: event_type(scheme, &parts),
        provider_event_id: provider_id(scheme, &parts, &verified),
        secret_id: verified.secret_id.as_deref().and_then(|id| endpoint.secret_id(id)),
    }))
}

/// Does for an endpoint that is not there what [`classify`] does for a bad signature, so that the time of the answer
/// does not distinguish the two.
pub(super) fn dummy_verify(incoming: &Incoming, now: Timestamp) {
    static SCHEME: LazyLock<SchemeConfig> = LazyLock::new(|| SchemeConfig::preset(Provider::GitHub));
    const SIGNATURE: &[u8] = b"sha256=0000000000000000000000000000000000000000000000000000000000000000";
    let secrets = [Secret { id: "none", text: "an endpoint that is not there" }];
    let headers = [("x-hub-signature-256", SIGNATURE)];
    let parts = RequestParts::new("POST", &incoming.path, &headers, &incoming.body);
    // Nobody has this secret: the answer is known, and only the work counts.
    let _ = timed(&SCHEME, &secrets, &parts, now);
}

fn timed(
    scheme: &SchemeConfig,
    secrets: &[Secret<'_>],
    parts: &RequestParts<'_>,
    now: Timestamp,
) -> Result<domain::webhook::Verified, Rejection> {
    let started = Instant::now();
    let verified = verify(scheme, secrets, parts, now);
    metrics::verified(started.elapsed());
    verified
}

fn answered(answer: Result<HandshakeAnswer, HandshakeRefusal>) -> Classified {
    match answer {
        Ok(answer) => Classified::Handshake(answer),
        Err(refusal) => refused(RefusedDelivery::new(refusal.status(), "challenge"), refusal.code()),
    }
}

const fn refused(refused: RefusedDelivery, reason: &'static str) -> Classified {
    Classified::Refused { refused, reason }
}

/// The same for all reasons of one status.
const fn refusal_of(rejection: &Rejection) -> RefusedDelivery {
    match rejection.status() {
        431 => RefusedDelivery::new(431, "header_too_large"),
        400 => RefusedDelivery::new(400, "malformed"),
        _ => RefusedDelivery::new(401, "signature"),
    }
}

fn borrowed(headers: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    headers.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect()
}

impl Engine {
    /// The row of a request, with what may not be kept redacted.
    pub(super) fn new_delivery(
        &self,
        endpoint: &Endpoint,
        incoming: Incoming,
        parts: NewParts,
        now: Timestamp,
    ) -> NewDelivery {
        let headers = borrowed(&incoming.headers);
        let trace = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("traceparent"));
        let trace = trace.and_then(|(_, value)| std::str::from_utf8(value).ok()).map(str::to_owned);
        let trace = incoming.traceparent.clone().or(trace);
        let is_unsigned =
            parts.status == DeliveryStatus::Rejected || endpoint.config.provider == Provider::None;
        let header_bytes_max = if is_unsigned { UNSIGNED_HEADER_BYTES_MAX } else { HEADER_BYTES_MAX };
        let shown = within(redact(&endpoint.scheme, &headers), header_bytes_max);
        let mut target = incoming.path.clone();
        if let Some(query) = &incoming.query {
            target.push('?');
            target.push_str(&redact_query(query));
        }
        let (event_type, provider_event_id, secret_id) = match parts.verdict {
            Some(verdict) => (verdict.event_type, verdict.provider_event_id, verdict.secret_id),
            None => (None, None, None),
        };
        NewDelivery {
            id: DeliveryId::from_uuid(self.entropy().uuid(now)),
            webhook_id: endpoint.record.id,
            tenant: endpoint.record.tenant.clone(),
            status: parts.status,
            reason: parts.reason.map(str::to_owned),
            event_type,
            provider_event_id,
            secret_id,
            replay_of: None,
            remote_address: incoming.remote_address.map(|address| address.to_canonical().to_string()),
            method: kept(incoming.method, METHOD_BYTES_MAX),
            target: kept(target, TARGET_BYTES_MAX),
            // A list of pairs of texts has a JSON form.
            headers: serde_json::to_string(&shown).unwrap_or_else(|_| "[]".to_owned()),
            body: incoming.body,
            traceparent: traceparent(trace),
            received_at: now,
        }
    }
}

/// The lines, from the first on, that take so many bytes together; one that is too large leaves those behind it their room.
fn within(mut lines: Vec<(String, String)>, bytes_max: usize) -> Vec<(String, String)> {
    let mut left = bytes_max;
    lines.retain(|(name, value)| {
        let rest = left.checked_sub(name.len() + value.len());
        left = rest.unwrap_or(left);
        rest.is_some()
    });
    lines
}

/// Text that the store can hold.
fn kept(mut text: String, bytes_max: usize) -> String {
    if text.len() > bytes_max {
        let end = (0..=bytes_max).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
    }
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

// `Content-Encoding`: what a body is once it is decoded, within a bound. Signatures are over the bytes as received.

/// A body that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EncodingFault {
    /// An encoding that is not supported.
    Unsupported,
    /// Not what its encoding says.
    Broken,
    /// Too large once decoded.
    TooLarge,
}

/// The body as it reads, by the values of its `Content-Encoding` headers: none, `identity` or `gzip`. Of a packed one at most
/// `bytes_max` bytes are read.
pub(super) fn decoded<'a>(
    encodings: &[&[u8]],
    body: &'a [u8],
    bytes_max: usize,
) -> Result<Cow<'a, [u8]>, EncodingFault> {
    let named = encodings.iter().flat_map(|value| value.split(|byte| *byte == b','));
    let named = named.map(<[u8]>::trim_ascii).filter(|name| !name.is_empty());
    let mut named = named.filter(|name| !name.eq_ignore_ascii_case(b"identity"));
    match (named.next(), named.next()) {
        (None, _) => Ok(Cow::Borrowed(body)),
        (Some(name), None) if name.eq_ignore_ascii_case(b"gzip") || name.eq_ignore_ascii_case(b"x-gzip") => {
            if body.is_empty() {
                return Ok(Cow::Borrowed(body));
            }
            let mut decoded = Vec::new();
            let read = MultiGzDecoder::new(body).take(bytes_max as u64 + 1).read_to_end(&mut decoded);
            match read {
                Ok(_) if decoded.len() <= bytes_max => Ok(Cow::Owned(decoded)),
                Ok(_) => Err(EncodingFault::TooLarge),
                Err(_) => Err(EncodingFault::Broken),
            }
        }
        _ => Err(EncodingFault::Unsupported),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).expect("memory can be written");
        encoder.finish().expect("memory can be written")
    }

    #[test]
    fn gzip_is_undone_and_others_are_refused() {
        let zipped = gzip(b"{}");
        assert_eq!(decoded(&[], b"{}", 2).as_deref(), Ok(&b"{}"[..]));
        assert_eq!(decoded(&[b"identity"], b"{}", 2).as_deref(), Ok(&b"{}"[..]));
        assert_eq!(decoded(&[b" GZip "], &zipped, 2).as_deref(), Ok(&b"{}"[..]));
        assert_eq!(decoded(&[b"gzip, gzip"], &zipped, 2), Err(EncodingFault::Unsupported));
        assert_eq!(decoded(&[b"br"], b"{}", 2), Err(EncodingFault::Unsupported));
        assert_eq!(decoded(&[b"gzip"], b"{}", 2), Err(EncodingFault::Broken));
        assert_eq!(decoded(&[b"gzip"], &zipped[..zipped.len() - 3], 2), Err(EncodingFault::Broken));
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let bomb = gzip(&vec![0; 1_000_001]);
        assert!(bomb.len() < 20_000);
        assert_eq!(decoded(&[b"gzip"], &bomb, 1_000_000), Err(EncodingFault::TooLarge));
        assert!(decoded(&[b"gzip"], &bomb, 1_000_001).is_ok());
    }
}
