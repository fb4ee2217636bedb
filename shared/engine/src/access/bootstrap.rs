//! The first key of a deployment.

use domain::access::Role;
use domain::id::KeyId;
use domain::time::{DurationMs, Timestamp};
use store::access::{KeyRecord, KeySource};

use super::sessions::{NewSession, Sealed, open, seal};
use crate::access::keys::{KeyRequest, new_key};
use crate::access::known_keys::digest;
use crate::access::secret_text::SecretText;
use crate::audit::AuditedAction;
use crate::caller::{Caller, Origin};
use crate::engine::Engine;
use crate::error::EngineError;

/// The shortest secret that is accepted from the settings.
const SECRET_CHARS_MIN: usize = 32;
const NAME: &str = "bootstrap";

impl Engine {
    /// Stores the given secret as an admin key if it is not there, and retires the one that was given before; without
    /// one, makes a key if there are none. Answers the secret when it was made now, for showing it once.
    pub async fn bootstrap_key(&self, given: Option<&str>) -> Result<Option<String>, EngineError> {
        if let Some(secret) = given {
            self.take_given(secret).await?;
            return Ok(None);
        }
        if self.has_keys().await? {
            return Ok(None);
        }
        let secret = self.fresh_secret();
        let key = self.bootstrap_record(&secret, KeySource::FirstStart);
        let line = self.audit_line(&Caller::system(), audited("key.bootstrap", &key));
        self.store().create_key(&key, &[line]).await?;
        Ok(Some(secret.reveal().to_owned()))
    }

    async fn take_given(&self, secret: &str) -> Result<(), EngineError> {
        if secret.chars().count() < SECRET_CHARS_MIN {
            return Err(EngineError::invalid(
                "",
                format!("expected a key of at least {SECRET_CHARS_MIN} characters"),
            ));
        }
        if let Some(known) = self.store().key_by_digest(&digest(secret)).await? {
            if !known.opens(&digest(secret), self.now()) {
                // A node that still has the settings of before must not bring a retired key back.
                tracing::warn!(
                    key.id = %known.id,
                    "the bootstrap key in the settings was revoked or replaced and is not valid; set another one"
                );
            }
            return Ok(());
        }
        let key = self.bootstrap_record(&SecretText::new(secret), KeySource::Settings);
        let line = self.audit_line(&Caller::system(), audited("key.bootstrap", &key));
        let retired = self.store().replace_given_key(&key, &[line]).await?;
        if retired > 0 {
            tracing::info!(
                retired,
                "the settings contain another bootstrap key; the previous one was revoked"
            );
            self.forget_keys();
        }
        Ok(())
    }

    fn bootstrap_record(&self, secret: &SecretText, source: KeySource) -> KeyRecord {
        let now = self.now();
        let id = KeyId::from_uuid(self.entropy().uuid(now));
        new_key(id, KeyRequest::new(NAME, Role::Admin, None), secret, source, now)
    }
}

fn audited(action: &'static str, key: &KeyRecord) -> AuditedAction {
    let from = if key.source == KeySource::Settings { "settings" } else { "first start" };
    AuditedAction::new(action, &key.id).with(serde_json::json!({ "from": from }))
}

// The link by which a person sets up a new deployment in the console.
//
// Its code is sealed with the cluster's key and says until when it holds, so that every node can open it and nothing is
// stored before somebody uses it. That it is used once is decided by the store: whoever is the first to store a key of the
// code's name has it.

/// How long a code holds.
const TTL: DurationMs = DurationMs::from_secs(60 * 60);
const ID_BYTES: usize = 16;
const SET_UP_NAME: &str = "set-up";

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
        if self.store().server_key(&format!("{SET_UP_NAME}:{id}"), own, now).await? != own {
            return Ok(None);
        }
        let secret = self.fresh_secret();
        let request = KeyRequest::new(SET_UP_NAME, Role::Admin, None);
        let id = KeyId::from_uuid(self.entropy().uuid(now));
        let key = new_key(id, request, &secret, KeySource::Call, now);
        let caller =
            Caller { origin: Some(origin.into()), actor: SET_UP_NAME.to_owned(), ..Caller::system() };
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
