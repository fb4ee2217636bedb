//! Make, list and revoke API keys.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::access::{Role, Verb};
use domain::id::KeyId;
use domain::names::TenantName;
use store::access::KeyRecord;
use store::wakeup::Hint;

use crate::access::authenticate::digest;
use crate::access::secret_text::SecretText;
use crate::audit::Deed;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// What our keys start with.
const KEY_PREFIX: &str = "tl_";
/// How many characters of a secret are kept to tell keys apart.
const SHOWN_CHARS: usize = 8;

impl Engine {
    /// Whether there is a valid key at all. Without one only callers on loopback are let in.
    pub async fn has_keys(&self) -> Result<bool, EngineError> {
        Ok(self.store().count_keys().await? > 0)
    }

    /// Makes a key. The secret is in this answer and nowhere else.
    pub async fn create_key(
        &self,
        caller: &Caller,
        name: &str,
        role: Role,
        tenant: Option<TenantName>,
    ) -> Result<(KeyRecord, SecretText), EngineError> {
        caller.require(Verb::Administer)?;
        let tenant = caller.tenant(tenant)?;
        let mut faults = Faults::default();
        faults.text("/name", name);
        faults.check()?;
        let secret = self.fresh_secret();
        let id = KeyId::from_uuid(self.entropy().uuid(self.now()));
        let key = self.store_key(id, name, role, tenant, &secret).await?;
        let detail = serde_json::json!({ "name": key.name, "role": key.role.as_str() });
        self.audit(caller, Deed::new("key.create", &key.id).of(key.tenant.clone()).with(detail)).await;
        Ok((key, secret))
    }

    /// Keys, newest first, after `after`.
    pub async fn list_keys(
        &self,
        caller: &Caller,
        after: Option<KeyId>,
        limit: u32,
    ) -> Result<Vec<KeyRecord>, EngineError> {
        caller.require(Verb::Administer)?;
        Ok(self.store().list_keys(&caller.scope, after, limit).await?)
    }

    /// Revokes a key: at once here, within a second on other nodes.
    pub async fn revoke_key(&self, caller: &Caller, id: KeyId) -> Result<(), EngineError> {
        caller.require(Verb::Administer)?;
        if !self.store().revoke_key(&caller.scope, id, self.now()).await? {
            return Err(EngineError::not_found("key", &id));
        }
        self.memory().keys.clear();
        self.wake(&[Hint::Settings]);
        self.audit(caller, Deed::new("key.revoke", &id)).await;
        Ok(())
    }

    /// `tl_` and 32 random bytes in the URL-safe alphabet.
    pub(crate) fn fresh_secret(&self) -> SecretText {
        SecretText::new(format!("{KEY_PREFIX}{}", URL_SAFE_NO_PAD.encode(self.entropy().secret())))
    }

    pub(crate) async fn store_key(
        &self,
        id: KeyId,
        name: &str,
        role: Role,
        tenant: Option<TenantName>,
        secret: &SecretText,
    ) -> Result<KeyRecord, EngineError> {
        let key = KeyRecord {
            id,
            name: name.to_owned(),
            role,
            tenant,
            prefix: secret.reveal().chars().take(SHOWN_CHARS).collect(),
            digest: digest(secret.reveal()),
            created_at: self.now(),
            revoked_at: None,
        };
        self.store().create_key(&key).await?;
        Ok(key)
    }
}
