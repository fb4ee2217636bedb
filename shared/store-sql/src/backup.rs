//! Copies of the database, and a look at one that was restored.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use domain::id::{ExecutionId, JobId, LeaseToken};
use domain::names::{JobType, TenantName, WorkerId};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait as _, QueryResult};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Row as _};
use store::backup::{BackupStore, HeldLease};
use store::jobs::LeaseRef;
use store::{StoreError, StoreResult};

use crate::SqlStore;
use crate::connect::SQLITE_BUSY_TIMEOUT;
use crate::errors::{classify, classify_sqlx};
use crate::options::unavailable;
use crate::pool::Pool;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

// A copy of a SQLite database, made while others write: `VACUUM INTO` reads one state of it from beginning to end.

/// Copies the database into a new file.
async fn copy(store: &SqlStore, into: &Path) -> StoreResult<u64> {
    let Some(name) = into.to_str() else {
        return Err(refused("the name of the copy must be UTF-8"));
    };
    if store.is_postgres() {
        return Err(refused("a PostgreSQL database is copied by its own tools: see docs/backup.md"));
    }
    // Made here, so that nobody else can read it at any time; SQLite fills an empty file.
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(into).map_err(unavailable)?;
    let copied = copy_to(store, into, name).await;
    if copied.is_err() {
        let _ = std::fs::remove_file(into);
    }
    copied
}

async fn copy_to(store: &SqlStore, into: &Path, name: &str) -> StoreResult<u64> {
    if let Some(file) = store.sqlite_file() {
        // A connection of its own: the copy of a large file takes longer than a statement may.
        let options = SqliteConnectOptions::new().filename(file).busy_timeout(SQLITE_BUSY_TIMEOUT);
        let mut connection = options.connect().await.map_err(of_copy)?;
        let copied = sqlx::query("VACUUM INTO ?").bind(name).execute(&mut connection).await;
        let _ = connection.close().await;
        copied.map_err(of_copy)?;
    } else {
        // A database in memory has one connection.
        let text = format!("VACUUM INTO '{}'", name.replace('\'', "''"));
        let copied = store.pool().write().execute_unprepared(&text).await;
        copied.map_err(|error| classify("back_up", error))?;
    }
    examine(into).await?;
    let into = into.to_owned();
    let flushed = tokio::task::spawn_blocking(move || flush(&into)).await;
    flushed.unwrap_or_else(|error| Err(io::Error::other(error))).map_err(unavailable)
}

/// Reads the copy once: what cannot be read is no backup.
async fn examine(copy: &Path) -> StoreResult<()> {
    let options = SqliteConnectOptions::new().filename(copy).read_only(true);
    let mut connection = options.connect().await.map_err(of_copy)?;
    let found = sqlx::query("PRAGMA quick_check(1)").fetch_one(&mut connection).await;
    let _ = connection.close().await;
    let found: String = found.and_then(|row| row.try_get(0)).map_err(of_copy)?;
    if found == "ok" { Ok(()) } else { Err(refused(&found)) }
}

/// Waits until the copy and its name are on the disk. Answers its length.
fn flush(copy: &Path) -> io::Result<u64> {
    let file = File::open(copy)?;
    file.sync_all()?;
    let directory = copy.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(directory.unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(file.metadata()?.len())
}

fn of_copy(error: sqlx::Error) -> StoreError {
    classify_sqlx("back_up", error)
}

fn refused(reason: &str) -> StoreError {
    StoreError::Refused { statement: "back_up", source: reason.into() }
}

// What is looked at in a database that was restored.

// Processes write down their pools every few seconds, so that this is seldom far from the end.
static LAST: Sql = Sql::new(
    "last_written",
    "SELECT max(seen.at) AS at FROM (
       SELECT max(last_seen_at) AS at FROM worker
       UNION ALL SELECT max(at) FROM audit
       UNION ALL SELECT max(created_at) FROM job
       UNION ALL SELECT max(created_at) FROM execution) seen",
);

/// The latest instant that is written anywhere of interest.
async fn last_written(pool: &Pool) -> StoreResult<Option<Timestamp>> {
    let row = LAST.first(pool.lists(), vec![]).await?;
    Ok(row.map(|row| Row::new("worker", &row).instant_or_null("at")).transpose()?.flatten())
}

/// Leases by the ids of their jobs.
async fn leases(pool: &Pool, after: Option<JobId>, limit: u32) -> StoreResult<Vec<HeldLease>> {
    let mut select = Select::new(
        "held_leases",
        "SELECT j.id, j.lease_token, j.queue, l.tenant, l.job_type, j.worker_id, j.execution_id, j.started_at, j.lease_until
         FROM job j JOIN lane l ON l.id = j.lane WHERE j.state = 'processing'",
    );
    select.with_some("AND j.id > $?", after.map(JobId::uuid));
    select.with("ORDER BY j.id LIMIT $?", i64::from(limit));
    select.all(pool.lists()).await?.iter().map(lease_of).collect()
}

fn lease_of(row: &QueryResult) -> StoreResult<HeldLease> {
    let row = Row::new("job", row);
    Ok(HeldLease {
        lease: LeaseRef {
            id: JobId::from_uuid(row.uuid("id")?),
            token: LeaseToken(row.uuid("lease_token")?),
        },
        queue: row.queue("queue")?,
        tenant: row.name("tenant", TenantName::trusted)?,
        job_type: row.name("job_type", JobType::trusted)?,
        worker_id: row.name("worker_id", WorkerId::trusted)?,
        execution_id: row.uuid_or_null("execution_id")?.map(ExecutionId::from_uuid),
        started_at: row.instant_or_null("started_at")?,
        lease_until: row.instant("lease_until")?,
    })
}

// The port's operations on copies.

#[async_trait]
impl BackupStore for SqlStore {
    fn backup_directory(&self) -> Option<PathBuf> {
        if self.is_postgres() {
            return None;
        }
        let parent = self.sqlite_file().map(|file| file.parent().unwrap_or(Path::new("")).to_owned());
        Some(match parent {
            Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
            Some(parent) => parent,
            None => std::env::temp_dir(),
        })
    }

    async fn back_up(&self, into: &Path) -> StoreResult<u64> {
        // Not repeated: it takes long, and whoever asked can ask again.
        copy(self, into).await
    }

    async fn last_written(&self) -> StoreResult<Option<Timestamp>> {
        with_retry(RetryBudget::repeatable(), || last_written(self.pool())).await
    }

    async fn held_leases(&self, after: Option<JobId>, limit: u32) -> StoreResult<Vec<HeldLease>> {
        with_retry(RetryBudget::repeatable(), || leases(self.pool(), after, limit)).await
    }
}
