//! Tenants, API keys and idempotency keys.

use async_trait::async_trait;
use domain::access::{Role, TenantScope};
use domain::id::KeyId;
use domain::names::TenantName;
use domain::time::Timestamp;
use uuid::Uuid;

use crate::error::StoreResult;

/// An API key without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its id.
    pub id: KeyId,
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The tenant it is bound to.
    pub tenant: Option<TenantName>,
    /// The first characters of the secret, to tell keys apart.
    pub prefix: String,
    /// SHA-256 of the secret.
    pub digest: [u8; 32],
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// A tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantRecord {
    /// Its name.
    pub name: TenantName,
    /// When it was first used.
    pub created_at: Timestamp,
}

/// An idempotency key that a request reserves. `owner` is the tenant scope of the key (`""` for unscoped ones).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyReservation {
    /// The scope.
    pub owner: String,
    /// The caller's key.
    pub key: String,
    /// Hex SHA-256 of method, path and body.
    pub fingerprint: String,
    /// The seed from which the ids that the request makes are derived. Kept from the first reservation.
    pub seed: Uuid,
    /// This process; a reservation of a process that is gone can be taken over at once where that is known.
    pub process: Uuid,
    /// Reservations in flight that were made before this instant may be taken over.
    pub stale_before: Timestamp,
    /// Keys made before this instant are forgotten.
    pub forget_before: Timestamp,
}

/// The answer to a reservation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Idempotency {
    /// The request is to be carried out, with this seed (the first one's, when it is a repeat of a lost one).
    Proceed {
        /// The seed.
        seed: Uuid,
    },
    /// The first request was answered like this.
    Replay {
        /// The HTTP status.
        status: u16,
        /// The body.
        body: String,
    },
    /// The first request is still under way.
    InFlight,
    /// The key was used for another request.
    Reused,
}

/// The store's verbs on access.
#[async_trait]
pub trait AccessStore {
    /// Stores a new key. Changes nothing if the id or digest is there.
    async fn create_key(&self, key: &KeyRecord) -> StoreResult<()>;

    /// A key by the digest of its secret, revoked or not.
    async fn key_by_digest(&self, digest: &[u8; 32]) -> StoreResult<Option<KeyRecord>>;

    /// Keys, newest first.
    async fn list_keys(
        &self,
        scope: &TenantScope,
        after: Option<KeyId>,
        limit: u32,
    ) -> StoreResult<Vec<KeyRecord>>;

    /// Revokes a key. Answers whether it exists in the scope.
    async fn revoke_key(&self, scope: &TenantScope, id: KeyId, now: Timestamp) -> StoreResult<bool>;

    /// How many keys are valid.
    async fn count_keys(&self) -> StoreResult<u64>;

    /// Makes a tenant; answers whether it is new.
    async fn create_tenant(&self, name: &TenantName, now: Timestamp) -> StoreResult<bool>;

    /// Tenants by name, after `after`.
    async fn list_tenants(
        &self,
        scope: &TenantScope,
        after: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<TenantRecord>>;

    /// Reserves an idempotency key.
    async fn reserve_idempotency(
        &self,
        reservation: &IdempotencyReservation,
        now: Timestamp,
    ) -> StoreResult<Idempotency>;

    /// Stores the answer under a reserved key.
    async fn answer_idempotency(
        &self,
        owner: &str,
        key: &str,
        status: u16,
        body: &str,
        now: Timestamp,
    ) -> StoreResult<()>;

    /// Keeps a reservation from growing old while its request is under way. Answers whether `process` still holds it:
    /// without it, the request must not go on, because another process carries it out.
    async fn keep_idempotency(
        &self,
        owner: &str,
        key: &str,
        process: Uuid,
        now: Timestamp,
    ) -> StoreResult<bool>;

    /// Gives a reserved key back that `process` holds, where the request failed in a way that may be repeated. The same
    /// request gets the same seed again, because the failed one may have been carried out all the same; another request
    /// may take the key.
    async fn forget_idempotency(&self, owner: &str, key: &str, process: Uuid) -> StoreResult<()>;

    /// A key that the nodes of a cluster share: the stored one of this name, or `candidate`, which is stored.
    async fn server_key(&self, name: &str, candidate: [u8; 32], now: Timestamp) -> StoreResult<[u8; 32]>;
}
