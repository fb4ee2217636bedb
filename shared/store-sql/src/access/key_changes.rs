//! Changes of API keys, each in one transaction with its lines of the audit log.

use domain::access::{Role, TenantScope};
use domain::id::KeyId;
use domain::names::TenantName;
use domain::time::Timestamp;
use store::StoreResult;
use store::access::{KeyRecord, KeyRevocation, KeyRotation};
use store::audit::AuditRecord;

use super::keys::key_of;
use crate::audit;
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::sql::Sql;

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
