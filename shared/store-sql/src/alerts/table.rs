//! Alerts as they stand, written by who has the turn.

use domain::alerting::{Alert, AlertStatus, Severity, Silence};
use domain::id::{AlertId, Id, SecretId, SilenceId};
use domain::time::Timestamp;
use sea_orm::{QueryResult, Value};
use store::alerts::{AlertFilter, Evaluated, NamedSpec, SealedSecret, labels_text};
use store::{Page, PageRequest, StoreError, StoreResult};
use uuid::Uuid;

use super::notifications;
use crate::bind;
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

static TAKE_TURN: Sql = Sql::new(
    "take_alert_turn",
    "UPDATE alert_turn SET holder = $1, until_at = $2 WHERE id = 0 AND (holder = $1 OR until_at <= $3)",
);

// Locks the turn until the commit: who takes it over meanwhile waits, and reads what is written here.
static HOLD_TURN: Sql = Sql::new(
    "hold_alert_turn",
    "UPDATE alert_turn SET until_at = until_at WHERE id = 0 AND holder = $1 AND until_at > $2",
);

static OPEN: Sql = Sql::new("open_alerts", "SELECT * FROM alert WHERE status <> 'resolved' LIMIT 10000");

// Index: alert_silenced_end.
static SILENCED_ENDS: Sql = Sql::new(
    "silenced_ends",
    "SELECT * FROM alert WHERE resolved_at IS NOT NULL AND silenced_by IS NOT NULL AND notified_at IS NOT NULL
     ORDER BY resolved_at LIMIT 10000",
);

static PUT: Sql = Sql::new(
    "put_alert",
    "INSERT INTO alert (id, rule, labels, severity, status, value, threshold, summary, started_at, fired_at, clear_since,
       resolved_at, silenced_by, notified_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     ON CONFLICT (id) DO UPDATE SET severity = excluded.severity, status = excluded.status, value = excluded.value,
       threshold = excluded.threshold, summary = excluded.summary, fired_at = excluded.fired_at,
       clear_since = excluded.clear_since, resolved_at = excluded.resolved_at, silenced_by = excluded.silenced_by,
       notified_at = excluded.notified_at",
);

static DROP: Sql = Sql::new("drop_alerts", "DELETE FROM alert WHERE id {any $1 uuid}");

static PRUNE: [Sql; 3] = [
    Sql::new(
        "prune_alerts",
        "DELETE FROM alert WHERE id IN (SELECT id FROM alert WHERE resolved_at < $1 ORDER BY resolved_at LIMIT $2)",
    ),
    Sql::new(
        "prune_notifications",
        "DELETE FROM alert_notification WHERE id IN (
             SELECT id FROM alert_notification WHERE created_at < $1 AND status <> 'pending'
             ORDER BY created_at LIMIT $2)",
    ),
    Sql::new(
        "prune_silences",
        "DELETE FROM alert_silence WHERE id IN (SELECT id FROM alert_silence WHERE until_at < $1 LIMIT $2)",
    ),
];

/// Takes or keeps the turn.
pub(super) async fn take_turn(
    pool: &Pool,
    holder: Uuid,
    until: Timestamp,
    now: Timestamp,
) -> StoreResult<bool> {
    Ok(TAKE_TURN.run(pool.write(), vec![holder.into(), until.0.into(), now.0.into()]).await? > 0)
}

/// Alerts that have not ended.
pub(super) async fn open(pool: &Pool) -> StoreResult<Vec<Alert>> {
    OPEN.all(pool.read(), vec![]).await?.iter().map(alert_of).collect()
}

/// Alerts of whose end nobody was notified.
pub(super) async fn silenced_ends(pool: &Pool) -> StoreResult<Vec<Alert>> {
    SILENCED_ENDS.all(pool.read(), vec![]).await?.iter().map(alert_of).collect()
}

/// Writes what an evaluation came to.
pub(super) async fn commit_evaluated(
    pool: &Pool,
    holder: Uuid,
    evaluated: &Evaluated,
    now: Timestamp,
) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    if HOLD_TURN.run(&transaction, vec![holder.into(), now.0.into()]).await? == 0 {
        rollback(transaction).await;
        return Ok(false);
    }
    if !evaluated.drop.is_empty() {
        let ids = bind::uuids(pool.dialect(), evaluated.drop.iter().map(|id| id.uuid()));
        DROP.run(&transaction, vec![ids]).await?;
    }
    for alert in &evaluated.keep {
        PUT.run(&transaction, alert_values(alert)).await?;
    }
    for notification in &evaluated.notify {
        notifications::insert(&transaction, notification).await?;
    }
    commit(transaction).await?;
    Ok(true)
}

/// Alerts, newest first.
pub(super) async fn list(pool: &Pool, filter: &AlertFilter, page: PageRequest) -> StoreResult<Page<Alert>> {
    let mut select = Select::new("list_alerts", "SELECT * FROM alert WHERE true");
    let has = |status: AlertStatus| filter.statuses.is_empty() || filter.statuses.contains(&status);
    for status in AlertStatus::ALL.into_iter().filter(|status| !has(*status)) {
        select.with("AND status <> $?", status.as_str());
    }
    select.with_some("AND rule = $?", filter.rule.as_deref());
    select.with_some("AND severity = $?", filter.severity.map(Severity::as_str));
    select.with_some("AND id < $?", page.after);
    select.with("ORDER BY id DESC LIMIT $?", i64::from(page.limit) + 1);
    let alerts: StoreResult<Vec<Alert>> = select.all(pool.lists()).await?.iter().map(alert_of).collect();
    Ok(Page::cut(alerts?, page.limit, |alert| Id::uuid(alert.id)))
}

/// Removes what is over.
pub(super) async fn prune(pool: &Pool, before: Timestamp, limit: u32) -> StoreResult<u64> {
    let mut rows = 0;
    for statement in &PRUNE {
        rows += statement.run(pool.write(), vec![before.0.into(), i64::from(limit).into()]).await?;
    }
    Ok(rows)
}

// Rows of the tables of alerts.

/// Reads a row of `alert_spec`.
pub(super) fn spec_of(row: &QueryResult) -> StoreResult<NamedSpec> {
    let row = Row::new("alert_spec", row);
    let secret = match (row.uuid_or_null("secret_id")?, row.bytes_or_null("sealed")?) {
        (Some(id), Some(sealed)) => {
            Some(SealedSecret { id: SecretId::from_uuid(id), key_id: row.text("key_id")?, sealed })
        }
        _ => None,
    };
    Ok(NamedSpec {
        name: row.text("name")?,
        spec: row.text("spec")?,
        secret,
        changed_at: row.instant("changed_at")?,
    })
}

/// Reads a row of `alert_silence`.
pub(super) fn silence_of(row: &QueryResult) -> StoreResult<Silence> {
    let row = Row::new("alert_silence", row);
    Ok(Silence {
        id: SilenceId::from_uuid(row.uuid("id")?),
        rule: row.text_or_null("rule")?,
        labels: row.json_or_null("labels")?.unwrap_or_default(),
        until: row.instant("until_at")?,
        reason: row.text("reason")?,
        created_by: row.text("created_by")?,
        created_at: row.instant("created_at")?,
    })
}

/// Reads a row of `alert`.
pub(super) fn alert_of(result: &QueryResult) -> StoreResult<Alert> {
    let row = Row::new("alert", result);
    let number = |column: &'static str| -> StoreResult<f64> {
        result.try_get::<f64>("", column).map_err(|_: sea_orm::DbErr| -> StoreError { row.fault(column) })
    };
    Ok(Alert {
        id: AlertId::from_uuid(row.uuid("id")?),
        rule: row.text("rule")?,
        severity: row.parsed("severity", Severity::parse)?,
        status: row.parsed("status", AlertStatus::parse)?,
        labels: row.json_or_null("labels")?.unwrap_or_default(),
        value: number("value")?,
        threshold: number("threshold")?,
        summary: row.text("summary")?,
        started_at: row.instant("started_at")?,
        fired_at: row.instant_or_null("fired_at")?,
        clear_since: row.instant_or_null("clear_since")?,
        resolved_at: row.instant_or_null("resolved_at")?,
        silenced_by: row.uuid_or_null("silenced_by")?.map(SilenceId::from_uuid),
        notified_at: row.instant_or_null("notified_at")?,
    })
}

/// The columns of `alert`, in the order of the table.
pub(super) fn alert_values(alert: &Alert) -> Vec<Value> {
    vec![
        alert.id.uuid().into(),
        alert.rule.as_str().into(),
        labels_text(&alert.labels).into(),
        alert.severity.as_str().into(),
        alert.status.as_str().into(),
        alert.value.into(),
        alert.threshold.into(),
        alert.summary.as_str().into(),
        alert.started_at.0.into(),
        alert.fired_at.map(|at| at.0).into(),
        alert.clear_since.map(|at| at.0).into(),
        alert.resolved_at.map(|at| at.0).into(),
        alert.silenced_by.map(Id::uuid).into(),
        alert.notified_at.map(|at| at.0).into(),
    ]
}
