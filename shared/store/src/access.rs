//! Tenants, API keys and idempotency keys.

use async_trait::async_trait;
use domain::access::{KeyScopes, Network, Role, TenantScope};
use domain::id::KeyId;
use domain::names::TenantName;
use domain::time::Timestamp;
use uuid::Uuid;

use crate::audit::AuditRecord;
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
    /// Who made it.
    pub source: KeySource,
    /// What it may do; everything that its role may where there are none.
    pub scopes: Option<KeyScopes>,
    /// From where it may be used; from everywhere where there are none.
    pub networks: Vec<Network>,
    /// Whether answers to it hold no payloads.
    pub hides_payloads: bool,
    /// From when on it no longer works.
    pub expires_at: Option<Timestamp>,
    /// When it was last used, at most a few minutes behind.
    pub last_used_at: Option<Timestamp>,
    /// When its secret was last changed.
    pub rotated_at: Option<Timestamp>,
    /// The secret before that, which holds for a while.
    pub previous: Option<PreviousSecret>,
    /// The person that it stands for, as user tasks name people.
    pub person: Option<String>,
    /// The groups that it belongs to, as user tasks name them.
    pub groups: Vec<String>,
}

/// Who made a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySource {
    /// A caller.
    Call,
    /// The first start, which had none.
    FirstStart,
    /// The settings: it is retired when they give another one.
    Settings,
    /// It was there before this was recorded. One that is called `bootstrap` counts as given by the settings.
    Unknown,
}

impl KeySource {
    /// The stored word.
    pub const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Call => Some("call"),
            Self::FirstStart => Some("first"),
            Self::Settings => Some("settings"),
            Self::Unknown => None,
        }
    }

    /// Reads the stored word.
    pub fn parse(word: Option<&str>) -> Option<Self> {
        [Self::Call, Self::FirstStart, Self::Settings, Self::Unknown]
            .into_iter()
            .find(|source| source.as_str() == word)
    }
}

/// The secret of a key before its last rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreviousSecret {
    /// SHA-256 of the secret.
    pub digest: [u8; 32],
    /// Until when it holds.
    pub until: Timestamp,
}

impl KeyRecord {
    /// Whether a secret with this digest opens the key at this instant.
    pub fn opens(&self, digest: &[u8; 32], now: Timestamp) -> bool {
        let is_valid = self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end);
        let is_own = self.digest == *digest
            || self.previous.is_some_and(|previous| previous.digest == *digest && now < previous.until);
        is_valid && is_own
    }
}

/// A new secret of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRotation {
    /// The key.
    pub id: KeyId,
    /// The first characters of the new secret.
    pub prefix: String,
    /// SHA-256 of the new secret.
    pub digest: [u8; 32],
    /// Until when the secret of before holds.
    pub previous_until: Timestamp,
}

/// What became of a revocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRevocation {
    /// The key no longer works.
    Done,
    /// There is no such key in the scope.
    NotFound,
    /// Nobody could manage keys any more.
    LastAdmin,
}

/// A tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantRecord {
    /// Its name.
    pub name: TenantName,
    /// When it was first used.
    pub created_at: Timestamp,
}

/// An idempotency key that a request reserves. `owner` is the API key that the request came
/// with, so that what one key reserved never answers another one's request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyReservation {
    /// The API key, with its tenant.
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

/// The store's operations on access.
#[async_trait]
pub trait AccessStore {
    /// Stores a new key with its lines of the audit log. Changes nothing if the id or digest is there.
    async fn create_key(&self, key: &KeyRecord, audit: &[AuditRecord]) -> StoreResult<()>;

    /// Stores a key that the settings give, and revokes those that they gave before. Answers how many that were.
    /// Changes nothing if the digest is there.
    async fn replace_given_key(&self, key: &KeyRecord, audit: &[AuditRecord]) -> StoreResult<u64>;

    /// A key by the digest of its secret or of the one before, valid or not.
    async fn key_by_digest(&self, digest: &[u8; 32]) -> StoreResult<Option<KeyRecord>>;

    /// Keys, newest first.
    async fn list_keys(
        &self,
        scope: &TenantScope,
        after: Option<KeyId>,
        limit: u32,
    ) -> StoreResult<Vec<KeyRecord>>;

    /// Revokes a key, unless no unlimited key of an administrator would be left that never ends. Two revocations at
    /// once do not pass each other.
    async fn revoke_key(
        &self,
        scope: &TenantScope,
        id: KeyId,
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<KeyRevocation>;

    /// Gives a key that works another secret. `None` where there is no such key in the scope.
    async fn rotate_key(
        &self,
        scope: &TenantScope,
        rotation: &KeyRotation,
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<Option<KeyRecord>>;

    /// Records when keys were last used. An earlier instant than the stored one changes nothing.
    async fn record_key_uses(&self, uses: &[(KeyId, Timestamp)]) -> StoreResult<()>;

    /// How many keys are not revoked.
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
