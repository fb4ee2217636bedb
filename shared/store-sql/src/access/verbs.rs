//! The port's operations on access, each retried where that is safe.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::KeyId;
use domain::names::TenantName;
use domain::time::Timestamp;
use store::StoreResult;
use store::access::{
    AccessStore, Idempotency, IdempotencyReservation, KeyRecord, KeyRevocation, KeyRotation, TenantRecord,
};
use store::audit::AuditRecord;
use uuid::Uuid;

use super::{idempotency, key_changes, keys, server_keys, tenants};
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};
use crate::sealing::Place;

#[async_trait]
impl AccessStore for SqlStore {
    async fn create_key(&self, key: &KeyRecord, audit: &[AuditRecord]) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || keys::create(self.pool(), key, audit)).await
    }

    async fn replace_given_key(&self, key: &KeyRecord, audit: &[AuditRecord]) -> StoreResult<u64> {
        with_retry(RetryBudget::repeatable(), || keys::replace_given(self.pool(), key, audit)).await
    }

    async fn key_by_digest(&self, digest: &[u8; 32]) -> StoreResult<Option<KeyRecord>> {
        with_retry(RetryBudget::repeatable(), || keys::by_digest(self.pool(), digest)).await
    }

    async fn list_keys(
        &self,
        scope: &TenantScope,
        after: Option<KeyId>,
        limit: u32,
    ) -> StoreResult<Vec<KeyRecord>> {
        with_retry(RetryBudget::repeatable(), || keys::list(self.pool(), scope, after, limit)).await
    }

    async fn revoke_key(
        &self,
        scope: &TenantScope,
        id: KeyId,
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<KeyRevocation> {
        with_retry(RetryBudget::repeatable(), || key_changes::revoke(self.pool(), (scope, id), audit, now))
            .await
    }

    async fn rotate_key(
        &self,
        scope: &TenantScope,
        rotation: &KeyRotation,
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<Option<KeyRecord>> {
        with_retry(RetryBudget::repeatable(), || {
            key_changes::rotate(self.pool(), scope, rotation, audit, now)
        })
        .await
    }

    async fn record_key_uses(&self, uses: &[(KeyId, Timestamp)]) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || keys::record_uses(self.pool(), uses)).await
    }

    async fn count_keys(&self) -> StoreResult<u64> {
        with_retry(RetryBudget::repeatable(), || keys::count(self.pool())).await
    }

    async fn create_tenant(&self, name: &TenantName, now: Timestamp) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || tenants::create(self.pool(), name, now)).await
    }

    async fn list_tenants(
        &self,
        scope: &TenantScope,
        after: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<TenantRecord>> {
        with_retry(RetryBudget::repeatable(), || tenants::list(self.pool(), scope, after, limit)).await
    }

    async fn reserve_idempotency(
        &self,
        reservation: &IdempotencyReservation,
        now: Timestamp,
    ) -> StoreResult<Idempotency> {
        // One that is there already is found by its seed.
        let mut answer =
            with_retry(RetryBudget::repeatable(), || idempotency::reserve(self.pool(), reservation, now))
                .await?;
        if let Idempotency::Replay { body, .. } = &mut answer {
            let place = idempotency::place(&reservation.owner, &reservation.key);
            self.opened((Place::answer(&place), body)).await?;
        }
        Ok(answer)
    }

    async fn answer_idempotency(
        &self,
        owner: &str,
        key: &str,
        status: u16,
        body: &str,
        _now: Timestamp,
    ) -> StoreResult<()> {
        let place = idempotency::place(owner, key);
        let tenant = idempotency::tenant_of(owner);
        let body = &*self.sealed_text(tenant.as_ref(), Place::answer(&place), body).await?;
        with_retry(RetryBudget::repeatable(), || idempotency::answer(self.pool(), owner, key, status, body))
            .await
    }

    async fn keep_idempotency(
        &self,
        owner: &str,
        key: &str,
        process: Uuid,
        now: Timestamp,
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || idempotency::keep(self.pool(), (owner, key), process, now))
            .await
    }

    async fn forget_idempotency(&self, owner: &str, key: &str, process: Uuid) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || idempotency::forget(self.pool(), (owner, key), process))
            .await
    }

    async fn server_key(&self, name: &str, candidate: [u8; 32], now: Timestamp) -> StoreResult<[u8; 32]> {
        with_retry(RetryBudget::repeatable(), || server_keys::shared(self.pool(), name, candidate, now)).await
    }
}
