//! How a signature is computed and written.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
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
