//! Care for the file of SQLite: free space is given back in small steps, and the log is emptied where it has outgrown
//! its bound. Nothing on PostgreSQL, whose own vacuum does both.

use std::path::Path;

use domain::sqlite_maintenance::{FileBounds, FileFigures};
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::operations::{FileReport, LogState};

use crate::SqlStore;
use crate::errors::classify;
use crate::rows::Row;
use crate::sql::Sql;

static FREE_PAGES: Sql = Sql::new("free_pages", "SELECT freelist_count AS free FROM pragma_freelist_count");

static PAGES: Sql = Sql::new("pages", "SELECT page_count AS pages FROM pragma_page_count");

// Copies what it can without waiting for anybody. `pages` is the length of the log, `copied` how much of it is in the
// file by now: less where a reader looks at an older state.
static COPY_LOG: Sql = Sql::new("copy_log", "PRAGMA wal_checkpoint(PASSIVE)");

static EMPTY_LOG: Sql = Sql::new("empty_log", "PRAGMA wal_checkpoint(TRUNCATE)");

/// How long the emptying waits for readers that are at the end of the log, in milliseconds. Nobody writes meanwhile.
const EMPTY_LOG_WAIT: &str = "PRAGMA busy_timeout = 200";

/// One step. `None` on PostgreSQL.
pub(super) async fn tend(store: &SqlStore, bounds: &FileBounds) -> StoreResult<Option<FileReport>> {
    if store.is_postgres() {
        return Ok(None);
    }
    let figures = figures(store).await?;
    let care = figures.care(bounds);
    if care.pages_to_free > 0 {
        let vacuum = format!("PRAGMA incremental_vacuum({})", care.pages_to_free);
        let vacuumed = store.pool().write().execute_unprepared(&vacuum).await;
        vacuumed.map_err(|error| classify("incremental_vacuum", error))?;
    }
    let log = if care.empties_log { empty_log(store).await? } else { LogState::Within };
    Ok(Some(FileReport { figures, pages_freed: care.pages_to_free, has_more: care.has_more, log }))
}

async fn figures(store: &SqlStore) -> StoreResult<FileFigures> {
    let count = |row: Option<sea_orm::QueryResult>, column| {
        let count = row.map(|row| Row::new("pragma", &row).long(column)).transpose()?;
        Ok::<u64, store::StoreError>(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
    };
    let on = store.pool().read();
    Ok(FileFigures {
        pages: count(PAGES.first(on, vec![]).await?, "pages")?,
        free_pages: count(FREE_PAGES.first(on, vec![]).await?, "free")?,
        log_bytes: store.sqlite_file().map_or(0, log_bytes),
    })
}

/// The length of the log beside a file.
fn log_bytes(path: &Path) -> u64 {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    std::fs::metadata(name).map_or(0, |metadata| metadata.len())
}

/// On the writing connection, so that nobody else writes meanwhile. It waits for no reader that is in the middle of the
/// log: that one may stay long, and would hold up every write.
async fn empty_log(store: &SqlStore) -> StoreResult<LogState> {
    let on = store.pool().write();
    if !is_done(&COPY_LOG, on).await? {
        return Ok(LogState::Held);
    }
    let set = async |text: String| {
        on.execute_unprepared(&text).await.map_err(|error| classify("busy_timeout", error))
    };
    set(EMPTY_LOG_WAIT.to_owned()).await?;
    let emptied = is_done(&EMPTY_LOG, on).await;
    set(format!("PRAGMA busy_timeout = {}", crate::connect::SQLITE_BUSY_TIMEOUT.as_millis())).await?;
    Ok(if emptied? { LogState::Emptied } else { LogState::Held })
}

/// Whether a checkpoint got through the whole log.
async fn is_done<C: ConnectionTrait>(checkpoint: &Sql, on: &C) -> StoreResult<bool> {
    let Some(row) = checkpoint.first(on, vec![]).await? else {
        return Ok(false);
    };
    let row = Row::new("wal_checkpoint", &row);
    Ok(row.long("busy")? == 0 && row.long("log")? == row.long("checkpointed")?)
}
