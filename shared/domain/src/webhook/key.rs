//! The algorithms that sign, and how the text of a secret is a key of them.

use std::borrow::Cow;

use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine, alphabet};
use ed25519_dalek::VerifyingKey as Ed25519Key;
use p256::ecdsa::VerifyingKey as P256Key;
use serde::{Deserialize, Serialize};

/// What makes a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Algorithm {
    /// HMAC with SHA-1. Twilio still signs so.
    #[serde(rename = "sha1")]
    HmacSha1,
    /// HMAC with SHA-256.
    #[serde(rename = "sha256")]
    HmacSha256,
    /// HMAC with SHA-384.
    #[serde(rename = "sha384")]
    HmacSha384,
    /// HMAC with SHA-512.
    #[serde(rename = "sha512")]
    HmacSha512,
    /// Ed25519, strictly checked (RFC 8032). The secret is a public key. Presets only.
    #[serde(skip)]
    Ed25519,
    /// ECDSA over P-256 and SHA-256, DER. The secret is a public key. Presets only.
    #[serde(skip)]
    EcdsaP256,
    /// No signature at all: the header holds the secret itself. Presets only.
    #[serde(skip)]
    Token,
}

/// What Standard Webhooks puts before a secret.
pub(super) const SECRET_PREFIX: &str = "whsec_";

/// What Standard Webhooks puts before a public key.
pub(super) const PUBLIC_KEY_PREFIX: &str = "whpk_";

/// What the DER form of every uncompressed P-256 public key begins with (RFC 5480).
pub(super) const P256_DER_PREFIX: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

/// Keys are copied by people, who lose the padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// How the text of a secret becomes a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum KeyForm {
    /// The bytes of the text. Stripe's too, for all its `whsec_`.
    #[default]
    #[serde(rename = "text")]
    Text,
    /// Hexadecimal.
    #[serde(rename = "hex")]
    Hex,
    /// Base64, padded or not.
    #[serde(rename = "base64")]
    Base64,
    /// Standard Webhooks: base64, with or without `whsec_` before it.
    #[serde(skip)]
    Prefixed,
    /// GitLab: base64 behind `whsec_`, else the bytes of the text.
    #[serde(skip)]
    PrefixedOrText,
    /// The bytes of a text that does not begin with `whsec_`: who registers a signing token does not also accept it
    /// unsigned.
    #[serde(skip)]
    Unprefixed,
    /// An Ed25519 public key: base64 behind `whpk_`.
    #[serde(skip)]
    PrefixedEd25519,
    /// An Ed25519 public key in hexadecimal.
    #[serde(skip)]
    HexEd25519,
    /// A P-256 public key: base64 of its DER form.
    #[serde(skip)]
    DerP256,
}

impl KeyForm {
    /// The key, or `None` if the text is no key of this form. P-256 keys are given as the 65 bytes of the point.
    pub(super) fn key(self, secret: &str) -> Option<Cow<'_, [u8]>> {
        let key: Cow<'_, [u8]> = match self {
            Self::Hex => hex::decode(secret).ok()?.into(),
            Self::Base64 => lenient(secret)?.into(),
            Self::Prefixed if secret.starts_with(PUBLIC_KEY_PREFIX) => return None,
            Self::Prefixed => lenient(secret.strip_prefix(SECRET_PREFIX).unwrap_or(secret))?.into(),
            Self::PrefixedOrText => match secret.strip_prefix(SECRET_PREFIX) {
                Some(rest) => lenient(rest)?.into(),
                None => secret.as_bytes().into(),
            },
            Self::Unprefixed if secret.starts_with(SECRET_PREFIX) => return None,
            Self::Text | Self::Unprefixed => secret.as_bytes().into(),
            Self::PrefixedEd25519 => sized(lenient(secret.strip_prefix(PUBLIC_KEY_PREFIX)?)?, 32)?.into(),
            Self::HexEd25519 => sized(hex::decode(secret).ok()?, 32)?.into(),
            Self::DerP256 => sized(lenient(secret)?.strip_prefix(&P256_DER_PREFIX)?.to_vec(), 65)?.into(),
        };
        // An empty key would make a signature that anyone can compute.
        if key.is_empty() { None } else { Some(key) }
    }
}

fn lenient(text: &str) -> Option<Vec<u8>> {
    LENIENT.decode(text).ok()
}

fn sized(bytes: Vec<u8>, len: usize) -> Option<Vec<u8>> {
    if bytes.len() == len { Some(bytes) } else { None }
}

/// Whether the bytes are a public key of the algorithm.
pub(in crate::webhook) fn is_public_key(algorithm: Algorithm, key: &[u8]) -> bool {
    match algorithm {
        Algorithm::Ed25519 => ed25519_key(key).is_some(),
        Algorithm::EcdsaP256 => P256Key::from_sec1_bytes(key).is_ok(),
        _ => false,
    }
}

/// Weak keys are refused: for them one signature is valid for many messages.
pub(super) fn ed25519_key(bytes: &[u8]) -> Option<Ed25519Key> {
    let bytes: &[u8; 32] = bytes.try_into().ok()?;
    Ed25519Key::from_bytes(bytes).ok().filter(|key| !key.is_weak())
}
