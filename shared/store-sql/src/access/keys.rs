//! API keys.

use domain::access::{Role, TenantScope};
use domain::id::KeyId;
use domain::names::TenantName;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::access::KeyRecord;

use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

static CREATE: Sql = Sql::new(
    "create_key",
    "INSERT INTO api_key (id, name, role, tenant, prefix, digest, created_at, revoked_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
);

static BY_DIGEST: Sql = Sql::new("key_by_digest", "SELECT * FROM api_key WHERE digest = $1");

static REVOKE: Sql = Sql::new(
    "revoke_key",
    "UPDATE api_key SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1 AND ($3 IS NULL OR tenant = $3)",
);

static COUNT: Sql = Sql::new("count_keys", "SELECT count(*) AS number FROM api_key WHERE revoked_at IS NULL");

/// Stores a new key.
pub(super) async fn create(pool: &Pool, key: &KeyRecord) -> StoreResult<()> {
    let values = vec![
        key.id.uuid().into(),
        key.name.as_str().into(),
        key.role.as_str().into(),
        key.tenant.as_ref().map(TenantName::as_str).into(),
        key.prefix.as_str().into(),
        key.digest.to_vec().into(),
        key.created_at.0.into(),
        key.revoked_at.map(|instant| instant.0).into(),
    ];
    CREATE.run(pool.write(), values).await.map(|_| ())
}

/// A key by the digest of its secret.
pub(super) async fn by_digest(pool: &Pool, digest: &[u8; 32]) -> StoreResult<Option<KeyRecord>> {
    BY_DIGEST.first(pool.read(), vec![digest.to_vec().into()]).await?.as_ref().map(key_of).transpose()
}

/// Keys, newest first.
pub(super) async fn list(
    pool: &Pool,
    scope: &TenantScope,
    after: Option<KeyId>,
    limit: u32,
) -> StoreResult<Vec<KeyRecord>> {
    let mut select = Select::new("list_keys", "SELECT * FROM api_key WHERE true");
    select.with_some("AND tenant = $?", scope.tenant().map(TenantName::as_str));
    select.with_some("AND id < $?", after.map(KeyId::uuid));
    select.with("ORDER BY id DESC LIMIT $?", i64::from(limit));
    select.all(pool.read()).await?.iter().map(key_of).collect()
}

/// Revokes a key; answers whether it exists in the scope.
pub(super) async fn revoke(pool: &Pool, scope: &TenantScope, id: KeyId, now: Timestamp) -> StoreResult<bool> {
    let tenant = scope.tenant().map(TenantName::as_str);
    Ok(REVOKE.run(pool.write(), vec![id.uuid().into(), now.0.into(), tenant.into()]).await? > 0)
}

/// How many keys are valid.
pub(super) async fn count(pool: &Pool) -> StoreResult<u64> {
    let row = COUNT.first(pool.read(), vec![]).await?;
    row.map_or(Ok(0), |row| Row::new("api_key", &row).long("number").map(|number| number as u64))
}

fn key_of(row: &QueryResult) -> StoreResult<KeyRecord> {
    let row = Row::new("api_key", row);
    let digest = row.bytes_or_null("digest")?.and_then(|bytes| bytes.try_into().ok());
    Ok(KeyRecord {
        id: KeyId::from_uuid(row.uuid("id")?),
        name: row.text("name")?,
        role: row.parsed("role", Role::parse)?,
        tenant: row.name_or_null("tenant", TenantName::trusted)?,
        prefix: row.text("prefix")?,
        digest: digest.ok_or_else(|| row.fault("digest"))?,
        created_at: row.instant("created_at")?,
        revoked_at: row.instant_or_null("revoked_at")?,
    })
}
