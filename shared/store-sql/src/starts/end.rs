//! Recording how starts ended, and showing it on the deliveries that they stand for.

use domain::id::{DeliveryId, ExecutionId};
use domain::webhook::{StartEnd, with_end};
use serde_json::{Value, json};
use store::StoreResult;
use uuid::Uuid;

use crate::SqlStore;
use crate::bind;
use crate::pool::{commit, rollback};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

/// How many events are recorded in one transaction.
const EVENTS_AT_ONCE: i64 = 200;

// In one order for everybody. Index: put_off_event_waits.
static END: Sql = Sql::new(
    "end_put_off_events",
    "UPDATE put_off_event SET result = $2, execution_id = $3, failure = $4, entry = NULL
     WHERE (delivery_id, trigger_id) IN (
       SELECT delivery_id, trigger_id FROM put_off_event WHERE start_id = $1 AND result IS NULL
       ORDER BY delivery_id LIMIT $5) AND result IS NULL
     RETURNING delivery_id, trigger_id",
);

// Events of deliveries that retention removed while their start was to come.
static ORPHANS: Sql = Sql::new(
    "remove_orphaned_put_off_events",
    "DELETE FROM put_off_event WHERE delivery_id {any $1 uuid}
       AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.id = put_off_event.delivery_id)",
);

static DROP: Sql = Sql::new("drop_put_off_start", "DELETE FROM put_off_start WHERE id = $1");

static ENDED: Sql = Sql::new(
    "ended_put_off_events",
    "SELECT trigger_id, result, execution_id, failure FROM put_off_event
     WHERE delivery_id = $1 AND result IS NOT NULL",
);

// One whose matching is not recorded yet shows it afterwards.
static DELIVERY: Sql = Sql::new(
    "outcome_of_delivery",
    "SELECT outcome, executions FROM webhook_delivery
     WHERE id = $1 AND outcome IS NOT NULL AND status IN ('matched', 'unmatched', 'parked') {for_update}",
);

// A delivery is parked by its first reason.
static SHOW: Sql = Sql::new(
    "show_start_of_delivery",
    "UPDATE webhook_delivery SET outcome = $2, executions = $3,
       status = CASE WHEN $4 = '' THEN status ELSE 'parked' END,
       reason = CASE WHEN $4 = '' OR reason IS NOT NULL THEN reason ELSE $4 END
     WHERE id = $1",
);

/// Removes what is kept of the events of deliveries whose starts have ended.
pub(crate) static REMOVE: Sql = Sql::new(
    "remove_put_off_events",
    "DELETE FROM put_off_event WHERE delivery_id {any $1 uuid} AND result IS NOT NULL",
);

/// `StartStore::end_start`. May be repeated, and goes on where it was cut off.
pub(super) async fn end(store: &SqlStore, id: ExecutionId, end: &StartEnd) -> StoreResult<()> {
    loop {
        let (execution, failure) = columns_of(end);
        let transaction = store.pool().begin().await?;
        let values = vec![
            id.uuid().into(),
            end.result().into(),
            execution.into(),
            failure.into(),
            EVENTS_AT_ONCE.into(),
        ];
        let rows = END.all(&transaction, values).await?;
        let mut ended: Vec<(Uuid, String)> = Vec::with_capacity(rows.len());
        for row in &rows {
            let row = Row::new("put_off_event", row);
            ended.push((row.uuid("delivery_id")?, row.text("trigger_id")?));
        }
        ended.sort_unstable();
        for (delivery, trigger) in &ended {
            show(&transaction, *delivery, trigger, end).await?;
        }
        if !ended.is_empty() {
            let deliveries = ended.iter().map(|(delivery, _)| *delivery);
            ORPHANS.run(&transaction, vec![bind::uuids(store.dialect(), deliveries)]).await?;
        }
        let is_last = (ended.len() as i64) < EVENTS_AT_ONCE;
        if is_last {
            DROP.run(&transaction, vec![id.uuid().into()]).await?;
        }
        commit(transaction).await?;
        if is_last {
            return Ok(());
        }
    }
}

/// `StartStore::show_ended_starts`. May be repeated.
pub(super) async fn show_all(store: &SqlStore, delivery: DeliveryId) -> StoreResult<()> {
    let rows = ENDED.all(store.pool().write(), vec![delivery.uuid().into()]).await?;
    if rows.is_empty() {
        return Ok(());
    }
    let transaction = store.pool().begin().await?;
    let mut has_changed = false;
    for row in &rows {
        let row = Row::new("put_off_event", row);
        if let Some(end) = end_of(row)? {
            has_changed |= show(&transaction, delivery.uuid(), &row.text("trigger_id")?, &end).await?;
        }
    }
    if has_changed {
        return commit(transaction).await;
    }
    rollback(transaction).await;
    Ok(())
}

/// Shows the end of a start on a delivery; answers whether it was not shown before.
async fn show(
    on: &DatabaseTransaction,
    delivery: Uuid,
    trigger_id: &str,
    end: &StartEnd,
) -> StoreResult<bool> {
    let Some(row) = DELIVERY.first(on, vec![delivery.into()]).await? else {
        return Ok(false);
    };
    let row = Row::new("webhook_delivery", &row);
    let Some(outcome) = with_end(&row.text("outcome")?, trigger_id, end) else {
        return Ok(false);
    };
    let mut executions = row.json_or_null::<Vec<ExecutionId>>("executions")?.unwrap_or_default();
    if let StartEnd::Started(id) = end {
        executions.push(*id);
    }
    let executions = (!executions.is_empty()).then(|| serde_json::json!(executions).to_string());
    let reason = if let StartEnd::Failed { code, .. } = end { code.as_str() } else { "" };
    SHOW.run(on, vec![delivery.into(), outcome.into(), executions.into(), reason.into()]).await?;
    Ok(true)
}

/// How the start of an event ended, from the columns `result`, `execution_id` and `failure`; `None` before that.
pub(super) fn end_of(row: Row<'_>) -> StoreResult<Option<StartEnd>> {
    let Some(result) = row.text_or_null("result")? else {
        return Ok(None);
    };
    let execution = || row.uuid("execution_id").map(ExecutionId::from_uuid);
    let end = match result.as_str() {
        "started" => StartEnd::Started(execution()?),
        "joined" => StartEnd::Joined(execution()?),
        "exists" => StartEnd::Exists(execution()?),
        "error" => {
            let failure = row.json_or_null::<Value>("failure")?.unwrap_or_default();
            let text = |field: &str| failure[field].as_str().unwrap_or_default().to_owned();
            StartEnd::Failed { code: text("code"), message: text("message") }
        }
        _ => return Err(row.fault("result")),
    };
    Ok(Some(end))
}

/// The columns `execution_id` and `failure` of an end.
fn columns_of(end: &StartEnd) -> (Option<Uuid>, Option<String>) {
    let failure = match end {
        StartEnd::Failed { code, message } => Some(json!({ "code": code, "message": message }).to_string()),
        _ => None,
    };
    (end.execution().map(domain::id::Id::uuid), failure)
}
