//! Secrets of an endpoint: what is checked of them when they are set, and how one is made.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::config::SchemeConfig;
use super::key::{KeyForm, SECRET_PREFIX, is_public_key};
use super::provider::Provider;

/// The fewest bytes of key that an endpoint of the `hmac` provider takes.
pub const SECRET_BYTES_MIN: usize = 16;

/// The most bytes of a secret's text.
pub const SECRET_BYTES_MAX: usize = 1024;

/// The fewest different bytes of a key that is long enough: `aaaaaaaaaaaaaaaa` is not a secret.
const DISTINCT_BYTES_MIN: usize = 6;

/// One active secret. Prints its id only.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret<'a> {
    /// Which one it is; goes to the delivery log.
    pub id: &'a str,
    /// The secret itself, or the provider's public key, as its provider shows it.
    pub text: &'a str,
}

impl fmt::Debug for Secret<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Why a secret is not taken. Never holds the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretFault {
    /// Empty or nothing but white space.
    #[error("a secret must not be blank")]
    Blank,
    /// White space at an end is a copying mistake, and would never match.
    #[error("a secret must not begin or end with white space")]
    Surrounded,
    /// Longer than any provider's.
    #[error("a secret must have at most 1024 bytes")]
    TooLong,
    /// Too few bytes, or too few different ones.
    #[error("expected a secret of at least 16 bytes, not all alike")]
    TooWeak,
    /// Not of the provider's form.
    #[error("expected {0}")]
    Form(&'static str),
    /// The provider signs nothing.
    #[error("the provider `none` checks no signature and takes no secret")]
    NotUsed,
}

/// What is odd about a secret that is taken all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretWarning {
    /// White space inside.
    InnerSpace,
    /// Shorter than 16 bytes.
    Short,
}

impl SecretWarning {
    /// The sentence for the answer.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InnerSpace => "the secret contains white space: was it copied exactly?",
            Self::Short => "the secret has less than 16 bytes and can be guessed",
        }
    }
}

/// Whether `text` can be a secret of this scheme. Asked when a secret is set, so that a mistake shows there and not
/// as a refused delivery.
pub fn check_secret(config: &SchemeConfig, text: &str) -> Result<Option<SecretWarning>, SecretFault> {
    if config.provider() == Provider::None {
        return Err(SecretFault::NotUsed);
    }
    if text.trim().is_empty() {
        return Err(SecretFault::Blank);
    }
    if text.trim() != text {
        return Err(SecretFault::Surrounded);
    }
    if text.len() > SECRET_BYTES_MAX {
        return Err(SecretFault::TooLong);
    }
    let mut fault = SecretFault::Form("a secret of the provider's form");
    for scheme in config.schemes() {
        let Some(key) = scheme.key.key(text) else {
            fault = SecretFault::Form(expectation(scheme.key));
            continue;
        };
        let good = match scheme.key {
            KeyForm::Prefixed if !(24..=64).contains(&key.len()) => {
                Err(SecretFault::Form(expectation(scheme.key)))
            }
            KeyForm::PrefixedEd25519 | KeyForm::HexEd25519 | KeyForm::DerP256
                if !is_public_key(scheme.algorithm, &key) =>
            {
                Err(SecretFault::Form(expectation(scheme.key)))
            }
            _ if config.provider() == Provider::Hmac && is_weak(&key) => Err(SecretFault::TooWeak),
            _ => Ok(()),
        };
        match good {
            Ok(()) => return Ok(warning(scheme.key, text)),
            Err(found) => fault = found,
        }
    }
    Err(fault)
}

fn is_weak(key: &[u8]) -> bool {
    let mut seen = [false; 256];
    for byte in key {
        seen[usize::from(*byte)] = true;
    }
    key.len() < SECRET_BYTES_MIN || seen.iter().filter(|seen| **seen).count() < DISTINCT_BYTES_MIN
}

fn warning(form: KeyForm, text: &str) -> Option<SecretWarning> {
    if !matches!(form, KeyForm::Text | KeyForm::PrefixedOrText | KeyForm::Unprefixed) {
        return None;
    }
    if text.len() < SECRET_BYTES_MIN {
        return Some(SecretWarning::Short);
    }
    text.contains(char::is_whitespace).then_some(SecretWarning::InnerSpace)
}

const fn expectation(form: KeyForm) -> &'static str {
    match form {
        KeyForm::Text | KeyForm::Unprefixed => "the secret as the provider shows it",
        KeyForm::Hex => "a secret in hexadecimal",
        KeyForm::Base64 => "a secret in base64",
        KeyForm::Prefixed | KeyForm::PrefixedEd25519 => {
            "whsec_ and 24 to 64 bytes in base64, or whpk_ and an Ed25519 public key in base64"
        }
        KeyForm::PrefixedOrText => "a secret token, or a signing token: whsec_ and base64",
        KeyForm::HexEd25519 => "the application's public key: 64 hexadecimal digits",
        KeyForm::DerP256 => "the verification key: base64 of a P-256 public key in DER",
    }
}

/// Makes a secret of 32 random bytes, for providers that let the receiver choose. `None` where the provider makes it,
/// or where it is a public key.
pub fn make_secret(provider: Provider, random: &[u8; 32]) -> Option<String> {
    match provider {
        Provider::Standard | Provider::Svix | Provider::GitLab => {
            Some(format!("{SECRET_PREFIX}{}", STANDARD.encode(random)))
        }
        Provider::GitHub | Provider::Hmac | Provider::Razorpay | Provider::Linear => {
            Some(hex::encode(random))
        }
        _ => None,
    }
}
