//! One execution with its history, copied to a SQLite file of its own: to look at it, or to go on with it, elsewhere.

use std::path::Path;

use domain::id::ExecutionId;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Row as _};
use store::StoreResult;
use uuid::Uuid;

use super::State;
use super::end::{End, failed, place, refused};
use super::offline::{MoveEnd, MoveReport, MovedTable};
use super::plan::{self, Table};
use super::read::Reading;
use super::value::RowsDigest;
use crate::connect::sqlite_options;
use crate::options::Synchronous;
use crate::schema_name::Database;
use crate::store::lock;

/// The most executions below one that are copied with it.
const EXECUTIONS_MAX: usize = 10_000;

/// The most jobs that are copied.
const JOBS_MAX: usize = 200_000;

/// Copies an execution, the ones below it, their jobs, attempts, log lines, dead letters, results, events and definitions to a
/// new SQLite file. The source is read as it is at one instant and stays as it is; it may be in use. All queues are paused in the
/// copy, because what runs in the source would run there as well.
pub async fn copy_execution(
    from: &MoveEnd,
    to: &MoveEnd,
    execution: ExecutionId,
    id: Uuid,
) -> StoreResult<MoveReport> {
    let (source_at, target_at) = (from.database()?, to.database()?);
    let Database::SqliteFile(path) = &target_at else {
        return Err(refused("an execution is copied to a new SQLite file: --to sqlite://path/file.db"));
    };
    let is_left = path.exists();
    if is_left && !is_left_behind(path, &place(&source_at)).await {
        return Err(refused(format!("{} is there already: name a new file", path.display())));
    }
    let mut source = End::open(&source_at, false).await?;
    source.begin_reading().await?;
    let rows = Rows::of(&mut source, execution).await?;
    let _lock = lock(path)?;
    if is_left {
        remove(path);
    }
    let copied = copy(&mut source, &target_at, &rows, (&place(&source_at), id)).await;
    source.close().await;
    match copied {
        Ok(tables) => Ok(MoveReport { id, from: place(&source_at), to: place(&target_at), tables }),
        Err(error) => {
            remove(path);
            Err(error)
        }
    }
}

async fn copy(
    source: &mut End,
    target_at: &Database,
    rows: &Rows,
    (from, id): (&str, Uuid),
) -> StoreResult<Vec<MovedTable>> {
    if let Database::SqliteFile(path) = target_at {
        let options = SqliteConnectOptions::new().filename(path);
        drop(crate::migrate::sqlite(sqlite_options(options, Synchronous::Full)).await?);
    }
    let mut target = End::open(target_at, false).await?;
    if source.migrations().await? != target.migrations().await? {
        return Err(refused("the schema of the source is not the one of this version"));
    }
    target.stand(&State::Receiving, id, from).await?;
    target.run("UPDATE queue_claim SET mode = 'paused'").await?;
    let mut copied = Vec::new();
    for table in plan::tables(source, &mut target).await? {
        let Some(condition) = rows.condition(table.name) else {
            continue;
        };
        let digest = copy_rows(source, &mut target, &table, condition).await?;
        copied.push(MovedTable {
            name: table.name,
            rows: digest.rows,
            digest: format!("{:032x}", digest.sum),
        });
    }
    target.stand(&State::Serving, id, from).await?;
    target.run("PRAGMA wal_checkpoint(TRUNCATE)").await?;
    target.close().await;
    Ok(copied)
}

async fn copy_rows(
    source: &mut End,
    target: &mut End,
    table: &Table,
    condition: String,
) -> StoreResult<RowsDigest> {
    let (mut digest, mut reading) = (RowsDigest::default(), Reading::of(condition));
    loop {
        let rows = source.piece(table, &table.source, &mut reading).await?;
        if rows.is_empty() {
            return Ok(digest);
        }
        for row in &rows {
            digest.add(row);
        }
        target.insert(table, &rows).await?;
    }
}

/// Whether a file is what a copy from the same source, which was killed, left behind. It may be somebody else's: it is only read.
async fn is_left_behind(path: &Path, from: &str) -> bool {
    let options = SqliteConnectOptions::new().filename(path).read_only(true);
    let Ok(mut connection) = options.connect().await else {
        return false;
    };
    let text = "SELECT count(*) FROM store_state WHERE id = 1 AND state = ?1 AND other = ?2";
    let query = sqlx::query_scalar::<_, i64>(text).bind(State::Receiving.text()).bind(from);
    let found = query.fetch_one(&mut connection).await;
    let _ = connection.close().await;
    found.is_ok_and(|count| count == 1)
}

/// What a copy that failed left behind.
fn remove(path: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(suffix);
        // There only where it came to that.
        let _ = std::fs::remove_file(file);
    }
}

/// Which rows belong to an execution, as lists of literals.
struct Rows {
    executions: String,
    jobs: String,
    dead_letters: String,
}

impl Rows {
    async fn of(source: &mut End, execution: ExecutionId) -> StoreResult<Self> {
        let tree = format!(
            "WITH RECURSIVE tree(id) AS (SELECT id FROM execution WHERE id = {}
               UNION SELECT e.id FROM execution e JOIN tree t ON e.parent_id = t.id)
             SELECT id FROM tree LIMIT {}",
            literal(source, execution.uuid()),
            EXECUTIONS_MAX + 1
        );
        let executions = ids(source, &tree).await?;
        if executions.is_empty() {
            return Err(refused(format!("there is no execution {execution}")));
        }
        if executions.len() > EXECUTIONS_MAX {
            return Err(refused(format!("{execution} has more than {EXECUTIONS_MAX} executions below it")));
        }
        let executions = literals(source, &executions);
        let jobs = format!(
            "SELECT id FROM job WHERE execution_id IN ({executions})
             UNION SELECT id FROM job_done WHERE execution_id IN ({executions})
             UNION SELECT job_id FROM execution WHERE id IN ({executions}) LIMIT {}",
            JOBS_MAX + 1
        );
        let jobs = ids(source, &jobs).await?;
        if jobs.len() > JOBS_MAX {
            return Err(refused(format!("{execution} has more than {JOBS_MAX} jobs")));
        }
        let jobs = literals(source, &jobs);
        let dead = format!("SELECT id FROM dead_letter WHERE job_id IN ({jobs})");
        let dead = ids(source, &dead).await?;
        let dead_letters = literals(source, &dead);
        Ok(Self { executions, jobs, dead_letters })
    }

    /// The rows of a table that are copied; nothing where none of them belongs to an execution.
    fn condition(&self, table: &str) -> Option<String> {
        let Self { executions, jobs, dead_letters } = self;
        Some(match table {
            "execution" => format!("id IN ({executions})"),
            "event_wait" | "execution_event" | "inbox" | "node_result" | "user_task" => {
                format!("execution_id IN ({executions})")
            }
            "job" | "job_done" => format!("id IN ({jobs})"),
            "attempt" | "dead_letter" | "job_log" | "job_log_attempt" => format!("job_id IN ({jobs})"),
            "payload" if dead_letters.is_empty() => format!("id IN ({jobs})"),
            "payload" => format!("id IN ({jobs}, {dead_letters})"),
            "lane" => format!(
                "id IN (SELECT lane FROM job WHERE id IN ({jobs}) UNION SELECT lane FROM job_done WHERE id IN ({jobs}))"
            ),
            "workflow" | "workflow_source" => format!(
                "EXISTS (SELECT 1 FROM execution e WHERE e.id IN ({executions}) AND e.workflow_owner = {table}.owner
                 AND e.workflow = {table}.name AND e.version = {table}.version)"
            ),
            // Sealed, as they are: whoever has the keys of the settings reads the copy.
            "payload_key" => format!("tenant IN (SELECT tenant FROM execution WHERE id IN ({executions}))"),
            "tenant" => format!("name IN (SELECT tenant FROM execution WHERE id IN ({executions}))"),
            _ => return None,
        })
    }
}

/// An id as it stands in statements.
fn literal(end: &End, id: Uuid) -> String {
    if end.is_postgres() { format!("'{id}'::uuid") } else { format!("x'{}'", id.simple()) }
}

fn literals(end: &End, ids: &[Uuid]) -> String {
    ids.iter().map(|&id| literal(end, id)).collect::<Vec<_>>().join(", ")
}

async fn ids(end: &mut End, text: &str) -> StoreResult<Vec<Uuid>> {
    let text = sqlx::AssertSqlSafe(text.to_owned());
    let read: Result<Vec<Uuid>, sqlx::Error> = match end {
        End::Postgres(connection) => {
            let rows =
                sqlx::query(text).persistent(false).fetch_all(connection.as_mut()).await.map_err(failed)?;
            rows.iter().map(|row| row.try_get(0)).collect()
        }
        End::Sqlite(connection) => {
            let rows =
                sqlx::query(text).persistent(false).fetch_all(connection.as_mut()).await.map_err(failed)?;
            rows.iter().map(|row| row.try_get(0)).collect()
        }
    };
    read.map_err(failed)
}
