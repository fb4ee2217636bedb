//! What rules are measured by. Every part goes by an index over a short time and looks at so many rows at most.

use std::collections::{BTreeMap, HashMap};

use domain::id::WebhookId;
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::{LaneId, QueueName};
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;
use store::alerts::{LateSchedule, Measured, NewDeadLetters, RecentLane};

use crate::dialect::Dialect;
use crate::lanes;
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

/// How many rows of each kind are looked at.
const ROWS_MAX: i64 = 20_000;

// The newest of each status in the order of the index, and of these the newest. Index: job_done_ended. $1 queue, $2 since
static RECENT: Sql = Sql::new(
    "alert_recent_jobs",
    "SELECT r.lane, r.status, r.attempts, r.queued_at, r.started_at FROM (
         SELECT * FROM (SELECT lane, status, attempt - attempt_base AS attempts, queued_at, started_at, finished_at
             FROM job_done WHERE queue = $1 AND status = 'COMPLETED' AND finished_at > $2 AND started_at IS NOT NULL
             ORDER BY finished_at DESC LIMIT $3) a
         UNION ALL
         SELECT * FROM (SELECT lane, status, attempt - attempt_base AS attempts, queued_at, started_at, finished_at
             FROM job_done WHERE queue = $1 AND status = 'FAILED' AND finished_at > $2 AND started_at IS NOT NULL
             ORDER BY finished_at DESC LIMIT $3) b
         UNION ALL
         SELECT * FROM (SELECT lane, status, attempt - attempt_base AS attempts, queued_at, started_at, finished_at
             FROM job_done WHERE queue = $1 AND status = 'DEAD_LETTER' AND finished_at > $2 AND started_at IS NOT NULL
             ORDER BY finished_at DESC LIMIT $3) c
         UNION ALL
         SELECT * FROM (SELECT lane, status, attempt - attempt_base AS attempts, queued_at, started_at, finished_at
             FROM job_done WHERE queue = $1 AND status = 'CANCELLED' AND finished_at > $2 AND started_at IS NOT NULL
             ORDER BY finished_at DESC LIMIT $3) d
     ) r ORDER BY r.finished_at DESC LIMIT $3",
);

// In the same way, whoever has resolved them meanwhile. Index: dead_letter_died. $1 since
static DEAD: Sql = Sql::new(
    "alert_dead_letters",
    "SELECT d.fingerprint, d.queue, d.tenant, d.workflow, d.job_type, count(*) AS letters FROM (
         SELECT r.* FROM (
             SELECT * FROM (SELECT fingerprint, queue, tenant, workflow, job_type, died_at FROM dead_letter
                 WHERE status = 'open' AND died_at > $1 ORDER BY died_at DESC LIMIT $2) a
             UNION ALL
             SELECT * FROM (SELECT fingerprint, queue, tenant, workflow, job_type, died_at FROM dead_letter
                 WHERE status = 'requeued' AND died_at > $1 ORDER BY died_at DESC LIMIT $2) b
             UNION ALL
             SELECT * FROM (SELECT fingerprint, queue, tenant, workflow, job_type, died_at FROM dead_letter
                 WHERE status = 'archived' AND died_at > $1 ORDER BY died_at DESC LIMIT $2) c
         ) r ORDER BY r.died_at DESC LIMIT $2
     ) d GROUP BY d.fingerprint, d.queue, d.tenant, d.workflow, d.job_type",
);

// Index: webhook_delivery_age. $1 since
static DELIVERIES: Sql = Sql::new(
    "alert_deliveries",
    "SELECT d.webhook_id, d.tenant, count(*) AS received, sum(d.is_rejected) AS rejected FROM (
         SELECT webhook_id, tenant, CASE WHEN status = 'rejected' THEN 1 ELSE 0 END AS is_rejected
         FROM webhook_delivery WHERE received_at > $1 ORDER BY received_at DESC LIMIT $2
     ) d GROUP BY d.webhook_id, d.tenant",
);

// Index: schedule_due. $1 now
static LATE: Sql = Sql::new(
    "alert_late_schedules",
    "SELECT id, tenant, workflow, next_run_at FROM schedule
     WHERE next_run_at <= $1 AND next_run_at IS NOT NULL AND is_paused = 0 ORDER BY next_run_at LIMIT 1000",
);

static SLOT_BYTES: Sql = Sql::new(
    "alert_slot_bytes",
    "SELECT CAST(COALESCE(max(pg_wal_lsn_diff(
         CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, restart_lsn
     )), 0) AS bigint) AS bytes FROM pg_replication_slots",
);

/// `AlertStore::measure_alerts`.
pub(super) async fn measure(store: &SqlStore, since: Timestamp, now: Timestamp) -> StoreResult<Measured> {
    let on = store.pool().lists();
    let mut measured = Measured { recent: recent(store, since).await?, ..Measured::default() };
    for row in &DEAD.all(on, vec![since.0.into(), ROWS_MAX.into()]).await? {
        measured.dead_letters.push(new_dead_letters(Row::new("dead_letter", row))?);
    }
    for row in &DELIVERIES.all(on, vec![since.0.into(), ROWS_MAX.into()]).await? {
        let row = Row::new("webhook_delivery", row);
        // Events have no endpoint.
        let Some(id) = row.uuid_or_null("webhook_id")?.filter(|id| !id.is_nil()) else { continue };
        let id = WebhookId::from_uuid(id);
        let tenant = row.name("tenant", TenantName::trusted)?;
        measured.deliveries.push((id, tenant, count(row, "received")?, count(row, "rejected")?));
    }
    for row in &LATE.all(on, vec![now.0.into()]).await? {
        let row = Row::new("schedule", row);
        measured.late.push(LateSchedule {
            id: domain::id::ScheduleId::from_uuid(row.uuid("id")?).to_string(),
            tenant: row.name("tenant", TenantName::trusted)?,
            workflow: row.text("workflow")?,
            due_at: row.instant("next_run_at")?,
        });
    }
    measured.log_bytes = match (store.dialect(), store.sqlite_file()) {
        (Dialect::Postgres, _) => match SLOT_BYTES.first(on, vec![]).await {
            Ok(Some(row)) => Some(count(Row::new("pg_replication_slots", &row), "bytes")?),
            // A role that may not look: there is nothing to say.
            _ => None,
        },
        (Dialect::Sqlite, Some(file)) => {
            let mut log = file.as_os_str().to_owned();
            log.push("-wal");
            std::fs::metadata(log).ok().map(|of| of.len())
        }
        (Dialect::Sqlite, None) => None,
    };
    measured.disk_used = store.sqlite_file().and_then(disk_used);
    Ok(measured)
}

fn new_dead_letters(row: Row<'_>) -> StoreResult<NewDeadLetters> {
    let workflow = row.text("workflow")?;
    Ok(NewDeadLetters {
        fingerprint: row.text("fingerprint")?,
        queue: row.queue("queue")?,
        tenant: row.name("tenant", TenantName::trusted)?,
        workflow: (!workflow.is_empty()).then(|| WorkflowName::trusted(workflow)),
        job_type: row.name("job_type", JobType::trusted)?,
        letters: count(row, "letters")?,
    })
}

/// Which part of the disk of a file is used, as far as those may use it who are not root.
pub(crate) fn disk_used(file: &std::path::Path) -> Option<f64> {
    let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty())?;
    let disk = rustix::fs::statvfs(directory).ok()?;
    let (used, free) = (disk.f_blocks.saturating_sub(disk.f_bfree), disk.f_bavail);
    (used + free > 0).then(|| used as f64 / (used + free) as f64)
}

/// Jobs that ended lately, by what they are labelled with.
async fn recent(store: &SqlStore, since: Timestamp) -> StoreResult<Vec<RecentLane>> {
    let on = store.pool().lists();
    let mut all = Vec::new();
    for queue in QueueName::ALL {
        let rows = RECENT.all(on, vec![queue.code().into(), since.0.into(), ROWS_MAX.into()]).await?;
        let mut by_lane: BTreeMap<i32, (u64, u64, Vec<DurationMs>)> = BTreeMap::new();
        for row in &rows {
            let row = Row::new("job_done", row);
            let (attempts, failed, waits) = by_lane.entry(row.int("lane")?).or_default();
            let made = u64::try_from(row.long("attempts")?).unwrap_or(0);
            let is_completed = row.text("status")? == "COMPLETED";
            *attempts += made;
            *failed += made.saturating_sub(u64::from(is_completed));
            waits.push(row.instant("started_at")?.since(row.instant("queued_at")?));
        }
        let ids: Vec<LaneId> = by_lane.keys().map(|&lane| LaneId(lane)).collect();
        let keys: HashMap<LaneId, _> =
            if ids.is_empty() { HashMap::new() } else { lanes::keys(store, on, queue, &ids).await? };
        for (lane, (attempts, failed, waits)) in by_lane {
            if let Some(key) = keys.get(&LaneId(lane)) {
                all.push(RecentLane {
                    queue,
                    tier: key.tier,
                    tenant: key.tenant.clone(),
                    workflow: key.workflow.as_ref().map(|workflow| workflow.name.clone()),
                    job_type: key.job_type.clone(),
                    attempts,
                    failed,
                    waits,
                });
            }
        }
    }
    Ok(all)
}

fn count(row: Row<'_>, column: &'static str) -> StoreResult<u64> {
    Ok(u64::try_from(row.long(column)?).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use testkit::database::postgres_database;

    use super::*;
    use crate::jobs::plans::{open_empty, plan_of};
    use crate::select::Select;

    /// The newest of each status are read, however many jobs of the queue ended before, and however many died.
    async fn reads_the_newest(url: String) {
        let store = open_empty(url).await;
        let plan = plan_of(&store, Select::new("recent", &plain(&store, &RECENT))).await;
        assert_eq!(plan.matches("job_done_ended").count(), 4, "{plan}");
        let plan = plan_of(&store, Select::new("dead", &plain(&store, &DEAD))).await;
        assert_eq!(plan.matches("dead_letter_died").count(), 3, "{plan}");
    }

    /// A statement with values in the place of its parameters.
    fn plain(store: &SqlStore, sql: &Sql) -> String {
        let text = sql.text(store.dialect());
        text.replace("$1", "1").replace("$2", "0").replace("$3", "10")
    }

    #[tokio::test]
    async fn i06_the_newest_ends_are_read_by_the_index_on_postgres() {
        reads_the_newest(postgres_database().await).await;
    }

    #[tokio::test]
    async fn i06_the_newest_ends_are_read_by_the_index_on_sqlite() {
        reads_the_newest("sqlite::memory:".to_owned()).await;
    }
}
