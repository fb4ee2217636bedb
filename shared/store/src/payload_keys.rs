//! Keys that payloads are sealed with at rest.
//!
//! A tenant whose payloads are sealed has keys of its own, which rest sealed under a key of `secrets.keys`. The store seals
//! what it writes and opens what it reads; nobody else sees sealed payloads.

use std::sync::Arc;

use async_trait::async_trait;
use domain::id::ServerId;
use domain::names::TenantName;
use domain::time::Timestamp;
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::audit::AuditRecord;
use crate::error::StoreResult;

/// A key as it rests.
#[derive(Clone, PartialEq, Eq)]
pub struct PayloadKey {
    /// Its id, which stands beside each payload that is sealed with it.
    pub id: Uuid,
    /// Whose payloads it seals; `None` for those that belong to no tenant.
    pub tenant: Option<TenantName>,
    /// The key of `secrets.keys` that it is sealed with. Empty where the key is destroyed, since the tenant is being erased:
    /// what is left says that nothing of the tenant is written in the clear.
    pub key_id: String,
    /// The sealed key.
    pub sealed: Vec<u8>,
    /// Whether payloads are sealed with it from now on. The others of its tenant only open.
    pub seals: bool,
    /// When it was made.
    pub created_at: Timestamp,
}

impl PayloadKey {
    /// Whether nothing but its id is left of it.
    pub const fn is_destroyed(&self) -> bool {
        self.key_id.is_empty()
    }
}

/// What a key is added for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyUse {
    /// Sealing begins: no key of the tenant seals until now.
    Begin,
    /// It takes the place of the key that seals.
    Rotate,
}

/// What became of a key to add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddedKey {
    /// It seals from now on.
    Added,
    /// It was to begin, and another key seals already.
    AlreadySealing,
    /// It was to take the place of another, and none seals any more.
    NotSealing,
    /// There is no such tenant.
    UnknownTenant,
    /// The tenant is being erased.
    Erasing,
}

impl std::fmt::Debug for PayloadKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PayloadKey")
            .field("id", &self.id)
            .field("tenant", &self.tenant)
            .field("key_id", &self.key_id)
            .field("seals", &self.seals)
            .finish_non_exhaustive()
    }
}

/// What opens keys of payloads: whoever has `secrets.keys`.
pub trait OpenPayloadKey: Send + Sync {
    /// The key in the clear; `None` where the key that it is sealed with is not there, or does not open it.
    fn open(&self, key: &PayloadKey) -> Option<Zeroizing<[u8; 32]>>;
}

/// The store's operations on keys of payloads.
#[async_trait]
pub trait PayloadKeyStore {
    /// Gives the store what opens keys. Before that it neither seals nor opens anything.
    fn unlock_payloads(&self, opener: Arc<dyn OpenPayloadKey>);

    /// Has keys read again at the next call: another process may have changed them.
    fn forget_payload_keys(&self);

    /// The keys of a tenant, or those of no tenant; newest first. Without those that are destroyed.
    async fn payload_keys(&self, tenant: Option<&TenantName>) -> StoreResult<Vec<PayloadKey>>;

    /// Stores a key and seals with it from now on; the others of its tenant only open. With its lines of the audit log, in one
    /// commit that no other change of the tenant's keys and no beginning erasure of it overlaps.
    async fn add_payload_key(
        &self,
        key: &PayloadKey,
        to: KeyUse,
        audit: &[AuditRecord],
    ) -> StoreResult<AddedKey>;

    /// Seals no more payloads of a tenant; those that are sealed stay so and can be read. With its lines of the audit log.
    /// Answers whether it did.
    async fn stop_sealing(&self, tenant: &TenantName, audit: &[AuditRecord]) -> StoreResult<bool>;

    /// Keys that are sealed under another key than this one, at most `limit`.
    async fn payload_keys_sealed_otherwise(&self, key_id: &str, limit: u32) -> StoreResult<Vec<PayloadKey>>;

    /// Stores a key that was sealed again. One that is gone or destroyed stays so.
    async fn reseal_payload_key(&self, key: &PayloadKey) -> StoreResult<()>;

    /// How many processes beside one were seen since an instant that began before this store could hold keys: they are of a
    /// version that takes ciphertext for payloads.
    async fn servers_without_encryption(&self, since: Timestamp, beside: ServerId) -> StoreResult<u64>;
}
