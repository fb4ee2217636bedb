//! Comparison of signatures: each with each secret, in constant time, all before a decision.

use ed25519_dalek::VerifyingKey as Ed25519Key;
use hmac::{Hmac, KeyInit, Mac};
use p256::ecdsa::signature::hazmat::PrehashVerifier;
use p256::ecdsa::{Signature as P256Signature, VerifyingKey as P256Key};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};
use subtle::ConstantTimeEq;

use super::message::Message;
use crate::webhook::key::{Algorithm, ed25519_key};
use crate::webhook::rejection::Rejection;
use crate::webhook::scheme::Scheme;
use crate::webhook::secret::Secret;

/// Which signature is whose.
#[derive(Debug)]
pub(super) struct Match<'a> {
    /// The secret that signed.
    pub(super) secret_id: &'a str,
    /// The signature that matched.
    pub(super) signature: &'a [u8],
    /// Which reading of the request it is over.
    pub(super) message: usize,
}

/// Compares all signatures with all secrets over all readings, and gives the first that matched.
pub(super) fn matching<'a>(
    scheme: &Scheme,
    secrets: &'a [Secret<'_>],
    messages: &[Message<'_>],
    signatures: &'a [Vec<u8>],
) -> Result<Match<'a>, Rejection> {
    let mut found: Option<Match<'a>> = None;
    let mut usable = false;
    for secret in secrets {
        let Some(key) = scheme.key.key(secret.text) else { continue };
        usable = true;
        for (index, message) in messages.iter().enumerate() {
            let checker = Checker::new(scheme.algorithm, &key, message);
            for signature in signatures {
                if checker.accepts(signature) && found.is_none() {
                    found = Some(Match { secret_id: secret.id, signature, message: index });
                }
            }
        }
    }
    found.ok_or(if usable { Rejection::SignatureMismatch } else { Rejection::SecretMissing })
}

/// One key and one message, ready for any number of signatures.
enum Checker {
    /// The signature must be these bytes.
    Bytes(Vec<u8>),
    /// The signature is the secret; both are hashed first, so that not even its length shows in the time.
    Token([u8; 32]),
    /// The key and the message.
    Ed25519(Box<Ed25519Key>, Vec<u8>),
    /// The key and the hash of the message.
    P256(Box<P256Key>, [u8; 32]),
    /// The key is no point of its curve.
    Nothing,
}

impl Checker {
    fn new(algorithm: Algorithm, key: &[u8], message: &Message<'_>) -> Self {
        match algorithm {
            Algorithm::Token => Self::Token(Sha256::digest(key).into()),
            Algorithm::Ed25519 => match ed25519_key(key) {
                Some(key) => Self::Ed25519(Box::new(key), message.pieces.concat()),
                None => Self::Nothing,
            },
            Algorithm::EcdsaP256 => match P256Key::from_sec1_bytes(key) {
                Ok(key) => Self::P256(Box::new(key), message.digest()),
                Err(_) => Self::Nothing,
            },
            _ => mac(algorithm, key, message).map_or(Self::Nothing, Self::Bytes),
        }
    }

    fn accepts(&self, signature: &[u8]) -> bool {
        match self {
            Self::Bytes(expected) => expected.as_slice().ct_eq(signature).into(),
            Self::Token(expected) => {
                let shown: [u8; 32] = Sha256::digest(signature).into();
                expected.ct_eq(&shown).into()
            }
            Self::Ed25519(key, message) => ed25519_dalek::Signature::from_slice(signature)
                .is_ok_and(|signature| key.verify_strict(message, &signature).is_ok()),
            Self::P256(key, hash) => P256Signature::from_der(signature)
                .is_ok_and(|signature| key.verify_prehash(hash, &signature).is_ok()),
            Self::Nothing => false,
        }
    }
}

/// The MAC of a message; `None` for algorithms that are none.
pub(in crate::webhook) fn mac(algorithm: Algorithm, key: &[u8], message: &Message<'_>) -> Option<Vec<u8>> {
    match algorithm {
        Algorithm::HmacSha1 => mac_with::<Hmac<Sha1>>(key, message),
        Algorithm::HmacSha256 => mac_with::<Hmac<Sha256>>(key, message),
        Algorithm::HmacSha384 => mac_with::<Hmac<Sha384>>(key, message),
        Algorithm::HmacSha512 => mac_with::<Hmac<Sha512>>(key, message),
        Algorithm::Ed25519 | Algorithm::EcdsaP256 | Algorithm::Token => None,
    }
}

fn mac_with<M: Mac + KeyInit>(key: &[u8], message: &Message<'_>) -> Option<Vec<u8>> {
    let mut mac = <M as KeyInit>::new_from_slice(key).ok()?;
    for piece in &message.pieces {
        mac.update(piece);
    }
    Some(mac.finalize().into_bytes().to_vec())
}
