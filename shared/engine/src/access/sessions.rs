//! Sessions of the console: a sealed cookie that stands for an API key without holding it.
//!
//! A session holds the digest of the key that it was made from, when it ends, and a token against forged requests, sealed
//! with a key of the cluster. So every node can open it, nothing is stored, it has the key's role at every moment, and it
//! ends with the key.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use domain::time::{DurationMs, Timestamp};
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;

use super::authenticate::digest;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// The name of the cluster's key for sessions.
const KEY_NAME: &str = "sessions";
/// How long a session lasts.
const SESSION_TTL: DurationMs = DurationMs::from_secs(12 * 60 * 60);
/// Authenticated with each session, so that nothing else that is sealed with the key opens as one.
const CONTEXT: &[u8] = b"trunkline session 1";
const NONCE_BYTES: usize = 24;
const DIGEST_BYTES: usize = 32;
const CSRF_BYTES: usize = 16;
const PLAIN_BYTES: usize = DIGEST_BYTES + CSRF_BYTES + 8;
/// Longer texts are no sessions of ours and are not even decoded.
const TEXT_CHARS_MAX: usize = 512;

/// The cluster's key, once it was needed.
pub(crate) type SessionKey = OnceCell<[u8; 32]>;

/// Who a session is for.
#[derive(Debug, Clone)]
pub struct Session {
    /// The key's scope and role.
    pub caller: Caller,
    /// The token that mutating requests repeat in a header, which pages of other sites cannot read.
    pub csrf_token: String,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// A session as it was made.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Who it is for.
    pub session: Session,
    /// What the cookie holds.
    pub sealed: super::SecretText,
    /// How long it lasts.
    pub ttl: DurationMs,
}

/// What is sealed.
#[derive(Debug, PartialEq, Eq)]
struct Contents {
    digest: [u8; DIGEST_BYTES],
    csrf: [u8; CSRF_BYTES],
    expires_at: Timestamp,
}

impl Session {
    /// Whether a request repeated the session's token. Compared by digests, whose bytes say nothing about the token
    /// however long a comparison takes.
    pub fn csrf_matches(&self, shown: &str) -> bool {
        Sha256::digest(shown.as_bytes()) == Sha256::digest(self.csrf_token.as_bytes())
    }
}

impl Engine {
    /// Makes a session for an API key; `None` for no valid key.
    pub async fn open_session(&self, secret: &str) -> Result<Option<NewSession>, EngineError> {
        let Some(caller) = self.authenticate(secret).await? else {
            return Ok(None);
        };
        let mut csrf = [0; CSRF_BYTES];
        csrf.copy_from_slice(&self.entropy().secret()[..CSRF_BYTES]);
        let expires_at = self.now().plus(SESSION_TTL);
        let contents = Contents { digest: digest(secret), csrf, expires_at };
        let sealed = seal(&self.session_key().await?, &contents, &self.entropy().secret());
        let session = Session { caller, csrf_token: URL_SAFE_NO_PAD.encode(csrf), expires_at };
        Ok(sealed.map(|text| NewSession { session, sealed: super::SecretText::new(text), ttl: SESSION_TTL }))
    }

    /// Opens a session; `None` where it was not made here, has ended, or its key was revoked.
    pub async fn session(&self, sealed: &str) -> Result<Option<Session>, EngineError> {
        let Some(contents) = open(&self.session_key().await?, sealed) else {
            return Ok(None);
        };
        if self.now() >= contents.expires_at {
            return Ok(None);
        }
        let caller = self.caller_by_digest(&contents.digest).await?;
        Ok(caller.map(|caller| Session {
            caller,
            csrf_token: URL_SAFE_NO_PAD.encode(contents.csrf),
            expires_at: contents.expires_at,
        }))
    }

    async fn session_key(&self) -> Result<[u8; 32], EngineError> {
        let key = self.memory().session_key.get_or_try_init(|| async {
            self.store().server_key(KEY_NAME, self.entropy().secret(), self.now()).await
        });
        Ok(*key.await?)
    }
}

/// The cookie's text. `random` gives the nonce and must never repeat under a key.
fn seal(key: &[u8; 32], contents: &Contents, random: &[u8; 32]) -> Option<String> {
    let mut plain = Vec::with_capacity(PLAIN_BYTES);
    plain.extend_from_slice(&contents.digest);
    plain.extend_from_slice(&contents.csrf);
    plain.extend_from_slice(&contents.expires_at.0.to_be_bytes());
    let (nonce, _) = random.split_at(NONCE_BYTES);
    let sealing_nonce = XNonce::try_from(nonce).ok()?;
    let cipher = XChaCha20Poly1305::new(key.into());
    let ciphertext = cipher.encrypt(&sealing_nonce, Payload { msg: &plain, aad: CONTEXT }).ok()?;
    Some(URL_SAFE_NO_PAD.encode([nonce, &ciphertext].concat()))
}

fn open(key: &[u8; 32], text: &str) -> Option<Contents> {
    if text.len() > TEXT_CHARS_MAX {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (nonce, ciphertext) = bytes.split_at_checked(NONCE_BYTES)?;
    let nonce = XNonce::try_from(nonce).ok()?;
    let cipher = XChaCha20Poly1305::new(key.into());
    let plain = cipher.decrypt(&nonce, Payload { msg: ciphertext, aad: CONTEXT }).ok()?;
    let (digest, rest) = plain.split_at_checked(DIGEST_BYTES)?;
    let (csrf, expires_at) = rest.split_at_checked(CSRF_BYTES)?;
    Some(Contents {
        digest: digest.try_into().ok()?,
        csrf: csrf.try_into().ok()?,
        expires_at: Timestamp(i64::from_be_bytes(expires_at.try_into().ok()?)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents() -> Contents {
        Contents { digest: [1; 32], csrf: [2; 16], expires_at: Timestamp(1_700_000_000_000) }
    }

    #[test]
    fn what_was_sealed_opens() {
        let text = seal(&[7; 32], &contents(), &[9; 32]).expect("sealed");
        assert_eq!(open(&[7; 32], &text), Some(contents()));
    }

    #[test]
    fn nothing_else_opens() {
        let text = seal(&[7; 32], &contents(), &[9; 32]).expect("sealed");
        assert_eq!(open(&[8; 32], &text), None, "another cluster's key");
        for at in [0, 40, text.len() - 1] {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).expect("text");
            assert_eq!(open(&[7; 32], &changed), None, "changed at {at}");
        }
        for other in ["", "AAAA", "not base64!", &"A".repeat(600)] {
            assert_eq!(open(&[7; 32], other), None, "{other}");
        }
    }
}
