//! Rules, routes and silences that operators set.

use domain::alerting::Silence;
use domain::id::{Id, SilenceId};
use domain::time::Timestamp;
use store::StoreResult;
use store::alerts::{NamedSpec, SpecKind, labels_text};
use store::audit::AuditRecord;

use super::table::{silence_of, spec_of};
use crate::audit;
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::sql::Sql;

static SPECS: Sql = Sql::new("alert_specs", "SELECT * FROM alert_spec WHERE kind = $1 ORDER BY name");

// Two that store at once may pass the bound by as many as they are; it is there to keep the table small.
static COUNT: Sql = Sql::new(
    "count_alert_specs",
    "SELECT count(*) AS number, COALESCE(sum(CASE WHEN name = $2 THEN 1 ELSE 0 END), 0) AS known
     FROM alert_spec WHERE kind = $1",
);

static PUT: Sql = Sql::new(
    "put_alert_spec",
    "INSERT INTO alert_spec (kind, name, spec, secret_id, key_id, sealed, changed_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (kind, name) DO UPDATE SET spec = excluded.spec, secret_id = excluded.secret_id,
       key_id = excluded.key_id, sealed = excluded.sealed, changed_at = excluded.changed_at",
);

static DELETE: Sql = Sql::new("delete_alert_spec", "DELETE FROM alert_spec WHERE kind = $1 AND name = $2");

static SILENCES: Sql =
    Sql::new("silences", "SELECT * FROM alert_silence WHERE until_at > $1 ORDER BY id DESC LIMIT 1000");

static ADD_SILENCE: Sql = Sql::new(
    "add_silence",
    "INSERT INTO alert_silence (id, rule, labels, until_at, reason, created_by, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
);

static END_SILENCE: Sql =
    Sql::new("end_silence", "UPDATE alert_silence SET until_at = $2 WHERE id = $1 AND until_at > $2");

/// What is set, by name.
pub(super) async fn list(pool: &Pool, kind: SpecKind) -> StoreResult<Vec<NamedSpec>> {
    SPECS.all(pool.read(), vec![kind.as_str().into()]).await?.iter().map(spec_of).collect()
}

/// Sets one.
pub(super) async fn put(
    pool: &Pool,
    kind: SpecKind,
    spec: &NamedSpec,
    specs_max: u32,
    lines: &[AuditRecord],
) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    let counted = COUNT.first(&transaction, vec![kind.as_str().into(), spec.name.as_str().into()]).await?;
    if let Some(row) = &counted {
        let row = Row::new("alert_spec", row);
        if row.long("known")? == 0 && row.long("number")? >= i64::from(specs_max) {
            rollback(transaction).await;
            return Ok(false);
        }
    }
    let secret = spec.secret.as_ref();
    let values = vec![
        kind.as_str().into(),
        spec.name.as_str().into(),
        spec.spec.as_str().into(),
        secret.map(|secret| secret.id.uuid()).into(),
        secret.map(|secret| secret.key_id.clone()).into(),
        secret.map(|secret| secret.sealed.clone()).into(),
        spec.changed_at.0.into(),
    ];
    PUT.run(&transaction, values).await?;
    audit::append(&transaction, pool.dialect(), lines).await?;
    commit(transaction).await?;
    Ok(true)
}

/// Removes one.
pub(super) async fn delete(
    pool: &Pool,
    kind: SpecKind,
    name: &str,
    lines: &[AuditRecord],
) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    let is_gone = DELETE.run(&transaction, vec![kind.as_str().into(), name.into()]).await? > 0;
    if is_gone {
        audit::append(&transaction, pool.dialect(), lines).await?;
    }
    commit(transaction).await?;
    Ok(is_gone)
}

/// Silences that have not ended.
pub(super) async fn silences(pool: &Pool, now: Timestamp) -> StoreResult<Vec<Silence>> {
    SILENCES.all(pool.read(), vec![now.0.into()]).await?.iter().map(silence_of).collect()
}

/// Keeps a silence.
pub(super) async fn add_silence(pool: &Pool, silence: &Silence, lines: &[AuditRecord]) -> StoreResult<()> {
    let transaction = pool.begin().await?;
    let values = vec![
        silence.id.uuid().into(),
        silence.rule.clone().into(),
        labels_text(&silence.labels).into(),
        silence.until.0.into(),
        silence.reason.as_str().into(),
        silence.created_by.as_str().into(),
        silence.created_at.0.into(),
    ];
    ADD_SILENCE.run(&transaction, values).await?;
    audit::append(&transaction, pool.dialect(), lines).await?;
    commit(transaction).await
}

/// Ends a silence.
pub(super) async fn end_silence(
    pool: &Pool,
    id: SilenceId,
    now: Timestamp,
    lines: &[AuditRecord],
) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    let is_ended = END_SILENCE.run(&transaction, vec![Id::uuid(id).into(), now.0.into()]).await? > 0;
    if is_ended {
        audit::append(&transaction, pool.dialect(), lines).await?;
    }
    commit(transaction).await?;
    Ok(is_ended)
}
