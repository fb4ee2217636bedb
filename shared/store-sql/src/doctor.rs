//! What a database says of itself: its schema, who keeps dead rows, what is dead, what nobody takes up.

use async_trait::async_trait;
use domain::doctor::{
    DatabaseFacts, DoctorPolicy, OldSnapshot, OverdueLease, PoolerFacts, SchemaFacts, StuckExecution,
    TableBloat,
};
use domain::id::{ExecutionId, JobId};
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;
use store::operations::DoctorStore;

use crate::SqlStore;
use crate::alerts::disk_used;
use crate::dialect::Dialect;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::schema_name::Database;
use crate::schema_state::SchemaState;
use crate::sql::Sql;

/// How many of a kind are listed.
const LISTED_MAX: i64 = 20;

// PostgreSQL only. A role that may not see others' sessions sees its own. One that has written and waits has no snapshot between its
// statements, but a number, which keeps as much: also in another database, since each snapshot of this one reaches back to the
// oldest number of the server. Snapshots of other databases keep nothing here, nor do those of vacuums. An autovacuum worker
// that analyzes is like any other session. $1 how many
static SNAPSHOTS: Sql = Sql::new(
    "old_snapshots",
    "SELECT s.pid, s.age_ms, s.application FROM (
       SELECT CAST(a.pid AS bigint) AS pid, a.application_name AS application,
         (extract(epoch FROM clock_timestamp() - a.xact_start) * 1000)::bigint AS age_ms
       FROM pg_stat_activity a
       WHERE (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL) AND a.xact_start IS NOT NULL
         AND a.pid <> pg_backend_pid()
         AND (a.backend_xid IS NOT NULL OR a.datid IS NULL
              OR a.datid = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
         AND NOT EXISTS (SELECT 1 FROM pg_stat_progress_vacuum v WHERE v.pid = a.pid)
         AND (a.backend_type IS DISTINCT FROM 'autovacuum worker'
              OR EXISTS (SELECT 1 FROM pg_stat_progress_analyze p WHERE p.pid = a.pid))
       UNION ALL
       SELECT 0::bigint, 'prepared transaction ' || p.gid,
         (extract(epoch FROM clock_timestamp() - p.prepared) * 1000)::bigint
       FROM pg_prepared_xacts p) s
     ORDER BY s.age_ms DESC LIMIT $1",
);

// PostgreSQL only. $1 how many
static DEAD_ROWS: Sql = Sql::new(
    "dead_rows",
    "SELECT CAST(t.relname AS text) AS relname, t.n_live_tup AS live, t.n_dead_tup AS dead
     FROM pg_stat_user_tables t WHERE t.schemaname = current_schema() AND t.n_dead_tup > 0
     ORDER BY t.n_dead_tup DESC LIMIT $1",
);

// SQLite only.
static FREE_PAGES: Sql = Sql::new(
    "free_and_used_pages",
    "SELECT f.freelist_count AS dead, p.page_count - f.freelist_count AS live
     FROM pragma_freelist_count f, pragma_page_count p",
);

// Index: job_leased: `reap_at` is never after the end of the lease. $1 before, $2 how many
static LEASES: Sql = Sql::new(
    "overdue_leases",
    "SELECT j.id, j.lease_until FROM job j
     WHERE j.queue IN (0, 1, 2, 3) AND j.state = 'processing' AND j.reap_at < $1 AND j.lease_until < $1
     ORDER BY j.lease_until LIMIT $2",
);

// Parked although the clock was to take them up. Index: job_parked. $1 before, $2 how many
static DUE: Sql = Sql::new(
    "overdue_parked",
    "SELECT j.execution_id AS id, j.run_at AS since FROM job j
     WHERE j.state = 'waiting' AND j.run_at < $1 AND j.execution_id IS NOT NULL ORDER BY j.run_at LIMIT $2",
);

// Parked although something is in the inbox. Index: inbox_pending, job_execution. $1 before, $2 how many
static INBOX: Sql = Sql::new(
    "parked_with_inbox",
    "SELECT i.execution_id AS id, min(i.created_at) AS since FROM inbox i
     WHERE i.status = 'pending' AND i.created_at < $1
       AND EXISTS (SELECT 1 FROM job j WHERE j.execution_id = i.execution_id AND j.node_id IS NULL
                   AND j.state || '' = 'waiting')
     GROUP BY i.execution_id ORDER BY min(i.created_at) LIMIT $2",
);

// Under way without a job of its own: nobody can ever take it up. Index: execution_open. $1 before, $2 how many
static NO_JOB: Sql = Sql::new(
    "executions_without_job",
    "SELECT e.id, e.created_at AS since FROM execution e
     WHERE e.completed_at IS NULL AND e.created_at < $1 AND NOT EXISTS (SELECT 1 FROM job j WHERE j.id = e.job_id)
     ORDER BY e.created_at LIMIT $2",
);

static SEALED_WITH: Sql = Sql::new(
    "sealing_keys_in_use",
    "SELECT DISTINCT key_id FROM webhook_secret
     UNION SELECT DISTINCT key_id FROM tenant_secret WHERE key_id IS NOT NULL
     UNION SELECT DISTINCT key_id FROM payload_key WHERE key_id <> ''
     UNION SELECT DISTINCT key_id FROM alert_spec WHERE key_id IS NOT NULL
     ORDER BY key_id",
);

#[async_trait]
impl DoctorStore for SqlStore {
    async fn diagnose(&self, policy: &DoctorPolicy, now: Timestamp) -> StoreResult<DatabaseFacts> {
        with_retry(RetryBudget::repeatable(), || async {
            Ok(DatabaseFacts {
                schema: schema(self).await?,
                pooler: self.pooler_facts(),
                snapshots: snapshots(self).await?,
                bloat: bloat(self).await?,
                leases: leases(self, policy, now).await?,
                stuck: stuck(self, policy, now).await?,
                disk_used: self.sqlite_file().and_then(disk_used),
            })
        })
        .await
    }

    async fn sealing_keys_in_use(&self) -> StoreResult<Vec<String>> {
        let rows = SEALED_WITH.all(self.pool().lists(), vec![]).await?;
        rows.iter().map(|row| Row::new("webhook_secret", row).text("key_id")).collect()
    }
}

impl SqlStore {
    fn pooler_facts(&self) -> PoolerFacts {
        match self.database() {
            Database::Postgres { is_shared: true, .. } => {
                PoolerFacts::Transaction { is_notified: self.direct_options().is_some() }
            }
            Database::Postgres { .. } => PoolerFacts::Session,
            _ => PoolerFacts::File,
        }
    }
}

async fn schema(store: &SqlStore) -> StoreResult<SchemaFacts> {
    Ok(match store.schema_state().await? {
        SchemaState::Current => SchemaFacts::Current,
        SchemaState::Absent => SchemaFacts::Absent,
        SchemaState::Behind(pending) => SchemaFacts::Behind(pending),
        SchemaState::Later(later) => SchemaFacts::Later(later),
        SchemaState::Newer(newer) => SchemaFacts::Newer(newer),
    })
}

async fn snapshots(store: &SqlStore) -> StoreResult<Option<Vec<OldSnapshot>>> {
    if store.dialect() == Dialect::Sqlite {
        return Ok(None);
    }
    let rows = SNAPSHOTS.all(store.pool().lists(), vec![LISTED_MAX.into()]).await?;
    let read = rows.iter().map(|row| {
        let row = Row::new("pg_stat_activity", row);
        Ok(OldSnapshot {
            pid: row.long("pid")?,
            age: DurationMs(row.long("age_ms")?),
            application: row.text_or_null("application")?.unwrap_or_default(),
        })
    });
    read.collect::<StoreResult<_>>().map(Some)
}

async fn bloat(store: &SqlStore) -> StoreResult<Vec<TableBloat>> {
    let on = store.pool().lists();
    let rows = match store.dialect() {
        Dialect::Postgres => DEAD_ROWS.all(on, vec![LISTED_MAX.into()]).await?,
        Dialect::Sqlite => FREE_PAGES.all(on, vec![]).await?,
    };
    let read = rows.iter().map(|row| {
        let row = Row::new("pg_stat_user_tables", row);
        let count = |column| row.long(column).map(|count| u64::try_from(count).unwrap_or(0));
        let table = match store.dialect() {
            Dialect::Postgres => row.text("relname")?,
            Dialect::Sqlite => "the file".to_owned(),
        };
        Ok(TableBloat { table, live: count("live")?, dead: count("dead")? })
    });
    read.collect()
}

async fn leases(store: &SqlStore, policy: &DoctorPolicy, now: Timestamp) -> StoreResult<Vec<OverdueLease>> {
    let before = now.minus(policy.lease_overdue);
    let rows = LEASES.all(store.pool().lists(), vec![before.0.into(), LISTED_MAX.into()]).await?;
    let read = rows.iter().map(|row| {
        let row = Row::new("job", row);
        let job = JobId::from_uuid(row.uuid("id")?).to_string();
        Ok(OverdueLease { job, expired: now.since(row.instant("lease_until")?) })
    });
    read.collect()
}

async fn stuck(store: &SqlStore, policy: &DoctorPolicy, now: Timestamp) -> StoreResult<Vec<StuckExecution>> {
    let before = now.minus(policy.parked_overdue);
    let mut stuck = Vec::new();
    for (sql, why) in [(&DUE, "due"), (&INBOX, "inbox"), (&NO_JOB, "no_job")] {
        for row in &sql.all(store.pool().lists(), vec![before.0.into(), LISTED_MAX.into()]).await? {
            let row = Row::new("execution", row);
            let execution = ExecutionId::from_uuid(row.uuid("id")?).to_string();
            stuck.push(StuckExecution { execution, since: now.since(row.instant("since")?), why });
        }
    }
    Ok(stuck)
}

#[cfg(test)]
mod tests {
    use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};
    use testkit::database::postgres_database;

    use super::*;
    use crate::jobs::plans::open_empty;

    /// More than there are sessions: those of other tests may be older.
    const ALL: i64 = 10_000;

    async fn connect(url: &str) -> (PgConnection, i32) {
        let mut session = PgConnection::connect(url).await.expect("the server answers");
        let row = session.fetch_one("SELECT pg_backend_pid() AS pid").await.expect("it has a process");
        let pid = row.get("pid");
        (session, pid)
    }

    async fn is_found(store: &SqlStore, pid: i32) -> bool {
        let found = SNAPSHOTS.all(store.pool().lists(), vec![ALL.into()]).await.expect("a look works");
        found.iter().any(|row| {
            Row::new("pg_stat_activity", row).long("pid").is_ok_and(|found| found == i64::from(pid))
        })
    }

    #[tokio::test]
    async fn a_transaction_that_has_written_and_waits_is_found_on_postgres() {
        let url = postgres_database().await;
        let store = open_empty(url.clone()).await;
        let (mut idle, pid) = connect(&url).await;
        idle.execute("BEGIN").await.expect("it begins");
        idle.execute("SELECT txid_current()").await.expect("it has a number");
        assert!(is_found(&store, pid).await, "its snapshot is gone, and dead rows are kept for its number");
    }

    #[tokio::test]
    async fn a_reader_of_another_database_is_not_found_and_a_writer_is_on_postgres() {
        let (url, other) = (postgres_database().await, postgres_database().await);
        let store = open_empty(url.clone()).await;
        let ((mut own, own_pid), (mut foreign, foreign_pid)) = (connect(&url).await, connect(&other).await);
        for session in [&mut own, &mut foreign] {
            let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1";
            session.execute(begin).await.expect("it has a snapshot");
        }
        assert!(is_found(&store, own_pid).await);
        assert!(!is_found(&store, foreign_pid).await, "its snapshot keeps no row of this database");
        foreign.execute("SELECT txid_current()").await.expect("it has a number");
        assert!(is_found(&store, foreign_pid).await, "snapshots of this database reach back to its number");
    }

    #[tokio::test]
    async fn a_vacuum_is_not_found_on_postgres() {
        let url = postgres_database().await;
        let store = open_empty(url.clone()).await;
        let (mut vacuum, pid) = connect(&url).await;
        // One that waits after each page, until it is ended below.
        for statement in [
            "CREATE TABLE slow WITH (autovacuum_enabled = false) AS SELECT n FROM generate_series(1, 100000) n",
            "SET vacuum_cost_delay = 100",
            "SET vacuum_cost_limit = 1",
        ] {
            vacuum.execute(statement).await.expect("it is prepared");
        }
        let vacuuming = tokio::spawn(async move { vacuum.execute("VACUUM slow").await.map(drop) });
        let watcher = tokio::sync::Mutex::new(connect(&url).await.0);
        testkit::eventually("the vacuum is under way", || async {
            let running =
                "SELECT count(*) FROM pg_stat_progress_vacuum v JOIN pg_stat_activity a ON a.pid = v.pid
                WHERE v.pid = $1 AND a.backend_xmin IS NOT NULL";
            let running = sqlx::query_scalar::<_, i64>(running).bind(pid);
            running.fetch_one(&mut *watcher.lock().await).await.expect("a look works") == 1
        })
        .await;
        assert!(!is_found(&store, pid).await, "its snapshot keeps no row");
        let end = sqlx::query("SELECT pg_terminate_backend($1)").bind(pid);
        end.execute(&mut *watcher.lock().await).await.expect("it is ended");
        assert!(vacuuming.await.expect("it ran").is_err(), "it was under way until now");
    }
}
