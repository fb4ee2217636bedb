//! What providers ask before they send events. Protocol, not events: answered, logged, and nothing is started.

use serde_json::{Value, json};
use subtle::ConstantTimeEq;

use super::config::SchemeConfig;
use super::key::Algorithm;
use super::provider::Provider;
use super::request::RequestParts;
use super::secret::Secret;
use super::verify::{Message, Verified, form_fields, mac};

/// The longest challenge that is sent back.
pub const CHALLENGE_BYTES_MAX: usize = 512;

const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";

/// The answer to a handshake. The edge adds `X-Content-Type-Options: nosniff`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandshakeAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The content type; none without a body.
    pub content_type: Option<&'static str>,
    /// The body.
    pub body: String,
}

/// Why a handshake is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeRefusal {
    /// Sent back by our address, anything but plain letters and digits could be a script.
    #[error("the challenge is missing, too long or not of plain characters")]
    ChallengeMalformed,
    /// The endpoint has no such verify token, or none at all.
    #[error("wrong verify token")]
    VerifyTokenMismatch,
}

impl HandshakeRefusal {
    /// The stable name, for the delivery log.
    pub const fn code(self) -> &'static str {
        match self {
            Self::ChallengeMalformed => "challenge_malformed",
            Self::VerifyTokenMismatch => "verify_token_mismatch",
        }
    }

    /// The HTTP status of the answer.
    pub const fn status(self) -> u16 {
        match self {
            Self::ChallengeMalformed => 400,
            Self::VerifyTokenMismatch => 403,
        }
    }
}

/// The handshake that comes before any signature: Meta asks by GET and shows the endpoint's verify token. `None` if
/// the request is no such question; a GET is nothing else.
pub fn challenge(
    config: &SchemeConfig,
    parts: &RequestParts<'_>,
    verify_token: Option<&str>,
) -> Option<Result<HandshakeAnswer, HandshakeRefusal>> {
    if config.provider() != Provider::Meta || !parts.method.eq_ignore_ascii_case("GET") {
        return None;
    }
    let fields = form_fields(parts.query.unwrap_or_default().as_bytes());
    let sole = |name: &str| {
        let mut values =
            fields.iter().filter(|(key, _)| key == name.as_bytes()).map(|(_, value)| value.as_slice());
        values.next().filter(|_| values.next().is_none())
    };
    if sole("hub.mode") != Some(b"subscribe".as_slice()) {
        return None;
    }
    let shown = sole("hub.verify_token").unwrap_or_default();
    let expected = verify_token.unwrap_or_default().as_bytes();
    if expected.is_empty() || !bool::from(expected.ct_eq(shown)) {
        return Some(Err(HandshakeRefusal::VerifyTokenMismatch));
    }
    let text = sole("hub.challenge").and_then(|value| std::str::from_utf8(value).ok());
    Some(plain(text).map(echo))
}

/// The handshakes that are signed as events are: Slack's challenge, Zoom's proof of the secret, Discord's ping. `None`
/// if the request is an event.
pub fn handshake(
    config: &SchemeConfig,
    parts: &RequestParts<'_>,
    verified: &Verified,
    secrets: &[Secret<'_>],
) -> Option<Result<HandshakeAnswer, HandshakeRefusal>> {
    let text = |pointer: &str| parts.json()?.pointer(pointer)?.as_str();
    match config.provider() {
        Provider::Slack if text("/type") == Some("url_verification") => {
            Some(plain(text("/challenge")).map(echo))
        }
        Provider::Zoom if text("/event") == Some("endpoint.url_validation") => {
            let secret = secrets.iter().find(|secret| Some(secret.id) == verified.secret_id.as_deref())?;
            Some(plain(text("/payload/plainToken")).map(|token| prove(token, secret)))
        }
        Provider::Discord => discord(parts.json()?).map(Ok),
        _ => None,
    }
}

/// Zoom: HMAC of the token by the secret. The characters of the token matter: a token with colons could be the signed
/// content of an event, and the answer its signature.
fn prove(token: &str, secret: &Secret<'_>) -> HandshakeAnswer {
    let message = Message { pieces: vec![token.as_bytes().into()], body_matches: true };
    let proof = mac(Algorithm::HmacSha256, secret.text.as_bytes(), &message).unwrap_or_default();
    let body = json!({ "plainToken": token, "encryptedToken": hex::encode(proof) }).to_string();
    HandshakeAnswer { status: 200, content_type: Some(JSON), body }
}

/// Discord: webhook events ping with type 0; interactions with type 1 and no event.
fn discord(body: &Value) -> Option<HandshakeAnswer> {
    match body.get("type").and_then(Value::as_u64)? {
        0 => Some(HandshakeAnswer { status: 204, content_type: None, body: String::new() }),
        1 if body.get("event").is_none() => {
            Some(HandshakeAnswer { status: 200, content_type: Some(JSON), body: r#"{"type":1}"#.to_owned() })
        }
        _ => None,
    }
}

fn echo(challenge: &str) -> HandshakeAnswer {
    HandshakeAnswer { status: 200, content_type: Some(TEXT), body: challenge.to_owned() }
}

fn plain(challenge: Option<&str>) -> Result<&str, HandshakeRefusal> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    challenge
        .filter(|text| (1..=CHALLENGE_BYTES_MAX).contains(&text.len()) && text.bytes().all(is_plain))
        .ok_or(HandshakeRefusal::ChallengeMalformed)
}
