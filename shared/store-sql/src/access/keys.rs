//! API keys: stored by the digests of their secrets, changed in one transaction with the lines of the audit log.

use domain::access::{KeyScopes, Network, Role, TenantScope};
use domain::id::KeyId;
use domain::names::TenantName;
use domain::time::Timestamp;
use sea_orm::{QueryResult, Value};
use store::StoreResult;
use store::access::{KeyRecord, KeyRevocation, KeyRotation, KeySource, PreviousSecret};
use store::audit::AuditRecord;

use crate::audit;
use crate::bind::{self, Cell};
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

static CREATE: Sql = Sql::new(
    "create_key",
    "INSERT INTO api_key (id, name, role, tenant, prefix, digest, created_at, revoked_at, source, scopes, networks,
       hides_payloads, expires_at, person, member_of)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT DO NOTHING",
);

// Keys from before their maker was recorded: those that the settings gave are called so.
static RETIRE: Sql = Sql::new(
    "retire_given_keys",
    "UPDATE api_key SET revoked_at = $2
     WHERE revoked_at IS NULL AND id <> $1
       AND (source = 'settings' OR (source IS NULL AND name = 'bootstrap' AND role = 'admin' AND tenant IS NULL))",
);

// Index: the digest's own, and api_key_previous; PostgreSQL would join what both say by a bitmap only, which is off.
static BY_DIGEST: Sql = Sql::new(
    "key_by_digest",
    "SELECT * FROM api_key WHERE digest = $1 UNION ALL SELECT * FROM api_key WHERE previous_digest = $1 LIMIT 1",
);

static RECORD_USES: Sql = Sql::new(
    "record_key_uses",
    "UPDATE api_key SET last_used_at = r.used_at
     FROM {rows $1: key uuid, used_at bigint} r
     WHERE api_key.id = r.key AND (api_key.last_used_at IS NULL OR api_key.last_used_at < r.used_at)",
);

static COUNT: Sql = Sql::new("count_keys", "SELECT count(*) AS number FROM api_key WHERE revoked_at IS NULL");

/// Stores a new key.
pub(super) async fn create(pool: &Pool, key: &KeyRecord, lines: &[AuditRecord]) -> StoreResult<()> {
    let values = values_of(key);
    let transaction = pool.begin().await?;
    if CREATE.run(&transaction, values).await? > 0 {
        audit::append(&transaction, pool.dialect(), lines).await?;
    }
    commit(transaction).await
}

/// Stores a key of the settings and retires those of before; answers how many.
pub(super) async fn replace_given(pool: &Pool, key: &KeyRecord, lines: &[AuditRecord]) -> StoreResult<u64> {
    let values = values_of(key);
    let transaction = pool.begin().await?;
    let mut retired = 0;
    if CREATE.run(&transaction, values).await? > 0 {
        retired = RETIRE.run(&transaction, vec![key.id.uuid().into(), key.created_at.0.into()]).await?;
        audit::append(&transaction, pool.dialect(), lines).await?;
    }
    commit(transaction).await?;
    Ok(retired)
}

fn values_of(key: &KeyRecord) -> Vec<Value> {
    let scopes = key.scopes.as_ref().map(|scopes| serde_json::json!(scopes).to_string());
    let groups = (!key.groups.is_empty()).then(|| serde_json::json!(key.groups).to_string());
    let networks: Vec<String> = key.networks.iter().map(ToString::to_string).collect();
    let networks = (!networks.is_empty()).then(|| networks.join(","));
    vec![
        key.id.uuid().into(),
        key.name.as_str().into(),
        key.role.as_str().into(),
        key.tenant.as_ref().map(TenantName::as_str).into(),
        key.prefix.as_str().into(),
        key.digest.to_vec().into(),
        key.created_at.0.into(),
        key.revoked_at.map(|instant| instant.0).into(),
        key.source.as_str().into(),
        scopes.into(),
        networks.into(),
        i32::from(key.hides_payloads).into(),
        key.expires_at.map(|instant| instant.0).into(),
        key.person.as_deref().into(),
        groups.into(),
    ]
}

/// A key by the digest of one of its secrets.
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
    select.all(pool.lists()).await?.iter().map(key_of).collect()
}

/// Records when keys were last used.
pub(super) async fn record_uses(pool: &Pool, uses: &[(KeyId, Timestamp)]) -> StoreResult<()> {
    if uses.is_empty() {
        return Ok(());
    }
    let cells = uses.iter().map(|(id, at)| [Cell::Uuid(id.uuid()), Cell::Long(at.0)]);
    RECORD_USES.run(pool.write(), bind::rows(pool.dialect(), cells)).await.map(|_| ())
}

/// How many keys are not revoked.
pub(super) async fn count(pool: &Pool) -> StoreResult<u64> {
    let row = COUNT.first(pool.read(), vec![]).await?;
    row.map_or(Ok(0), |row| Row::new("api_key", &row).long("number").map(|number| number as u64))
}

/// Reads a row of `api_key`.
pub(super) fn key_of(row: &QueryResult) -> StoreResult<KeyRecord> {
    let row = Row::new("api_key", row);
    let digest = row.bytes_or_null("digest")?.and_then(|bytes| bytes.try_into().ok());
    let previous = row.bytes_or_null("previous_digest")?.and_then(|bytes| bytes.try_into().ok());
    let previous_until = row.instant_or_null("previous_until")?;
    let networks = row.text_or_null("networks")?.unwrap_or_default();
    let networks: Option<Vec<Network>> =
        networks.split(',').filter(|entry| !entry.is_empty()).map(Network::parse).collect();
    Ok(KeyRecord {
        id: KeyId::from_uuid(row.uuid("id")?),
        name: row.text("name")?,
        role: row.parsed("role", Role::parse)?,
        tenant: row.name_or_null("tenant", TenantName::trusted)?,
        prefix: row.text("prefix")?,
        digest: digest.ok_or_else(|| row.fault("digest"))?,
        created_at: row.instant("created_at")?,
        revoked_at: row.instant_or_null("revoked_at")?,
        source: KeySource::parse(row.text_or_null("source")?.as_deref())
            .ok_or_else(|| row.fault("source"))?,
        scopes: row.json_or_null::<KeyScopes>("scopes")?,
        networks: networks.ok_or_else(|| row.fault("networks"))?,
        hides_payloads: row.long_or_null("hides_payloads")?.is_some_and(|number| number != 0),
        expires_at: row.instant_or_null("expires_at")?,
        last_used_at: row.instant_or_null("last_used_at")?,
        rotated_at: row.instant_or_null("rotated_at")?,
        person: row.text_or_null("person")?,
        groups: row.json_or_null::<Vec<String>>("member_of")?.unwrap_or_default(),
        previous: previous.zip(previous_until).map(|(digest, until)| PreviousSecret { digest, until }),
    })
}

// Changes of API keys, each in one transaction with its lines of the audit log.

// Locked in one order by all who revoke, so that two of them cannot each count on the other's key.
static ADMINS: Sql = Sql::new(
    "lock_admin_keys",
    "SELECT id FROM api_key
     WHERE role = 'admin' AND tenant IS NULL AND scopes IS NULL AND revoked_at IS NULL AND expires_at IS NULL
     ORDER BY id {for_update}",
);

static ONE: Sql =
    Sql::new("key_in_scope", "SELECT * FROM api_key WHERE id = $1 AND ($2 IS NULL OR tenant = $2)");

static REVOKE: Sql =
    Sql::new("revoke_key", "UPDATE api_key SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL");

// A repeat after a lost answer changes nothing: the secret of before stays the one of before.
static ROTATE: Sql = Sql::new(
    "rotate_key",
    "UPDATE api_key SET previous_digest = digest, previous_until = $4, digest = $3, prefix = $5, rotated_at = $6
     WHERE id = $1 AND ($2 IS NULL OR tenant = $2) AND revoked_at IS NULL AND digest <> $3",
);

/// Revokes a key, unless it is the last that can manage keys.
pub(super) async fn revoke(
    pool: &Pool,
    (scope, id): (&TenantScope, KeyId),
    lines: &[AuditRecord],
    now: Timestamp,
) -> StoreResult<KeyRevocation> {
    let transaction = pool.begin().await?;
    let admins = ADMINS.all(&transaction, vec![]).await?;
    let is_other = |row| Row::new("api_key", row).uuid("id").map(|other| other != id.uuid());
    let others = admins.iter().map(is_other).collect::<StoreResult<Vec<bool>>>()?;
    let tenant = scope.tenant().map(TenantName::as_str);
    let Some(row) = ONE.first(&transaction, vec![id.uuid().into(), tenant.into()]).await? else {
        rollback(transaction).await;
        return Ok(KeyRevocation::NotFound);
    };
    let key = key_of(&row)?;
    let has_ended = key.expires_at.is_some_and(|end| end <= now) || key.revoked_at.is_some();
    let manages = key.role == Role::Admin && key.tenant.is_none() && key.scopes.is_none() && !has_ended;
    if manages && !others.contains(&true) {
        rollback(transaction).await;
        return Ok(KeyRevocation::LastAdmin);
    }
    if REVOKE.run(&transaction, vec![id.uuid().into(), now.0.into()]).await? > 0 {
        audit::append(&transaction, pool.dialect(), lines).await?;
    }
    commit(transaction).await?;
    Ok(KeyRevocation::Done)
}

/// Gives a key another secret.
pub(super) async fn rotate(
    pool: &Pool,
    scope: &TenantScope,
    rotation: &KeyRotation,
    lines: &[AuditRecord],
    now: Timestamp,
) -> StoreResult<Option<KeyRecord>> {
    let tenant = scope.tenant().map(TenantName::as_str);
    let id = rotation.id.uuid();
    let values = vec![
        id.into(),
        tenant.into(),
        rotation.digest.to_vec().into(),
        rotation.previous_until.0.into(),
        rotation.prefix.as_str().into(),
        now.0.into(),
    ];
    let transaction = pool.begin().await?;
    if ROTATE.run(&transaction, values).await? > 0 {
        audit::append(&transaction, pool.dialect(), lines).await?;
    }
    let row = ONE.first(&transaction, vec![id.into(), tenant.into()]).await?;
    let key = row.as_ref().map(key_of).transpose()?;
    commit(transaction).await?;
    Ok(key.filter(|key| key.digest == rotation.digest && key.revoked_at.is_none()))
}
