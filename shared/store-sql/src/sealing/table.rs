//! Reading and changing `payload_key`.

use domain::names::TenantName;
use sea_orm::QueryResult;
use store::StoreResult;
use store::audit::AuditRecord;
use store::payload_keys::PayloadKey;

use crate::audit;
use crate::pool::{Pool, commit};
use crate::rows::Row;
use crate::sql::Sql;

/// So many keys are read at most.
const KEYS_MAX: i64 = 100_000;

static ALL: Sql = Sql::new("all_payload_keys", "SELECT * FROM payload_key LIMIT $1");

static OF: Sql = Sql::new(
    "payload_keys",
    "SELECT * FROM payload_key WHERE tenant = $1 ORDER BY created_at DESC, id DESC LIMIT $2",
);

static STOP: Sql =
    Sql::new("stop_sealing", "UPDATE payload_key SET seals = 0 WHERE tenant = $1 AND seals = 1");

// Not the new one: whoever repeats a commit whose answer was lost finds it there.
static REPLACE: Sql = Sql::new(
    "replace_sealing_keys",
    "UPDATE payload_key SET seals = 0 WHERE tenant = $1 AND seals = 1 AND id <> $2",
);

static INSERT: Sql = Sql::new(
    "add_payload_key",
    "INSERT INTO payload_key (id, tenant, key_id, sealed, seals, created_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO NOTHING",
);

static OTHERWISE: Sql = Sql::new(
    "payload_keys_sealed_otherwise",
    "SELECT * FROM payload_key WHERE key_id <> $1 ORDER BY id LIMIT $2",
);

static RESEAL: Sql =
    Sql::new("reseal_payload_key", "UPDATE payload_key SET key_id = $2, sealed = $3 WHERE id = $1");

/// All keys.
pub(super) async fn all(pool: &Pool) -> StoreResult<Vec<PayloadKey>> {
    ALL.all(pool.read(), vec![KEYS_MAX.into()]).await?.iter().map(key_of).collect()
}

/// The keys of a tenant, newest first.
pub(super) async fn of(pool: &Pool, tenant: Option<&TenantName>) -> StoreResult<Vec<PayloadKey>> {
    let values = vec![stored(tenant).into(), KEYS_MAX.into()];
    OF.all(pool.read(), values).await?.iter().map(key_of).collect()
}

/// Stores a key in the place of those that seal.
pub(super) async fn add(pool: &Pool, key: &PayloadKey, lines: &[AuditRecord]) -> StoreResult<()> {
    let tenant = stored(key.tenant.as_ref());
    let transaction = pool.begin().await?;
    REPLACE.run(&transaction, vec![tenant.into(), key.id.into()]).await?;
    let values = vec![
        key.id.into(),
        tenant.into(),
        key.key_id.as_str().into(),
        key.sealed.clone().into(),
        i16::from(key.seals).into(),
        key.created_at.0.into(),
    ];
    INSERT.run(&transaction, values).await?;
    audit::append(&transaction, pool.dialect(), lines).await?;
    commit(transaction).await
}

/// Lets no key of a tenant seal. Answers whether one did.
pub(super) async fn stop(pool: &Pool, tenant: &TenantName, lines: &[AuditRecord]) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    let did = STOP.run(&transaction, vec![tenant.as_str().into()]).await? > 0;
    if did {
        audit::append(&transaction, pool.dialect(), lines).await?;
    }
    commit(transaction).await?;
    Ok(did)
}

/// Keys that rest under another key.
pub(super) async fn sealed_otherwise(pool: &Pool, key_id: &str, limit: u32) -> StoreResult<Vec<PayloadKey>> {
    let rows = OTHERWISE.all(pool.read(), vec![key_id.into(), i64::from(limit).into()]).await?;
    rows.iter().map(key_of).collect()
}

/// Stores what was sealed again.
pub(super) async fn reseal(pool: &Pool, key: &PayloadKey) -> StoreResult<()> {
    let values = vec![key.id.into(), key.key_id.as_str().into(), key.sealed.clone().into()];
    RESEAL.run(pool.write(), values).await.map(|_| ())
}

fn stored(tenant: Option<&TenantName>) -> &str {
    tenant.map_or("", TenantName::as_str)
}

fn key_of(row: &QueryResult) -> StoreResult<PayloadKey> {
    let row = Row::new("payload_key", row);
    let tenant = row.text("tenant")?;
    Ok(PayloadKey {
        id: row.uuid("id")?,
        tenant: (!tenant.is_empty()).then(|| TenantName::trusted(tenant)),
        key_id: row.text("key_id")?,
        sealed: row.bytes_or_null("sealed")?.ok_or_else(|| row.fault("sealed"))?,
        seals: row.long("seals")? != 0,
        created_at: row.instant("created_at")?,
    })
}
