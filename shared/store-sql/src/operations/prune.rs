//! Retention: bounded deletes by age. Each kind of thing is a transaction of its own, so that none holds the
//! writer of SQLite for long.

use domain::retention::RetentionSubject;
use domain::time::Timestamp;
use store::StoreResult;
use store::operations::Retention;
use uuid::Uuid;

use super::drop_payloads;
use super::drop_payloads::lock;
use super::prune_jobs::{self, ids_of};
use super::walk::Walk;
use crate::bind::{self, Cell};
use crate::lock_order::begin_upkeep;
use crate::pool::commit;
use crate::retention::{Class, Classes};
use crate::rows::Row;
use crate::sql::Sql;
use crate::webhooks::hold::remove;
use crate::{SqlStore, attributes, job_logs, payloads};

static IDEMPOTENCY: Sql = Sql::new(
    "prune_idempotency",
    "DELETE FROM idempotency WHERE (owner, key) IN (
       SELECT owner, key FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT $2 {for_update_skip})",
);

static INTAKE_KEYS: Sql = Sql::new(
    "prune_intake_keys",
    "DELETE FROM intake_key WHERE (tenant, kind, key) IN (
       SELECT tenant, kind, key FROM intake_key WHERE created_at < $1 ORDER BY created_at LIMIT $2 {for_update_skip})",
);

static INTAKE_REFUSED: Sql = Sql::new(
    "prune_intake_refused",
    "DELETE FROM intake WHERE id IN (
       SELECT id FROM intake WHERE refused_at < $1 ORDER BY refused_at LIMIT $2 {for_update_skip})",
);

static WORKERS: Sql = Sql::new(
    "prune_workers",
    "DELETE FROM worker WHERE (tenant, id) IN (
       SELECT tenant, id FROM worker WHERE last_seen_at < $1 ORDER BY last_seen_at LIMIT $2 {for_update_skip})",
);

// They say nothing any more; kept for as long as keys, in case the clock goes back.
static START_COUNTS: Sql = Sql::new(
    "prune_start_counts",
    "DELETE FROM start_count WHERE (queue, scope, owner, name) IN (
       SELECT queue, scope, owner, name FROM start_count WHERE expires_at < $1 ORDER BY expires_at LIMIT $2
       {for_update_skip}) AND expires_at < $1",
);

/// Removes what is older than it is kept, and drops payloads that are kept for a shorter time; answers how many executions,
/// jobs, slots, deliveries, dead letters, keys, lines of audit and log and workers went or lost their payloads (what belongs to
/// them goes with them and is not counted).
pub(super) async fn prune(store: &SqlStore, retention: &Retention, limit: u32) -> StoreResult<u64> {
    let classes = Classes::read(store.pool(), retention).await?;
    let mut gone = 0;
    for class in classes.of(RetentionSubject::Executions) {
        gone += prune_executions(store, &class, limit).await?;
    }
    gone += prune_jobs::prune(store, &classes, limit).await?;
    gone += prune_schedules(store, retention.schedule_runs_before, limit).await?;
    for class in classes.of(RetentionSubject::Deliveries) {
        gone += prune_deliveries(store, &class, limit).await?;
    }
    for class in classes.of(RetentionSubject::Archive) {
        gone += prune_dead_letters(store, &class, limit).await?;
    }
    gone += drop_payloads::drop(store, &classes, limit).await?;
    gone += by_age(&IDEMPOTENCY, store, retention.idempotency_before, limit).await?;
    let audit_before = retention.before(RetentionSubject::Audit).unwrap_or(retention.audit_before);
    gone += crate::audit::prune(store.pool(), audit_before, limit).await?;
    gone += by_age(&INTAKE_KEYS, store, retention.idempotency_before, limit).await?;
    gone += by_age(&INTAKE_REFUSED, store, retention.failed_before, limit).await?;
    gone += job_logs::prune(store, retention.logs_before, limit).await?;
    gone += by_age(&START_COUNTS, store, retention.idempotency_before, limit).await?;
    gone += by_age(&WORKERS, store, retention.workers_before, limit).await?;
    Ok(gone)
}

async fn by_age(sql: &Sql, store: &SqlStore, before: Timestamp, limit: u32) -> StoreResult<u64> {
    sql.run(store.pool().write(), vec![before.0.into(), i64::from(limit).into()]).await
}

// Retention of dead letters that were dealt with, with their payloads.

// See `walk` for the parameters.
// Index: dead_letter_resolved.
static PICK: Sql = Sql::new(
    "prune_dead_letters_pick",
    "SELECT d.id, d.resolved_at AS at, CAST(0 AS bigint) AS also, CAST(
       CASE WHEN d.status = 'open'
              OR COALESCE((SELECT o.kept_ms FROM retention_override o WHERE o.tenant = d.tenant AND o.subject = $5), -1) <> $6
            THEN 1 ELSE 0 END AS bigint) AS stays
     FROM (
         SELECT w.id, w.resolved_at, w.status, w.tenant FROM dead_letter w
         WHERE w.resolved_at IS NOT NULL AND w.resolved_at < $1 AND w.resolved_at >= $3
           AND (w.resolved_at > $3 OR w.id > $4)
         ORDER BY w.resolved_at, w.id LIMIT $2) d
     ORDER BY d.resolved_at, d.id",
);

static DEAD_LETTERS: Sql = Sql::new(
    "prune_dead_letters",
    "DELETE FROM dead_letter WHERE id {any $2 uuid} AND resolved_at < $1 AND status IN ('requeued', 'archived')
     RETURNING id, job_id",
);

/// Removes dead letters of a class that were resolved before its instant.
pub(super) async fn prune_dead_letters(store: &SqlStore, class: &Class, limit: u32) -> StoreResult<u64> {
    let walk = Walk { sql: &PICK, kind: "dead_letters", part: None, class: Some(class), has_also: false };
    let found = walk.find_ids(store, class.before, limit).await?;
    if found.is_empty() {
        return Ok(0);
    }
    let transaction = begin_upkeep(store.pool()).await?;
    let list = |ids: &[Uuid]| bind::uuids(store.dialect(), ids.iter().copied());
    let rows = DEAD_LETTERS.all(&transaction, vec![class.before.0.into(), list(&found)]).await?;
    let gone = ids_of("dead_letter", &rows)?;
    payloads::remove(&transaction, &gone).await?;
    let jobs: StoreResult<Vec<Uuid>> =
        rows.iter().map(|row| Row::new("dead_letter", row).uuid("job_id")).collect();
    attributes::forget_jobs(&transaction, &jobs?).await?;
    commit(transaction).await?;
    Ok(gone.len() as u64)
}

// Retention of webhook deliveries, with their bodies.

// A delivery stays while it is held, and while its job has not ended, or died and may be requeued. Looked for outside a
// transaction, as jobs are: a job that ended for good stays so. See `walk` for the parameters.
// Index: webhook_delivery_age.
static PRUNE_DELIVERIES_PICK: Sql = Sql::new(
    "prune_deliveries_pick",
    "SELECT d.id, d.received_at AS at, CAST(0 AS bigint) AS also, CAST(
       CASE WHEN d.held_at IS NOT NULL
              OR EXISTS (SELECT 1 FROM job j WHERE j.id = d.job_id)
              OR EXISTS (SELECT 1 FROM dead_letter l WHERE l.job_id = d.job_id AND l.status = 'open')
              OR COALESCE((SELECT o.kept_ms FROM retention_override o WHERE o.tenant = d.tenant AND o.subject = $5), -1) <> $6
            THEN 1 ELSE 0 END AS bigint) AS stays
     FROM (
         SELECT w.id, w.received_at, w.job_id, w.held_at, w.tenant FROM webhook_delivery w
         WHERE w.received_at < $1 AND w.received_at >= $3 AND (w.received_at > $3 OR w.id > $4)
         ORDER BY w.received_at, w.id LIMIT $2) d
     ORDER BY d.received_at, d.id",
);

/// Removes deliveries of a class that came before its instant.
pub(super) async fn prune_deliveries(store: &SqlStore, class: &Class, limit: u32) -> StoreResult<u64> {
    let walk = Walk {
        sql: &PRUNE_DELIVERIES_PICK,
        kind: "deliveries",
        part: None,
        class: Some(class),
        has_also: false,
    };
    let found = walk.find_ids(store, class.before, limit).await?;
    remove(store, &found).await
}

// Retention of executions that ended, with their node results, timelines, commands and user tasks.

// An execution stays while a dead letter of it is open: requeueing that one takes the execution up again. A child stays
// as long as its parent is under way: the parent may ask for it again. Looked for outside a transaction, as jobs are.
// See `walk` for the parameters.
// Index: execution_ended.
static PRUNE_EXECUTIONS_PICK: Sql = Sql::new(
    "prune_executions_pick",
    "SELECT e.id, e.completed_at AS at, CAST(0 AS bigint) AS also, CAST(
       CASE WHEN EXISTS (SELECT 1 FROM job_done j JOIN dead_letter d ON d.job_id = j.id AND d.status = 'open'
                         WHERE j.execution_id = e.id)
              OR EXISTS (SELECT 1 FROM execution p WHERE p.id = e.parent_id AND p.completed_at IS NULL)
              OR COALESCE((SELECT o.kept_ms FROM retention_override o WHERE o.tenant = e.tenant AND o.subject = $5), -1) <> $6
            THEN 1 ELSE 0 END AS bigint) AS stays
     FROM (
         SELECT w.id, w.completed_at, w.parent_id, w.tenant FROM execution w
         WHERE w.completed_at < $1 AND w.completed_at >= $3 AND (w.completed_at > $3 OR w.id > $4)
         ORDER BY w.completed_at, w.id LIMIT $2) e
     ORDER BY e.completed_at, e.id",
);

static RESULTS: Sql =
    Sql::new("prune_node_results", "DELETE FROM node_result WHERE execution_id {any $1 uuid}");

static EVENTS: Sql =
    Sql::new("prune_execution_events", "DELETE FROM execution_event WHERE execution_id {any $1 uuid}");

static INBOX: Sql = Sql::new("prune_inbox", "DELETE FROM inbox WHERE execution_id {any $1 uuid}");

static USER_TASKS: Sql =
    Sql::new("prune_user_tasks", "DELETE FROM user_task WHERE execution_id {any $1 uuid}");

static EVENT_WAITS: Sql =
    Sql::new("prune_event_waits", "DELETE FROM event_wait WHERE execution_id {any $1 uuid}");

static EXECUTIONS: Sql = Sql::new("prune_executions", "DELETE FROM execution WHERE id {any $1 uuid}");

/// Removes executions of a class that ended before its instant.
pub(super) async fn prune_executions(store: &SqlStore, class: &Class, limit: u32) -> StoreResult<u64> {
    let walk = Walk {
        sql: &PRUNE_EXECUTIONS_PICK,
        kind: "executions",
        part: None,
        class: Some(class),
        has_also: false,
    };
    let found = walk.find_ids(store, class.before, limit).await?;
    if found.is_empty() {
        return Ok(0);
    }
    let transaction = begin_upkeep(store.pool()).await?;
    let list = |ids: &[Uuid]| bind::uuids(store.dialect(), ids.iter().copied());
    let locked = lock(&transaction, store.dialect(), class, &found).await?;
    for sql in [&RESULTS, &EVENTS, &INBOX, &USER_TASKS, &EVENT_WAITS] {
        sql.run(&transaction, vec![list(&locked)]).await?;
    }
    let gone = EXECUTIONS.run(&transaction, vec![list(&locked)]).await?;
    attributes::forget(&transaction, &locked).await?;
    commit(transaction).await?;
    Ok(gone)
}

// Retention of what became of slots.

// The newest slot of a schedule stays, however old it is, and so does one that waits. Looked for outside a
// transaction: slots that stay may be many, and a slot that has a newer one never becomes the newest again. See `walk` for
// the parameters.
// Index: schedule_run_age.
static PRUNE_SCHEDULES_PICK: Sql = Sql::new(
    "prune_schedule_runs_pick",
    "SELECT r.schedule_id AS id, r.decided_at AS at, r.nominal_at AS also, CAST(
       CASE WHEN r.status = 'waiting'
              OR NOT EXISTS (SELECT 1 FROM schedule_run newer
                             WHERE newer.schedule_id = r.schedule_id AND newer.nominal_at > r.nominal_at)
            THEN 1 ELSE 0 END AS bigint) AS stays
     FROM (
         SELECT w.schedule_id, w.nominal_at, w.decided_at, w.status FROM schedule_run w
         WHERE w.decided_at < $1 AND w.decided_at >= $3
           AND (w.decided_at > $3 OR w.schedule_id > $4 OR (w.schedule_id = $4 AND w.nominal_at > $5))
         ORDER BY w.decided_at, w.schedule_id, w.nominal_at LIMIT $2) r
     ORDER BY r.decided_at, r.schedule_id, r.nominal_at",
);

static DELETE: Sql = Sql::new(
    "prune_schedule_runs",
    "DELETE FROM schedule_run WHERE (schedule_id, nominal_at) IN (
       SELECT k.id, k.at FROM {rows $1: id uuid, at bigint} k)",
);

/// Removes slots that were decided before an instant.
pub(super) async fn prune_schedules(store: &SqlStore, before: Timestamp, limit: u32) -> StoreResult<u64> {
    let walk =
        Walk { sql: &PRUNE_SCHEDULES_PICK, kind: "schedule_runs", part: None, class: None, has_also: true };
    let slots = walk.find(store, before, limit).await?;
    if slots.is_empty() {
        return Ok(0);
    }
    let cells = slots.iter().map(|slot| [Cell::Uuid(slot.id), Cell::Long(slot.also)]);
    DELETE.run(store.pool().write(), bind::rows(store.dialect(), cells)).await
}
