//! Secrets as they rest in the database: XChaCha20-Poly1305 under a key that is named beside the ciphertext.
//!
//! The id of the secret is authenticated with it, so that one row's ciphertext cannot stand in for another's. Nothing
//! here prints a secret or a key, and no error holds one.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use domain::id::SecretId;
use zeroize::Zeroizing;

/// Bytes of a key.
pub(crate) const KEY_BYTES: usize = 32;
/// Bytes of the nonce that stands before the ciphertext.
const NONCE_BYTES: usize = 24;
/// The longest name of a key.
const NAME_BYTES_MAX: usize = 64;
/// The name of the key that is kept in the database itself.
pub(crate) const DATABASE_KEY: &str = "database";

/// The keys that secrets are sealed with: the first seals, all open.
#[derive(Clone)]
pub struct SealingKeys {
    keys: Vec<(String, XChaCha20Poly1305)>,
}

impl std::fmt::Debug for SealingKeys {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.keys.iter().map(|(name, _)| name)).finish()
    }
}

/// Why keys cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyFault {
    /// Not `name:base64`.
    #[error("a key is written as name:base64, with a name of letters, digits, - and _")]
    Form,
    /// Not 32 bytes.
    #[error("the key `{name}` is {bytes} bytes long, not {KEY_BYTES}; `openssl rand -base64 32` makes one")]
    Length {
        /// Its name.
        name: String,
        /// Its bytes.
        bytes: usize,
    },
    /// Two of one name.
    #[error("duplicate key `{0}`")]
    Twice(String),
    /// A name that is taken.
    #[error("`{DATABASE_KEY}` is the reserved name of the key in the database; choose another name")]
    Reserved,
}

/// Why a secret cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenFault {
    /// It is sealed with a key that this process does not have.
    #[error("a secret is encrypted with the key `{0}`, which is not configured")]
    UnknownKey(String),
    /// It was changed, or belongs to another row.
    #[error("cannot decrypt a secret: the ciphertext or its key has changed")]
    Broken,
}

impl SealingKeys {
    /// Reads keys as the settings spell them, `name:base64`. At least one.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, KeyFault> {
        let mut keys: Vec<(String, XChaCha20Poly1305)> = Vec::new();
        for text in texts {
            let (name, key) = text.trim().split_once(':').ok_or(KeyFault::Form)?;
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.bytes().all(is_name) {
                return Err(KeyFault::Form);
            }
            if name == DATABASE_KEY {
                return Err(KeyFault::Reserved);
            }
            let key = Zeroizing::new(STANDARD.decode(key.trim()).map_err(|_| KeyFault::Form)?);
            let cipher = XChaCha20Poly1305::new_from_slice(&key)
                .map_err(|_| KeyFault::Length { name: name.to_owned(), bytes: key.len() })?;
            if keys.iter().any(|(other, _)| other == name) {
                return Err(KeyFault::Twice(name.to_owned()));
            }
            keys.push((name.to_owned(), cipher));
        }
        if keys.is_empty() { Err(KeyFault::Form) } else { Ok(Self { keys }) }
    }

    /// The key that the database keeps, for who has configured none: it protects lists and logs, not a copy of the
    /// whole database.
    pub fn of_database(key: &[u8; KEY_BYTES]) -> Self {
        Self { keys: vec![(DATABASE_KEY.to_owned(), XChaCha20Poly1305::new(key.into()))] }
    }

    /// The same keys, and the database's for what was sealed before any was configured.
    #[must_use]
    pub fn and_database(mut self, key: &[u8; KEY_BYTES]) -> Self {
        self.keys.push((DATABASE_KEY.to_owned(), XChaCha20Poly1305::new(key.into())));
        self
    }

    /// The name of the key that seals.
    pub fn current(&self) -> &str {
        self.keys.first().map_or(DATABASE_KEY, |(name, _)| name)
    }

    /// Whether a key is there.
    pub fn has(&self, key_id: &str) -> bool {
        self.keys.iter().any(|(name, _)| name == key_id)
    }

    /// Seals a secret. `random` gives the nonce and must never repeat under a key.
    pub fn seal(&self, id: SecretId, secret: &str, random: &[u8; 32]) -> Result<Vec<u8>, OpenFault> {
        let (_, cipher) = self.keys.first().ok_or(OpenFault::Broken)?;
        let (nonce, _) = random.split_at(NONCE_BYTES);
        let id = id.uuid();
        let payload = Payload { msg: secret.as_bytes(), aad: id.as_bytes() };
        let nonce_array = XNonce::try_from(nonce).map_err(|_| OpenFault::Broken)?;
        let ciphertext = cipher.encrypt(&nonce_array, payload).map_err(|_| OpenFault::Broken)?;
        Ok([nonce, &ciphertext].concat())
    }

    /// Opens what [`Self::seal`] made.
    pub fn open(&self, id: SecretId, key_id: &str, sealed: &[u8]) -> Result<Zeroizing<String>, OpenFault> {
        let found = self.keys.iter().find(|(name, _)| name == key_id);
        let (_, cipher) = found.ok_or_else(|| OpenFault::UnknownKey(key_id.to_owned()))?;
        let (nonce, ciphertext) = sealed.split_at_checked(NONCE_BYTES).ok_or(OpenFault::Broken)?;
        let nonce = XNonce::try_from(nonce).map_err(|_| OpenFault::Broken)?;
        let id = id.uuid();
        let payload = Payload { msg: ciphertext, aad: id.as_bytes() };
        let plain = cipher.decrypt(&nonce, payload).map_err(|_| OpenFault::Broken)?;
        String::from_utf8(plain).map(Zeroizing::new).map_err(|_| OpenFault::Broken)
    }
}

#[cfg(test)]
mod tests;
