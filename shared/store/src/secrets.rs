//! Secrets of tenants: sealed values, or where else a value is.

use async_trait::async_trait;
use domain::id::SecretId;
use domain::names::TenantName;
use domain::secret::SecretName;
use domain::time::Timestamp;

use crate::audit::AuditRecord;
use crate::error::StoreResult;

/// A secret as it rests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantSecret {
    /// Whose it is.
    pub tenant: TenantName,
    /// Its name.
    pub name: SecretName,
    /// The id of this value; authenticated with it. Each change makes another one.
    pub id: SecretId,
    /// Where the value is.
    pub place: SecretPlace,
    /// The hosts that it may be sent to.
    pub hosts: Vec<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its value, place or hosts were last changed.
    pub updated_at: Timestamp,
}

/// Where the value of a secret is.
#[derive(Clone, PartialEq, Eq)]
pub enum SecretPlace {
    /// Here, sealed.
    Store {
        /// The key that it is sealed with.
        key_id: String,
        /// Nonce and ciphertext.
        sealed: Vec<u8>,
    },
    /// In a variable of the environment of the process that sends it.
    Environment(String),
    /// In a file below the directory of the settings.
    File(String),
    /// In a secret manager, at a path, with a field behind `#`.
    Vault(String),
}

impl SecretPlace {
    /// The stored and public word.
    pub const fn provider(&self) -> &'static str {
        match self {
            Self::Store { .. } => "store",
            Self::Environment(_) => "environment",
            Self::File(_) => "file",
            Self::Vault(_) => "vault",
        }
    }
}

impl std::fmt::Debug for SecretPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Store { key_id, .. } => {
                f.debug_struct("Store").field("key_id", key_id).finish_non_exhaustive()
            }
            Self::Environment(name) => f.debug_tuple("Environment").field(name).finish(),
            Self::File(name) => f.debug_tuple("File").field(name).finish(),
            Self::Vault(reference) => f.debug_tuple("Vault").field(reference).finish(),
        }
    }
}

/// What became of a secret that was to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretPut {
    /// It is new.
    Created,
    /// It took the place of another value.
    Replaced,
    /// The tenant has as many as it may have.
    Full,
}

/// The store's operations on secrets of tenants.
#[async_trait]
pub trait SecretStore {
    /// Stores a secret in the place of one of the same name, with its lines of the audit log; at most `secrets_max` of a
    /// tenant.
    async fn put_secret(
        &self,
        secret: &TenantSecret,
        secrets_max: u32,
        audit: &[AuditRecord],
    ) -> StoreResult<SecretPut>;

    /// The secrets of a tenant by name, after `after`.
    async fn list_secrets(
        &self,
        tenant: &TenantName,
        after: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<TenantSecret>>;

    /// Those of these names that a tenant has, in no order.
    async fn secrets_of(&self, tenant: &TenantName, names: &[SecretName]) -> StoreResult<Vec<TenantSecret>>;

    /// Removes a secret, with its lines of the audit log. Answers whether it was there.
    async fn delete_secret(
        &self,
        tenant: &TenantName,
        name: &SecretName,
        audit: &[AuditRecord],
    ) -> StoreResult<bool>;

    /// Secrets that rest here under another key than this one.
    async fn tenant_secrets_sealed_otherwise(
        &self,
        key_id: &str,
        limit: u32,
    ) -> StoreResult<Vec<TenantSecret>>;

    /// Stores a secret that was sealed again, if its value is still the same one.
    async fn reseal_tenant_secret(&self, secret: &TenantSecret) -> StoreResult<()>;
}
