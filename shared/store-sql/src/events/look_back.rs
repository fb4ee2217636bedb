//! Looking for events that came before a node waited for them.

use domain::id::{DeliveryId, ExecutionId, first_at};
use domain::names::TenantName;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::events::{LookBack, LookBackCursor, WaitingNode};
use uuid::Uuid;

use super::waits::{cells_of, waiting_of};
use crate::bind::{self, Cell};
use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::Sql;

static OF: Sql = Sql::new(
    "look_backs",
    "SELECT * FROM event_wait WHERE execution_id {any $1 uuid} AND look_from IS NOT NULL",
);

// Index: event_wait_look, from the instant of the cursor on. $2, $3 and $4 are the cursor
static LEFT: Sql = Sql::new(
    "look_backs_left",
    "SELECT * FROM event_wait
     WHERE look_from IS NOT NULL AND began_at < $1 AND began_at >= $2 AND (began_at, execution_id, node_id) > ($2, $3, $4)
     ORDER BY began_at, execution_id, node_id, event LIMIT $5",
);

static END: Sql = Sql::new(
    "end_look_backs",
    "UPDATE event_wait AS w SET look_from = NULL
     FROM {rows $1: execution_id uuid, node_id text, event text, round int, look_from bigint} r
     WHERE w.execution_id = r.execution_id AND w.node_id = r.node_id AND w.event = r.event AND w.round = r.round
       AND w.look_from = r.look_from",
);

// Always another instant than before, by which whoever looks at the moment knows that it was asked for once more. Rows are locked
// in one order: two deliveries may be for the same nodes.
// Index: the key. $1 the event, $2 from when on
static AGAIN: Sql = Sql::new(
    "look_back_again",
    "UPDATE event_wait AS w
     SET look_from = CASE WHEN w.look_from IS NULL OR w.look_from > $2 THEN $2 ELSE w.look_from END - 1
     FROM (SELECT x.execution_id, x.node_id, x.event
           FROM {rows $3: execution_id uuid, node_id text, round int} r
           JOIN event_wait x ON x.execution_id = r.execution_id AND x.node_id = r.node_id AND x.event = $1
             AND x.round = r.round
           ORDER BY x.execution_id, x.node_id {postgres:FOR UPDATE OF x}) o
     WHERE w.execution_id = o.execution_id AND w.node_id = o.node_id AND w.event = o.event",
);

// Ids begin with the instant at which they were made, which is when the delivery came, so the index has the order.
// Index: webhook_delivery_event. $3 the least id of the first instant, $4 the instant, $5 the least id of the last instant
static BEFORE: Sql = Sql::new(
    "events_before",
    "SELECT id FROM webhook_delivery
     WHERE tenant = $1 AND event_type = $2 AND event_type IS NOT NULL AND id >= $3 AND received_at >= $4 AND id < $5
       AND status IN ('accepted', 'matched', 'unmatched', 'parked') AND held_at IS NULL
     ORDER BY id DESC LIMIT $6",
);

// Index: webhook_delivery_event. $3 the id behind which it begins, $4 the instant
static SINCE: Sql = Sql::new(
    "events_since",
    "SELECT id FROM webhook_delivery
     WHERE tenant = $1 AND event_type = $2 AND event_type IS NOT NULL AND id > $3 AND received_at >= $4
       AND status IN ('accepted', 'matched', 'unmatched', 'parked') AND held_at IS NULL
     ORDER BY id LIMIT $5",
);

fn look_back_of(row: &QueryResult) -> StoreResult<LookBack> {
    let node = waiting_of(row)?;
    let row = Row::new("event_wait", row);
    let digest = row.bytes_or_null("digest")?.and_then(|bytes| bytes.try_into().ok());
    Ok(LookBack {
        node,
        tenant: row.name("tenant", TenantName::trusted)?,
        event: row.text("event")?,
        paths: row.text("paths")?,
        digest: digest.ok_or_else(|| row.fault("digest"))?,
        began_at: row.instant("began_at")?,
        from: row.instant("look_from")?,
    })
}

/// Those of executions.
pub(super) async fn of(pool: &Pool, executions: &[ExecutionId]) -> StoreResult<Vec<LookBack>> {
    if executions.is_empty() {
        return Ok(Vec::new());
    }
    let ids = bind::uuids(pool.dialect(), executions.iter().map(|id| id.uuid()));
    OF.all(pool.read(), vec![ids]).await?.iter().map(look_back_of).collect()
}

/// Those that nobody has done yet.
pub(super) async fn left(
    pool: &Pool,
    before: Timestamp,
    after: Option<&LookBackCursor>,
    limit: u32,
) -> StoreResult<Vec<LookBack>> {
    let (began_at, execution, node) = match after {
        Some(last) => (last.began_at.0, last.execution_id.uuid(), last.node_id.as_str()),
        // Before all.
        None => (i64::MIN, Uuid::nil(), ""),
    };
    let values =
        vec![before.0.into(), began_at.into(), execution.into(), node.into(), i64::from(limit).into()];
    LEFT.all(pool.read(), values).await?.iter().map(look_back_of).collect()
}

/// Records that it was done.
pub(super) async fn end(pool: &Pool, waits: &[LookBack]) -> StoreResult<()> {
    if waits.is_empty() {
        return Ok(());
    }
    let cells = waits.iter().map(|wait| {
        let [execution, node, round] = cells_of(&wait.node);
        [execution, node, Cell::Text(&wait.event), round, Cell::Long(wait.from.0)]
    });
    END.run(pool.write(), bind::rows(pool.dialect(), cells)).await.map(|_| ())
}

/// Has it done once more.
pub(super) async fn again(
    pool: &Pool,
    event: &str,
    nodes: &[WaitingNode],
    from: Timestamp,
) -> StoreResult<()> {
    if nodes.is_empty() {
        return Ok(());
    }
    let mut values = vec![event.into(), from.0.into()];
    values.extend(bind::rows(pool.dialect(), nodes.iter().map(cells_of)));
    AGAIN.run(pool.write(), values).await.map(|_| ())
}

/// What came in a span, newest first.
pub(super) async fn before(
    pool: &Pool,
    (tenant, event): (&TenantName, &str),
    (from, until): (Timestamp, Timestamp),
    limit: u32,
) -> StoreResult<Vec<DeliveryId>> {
    let values = vec![
        tenant.as_str().into(),
        event.into(),
        first_at(from).into(),
        from.0.into(),
        first_at(until).into(),
        i64::from(limit).into(),
    ];
    BEFORE.all(pool.read(), values).await?.iter().map(delivery_of).collect()
}

/// What came since, oldest first.
pub(super) async fn since(
    pool: &Pool,
    (tenant, event): (&TenantName, &str),
    (from, after): (Timestamp, Option<DeliveryId>),
    limit: u32,
) -> StoreResult<Vec<DeliveryId>> {
    let before_all = Uuid::from_u128(first_at(from).as_u128().saturating_sub(1));
    let behind = after.map_or(before_all, |after| after.uuid().max(before_all));
    let values =
        vec![tenant.as_str().into(), event.into(), behind.into(), from.0.into(), i64::from(limit).into()];
    SINCE.all(pool.read(), values).await?.iter().map(delivery_of).collect()
}

fn delivery_of(row: &QueryResult) -> StoreResult<DeliveryId> {
    Row::new("webhook_delivery", row).uuid("id").map(DeliveryId::from_uuid)
}

#[cfg(test)]
mod tests {
    use testkit::database::postgres_database;

    use super::*;
    use crate::jobs::plans::{assert_plan_uses, open_empty};

    #[tokio::test]
    async fn i06_waits_that_are_left_are_found_by_their_index() {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let file = format!("sqlite://{}", directory.path().join("plans.db").display());
        for url in [file, postgres_database().await] {
            let store = open_empty(url).await;
            let values = vec![9_i64.into(), 1_i64.into(), Uuid::nil().into(), "n".into(), 10_i64.into()];
            assert_plan_uses(&store, &LEFT, values, "event_wait_look").await;
        }
    }
}
