//! Secrets of tenants: sealed before they come here.

use async_trait::async_trait;
use domain::id::SecretId;
use domain::names::TenantName;
use domain::secret::SecretName;
use sea_orm::{QueryResult, Value};
use store::StoreResult;
use store::audit::AuditRecord;
use store::secrets::{SecretPlace, SecretPut, SecretStore, TenantSecret};

use crate::pool::{Pool, commit, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;
use crate::{SqlStore, audit};

// Rows of `tenant_secret`.

/// Reads a row.
fn secret_of(row: &QueryResult) -> StoreResult<TenantSecret> {
    let row = Row::new("tenant_secret", row);
    let reference = || row.text("reference");
    let place = match row.text("provider")?.as_str() {
        "store" => SecretPlace::Store {
            key_id: row.text("key_id")?,
            sealed: row.bytes_or_null("sealed")?.ok_or_else(|| row.fault("sealed"))?,
        },
        "environment" => SecretPlace::Environment(reference()?),
        "file" => SecretPlace::File(reference()?),
        "vault" => SecretPlace::Vault(reference()?),
        _ => return Err(row.fault("provider")),
    };
    Ok(TenantSecret {
        tenant: row.name("tenant", TenantName::trusted)?,
        name: row.name("name", SecretName::trusted)?,
        id: SecretId::from_uuid(row.uuid("id")?),
        place,
        hosts: row.json_or_null("hosts")?.ok_or_else(|| row.fault("hosts"))?,
        created_at: row.instant("created_at")?,
        updated_at: row.instant("updated_at")?,
    })
}

/// The columns from `tenant` to `updated_at`, in the order of the table.
fn values_of(secret: &TenantSecret) -> Vec<Value> {
    let (reference, key_id, sealed) = match &secret.place {
        SecretPlace::Store { key_id, sealed } => (None, Some(key_id.clone()), Some(sealed.clone())),
        SecretPlace::Environment(name) | SecretPlace::File(name) | SecretPlace::Vault(name) => {
            (Some(name.clone()), None, None)
        }
    };
    vec![
        secret.tenant.as_str().into(),
        secret.name.as_str().into(),
        secret.id.uuid().into(),
        secret.place.provider().into(),
        reference.into(),
        serde_json::json!(secret.hosts).to_string().into(),
        key_id.into(),
        sealed.into(),
        secret.created_at.0.into(),
        secret.updated_at.0.into(),
    ]
}

// Reading and changing `tenant_secret`.

// Two that store at once may pass the bound by as many as they are; it is there to keep the table small.
static COUNT: Sql = Sql::new(
    "count_secrets",
    "SELECT count(*) AS number, COALESCE(sum(CASE WHEN name = $2 THEN 1 ELSE 0 END), 0) AS known
     FROM tenant_secret WHERE tenant = $1",
);

static PUT: Sql = Sql::new(
    "put_secret",
    "INSERT INTO tenant_secret (tenant, name, id, provider, reference, hosts, key_id, sealed, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (tenant, name) DO UPDATE SET id = excluded.id, provider = excluded.provider,
       reference = excluded.reference, hosts = excluded.hosts, key_id = excluded.key_id, sealed = excluded.sealed,
       updated_at = excluded.updated_at",
);

static ONE: Sql = Sql::new("secret", "SELECT * FROM tenant_secret WHERE tenant = $1 AND name = $2");

static DELETE: Sql = Sql::new("delete_secret", "DELETE FROM tenant_secret WHERE tenant = $1 AND name = $2");

static OTHERWISE: Sql = Sql::new(
    "secrets_of_tenants_sealed_otherwise",
    "SELECT * FROM tenant_secret WHERE provider = 'store' AND key_id <> $1 ORDER BY tenant, name LIMIT $2",
);

static RESEAL: Sql = Sql::new(
    "reseal_secret_of_tenant",
    "UPDATE tenant_secret SET key_id = $4, sealed = $5 WHERE tenant = $1 AND name = $2 AND id = $3",
);

/// Stores a secret in the place of one of the same name.
async fn put(
    pool: &Pool,
    secret: &TenantSecret,
    secrets_max: u32,
    lines: &[AuditRecord],
) -> StoreResult<SecretPut> {
    let transaction = pool.begin().await?;
    let counted =
        COUNT.first(&transaction, vec![secret.tenant.as_str().into(), secret.name.as_str().into()]).await?;
    let (number, known) = match &counted {
        Some(row) => {
            let row = Row::new("tenant_secret", row);
            (row.long("number")?, row.long("known")?)
        }
        None => (0, 0),
    };
    if known == 0 && number >= i64::from(secrets_max) {
        rollback(transaction).await;
        return Ok(SecretPut::Full);
    }
    PUT.run(&transaction, values_of(secret)).await?;
    audit::append(&transaction, pool.dialect(), lines).await?;
    commit(transaction).await?;
    Ok(if known == 0 { SecretPut::Created } else { SecretPut::Replaced })
}

/// The secrets of a tenant, by name.
async fn list(
    pool: &Pool,
    tenant: &TenantName,
    after: Option<&str>,
    limit: u32,
) -> StoreResult<Vec<TenantSecret>> {
    let mut select = Select::new("list_secrets", "SELECT * FROM tenant_secret WHERE true");
    select.with("AND tenant = $?", tenant.as_str());
    select.with_some("AND name {postgres:COLLATE \"C\"} > $?", after);
    select.with("ORDER BY name {postgres:COLLATE \"C\"} LIMIT $?", i64::from(limit));
    select.all(pool.read()).await?.iter().map(secret_of).collect()
}

/// Those of these names that a tenant has. A request has few of them.
async fn of_names(pool: &Pool, tenant: &TenantName, names: &[SecretName]) -> StoreResult<Vec<TenantSecret>> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let row = ONE.first(pool.read(), vec![tenant.as_str().into(), name.as_str().into()]).await?;
        found.extend(row.as_ref().map(secret_of).transpose()?);
    }
    Ok(found)
}

/// Removes a secret; answers whether it was there.
async fn delete(
    pool: &Pool,
    tenant: &TenantName,
    name: &SecretName,
    lines: &[AuditRecord],
) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    let is_gone = DELETE.run(&transaction, vec![tenant.as_str().into(), name.as_str().into()]).await? > 0;
    if is_gone {
        audit::append(&transaction, pool.dialect(), lines).await?;
    }
    commit(transaction).await?;
    Ok(is_gone)
}

/// Secrets that rest under another key.
async fn sealed_otherwise(pool: &Pool, key_id: &str, limit: u32) -> StoreResult<Vec<TenantSecret>> {
    let rows = OTHERWISE.all(pool.read(), vec![key_id.into(), i64::from(limit).into()]).await?;
    rows.iter().map(secret_of).collect()
}

/// Stores what was sealed again, if it is still the same value.
async fn reseal(pool: &Pool, secret: &TenantSecret) -> StoreResult<()> {
    let SecretPlace::Store { key_id, sealed } = &secret.place else {
        return Ok(());
    };
    let values = vec![
        secret.tenant.as_str().into(),
        secret.name.as_str().into(),
        secret.id.uuid().into(),
        key_id.as_str().into(),
        sealed.clone().into(),
    ];
    RESEAL.run(pool.write(), values).await.map(|_| ())
}

// The port's operations on secrets of tenants, each retried where that is safe.

#[async_trait]
impl SecretStore for SqlStore {
    async fn put_secret(
        &self,
        secret: &TenantSecret,
        secrets_max: u32,
        audit: &[AuditRecord],
    ) -> StoreResult<SecretPut> {
        with_retry(RetryBudget::repeatable(), || put(self.pool(), secret, secrets_max, audit)).await
    }

    async fn list_secrets(
        &self,
        tenant: &TenantName,
        after: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<TenantSecret>> {
        with_retry(RetryBudget::repeatable(), || list(self.pool(), tenant, after, limit)).await
    }

    async fn secrets_of(&self, tenant: &TenantName, names: &[SecretName]) -> StoreResult<Vec<TenantSecret>> {
        with_retry(RetryBudget::repeatable(), || of_names(self.pool(), tenant, names)).await
    }

    async fn delete_secret(
        &self,
        tenant: &TenantName,
        name: &SecretName,
        audit: &[AuditRecord],
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || delete(self.pool(), tenant, name, audit)).await
    }

    async fn tenant_secrets_sealed_otherwise(
        &self,
        key_id: &str,
        limit: u32,
    ) -> StoreResult<Vec<TenantSecret>> {
        with_retry(RetryBudget::repeatable(), || sealed_otherwise(self.pool(), key_id, limit)).await
    }

    async fn reseal_tenant_secret(&self, secret: &TenantSecret) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || reseal(self.pool(), secret)).await
    }
}
