//! A copy of a SQLite database, made while others write: `VACUUM INTO` reads one state of it from beginning to end.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use sea_orm::ConnectionTrait as _;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Row as _};
use store::{StoreError, StoreResult};

use crate::SqlStore;
use crate::connect::SQLITE_BUSY_TIMEOUT;
use crate::errors::{classify, classify_sqlx};
use crate::lock_file::unavailable;

/// Copies the database into a new file.
pub(super) async fn copy(store: &SqlStore, into: &Path) -> StoreResult<u64> {
    let Some(name) = into.to_str() else {
        return Err(refused("the name of the copy must be UTF-8"));
    };
    if store.is_postgres() {
        return Err(refused("a PostgreSQL database is copied by its own tools: see docs/operations.md"));
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
