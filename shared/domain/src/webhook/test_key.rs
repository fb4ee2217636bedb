//! Key pairs for samples of the providers that sign with a private key of their own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::Signer as _;
use p256::ecdsa::signature::hazmat::PrehashSigner;
use sha2::{Digest, Sha256};

use super::algorithm::Algorithm;
use super::key::{P256_DER_PREFIX, PUBLIC_KEY_PREFIX};
use super::provider::Provider;
use super::verify::Message;

/// A key pair that stands in for a provider's own. For samples and tests; prints its public half only.
pub struct TestKey {
    pair: Pair,
    public_text: String,
}

enum Pair {
    Ed25519(Box<ed25519_dalek::SigningKey>),
    P256(Box<p256::ecdsa::SigningKey>),
}

/// A key pair made of a seed, for the providers that have public keys: Discord, SendGrid, and Standard Webhooks and
/// Svix by `whpk_`. `None` for the others.
pub fn test_key(provider: Provider, seed: &[u8; 32]) -> Option<TestKey> {
    match provider {
        Provider::Discord | Provider::Standard | Provider::Svix => {
            let key = ed25519_dalek::SigningKey::from_bytes(seed);
            let public = key.verifying_key().to_bytes();
            let public_text = if provider == Provider::Discord {
                hex::encode(public)
            } else {
                format!("{PUBLIC_KEY_PREFIX}{}", STANDARD.encode(public))
            };
            Some(TestKey { pair: Pair::Ed25519(Box::new(key)), public_text })
        }
        Provider::SendGrid => {
            // Nearly every hash is a scalar of the curve; the next one is tried for those that are not.
            let mut scalars = std::iter::successors(Some(<[u8; 32]>::from(Sha256::digest(seed))), |last| {
                Some(Sha256::digest(last).into())
            });
            let key = scalars.find_map(|scalar| p256::ecdsa::SigningKey::from_slice(&scalar).ok())?;
            let point = key.verifying_key().to_sec1_point(false);
            let public_text = STANDARD.encode([&P256_DER_PREFIX, point.as_bytes()].concat());
            Some(TestKey { pair: Pair::P256(Box::new(key)), public_text })
        }
        _ => None,
    }
}

impl TestKey {
    /// The public key as the provider shows it: what is registered as the endpoint's secret.
    pub fn public_text(&self) -> &str {
        &self.public_text
    }

    pub(super) const fn algorithm(&self) -> Algorithm {
        match self.pair {
            Pair::Ed25519(_) => Algorithm::Ed25519,
            Pair::P256(_) => Algorithm::EcdsaP256,
        }
    }

    pub(super) fn sign(&self, message: &Message<'_>) -> Option<Vec<u8>> {
        match &self.pair {
            Pair::Ed25519(key) => Some(key.sign(&message.pieces.concat()).to_bytes().to_vec()),
            Pair::P256(key) => {
                let signature: p256::ecdsa::Signature = key.sign_prehash(&message.digest()).ok()?;
                Some(signature.to_der().as_bytes().to_vec())
            }
        }
    }
}

impl std::fmt::Debug for TestKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestKey").field("public_text", &self.public_text).finish_non_exhaustive()
    }
}
