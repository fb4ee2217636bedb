//! Reading and changing `tenant_secret`.

use domain::names::TenantName;
use domain::secret::SecretName;
use store::StoreResult;
use store::audit::AuditRecord;
use store::secrets::{SecretPlace, SecretPut, TenantSecret};

use super::rows::{secret_of, values_of};
use crate::audit;
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

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
pub(super) async fn put(
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
pub(super) async fn list(
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
pub(super) async fn of_names(
    pool: &Pool,
    tenant: &TenantName,
    names: &[SecretName],
) -> StoreResult<Vec<TenantSecret>> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let row = ONE.first(pool.read(), vec![tenant.as_str().into(), name.as_str().into()]).await?;
        found.extend(row.as_ref().map(secret_of).transpose()?);
    }
    Ok(found)
}

/// Removes a secret; answers whether it was there.
pub(super) async fn delete(
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
pub(super) async fn sealed_otherwise(
    pool: &Pool,
    key_id: &str,
    limit: u32,
) -> StoreResult<Vec<TenantSecret>> {
    let rows = OTHERWISE.all(pool.read(), vec![key_id.into(), i64::from(limit).into()]).await?;
    rows.iter().map(secret_of).collect()
}

/// Stores what was sealed again, if it is still the same value.
pub(super) async fn reseal(pool: &Pool, secret: &TenantSecret) -> StoreResult<()> {
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
