//! The link by which a person sets up a new deployment in the console.
//!
//! Its code is sealed with the cluster's key and says until when it holds, so that every node can open it and nothing is
//! stored before somebody uses it. That it is used once is decided by the store: whoever is the first to store a key of the
//! code's name has it.

use domain::access::Role;
use domain::id::KeyId;
use domain::time::{DurationMs, Timestamp};
use store::access::KeySource;

use super::keys::{KeyRequest, new_key};
use super::seal::{Sealed, open, seal};
use super::secret_text::SecretText;
use super::sessions::NewSession;
use crate::audit::AuditedAction;
use crate::caller::{Caller, Origin};
use crate::engine::Engine;
use crate::error::EngineError;

/// How long a code holds.
const TTL: DurationMs = DurationMs::from_secs(60 * 60);
const ID_BYTES: usize = 16;
const NAME: &str = "set-up";

/// What a code was exchanged for.
#[derive(Debug)]
pub struct SetUp {
    /// The session of the person who used it.
    pub session: NewSession,
    /// The admin key that the session stands for. Shown once.
    pub key: SecretText,
}

impl Engine {
    /// Makes a code that holds for an hour. `None` where it cannot be sealed.
    pub async fn set_up_code(&self) -> Result<Option<SecretText>, EngineError> {
        let mut plain = [0; ID_BYTES + 8];
        let (id, expires_at) = plain.split_at_mut(ID_BYTES);
        id.copy_from_slice(&self.entropy().secret()[..ID_BYTES]);
        expires_at.copy_from_slice(&self.now().plus(TTL).0.to_be_bytes());
        let sealed = seal(&self.session_key().await?, Sealed::SetUp, &plain, &self.entropy().secret());
        Ok(sealed.map(SecretText::new))
    }

    /// Exchanges a code for an admin key and a session of it. `None` for one that was not made here, has ended, or was
    /// exchanged before.
    pub async fn set_up(&self, origin: Origin, code: &str) -> Result<Option<SetUp>, EngineError> {
        let Some(id) = self.id_of_code(code).await? else {
            return Ok(None);
        };
        let now = self.now();
        let own = self.entropy().secret();
        if self.store().server_key(&format!("{NAME}:{id}"), own, now).await? != own {
            return Ok(None);
        }
        let secret = self.fresh_secret();
        let request = KeyRequest::new(NAME, Role::Admin, None);
        let id = KeyId::from_uuid(self.entropy().uuid(now));
        let key = new_key(id, request, &secret, KeySource::Call, now);
        let caller = Caller { origin: Some(origin.into()), actor: NAME.to_owned(), ..Caller::system() };
        let line = self.audit_line(&caller, AuditedAction::new("key.setUp", &key.id));
        self.store().create_key(&key, &[line]).await?;
        let session = self.open_session(secret.reveal()).await?;
        Ok(session.map(|session| SetUp { session, key: secret }))
    }

    /// Which code it is, in hexadecimal digits; `None` where it does not hold.
    async fn id_of_code(&self, code: &str) -> Result<Option<String>, EngineError> {
        let plain = open(&self.session_key().await?, Sealed::SetUp, code);
        Ok(plain.and_then(|plain| {
            let (id, expires_at) = plain.split_at_checked(ID_BYTES)?;
            let expires_at = Timestamp(i64::from_be_bytes(expires_at.try_into().ok()?));
            (self.now() < expires_at).then(|| hex::encode(id))
        }))
    }
}
