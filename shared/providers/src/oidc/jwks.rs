//! The public keys of a provider (JWKS).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;

/// The most keys that are kept.
const KEYS_MAX: usize = 64;
/// The largest modulus that is kept, in bytes: 8,192 bits.
const MODULUS_BYTES_MAX: usize = 1_024;

/// A key that signatures are checked under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    id: Option<String>,
    algorithm: Option<String>,
    pub(super) public: PublicKey,
}

/// The key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PublicKey {
    /// RSA.
    Rsa {
        /// Without zeros before it.
        modulus: Vec<u8>,
        /// Without zeros before it.
        exponent: Vec<u8>,
    },
    /// A point of P-256, uncompressed.
    P256(Vec<u8>),
    /// A point of Ed25519.
    Ed25519(Vec<u8>),
}

#[derive(Deserialize)]
struct Document {
    keys: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Form {
    kty: String,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default)]
    alg: Option<String>,
    #[serde(default, rename = "use")]
    usage: Option<String>,
    #[serde(default)]
    crv: Option<String>,
    #[serde(default)]
    n: Option<String>,
    #[serde(default)]
    e: Option<String>,
    #[serde(default)]
    x: Option<String>,
    #[serde(default)]
    y: Option<String>,
}

/// The keys of a document that can be used. What nobody can use is left out: providers list keys of other kinds too.
pub(super) fn parse(document: &[u8]) -> Result<Vec<Key>, serde_json::Error> {
    let document: Document = serde_json::from_slice(document)?;
    let forms = document.keys.into_iter().filter_map(|key| serde_json::from_value::<Form>(key).ok());
    Ok(forms.filter_map(Form::into_key).take(KEYS_MAX).collect())
}

impl Form {
    fn into_key(self) -> Option<Key> {
        if self.usage.is_some_and(|usage| usage != "sig") {
            return None;
        }
        let public = match (self.kty.as_str(), self.crv.as_deref()) {
            ("RSA", _) => {
                let modulus = without_zeros(decoded(self.n)?);
                let exponent = without_zeros(decoded(self.e)?);
                if modulus.len() > MODULUS_BYTES_MAX || exponent.len() > 8 {
                    return None;
                }
                PublicKey::Rsa { modulus, exponent }
            }
            ("EC", Some("P-256")) => {
                let (x, y) = (decoded(self.x)?, decoded(self.y)?);
                if x.len() != 32 || y.len() != 32 {
                    return None;
                }
                PublicKey::P256([&[4], x.as_slice(), y.as_slice()].concat())
            }
            ("OKP", Some("Ed25519")) => {
                PublicKey::Ed25519(decoded(self.x).filter(|point| point.len() == 32)?)
            }
            _ => return None,
        };
        Some(Key { id: self.kid, algorithm: self.alg, public })
    }
}

impl Key {
    fn is_for(&self, algorithm: Algorithm) -> bool {
        let kind = match self.public {
            PublicKey::Rsa { .. } => Algorithm::Rs256,
            PublicKey::P256(_) => Algorithm::Es256,
            PublicKey::Ed25519(_) => Algorithm::EdDsa,
        };
        kind == algorithm && self.algorithm.as_deref().is_none_or(|alg| algorithm.is_called(alg))
    }
}

/// The key that a token names. One that names none has to have been signed with the only key of its kind.
pub(super) fn find<'a>(keys: &'a [Key], algorithm: Algorithm, id: Option<&str>) -> Option<&'a Key> {
    let mut fitting = keys.iter().filter(|key| key.is_for(algorithm));
    match id {
        Some(id) => fitting.find(|key| key.id.as_deref() == Some(id)),
        None => fitting.next().filter(|_| fitting.next().is_none()),
    }
}

fn decoded(text: Option<String>) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text?).ok()
}

fn without_zeros(mut bytes: Vec<u8>) -> Vec<u8> {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes.drain(..zeros);
    bytes
}

/// How a token is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// RSASSA-PKCS1-v1_5 with SHA-256; keys of 2,048 to 8,192 bits.
    Rs256,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// Ed25519.
    EdDsa,
}

impl Algorithm {
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            "EdDSA" => Some(Self::EdDsa),
            // `none` and everything with a shared secret among them.
            _ => None,
        }
    }

    /// Whether a key that says `alg` is for it.
    pub(super) fn is_called(self, alg: &str) -> bool {
        Self::parse(alg) == Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(json: &str) -> Vec<Key> {
        parse(json.as_bytes()).expect("a document")
    }

    #[test]
    fn keys_that_nobody_can_use_are_left_out() {
        let x = URL_SAFE_NO_PAD.encode([1; 32]);
        let all = keys(&format!(
            r#"{{"keys": [
                {{"kty": "OKP", "crv": "Ed25519", "x": "{x}", "kid": "a"}},
                {{"kty": "OKP", "crv": "Ed25519", "x": "{x}", "kid": "enc", "use": "enc"}},
                {{"kty": "OKP", "crv": "X25519", "x": "{x}"}},
                {{"kty": "oct", "k": "AAAA"}},
                {{"kty": "EC", "crv": "P-256", "x": "AAAA", "y": "{x}"}},
                {{"kty": "RSA", "n": "!", "e": "AQAB"}},
                {{"kid": 7}}, 7
            ]}}"#
        ));
        assert_eq!(all.len(), 1);
        assert!(find(&all, Algorithm::EdDsa, Some("a")).is_some());
        assert!(find(&all, Algorithm::EdDsa, None).is_some(), "the only one");
        assert!(find(&all, Algorithm::EdDsa, Some("b")).is_none());
        assert!(find(&all, Algorithm::Es256, Some("a")).is_none(), "of another kind");
        assert!(parse(b"[]").is_err() && parse(b"{}").is_err());
    }

    #[test]
    fn a_token_without_a_name_needs_the_only_key() {
        let x = URL_SAFE_NO_PAD.encode([1; 32]);
        let one = format!(r#"{{"kty": "OKP", "crv": "Ed25519", "x": "{x}"}}"#);
        let all = keys(&format!(r#"{{"keys": [{one}, {one}]}}"#));
        assert!(find(&all, Algorithm::EdDsa, None).is_none());
        let many = vec![one; 100].join(",");
        assert_eq!(keys(&format!(r#"{{"keys": [{many}]}}"#)).len(), KEYS_MAX);
    }
}
