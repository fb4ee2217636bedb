//! Standard Webhooks from the sender's side: the key, and the signature over id, time and body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::time::Timestamp;

/// What a secret begins with.
const PREFIX: &str = "whsec_";
/// How many bytes a key has.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// A secret out of random bytes.
pub fn new_secret(random: &[u8; 32]) -> String {
    format!("{PREFIX}{}", STANDARD.encode(random))
}

/// The key of a secret: base64 behind `whsec_`, of 24 to 64 bytes.
pub fn signing_key(secret: &str) -> Option<Vec<u8>> {
    let key = STANDARD.decode(secret.strip_prefix(PREFIX)?).ok()?;
    KEY_BYTES.contains(&key.len()).then_some(key)
}

/// The headers of a notification.
pub fn signed_headers(key: &[u8], id: &str, now: Timestamp, body: &str) -> [(&'static str, String); 3] {
    let time = now.0.div_euclid(1_000).to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(format!("{id}.{time}.{body}").as_bytes());
    let signature = STANDARD.encode(mac.finalize().into_bytes());
    [
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", time),
        ("webhook-signature", format!("v1,{signature}")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answer of the specification's reference libraries.
    #[test]
    fn signatures_are_those_of_the_reference() {
        let key = signing_key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("a key");
        let body = r#"{"test": 2432232314}"#;
        let headers =
            signed_headers(&key, "msg_p5jXN8AQM9LWM0D4loKWxJek", Timestamp(1_614_265_330_000), body);
        assert_eq!(headers[1].1, "1614265330");
        assert_eq!(headers[2].1, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn secrets_are_keys_of_some_length() {
        assert_eq!(signing_key(&new_secret(&[7; 32])).map(|key| key.len()), Some(32));
        for wrong in ["", "whsec_", "whsec_YQ==", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_!!!"] {
            assert_eq!(signing_key(wrong), None, "{wrong}");
        }
    }
}
