//! Tenants, API keys and idempotency keys. Secrets never come here: keys are stored by their digest.

mod idempotency;
mod keys;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::KeyId;
use domain::names::TenantName;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::access::{
    AccessStore, Idempotency, IdempotencyReservation, KeyRecord, KeyRevocation, KeyRotation, TenantRecord,
};
use store::audit::AuditRecord;
use uuid::Uuid;

use crate::SqlStore;
use crate::errors::corrupt;
use crate::pool::{Pool, commit_change, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sealing::Place;
use crate::select::Select;
use crate::sql::Sql;

// Tenants: made by hand or on their first use.

static CREATE: Sql =
    Sql::new("create_tenant", "INSERT INTO tenant (name, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING");

/// Makes a tenant; answers whether it is new.
async fn create(pool: &Pool, name: &TenantName, now: Timestamp) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    if CREATE.run(&transaction, vec![name.as_str().into(), now.0.into()]).await? == 0 {
        rollback(transaction).await;
        return Ok(false);
    }
    commit_change(transaction).await?;
    Ok(true)
}

/// Tenants by name. Names sort by their bytes on both databases, whatever the locale of the server.
async fn list(
    pool: &Pool,
    scope: &TenantScope,
    after: Option<&str>,
    limit: u32,
) -> StoreResult<Vec<TenantRecord>> {
    let mut select = Select::new("list_tenants", "SELECT name, created_at FROM tenant WHERE true");
    select.with_some("AND name = $?", scope.tenant().map(TenantName::as_str));
    select.with_some("AND name {postgres:COLLATE \"C\"} > $?", after);
    select.with("ORDER BY name {postgres:COLLATE \"C\"} LIMIT $?", i64::from(limit));
    select.all(pool.lists()).await?.iter().map(tenant_of).collect()
}

fn tenant_of(row: &QueryResult) -> StoreResult<TenantRecord> {
    let row = Row::new("tenant", row);
    Ok(TenantRecord { name: row.name("name", TenantName::trusted)?, created_at: row.instant("created_at")? })
}

// Keys that the nodes of a cluster share: the first node that needs one makes it.

static INSERT: Sql = Sql::new(
    "insert_server_key",
    "INSERT INTO server_key (name, key, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING",
);

static SELECT: Sql = Sql::new("server_key", "SELECT name, key FROM server_key WHERE name = $1");

/// The stored key of this name; `candidate` where there was none.
async fn shared(pool: &Pool, name: &str, candidate: [u8; 32], now: Timestamp) -> StoreResult<[u8; 32]> {
    if let Some(key) = stored(pool, name).await? {
        return Ok(key);
    }
    INSERT.run(pool.write(), vec![name.into(), candidate.to_vec().into(), now.0.into()]).await?;
    stored(pool, name).await?.ok_or_else(|| corrupt("server_key", "key", name))
}

async fn stored(pool: &Pool, name: &str) -> StoreResult<Option<[u8; 32]>> {
    let Some(row) = SELECT.first(pool.read(), vec![name.into()]).await? else {
        return Ok(None);
    };
    let row = Row::new("server_key", &row);
    let key = row.bytes_or_null("key")?.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    key.map(Some).ok_or_else(|| row.fault("key"))
}

// The port's operations on access, each retried where that is safe.

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
        with_retry(RetryBudget::repeatable(), || keys::revoke(self.pool(), (scope, id), audit, now)).await
    }

    async fn rotate_key(
        &self,
        scope: &TenantScope,
        rotation: &KeyRotation,
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<Option<KeyRecord>> {
        with_retry(RetryBudget::repeatable(), || keys::rotate(self.pool(), scope, rotation, audit, now)).await
    }

    async fn record_key_uses(&self, uses: &[(KeyId, Timestamp)]) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || keys::record_uses(self.pool(), uses)).await
    }

    async fn count_keys(&self) -> StoreResult<u64> {
        with_retry(RetryBudget::repeatable(), || keys::count(self.pool())).await
    }

    async fn create_tenant(&self, name: &TenantName, now: Timestamp) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || create(self.pool(), name, now)).await
    }

    async fn list_tenants(
        &self,
        scope: &TenantScope,
        after: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<TenantRecord>> {
        with_retry(RetryBudget::repeatable(), || list(self.pool(), scope, after, limit)).await
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
        with_retry(RetryBudget::repeatable(), || shared(self.pool(), name, candidate, now)).await
    }
}
