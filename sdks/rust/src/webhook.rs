//! Signs and verifies webhooks as Standard Webhooks says: HMAC-SHA256 over `id.timestamp.body`.

use std::time::Duration;

use crate::timestamp::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

const TOLERANCE: Duration = Duration::from_mins(5);
const SIGNATURES_MAX: usize = 16;

/// The header with the delivery's id.
pub const ID: &str = "webhook-id";
/// The header with the seconds since 1970.
pub const TIMESTAMP: &str = "webhook-timestamp";
/// The header with the signatures.
pub const SIGNATURE: &str = "webhook-signature";

/// Why a webhook was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSignature {
    /// One of the three headers is not there.
    #[error("invalid signature: {0} is missing")]
    HeaderMissing(&'static str),
    /// The timestamp is no number of seconds.
    #[error("invalid signature: webhook-timestamp is not a number of seconds")]
    TimestampUnreadable,
    /// The timestamp is more than five minutes away from now.
    #[error("invalid signature: webhook-timestamp is more than five minutes away")]
    TimestampFarAway,
    /// There are more signatures than anybody sends.
    #[error("invalid signature: too many signatures")]
    TooMany,
    /// No signature fits.
    #[error("invalid signature: no signature matches")]
    NoneFits,
    /// A secret is not `whsec_` and base64.
    #[error("the secret is not whsec_ and base64")]
    SecretUnreadable,
}

/// The value of `webhook-signature`. The secret is `whsec_…`.
pub fn sign(secret: &str, id: &str, at: Timestamp, body: &[u8]) -> Result<String, InvalidSignature> {
    let mac = mac(secret, id, &at.as_second().to_string(), body)?;
    Ok(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

/// All three headers of a signed request, for tests of receivers.
pub fn signed_headers(
    secret: &str,
    id: &str,
    at: Timestamp,
    body: &[u8],
) -> Result<[(&'static str, String); 3], InvalidSignature> {
    let signature = sign(secret, id, at, body)?;
    Ok([(ID, id.to_owned()), (TIMESTAMP, at.as_second().to_string()), (SIGNATURE, signature)])
}

/// Fails unless one of the signatures matches the exact body received, and its timestamp is within five minutes of
/// `now`. Header names are case-insensitive. Pass all valid secrets during a rotation.
pub fn verify<'a>(
    headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    body: &[u8],
    now: Timestamp,
    secrets: &[&str],
) -> Result<(), InvalidSignature> {
    let (mut id, mut timestamp, mut signatures) = ("", "", "");
    for (name, value) in headers {
        for (wanted, found) in [(ID, &mut id), (TIMESTAMP, &mut timestamp), (SIGNATURE, &mut signatures)] {
            if name.eq_ignore_ascii_case(wanted) {
                *found = value;
            }
        }
    }
    for (name, value) in [(ID, id), (TIMESTAMP, timestamp), (SIGNATURE, signatures)] {
        if value.is_empty() {
            return Err(InvalidSignature::HeaderMissing(name));
        }
    }
    let seconds: u32 = timestamp.parse().map_err(|_| InvalidSignature::TimestampUnreadable)?;
    if now.as_second().abs_diff(i64::from(seconds)) > TOLERANCE.as_secs() {
        return Err(InvalidSignature::TimestampFarAway);
    }
    let given: Vec<&str> = signatures.split_whitespace().collect();
    if given.len() > SIGNATURES_MAX {
        return Err(InvalidSignature::TooMany);
    }
    let mut fits = false;
    for secret in secrets {
        let expected = mac(secret, id, timestamp, body)?;
        for signature in &given {
            let bytes = signature.strip_prefix("v1,").and_then(|text| STANDARD.decode(text).ok());
            // All are looked at, so that the time does not say which fits.
            fits |= bytes.is_some_and(|bytes| expected.clone().verify_slice(&bytes).is_ok());
        }
    }
    if fits { Ok(()) } else { Err(InvalidSignature::NoneFits) }
}

fn mac(secret: &str, id: &str, timestamp: &str, body: &[u8]) -> Result<Hmac<Sha256>, InvalidSignature> {
    let text = secret.strip_prefix("whsec_").unwrap_or(secret);
    let key = STANDARD.decode(text).ok().filter(|key| !key.is_empty());
    let key = key.ok_or(InvalidSignature::SecretUnreadable)?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).map_err(|_| InvalidSignature::SecretUnreadable)?;
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    Ok(mac)
}

#[cfg(test)]
mod tests {
    use crate::timestamp::Timestamp;

    use super::{ID, InvalidSignature, SIGNATURE, TIMESTAMP, sign, signed_headers, verify};

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("an instant")
    }

    #[test]
    fn the_vector_of_the_specification() {
        let body = br#"{"test": 2432232314}"#;
        let signed = sign(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", at(1_614_265_330), body);
        assert_eq!(signed.as_deref(), Ok("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
    }

    #[test]
    fn only_what_was_signed_is_accepted() {
        let headers = signed_headers(SECRET, "msg_1", at(1000), b"body").expect("signed");
        let check = |body: &[u8], now, secrets: &[&str]| {
            verify(headers.iter().map(|(name, value)| (*name, value.as_str())), body, at(now), secrets)
        };
        assert_eq!(check(b"body", 1300, &[SECRET]), Ok(()));
        assert_eq!(check(b"body", 1000, &["whsec_b3RoZXI=", SECRET]), Ok(()));
        assert_eq!(check(b"body", 1301, &[SECRET]), Err(InvalidSignature::TimestampFarAway));
        assert_eq!(check(b"body", 699, &[SECRET]), Err(InvalidSignature::TimestampFarAway));
        assert_eq!(check(b"Body", 1000, &[SECRET]), Err(InvalidSignature::NoneFits));
        assert_eq!(check(b"body", 1000, &["whsec_b3RoZXI="]), Err(InvalidSignature::NoneFits));
        assert_eq!(check(b"body", 1000, &["whsec_!"]), Err(InvalidSignature::SecretUnreadable));
        let some = [(ID, "msg_1"), (TIMESTAMP, "1000")];
        let missing = verify(some, b"body", at(1000), &[SECRET]);
        assert_eq!(missing, Err(InvalidSignature::HeaderMissing(SIGNATURE)));
    }
}
