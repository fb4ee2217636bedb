//! Payloads that retention keeps for a shorter time than what they belong to: they go, and the row says when.
//!
//! What may still be taken up keeps its payload: a job whose dead letter is open or whose execution is under way, an
//! execution with an open dead letter or a parent under way, a delivery that has not been matched.

use domain::queue::QueueName;
use domain::retention::RetentionSubject;
use store::StoreResult;
use uuid::Uuid;

use super::prune_jobs;
use super::prune_jobs::ids_of;
use super::walk::Walk;
use crate::SqlStore;
use crate::bind;
use crate::dialect::Dialect;
use crate::lock_order::begin_upkeep;
use crate::payloads;
use crate::pool::commit;
use crate::retention::{Class, Classes};
use crate::sql::{DatabaseTransaction, Sql};

// See `walk` for the parameters of these three.
// Index: job_done_ended.
static PICK_JOBS: Sql = Sql::new(
    "drop_job_payloads_pick",
    "SELECT j.id, j.finished_at AS at, CAST(0 AS bigint) AS also, CAST(
       CASE WHEN j.payload_dropped_at IS NOT NULL
              OR EXISTS (SELECT 1 FROM dead_letter d WHERE d.job_id = j.id AND d.status = 'open')
              OR EXISTS (SELECT 1 FROM execution e WHERE e.id = j.execution_id AND e.completed_at IS NULL)
              OR COALESCE((SELECT o.kept_ms FROM lane l JOIN retention_override o ON o.tenant = l.tenant AND o.subject = $7
                           WHERE l.id = j.lane), -1) <> $8
            THEN 1 ELSE 0 END AS bigint) AS stays
     FROM (
         SELECT w.id, w.finished_at, w.execution_id, w.lane, w.payload_dropped_at FROM job_done w
         WHERE w.queue = $5 AND w.status = $6 AND w.finished_at < $1 AND w.finished_at >= $3
           AND (w.finished_at > $3 OR w.id > $4)
         ORDER BY w.finished_at, w.id LIMIT $2) j
     ORDER BY j.finished_at, j.id",
);

// Index: execution_ended.
static PICK_EXECUTIONS: Sql = Sql::new(
    "drop_execution_payloads_pick",
    "SELECT e.id, e.completed_at AS at, CAST(0 AS bigint) AS also, CAST(
       CASE WHEN e.payload_dropped_at IS NOT NULL
              OR EXISTS (SELECT 1 FROM job_done j JOIN dead_letter d ON d.job_id = j.id AND d.status = 'open'
                         WHERE j.execution_id = e.id)
              OR EXISTS (SELECT 1 FROM execution p WHERE p.id = e.parent_id AND p.completed_at IS NULL)
              OR COALESCE((SELECT o.kept_ms FROM retention_override o WHERE o.tenant = e.tenant AND o.subject = $5), -1) <> $6
            THEN 1 ELSE 0 END AS bigint) AS stays
     FROM (
         SELECT w.id, w.completed_at, w.parent_id, w.tenant, w.payload_dropped_at FROM execution w
         WHERE w.completed_at < $1 AND w.completed_at >= $3 AND (w.completed_at > $3 OR w.id > $4)
         ORDER BY w.completed_at, w.id LIMIT $2) e
     ORDER BY e.completed_at, e.id",
);

// Index: webhook_delivery_age.
static PICK_DELIVERIES: Sql = Sql::new(
    "drop_delivery_bodies_pick",
    "SELECT d.id, d.received_at AS at, CAST(0 AS bigint) AS also, CAST(
       CASE WHEN d.payload_dropped_at IS NOT NULL OR d.held_at IS NOT NULL OR d.status = 'duplicate'
              OR EXISTS (SELECT 1 FROM job j WHERE j.id = d.job_id)
              OR EXISTS (SELECT 1 FROM dead_letter l WHERE l.job_id = d.job_id AND l.status = 'open')
              OR COALESCE((SELECT o.kept_ms FROM retention_override o WHERE o.tenant = d.tenant AND o.subject = $5), -1) <> $6
            THEN 1 ELSE 0 END AS bigint) AS stays
     FROM (
         SELECT w.id, w.received_at, w.job_id, w.held_at, w.tenant, w.status, w.payload_dropped_at FROM webhook_delivery w
         WHERE w.received_at < $1 AND w.received_at >= $3 AND (w.received_at > $3 OR w.id > $4)
         ORDER BY w.received_at, w.id LIMIT $2) d
     ORDER BY d.received_at, d.id",
);

static JOBS: Sql = Sql::new(
    "drop_job_payloads",
    "UPDATE job_done SET data = 'null', result = NULL, payload_dropped_at = $2
     WHERE id {any $1 uuid} AND payload_dropped_at IS NULL",
);

// The snapshot goes too: it holds signals that came before a node waited for them.
static EXECUTIONS: Sql = Sql::new(
    "drop_execution_payloads",
    "UPDATE execution SET input = 'null', output = NULL, state = NULL, payload_dropped_at = $2
     WHERE id {any $1 uuid} AND payload_dropped_at IS NULL",
);

static NODE_RESULTS: Sql = Sql::new(
    "drop_node_payloads",
    "UPDATE node_result SET input = NULL, output = NULL
     WHERE execution_id {any $1 uuid} AND (input IS NOT NULL OR output IS NOT NULL)",
);

static INBOX: Sql = Sql::new("drop_inbox_payloads", "DELETE FROM inbox WHERE execution_id {any $1 uuid}");

static USER_TASKS: Sql = Sql::new(
    "drop_user_task_payloads",
    "UPDATE user_task SET form = NULL, input = NULL WHERE execution_id {any $1 uuid}",
);

// Its length goes with the body, because it counts against quotas.
static DELIVERIES: Sql = Sql::new(
    "drop_delivery_bodies",
    "UPDATE webhook_delivery SET body_bytes = 0, payload_dropped_at = $2
     WHERE id {any $1 uuid} AND payload_dropped_at IS NULL AND held_at IS NULL",
);

static BODIES: Sql =
    Sql::new("remove_dropped_bodies", "DELETE FROM webhook_body WHERE delivery_id {any $1 uuid}");

/// Drops payloads; answers of how many jobs, executions and deliveries.
pub(super) async fn drop(store: &SqlStore, classes: &Classes<'_>, limit: u32) -> StoreResult<u64> {
    let now = classes.now().0;
    let mut dropped = 0;
    for queue in QueueName::ALL {
        // The job of an execution has no payload of its own, and goes back to its queue when the execution is retried.
        if queue == QueueName::Execution {
            continue;
        }
        for class in classes.of(RetentionSubject::Payloads(queue)) {
            for status in prune_jobs::STATUSES {
                dropped += of_jobs(store, (queue, status), &class, limit, now).await?;
            }
        }
    }
    for class in classes.of(RetentionSubject::ExecutionPayloads) {
        dropped += of_executions(store, &class, limit, now).await?;
    }
    for class in classes.of(RetentionSubject::DeliveryBodies) {
        dropped += of_deliveries(store, &class, limit, now).await?;
    }
    Ok(dropped)
}

async fn of_jobs(
    store: &SqlStore,
    part: (QueueName, &'static str),
    class: &Class,
    limit: u32,
    now: i64,
) -> StoreResult<u64> {
    let (kind, part_of) = ("job_payloads", Some(part));
    let walk = Walk { sql: &PICK_JOBS, kind, part: part_of, class: Some(class), has_also: false };
    let found = walk.find_ids(store, class.before, limit).await?;
    if found.is_empty() {
        return Ok(0);
    }
    let transaction = begin_upkeep(store.pool()).await?;
    let locked = prune_jobs::lock(&transaction, store.dialect(), part.1, class, &found).await?;
    let list = bind::uuids(store.dialect(), locked.iter().copied());
    let dropped = JOBS.run(&transaction, vec![list, now.into()]).await?;
    payloads::remove(&transaction, &locked).await?;
    commit(transaction).await?;
    Ok(dropped)
}

async fn of_executions(store: &SqlStore, class: &Class, limit: u32, now: i64) -> StoreResult<u64> {
    let kind = "execution_payloads";
    let walk = Walk { sql: &PICK_EXECUTIONS, kind, part: None, class: Some(class), has_also: false };
    let found = walk.find_ids(store, class.before, limit).await?;
    if found.is_empty() {
        return Ok(0);
    }
    let transaction = begin_upkeep(store.pool()).await?;
    let locked = lock(&transaction, store.dialect(), class, &found).await?;
    let list = |ids: &[Uuid]| bind::uuids(store.dialect(), ids.iter().copied());
    let dropped = EXECUTIONS.run(&transaction, vec![list(&locked), now.into()]).await?;
    for sql in [&NODE_RESULTS, &INBOX, &USER_TASKS] {
        sql.run(&transaction, vec![list(&locked)]).await?;
    }
    commit(transaction).await?;
    Ok(dropped)
}

async fn of_deliveries(store: &SqlStore, class: &Class, limit: u32, now: i64) -> StoreResult<u64> {
    let kind = "delivery_bodies";
    let walk = Walk { sql: &PICK_DELIVERIES, kind, part: None, class: Some(class), has_also: false };
    let found = walk.find_ids(store, class.before, limit).await?;
    if found.is_empty() {
        return Ok(0);
    }
    let list = || bind::uuids(store.dialect(), found.iter().copied());
    let transaction = begin_upkeep(store.pool()).await?;
    // Deliveries before bodies, as everybody does it. One that was matched stays so.
    let dropped = DELIVERIES.run(&transaction, vec![list(), now.into()]).await?;
    BODIES.run(&transaction, vec![list()]).await?;
    commit(transaction).await?;
    Ok(dropped)
}

// The same for those that were found: one may have been taken up again since.
pub(super) static LOCK: Sql = Sql::new(
    "prune_executions_lock",
    "SELECT e.id FROM execution e
     WHERE e.id {any $2 uuid} AND e.completed_at < $1
       AND NOT EXISTS (SELECT 1 FROM job_done j JOIN dead_letter d ON d.job_id = j.id AND d.status = 'open'
                       WHERE j.execution_id = e.id)
       AND NOT EXISTS (SELECT 1 FROM execution p WHERE p.id = e.parent_id AND p.completed_at IS NULL)
     {postgres:FOR UPDATE OF e SKIP LOCKED}",
);

/// Locks those of these executions that nobody has taken up since, and answers them.
pub(super) async fn lock(
    on: &DatabaseTransaction,
    dialect: Dialect,
    class: &Class,
    ids: &[Uuid],
) -> StoreResult<Vec<Uuid>> {
    let list = bind::uuids(dialect, ids.iter().copied());
    ids_of("execution", &LOCK.all(on, vec![class.before.0.into(), list]).await?)
}
