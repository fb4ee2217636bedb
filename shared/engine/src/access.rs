//! Access: keys, identities, sessions, tenants and idempotency keys.

mod authenticate;
mod bootstrap;
mod identity;
mod keys;
mod known_keys;
mod provider;
mod secret_text;
mod sessions;
mod sign_in;

use std::time::Duration;

use domain::access::Permission;
use domain::names::{CallerKey, TenantName};
use store::access::{Idempotency, IdempotencyReservation, TenantRecord};

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

pub use bootstrap::SetUp;
pub use keys::KeyRequest;
pub(crate) use known_keys::{KeyCache, KeyUses};
pub use provider::{IdentityFault, IdentityPolicy, IdentityProvider, SignInRequest};
pub use secret_text::SecretText;
pub use sessions::{NewSession, Session};
pub use sign_in::{FinishedSignIn, SignInError, StartedSignIn};

// Make and list tenants. A tenant is also made by its first use with a key that is bound to none.

impl Engine {
    /// Makes a tenant; answers whether it is new.
    pub async fn create_tenant(&self, caller: &Caller, name: &TenantName) -> Result<bool, EngineError> {
        caller.require(Permission::Administer)?;
        caller.require_unscoped()?;
        let audited = AuditedAction::new("tenant.create", &name).of(Some(name.clone()));
        let mut recording = self.recording(caller, audited);
        let is_new = recording.of(self.store().create_tenant(name, self.now())).await?;
        if is_new {
            self.recorded(recording).await;
        }
        Ok(is_new)
    }

    /// Tenants by name, after `after`.
    pub async fn list_tenants(
        &self,
        caller: &Caller,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<TenantRecord>, EngineError> {
        caller.require(Permission::Read)?;
        Ok(self.store().list_tenants(&caller.scope, after, limit).await?)
    }
}

// Idempotency keys: a repeated request gets the first answer.

impl Engine {
    /// Reserves a key for a request, whose fingerprint is the hex SHA-256 of its method, path and body.
    pub async fn reserve_idempotency(
        &self,
        caller: &Caller,
        key: &CallerKey,
        fingerprint: &str,
    ) -> Result<Idempotency, EngineError> {
        let now = self.now();
        let reservation = IdempotencyReservation {
            owner: caller.idempotency_owner(),
            key: key.as_str().to_owned(),
            fingerprint: fingerprint.to_owned(),
            seed: self.entropy().uuid(now),
            process: self.process(),
            stale_before: now.minus(self.policy().idempotency_stale),
            forget_before: now.minus(self.policy().idempotency_ttl),
        };
        self.refuse_key_over_quota(caller, &reservation.owner, key).await?;
        Ok(self.store().reserve_idempotency(&reservation, now).await?)
    }

    /// Stores the answer under a reserved key.
    pub async fn answer_idempotency(
        &self,
        caller: &Caller,
        key: &CallerKey,
        status: u16,
        body: &str,
    ) -> Result<(), EngineError> {
        Ok(self
            .store()
            .answer_idempotency(&caller.idempotency_owner(), key.as_str(), status, body, self.now())
            .await?)
    }

    /// How often a request that is under way calls [`keep_idempotency`](Self::keep_idempotency): several times before its
    /// reservation counts as lost.
    pub fn idempotency_keep_interval(&self) -> Duration {
        self.policy().idempotency_stale.to_std() / 5
    }

    /// Keeps a key reserved for a request that is under way. Answers whether it still is: otherwise another process carries
    /// the request out, and this one must not go on.
    pub async fn keep_idempotency(&self, caller: &Caller, key: &CallerKey) -> Result<bool, EngineError> {
        let owner = caller.idempotency_owner();
        Ok(self.store().keep_idempotency(&owner, key.as_str(), self.process(), self.now()).await?)
    }

    /// Gives a key back whose request failed in a way that may be repeated.
    pub async fn forget_idempotency(&self, caller: &Caller, key: &CallerKey) -> Result<(), EngineError> {
        Ok(self.store().forget_idempotency(&caller.idempotency_owner(), key.as_str(), self.process()).await?)
    }
}
