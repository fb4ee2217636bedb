//! Payloads of tenants sealed at rest: begin and end it, rotate the key of a tenant, and seal keys again when those of the
//! settings change. What is sealed, and where, is the store's business.

mod opener;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::access::Permission;
use domain::id::SecretId;
use domain::names::TenantName;
use domain::problem::ProblemCode;
use domain::time::Timestamp;
use serde_json::json;
use store::payload_keys::{AddedKey, KeyUse, OpenPayloadKey, PayloadKey};
use store::wakeup::Hint;
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::erasure;
use crate::error::EngineError;
use crate::operations::SEEN_WITHIN;
use crate::quotas::require_tenant;
use crate::webhooks::{SealingKeys, unusable};

pub(crate) use opener::NoKeys;

/// The most keys of a tenant: earlier ones stay for what was sealed with them.
const KEYS_MAX: usize = 1_000;

/// How the payloads of a tenant rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncryptionView {
    /// Whether they are sealed from now on.
    pub is_enabled: bool,
    /// Its keys, newest first.
    pub keys: Vec<PayloadKeyView>,
}

/// What may be shown of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayloadKeyView {
    /// Its id.
    pub id: Uuid,
    /// The key of `secrets.keys` that it is sealed with.
    pub sealed_with: String,
    /// Whether this process can use it.
    pub is_usable: bool,
    /// Whether payloads are sealed with it from now on.
    pub seals: bool,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Engine {
    /// How the payloads of a tenant rest.
    pub async fn tenant_encryption(
        &self,
        caller: &Caller,
        tenant: &TenantName,
    ) -> Result<EncryptionView, EngineError> {
        caller.require(Permission::Read)?;
        require_tenant(caller, tenant)?;
        let keys = self.store().payload_keys(Some(tenant)).await?;
        let view = |key: PayloadKey| PayloadKeyView {
            id: key.id,
            is_usable: self.secret_keys().is_some_and(|keys| keys.has(&key.key_id)),
            sealed_with: key.key_id,
            seals: key.seals,
            created_at: key.created_at,
        };
        Ok(EncryptionView {
            is_enabled: keys.iter().any(|key| key.seals),
            keys: keys.into_iter().map(view).collect(),
        })
    }

    /// Has payloads of a tenant sealed from now on, or no more. What is stored already stays as it is, and can be read.
    /// Other processes know within a few seconds.
    pub async fn set_tenant_encryption(
        &self,
        caller: &Caller,
        tenant: &TenantName,
        is_enabled: bool,
    ) -> Result<EncryptionView, EngineError> {
        caller.require(Permission::Administer)?;
        caller.require_unscoped()?;
        let before = self.tenant_encryption(caller, tenant).await?;
        if before.is_enabled == is_enabled {
            return Ok(before);
        }
        let audited = AuditedAction::new("encryption.set", &tenant).of(Some(tenant.clone()));
        let audited = audited.changing(json!({ "enabled": !is_enabled }), json!({ "enabled": is_enabled }));
        let line = self.audit_line(caller, audited);
        if is_enabled {
            if before.keys.len() >= KEYS_MAX {
                return Err(too_many());
            }
            self.refuse_older_servers().await?;
            let key = self.new_payload_key(Some(tenant.clone()))?;
            self.add_own_key().await?;
            let added = self.store().add_payload_key(&key, KeyUse::Begin, &[line]).await?;
            require_added(added, tenant)?;
        } else {
            self.store().stop_sealing(tenant, &[line]).await?;
        }
        self.wake(&[Hint::Settings]);
        self.tenant_encryption(caller, tenant).await
    }

    /// Seals payloads of a tenant with a new key from now on. Those before stay for what is sealed with them.
    pub async fn rotate_payload_key(
        &self,
        caller: &Caller,
        tenant: &TenantName,
    ) -> Result<EncryptionView, EngineError> {
        caller.require(Permission::Administer)?;
        caller.require_unscoped()?;
        let before = self.tenant_encryption(caller, tenant).await?;
        if !before.is_enabled {
            return Err(not_encrypted(tenant));
        }
        if before.keys.len() >= KEYS_MAX {
            return Err(too_many());
        }
        let key = self.new_payload_key(Some(tenant.clone()))?;
        let detail = json!({ "keyId": key.id });
        let audited = AuditedAction::new("encryption.rotate", &tenant).of(Some(tenant.clone())).with(detail);
        let line = self.audit_line(caller, audited);
        require_added(self.store().add_payload_key(&key, KeyUse::Rotate, &[line]).await?, tenant)?;
        self.wake(&[Hint::Settings]);
        self.tenant_encryption(caller, tenant).await
    }

    /// One bounded step of sealing keys again that rest under another key of the settings than the current one. Answers
    /// whether there may be more.
    pub(crate) async fn reseal_payload_keys(&self) -> Result<bool, EngineError> {
        let Some(keys) = self.secret_keys() else {
            return Ok(false);
        };
        let limit = self.policy().upkeep_batch;
        let stale = self.store().payload_keys_sealed_otherwise(keys.current(), limit).await?;
        let mut resealed = 0_u32;
        for key in &stale {
            let Some(plain) = OpenPayloadKey::open(keys, key) else {
                tracing::warn!(
                    payload_key.id = %key.id,
                    key = key.key_id,
                    "a payload key cannot be decrypted: the key that encrypts it is not in secrets.keys"
                );
                continue;
            };
            self.store().reseal_payload_key(&self.sealed_key(keys, key.clone(), &plain)?).await?;
            resealed += 1;
        }
        if resealed > 0 {
            tracing::info!(keys = resealed, key = keys.current(), "payload keys were re-encrypted");
            self.wake(&[Hint::Settings]);
        }
        Ok(resealed > 0 && stale.len() >= limit as usize)
    }

    /// The key for what belongs to no tenant: answers that are kept for callers who may see all of them.
    async fn add_own_key(&self) -> Result<(), EngineError> {
        if self.store().payload_keys(None).await?.iter().any(|key| key.seals) {
            return Ok(());
        }
        let key = self.new_payload_key(None)?;
        self.store().add_payload_key(&key, KeyUse::Begin, &[]).await?;
        Ok(())
    }

    /// A process that began before the database could hold keys of payloads does not know them, and would pass ciphertext to
    /// workers. None of them starts any more, since the schema is newer than they are.
    async fn refuse_older_servers(&self) -> Result<(), EngineError> {
        let since = self.now().minus(SEEN_WITHIN);
        let servers = self.store().servers_without_encryption(since, self.server_id()).await?;
        if servers == 0 {
            return Ok(());
        }
        Err(EngineError::Conflict {
            code: ProblemCode::OlderServers,
            message: format!(
                "{servers} servers of an earlier version without encryption use this database: stop them first, \
                 and wait a minute if they were killed (`trunkline server list`)."
            ),
        })
    }

    fn new_payload_key(&self, tenant: Option<TenantName>) -> Result<PayloadKey, EngineError> {
        let Some(keys) = self.secret_keys() else {
            return Err(EngineError::Conflict {
                code: ProblemCode::EncryptionNeedsKeys,
                message:
                    "Set secrets.keys first: a key that is stored in the same database would not protect anything."
                        .to_owned(),
            });
        };
        let now = self.now();
        let plain = Zeroizing::new(self.entropy().secret());
        let id = self.entropy().uuid(now);
        let (key_id, sealed) = (String::new(), Vec::new());
        let key = PayloadKey { id, tenant, key_id, sealed, seals: true, created_at: now };
        self.sealed_key(keys, key, &plain)
    }

    fn sealed_key(
        &self,
        keys: &SealingKeys,
        key: PayloadKey,
        plain: &[u8; 32],
    ) -> Result<PayloadKey, EngineError> {
        let text = Zeroizing::new(STANDARD.encode(plain));
        let id = SecretId::from_uuid(key.id);
        let sealed = keys.seal(id, &text, &self.entropy().secret()).map_err(unusable)?;
        Ok(PayloadKey { key_id: keys.current().to_owned(), sealed, ..key })
    }
}

/// Fails where a key was not added. Where another one seals already, that is what was asked for.
fn require_added(added: AddedKey, tenant: &TenantName) -> Result<(), EngineError> {
    match added {
        AddedKey::Added | AddedKey::AlreadySealing => Ok(()),
        AddedKey::NotSealing => Err(not_encrypted(tenant)),
        AddedKey::UnknownTenant => Err(EngineError::not_found("tenant", tenant)),
        AddedKey::Erasing => Err(erasure::refusal(tenant)),
    }
}

fn not_encrypted(tenant: &TenantName) -> EngineError {
    EngineError::Conflict {
        code: ProblemCode::EncryptionDisabled,
        message: format!("The payloads of tenant {tenant} are not encrypted."),
    }
}

fn too_many() -> EngineError {
    EngineError::Conflict {
        code: ProblemCode::TooManyPayloadKeys,
        message: format!(
            "A tenant has at most {KEYS_MAX} keys; earlier ones are kept to decrypt existing payloads."
        ),
    }
}
