//! Sessions of the console: a sealed cookie that stands for an API key without holding it, or for a person.
//!
//! A session holds the digest of the key that it was made from, or what an identity provider said of a person; when it
//! ends; and a token against forged requests; sealed with a key of the cluster. So every node can open it, and nothing is
//! stored. A key's session has the key's role at every moment and ends with the key; a person's has the role that the
//! rules of the settings give at every moment, and ends with the provider that it came from.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use domain::access::Identity;
use domain::time::{DurationMs, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::identity::{caller_of, is_token};
use super::known_keys::digest;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// The name of the cluster's key for sessions.
const KEY_NAME: &str = "sessions";
/// How long a session of a key lasts.
const SESSION_TTL: DurationMs = DurationMs::from_secs(12 * 60 * 60);
const DIGEST_BYTES: usize = 32;
const CSRF_BYTES: usize = 16;
const PLAIN_BYTES: usize = DIGEST_BYTES + CSRF_BYTES + 8;

/// Who a session is for.
#[derive(Debug, Clone)]
pub struct Session {
    /// The key's scope and role, or the person's.
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

/// Whose session it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SessionOwner {
    /// That of the key with this digest.
    Key([u8; DIGEST_BYTES]),
    /// That of somebody whom a provider vouched for.
    Person {
        /// The provider.
        issuer: String,
        /// Who it is.
        identity: Identity,
    },
}

/// What is sealed.
#[derive(Debug, PartialEq, Eq)]
struct Contents {
    owner: SessionOwner,
    csrf: [u8; CSRF_BYTES],
    expires_at: Timestamp,
}

/// The same of a person, as it is written.
#[derive(Serialize, Deserialize)]
struct PersonForm {
    #[serde(rename = "i")]
    issuer: String,
    #[serde(rename = "w")]
    identity: Identity,
    #[serde(rename = "c")]
    csrf: [u8; CSRF_BYTES],
    #[serde(rename = "e")]
    expires_at: i64,
}

impl Session {
    /// Whether a request repeated the session's token. Compared by digests, whose bytes say nothing about the token
    /// however long a comparison takes.
    pub fn csrf_matches(&self, shown: &str) -> bool {
        Sha256::digest(shown.as_bytes()) == Sha256::digest(self.csrf_token.as_bytes())
    }
}

impl Engine {
    /// Makes a session for an API key; `None` for no valid key. A token of a provider is not exchanged for one: it ends
    /// sooner than a session would.
    pub async fn open_session(&self, secret: &str) -> Result<Option<NewSession>, EngineError> {
        if is_token(secret) {
            return Ok(None);
        }
        let Some(caller) = self.authenticate(secret).await? else {
            return Ok(None);
        };
        self.seal_session(SessionOwner::Key(digest(secret)), caller, SESSION_TTL).await
    }

    /// Makes a session; `None` for one that does not fit into a cookie.
    pub(super) async fn seal_session(
        &self,
        owner: SessionOwner,
        caller: Caller,
        ttl: DurationMs,
    ) -> Result<Option<NewSession>, EngineError> {
        let mut csrf = [0; CSRF_BYTES];
        csrf.copy_from_slice(&self.entropy().secret()[..CSRF_BYTES]);
        let expires_at = self.now().plus(ttl);
        let contents = Contents { owner, csrf, expires_at };
        let sealed = contents.seal(&self.session_key().await?, &self.entropy().secret());
        let session = Session { caller, csrf_token: URL_SAFE_NO_PAD.encode(csrf), expires_at };
        Ok(sealed.map(|text| NewSession { session, sealed: super::SecretText::new(text), ttl }))
    }

    /// Opens a session; `None` where it was not made here, has ended, or nobody stands behind it any more.
    pub async fn session(&self, sealed: &str) -> Result<Option<Session>, EngineError> {
        let Some(contents) = Contents::open(&self.session_key().await?, sealed) else {
            return Ok(None);
        };
        if self.now() >= contents.expires_at {
            return Ok(None);
        }
        let caller = match &contents.owner {
            SessionOwner::Key(digest) => self.caller_by_digest(digest).await?,
            SessionOwner::Person { issuer, identity } => {
                let policy = self.identity().filter(|policy| policy.issuer == *issuer);
                // Whose role was taken away has no session any more, and can sign in as somebody else.
                policy.and_then(|policy| caller_of(policy, identity).ok())
            }
        };
        Ok(caller.map(|caller| Session {
            caller,
            csrf_token: URL_SAFE_NO_PAD.encode(contents.csrf),
            expires_at: contents.expires_at,
        }))
    }

    pub(super) async fn session_key(&self) -> Result<[u8; 32], EngineError> {
        let key = self.memory().session_key.get_or_try_init(|| async {
            self.store().server_key(KEY_NAME, self.entropy().secret(), self.now()).await
        });
        Ok(*key.await?)
    }
}

impl Contents {
    fn seal(&self, key: &[u8; 32], random: &[u8; 32]) -> Option<String> {
        match &self.owner {
            SessionOwner::Key(digest) => {
                let mut plain = Vec::with_capacity(PLAIN_BYTES);
                plain.extend_from_slice(digest);
                plain.extend_from_slice(&self.csrf);
                plain.extend_from_slice(&self.expires_at.0.to_be_bytes());
                seal(key, Sealed::KeySession, &plain, random)
            }
            SessionOwner::Person { issuer, identity } => {
                let (issuer, identity) = (issuer.clone(), identity.clone());
                let form = PersonForm { issuer, identity, csrf: self.csrf, expires_at: self.expires_at.0 };
                seal(key, Sealed::PersonSession, &serde_json::to_vec(&form).ok()?, random)
            }
        }
    }

    fn open(key: &[u8; 32], text: &str) -> Option<Self> {
        let Some(plain) = open(key, Sealed::KeySession, text) else {
            let form: PersonForm = serde_json::from_slice(&open(key, Sealed::PersonSession, text)?).ok()?;
            let owner = SessionOwner::Person { issuer: form.issuer, identity: form.identity };
            return Some(Self { owner, csrf: form.csrf, expires_at: Timestamp(form.expires_at) });
        };
        let (digest, rest) = plain.split_at_checked(DIGEST_BYTES)?;
        let (csrf, expires_at) = rest.split_at_checked(CSRF_BYTES)?;
        Some(Self {
            owner: SessionOwner::Key(digest.try_into().ok()?),
            csrf: csrf.try_into().ok()?,
            expires_at: Timestamp(i64::from_be_bytes(expires_at.try_into().ok()?)),
        })
    }
}

// What browsers keep for us: sealed with a key of the cluster, so that every node can open it and nobody else can read or
// change it.

const NONCE_BYTES: usize = 24;
/// Browsers keep cookies of at most 4,096 bytes with their names and attributes. Longer texts are not even decoded.
const TEXT_CHARS_MAX: usize = 3_900;

/// What is sealed. Authenticated with it, so that nothing else that is sealed with the key opens as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sealed {
    /// A session that stands for an API key.
    KeySession,
    /// A session of a person whom an identity provider vouches for.
    PersonSession,
    /// A sign-in that is under way.
    SignIn,
    /// The code of a link by which a deployment is set up.
    SetUp,
}

impl Sealed {
    const fn context(self) -> &'static [u8] {
        match self {
            Self::KeySession => b"trunkline session 1",
            Self::PersonSession => b"trunkline person session 1",
            Self::SignIn => b"trunkline sign-in 1",
            Self::SetUp => b"trunkline set-up 1",
        }
    }
}

/// The text of a cookie; `None` for one that no browser would keep. `random` gives the nonce and must never repeat under a
/// key.
pub(super) fn seal(key: &[u8; 32], kind: Sealed, plain: &[u8], random: &[u8; 32]) -> Option<String> {
    let (nonce, _) = random.split_at(NONCE_BYTES);
    let sealing_nonce = XNonce::try_from(nonce).ok()?;
    let cipher = XChaCha20Poly1305::new(key.into());
    let ciphertext = cipher.encrypt(&sealing_nonce, Payload { msg: plain, aad: kind.context() }).ok()?;
    let text = URL_SAFE_NO_PAD.encode([nonce, &ciphertext].concat());
    (text.len() <= TEXT_CHARS_MAX).then_some(text)
}

/// What was sealed; `None` for anything else.
pub(super) fn open(key: &[u8; 32], kind: Sealed, text: &str) -> Option<Vec<u8>> {
    if text.len() > TEXT_CHARS_MAX {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (nonce, ciphertext) = bytes.split_at_checked(NONCE_BYTES)?;
    let nonce = XNonce::try_from(nonce).ok()?;
    let cipher = XChaCha20Poly1305::new(key.into());
    cipher.decrypt(&nonce, Payload { msg: ciphertext, aad: kind.context() }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person() -> SessionOwner {
        SessionOwner::Person {
            issuer: "https://id.example".to_owned(),
            identity: Identity {
                subject: "1".to_owned(),
                person: Some("ann@example".to_owned()),
                groups: vec!["ops".to_owned()],
                tenant: None,
            },
        }
    }

    #[test]
    fn what_was_sealed_opens() {
        for owner in [SessionOwner::Key([1; 32]), person()] {
            let contents = Contents { owner, csrf: [2; 16], expires_at: Timestamp(1_700_000_000_000) };
            let text = contents.seal(&[7; 32], &[9; 32]).expect("sealed");
            assert_eq!(Contents::open(&[7; 32], &text), Some(contents));
            assert_eq!(Contents::open(&[8; 32], &text), None, "another cluster's key");
        }
    }

    #[test]
    fn the_largest_identity_fits_into_a_cookie() {
        let SessionOwner::Person { issuer, mut identity } = person() else { unreachable!() };
        identity.subject = "s".repeat(255);
        identity.person = Some("p".repeat(200));
        identity.tenant = Some("t".repeat(200));
        identity.groups = vec!["g".repeat(23); 64];
        let owner = SessionOwner::Person { issuer, identity };
        let contents = Contents { owner, csrf: [255; 16], expires_at: Timestamp(1_700_000_000_000) };
        assert!(contents.seal(&[7; 32], &[9; 32]).is_some());
    }

    #[test]
    fn only_what_was_sealed_opens() {
        let text = seal(&[7; 32], Sealed::KeySession, &[1; 56], &[9; 32]).expect("sealed");
        assert_eq!(open(&[7; 32], Sealed::KeySession, &text), Some(vec![1; 56]));
        assert_eq!(open(&[8; 32], Sealed::KeySession, &text), None, "another cluster's key");
        assert_eq!(open(&[7; 32], Sealed::SignIn, &text), None, "something else");
        assert_eq!(open(&[7; 32], Sealed::PersonSession, &text), None, "something else");
        for at in [0, 40, text.len() - 1] {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).expect("text");
            assert_eq!(open(&[7; 32], Sealed::KeySession, &changed), None, "changed at {at}");
        }
        for other in ["", "AAAA", "not base64!", &"A".repeat(4_000)] {
            assert_eq!(open(&[7; 32], Sealed::KeySession, other), None, "{other}");
        }
        assert_eq!(
            seal(&[7; 32], Sealed::KeySession, &[1; 3_000], &[9; 32]),
            None,
            "no browser would keep it"
        );
    }
}
