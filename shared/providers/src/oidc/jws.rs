//! Signed tokens (JWS, compact form): taken apart strictly, and checked under keys of a provider.
//!
//! Three algorithms count, all with public keys. What a token says of its own key (`jwk`, `jku`, `x5u`) is not looked at.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::jwks::{Algorithm, Key, PublicKey};

/// The longest name of a key, in bytes.
const KEY_ID_BYTES_MAX: usize = 256;

#[derive(Deserialize)]
struct Header {
    alg: String,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default)]
    typ: Option<String>,
    /// Extensions that have to be understood: there are none that we do.
    #[serde(default)]
    crit: Option<Value>,
}

/// A token, taken apart.
#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) algorithm: Algorithm,
    pub(super) key_id: Option<String>,
    signed: &'a str,
    payload: &'a str,
    signature: Vec<u8>,
}

impl<'a> Token<'a> {
    /// Takes a token apart. The error says why it is none that counts.
    pub(super) fn parse(text: &'a str) -> Result<Self, &'static str> {
        let (signed, signature) = text.rsplit_once('.').ok_or("it is not a signed token")?;
        let (header, payload) = signed.split_once('.').ok_or("it is not a signed token")?;
        if payload.contains('.') {
            return Err("it is not a signed token");
        }
        let header = URL_SAFE_NO_PAD.decode(header).map_err(|_| "its header is not base64")?;
        let header: Header =
            serde_json::from_slice(&header).map_err(|_| "its header is not that of a token")?;
        let algorithm = Algorithm::parse(&header.alg).ok_or("its algorithm is not RS256, ES256 or EdDSA")?;
        if header.crit.is_some() {
            return Err("it demands an extension");
        }
        let typ = header.typ.unwrap_or_default().to_ascii_lowercase();
        if !matches!(typ.as_str(), "" | "jwt" | "at+jwt" | "application/at+jwt") {
            return Err("it is a token for something else");
        }
        if header.kid.as_ref().is_some_and(|id| id.len() > KEY_ID_BYTES_MAX) {
            return Err("the name of its key is too long");
        }
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| "its signature is not base64")?;
        Ok(Self { algorithm, key_id: header.kid, signed, payload, signature })
    }

    /// The claims, if the key has signed them.
    pub(super) fn verified(&self, key: &Key) -> Result<Map<String, Value>, &'static str> {
        let (signed, signature) = (self.signed.as_bytes(), self.signature.as_slice());
        let checked = match (self.algorithm, &key.public) {
            (Algorithm::Rs256, PublicKey::Rsa { modulus, exponent }) => {
                let key = RsaPublicKeyComponents { n: modulus, e: exponent };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature)
            }
            (Algorithm::Es256, PublicKey::P256(point)) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed, signature)
            }
            (Algorithm::EdDsa, PublicKey::Ed25519(point)) => {
                UnparsedPublicKey::new(&ED25519, point).verify(signed, signature)
            }
            _ => return Err("its key is of another kind"),
        };
        checked.map_err(|_| "its signature does not fit")?;
        let payload = URL_SAFE_NO_PAD.decode(self.payload).map_err(|_| "its claims are not base64")?;
        serde_json::from_slice(&payload).map_err(|_| "its claims are not a JSON object")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(header: &str) -> Result<Option<String>, &'static str> {
        let token = format!("{}.e30.c2ln", URL_SAFE_NO_PAD.encode(header));
        Token::parse(&token).map(|token| token.key_id)
    }

    #[test]
    fn headers_are_read_strictly() {
        assert_eq!(parsed(r#"{"alg": "RS256", "kid": "1", "typ": "JWT"}"#), Ok(Some("1".to_owned())));
        assert_eq!(parsed(r#"{"alg": "EdDSA", "typ": "at+jwt", "jku": "https://evil"}"#), Ok(None));
        for header in [
            r#"{"alg": "none"}"#,
            r#"{"alg": "None"}"#,
            r#"{"alg": "HS256"}"#,
            r#"{"alg": "rs256"}"#,
            r#"{"alg": ["RS256"]}"#,
            r#"{"alg": "RS256", "alg": "none"}"#,
            r#"{"alg": "RS256", "crit": ["exp"]}"#,
            r#"{"alg": "RS256", "crit": []}"#,
            r#"{"alg": "RS256", "typ": "logout+jwt"}"#,
            r#"{"kid": "1"}"#,
            "[]",
            "",
        ] {
            assert!(parsed(header).is_err(), "{header}");
        }
        let long = format!(r#"{{"alg": "RS256", "kid": "{}"}}"#, "k".repeat(257));
        assert!(parsed(&long).is_err());
        for text in ["", ".", "..", "e30.e30", "e30.e30.e30.e30", "e30=.e30.e30", "!.e30.e30"] {
            assert!(Token::parse(text).is_err(), "{text}");
        }
    }
}
