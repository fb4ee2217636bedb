//! Retention: bounded deletes by age. Each kind of thing is a transaction of its own, so that none holds the
//! writer of SQLite for long.

use domain::retention::RetentionSubject;
use domain::time::Timestamp;
use store::StoreResult;
use store::operations::Retention;

use crate::SqlStore;
use crate::job_logs;
use crate::retention::classes::Classes;
use crate::sql::Sql;

use super::{
    drop_payloads, prune_dead_letters, prune_deliveries, prune_executions, prune_jobs, prune_schedules,
};

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
        gone += prune_executions::prune(store, &class, limit).await?;
    }
    gone += prune_jobs::prune(store, &classes, limit).await?;
    gone += prune_schedules::prune(store, retention.schedule_runs_before, limit).await?;
    for class in classes.of(RetentionSubject::Deliveries) {
        gone += prune_deliveries::prune(store, &class, limit).await?;
    }
    for class in classes.of(RetentionSubject::Archive) {
        gone += prune_dead_letters::prune(store, &class, limit).await?;
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
