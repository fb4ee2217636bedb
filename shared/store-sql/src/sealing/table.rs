//! Reading and changing `payload_key`.

use domain::id::{Id, ServerId};
use domain::names::TenantName;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::audit::AuditRecord;
use store::payload_keys::{AddedKey, KeyUse, PayloadKey};
use uuid::Uuid;

use crate::audit;
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

/// So many keys are read at most.
const KEYS_MAX: i64 = 100_000;

static ALL: Sql = Sql::new("all_payload_keys", "SELECT * FROM payload_key LIMIT $1");

static OF: Sql = Sql::new(
    "payload_keys",
    "SELECT * FROM payload_key WHERE tenant = $1 AND key_id <> '' ORDER BY created_at DESC, id DESC LIMIT $2",
);

// Whoever changes the keys of a tenant, or begins to erase it, holds its row: two of them do not overlap.
static TENANT: Sql =
    Sql::new("tenant_of_payload_keys", "SELECT name FROM tenant WHERE name = $1 {for_update}");

static ERASURE: Sql = Sql::new(
    "erasure_of_payload_keys",
    "SELECT tenant FROM tenant_erasure WHERE tenant = $1 AND ended_at IS NULL",
);

static SEALING: Sql = Sql::new(
    "sealing_payload_keys",
    "SELECT id FROM payload_key WHERE tenant = $1 AND (seals = 1 OR id = $2)",
);

static STOP: Sql =
    Sql::new("stop_sealing", "UPDATE payload_key SET seals = 0 WHERE tenant = $1 AND seals = 1");

static INSERT: Sql = Sql::new(
    "add_payload_key",
    "INSERT INTO payload_key (id, tenant, key_id, sealed, seals, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
);

static OTHERWISE: Sql = Sql::new(
    "payload_keys_sealed_otherwise",
    "SELECT * FROM payload_key WHERE key_id <> $1 AND key_id <> '' ORDER BY id LIMIT $2",
);

static RESEAL: Sql = Sql::new(
    "reseal_payload_key",
    "UPDATE payload_key SET key_id = $2, sealed = $3 WHERE id = $1 AND key_id <> ''",
);

// A process that knows the table has made it, or began after whoever did. What is applied has its time in seconds.
static UNAWARE: Sql = Sql::new(
    "servers_without_encryption",
    "SELECT count(*) AS servers FROM server s WHERE s.last_seen_at >= $1 AND s.id <> $2 AND s.started_at < 1000 *
       (SELECT m.applied_at FROM seaql_migrations m WHERE m.version = 'm0062_payload_keys')",
);

/// All keys.
pub(super) async fn all(pool: &Pool) -> StoreResult<Vec<PayloadKey>> {
    ALL.all(pool.read(), vec![KEYS_MAX.into()]).await?.iter().map(key_of).collect()
}

/// The keys of a tenant, newest first.
pub(super) async fn of(pool: &Pool, tenant: Option<&TenantName>) -> StoreResult<Vec<PayloadKey>> {
    let values = vec![stored(tenant).into(), KEYS_MAX.into()];
    OF.all(pool.read(), values).await?.iter().map(key_of).collect()
}

/// `PayloadKeyStore::add_payload_key`.
pub(super) async fn add(
    pool: &Pool,
    key: &PayloadKey,
    to: KeyUse,
    lines: &[AuditRecord],
) -> StoreResult<AddedKey> {
    let transaction = pool.begin().await?;
    if let Some(answer) = without_adding(&transaction, key, to).await? {
        rollback(transaction).await;
        return Ok(answer);
    }
    let tenant = stored(key.tenant.as_ref());
    STOP.run(&transaction, vec![tenant.into()]).await?;
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
    commit(transaction).await?;
    Ok(AddedKey::Added)
}

/// The answer, where nothing is to be added. Holds the row of the tenant from then on.
async fn without_adding(
    on: &DatabaseTransaction,
    key: &PayloadKey,
    to: KeyUse,
) -> StoreResult<Option<AddedKey>> {
    let tenant = stored(key.tenant.as_ref());
    if key.tenant.is_some() {
        if TENANT.first(on, vec![tenant.into()]).await?.is_none() {
            return Ok(Some(AddedKey::UnknownTenant));
        }
        if ERASURE.first(on, vec![tenant.into()]).await?.is_some() {
            return Ok(Some(AddedKey::Erasing));
        }
    }
    let rows = SEALING.all(on, vec![tenant.into(), key.id.into()]).await?;
    let sealing: Vec<Uuid> =
        rows.iter().map(|row| Row::new("payload_key", row).uuid("id")).collect::<StoreResult<_>>()?;
    Ok(match to {
        // The answer to the commit that added it was lost.
        _ if sealing.contains(&key.id) => Some(AddedKey::Added),
        KeyUse::Begin if !sealing.is_empty() => Some(AddedKey::AlreadySealing),
        KeyUse::Rotate if sealing.is_empty() => Some(AddedKey::NotSealing),
        KeyUse::Begin | KeyUse::Rotate => None,
    })
}

/// Lets no key of a tenant seal. Answers whether one did.
pub(super) async fn stop(pool: &Pool, tenant: &TenantName, lines: &[AuditRecord]) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    TENANT.first(&transaction, vec![tenant.as_str().into()]).await?;
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

/// `PayloadKeyStore::servers_without_encryption`.
pub(super) async fn unaware(pool: &Pool, since: Timestamp, beside: ServerId) -> StoreResult<u64> {
    let row = UNAWARE.first(pool.read(), vec![since.0.into(), Id::uuid(beside).into()]).await?;
    let servers = row.map(|row| Row::new("server", &row).long("servers")).transpose()?;
    Ok(servers.unwrap_or_default().unsigned_abs())
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
        sealed: row.bytes_or_null("sealed")?.unwrap_or_default(),
        seals: row.long("seals")? != 0,
        created_at: row.instant("created_at")?,
    })
}
