//! A move of a SQLite file that its server uses meanwhile.
//!
//! Tables are copied one after the other, each as it is at one instant, while triggers write down what changes. Then what
//! has changed is copied again, round by round, until little is left. The server stops its work for the last round only.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::end::{End, place, refused};
use super::offline::{
    MoveEnd, MoveReport, MoveStep, MovedTable, Names, Observer, copy_table, make_ready, open_target,
};
use super::plan::{self, Table};
use super::{State, capture};
use crate::options::LockFile;
use crate::schema_name::Database;
use crate::store::SqlStore;

/// So few changed rows are left for the last round, unless more come all the time.
const LEFT_MAX: usize = 1_000;

/// The most rounds before the last one.
const ROUNDS_MAX: usize = 20;

/// How many keys one statement removes.
const KEYS_AT_ONCE: usize = 1_000;

/// The longest that work stands still for the last round. Beyond it the move is given up, and work goes on at the source.
const LAST_ROUND_MAX: Duration = Duration::from_mins(1);

/// How long a connection may take to end, or the target to say that it is in use.
const CLOSE_WITHIN: Duration = Duration::from_secs(5);

/// How long it is tried again to let the target say that it is in use.
const SERVING_WITHIN: Duration = Duration::from_secs(30);

/// How long after a failure that is tried again.
const SERVING_AGAIN: Duration = Duration::from_millis(500);

/// A move under way. Dropped before it has finished, it leaves the source in use; [`LiveMove::abort`] also cleans up.
pub struct LiveMove {
    id: Uuid,
    names: Names,
    source: End,
    target: End,
    target_at: Database,
    tables: Vec<(Table, Vec<usize>)>,
    /// Rows of the source when the move began.
    rows: u64,
    /// What was written down up to here is in the target.
    until: i64,
    moved: Vec<MovedTable>,
    /// Nobody else opens the file until it is fenced.
    lock: Option<Arc<LockFile>>,
}

impl fmt::Debug for LiveMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveMove").field("id", &self.id).field("to", &self.names.to).finish_non_exhaustive()
    }
}

impl SqlStore {
    /// Whether the store can be moved while it is used: a SQLite file, which one process has to itself.
    pub fn can_be_moved_in_use(&self) -> bool {
        self.sqlite_file().is_some()
    }

    /// Begins to move this SQLite file to an empty PostgreSQL database, while it is used.
    pub async fn begin_move(&self, to: &MoveEnd, id: Uuid) -> StoreResult<LiveMove> {
        if !self.can_be_moved_in_use() {
            return Err(refused(
                "only a server on a SQLite file moves it while it runs: stop all servers, and run `trunkline move \
                 --database-url … --to …`",
            ));
        }
        let target_at = to.database()?;
        let names = Names { from: place(self.database()), to: place(&target_at) };
        let mut source = End::open(self.database(), false).await?;
        let mut target = open_target(&target_at, &names).await?;
        if !target.is_postgres() {
            return Err(refused("a server that runs moves its SQLite file to PostgreSQL only"));
        }
        target.stand(&State::Receiving, id, &names.from).await?;
        plan::clear(&mut target).await?;
        let (mut tables, mut rows) = (Vec::new(), 0);
        for table in plan::tables(&mut source, &mut target).await? {
            let key = capture::key_of(&mut source, &table).await?;
            rows += count(&mut source, &table).await?;
            tables.push((table, key));
        }
        capture::begin(&mut source, &tables).await?;
        Ok(LiveMove {
            id,
            names,
            source,
            target,
            target_at,
            tables,
            rows,
            until: 0,
            moved: Vec::new(),
            lock: self.lock(),
        })
    }

    /// Removes what a move that broke off has left in this file. A server calls it when it starts.
    pub async fn end_broken_move(&self) -> StoreResult<()> {
        if self.sqlite_file().is_none() {
            return Ok(());
        }
        let mut source = End::open(self.database(), false).await?;
        let ended = async {
            // The lock first: a move that was cut off may be about to commit what it has begun.
            source.run("BEGIN IMMEDIATE").await?;
            let is_left = source.has_table("changed_row").await?;
            if is_left {
                capture::remove(&mut source).await?;
            }
            source.run("COMMIT").await?;
            if is_left {
                tracing::warn!("an interrupted move of this database was rolled back");
            }
            Ok(())
        };
        let ended = ended.await;
        source.close().await;
        ended
    }
}

impl LiveMove {
    /// The database that is moved to, without credentials.
    pub fn to(&self) -> &str {
        &self.names.to
    }

    /// How many rows the source had when the move began.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Copies everything, and then what changed meanwhile until little is left of it. The store goes on meanwhile.
    pub async fn copy(&mut self, observe: Observer<'_>) -> StoreResult<()> {
        observe(MoveStep::Begun);
        // What was changed before a table was read is copied once more, which does no harm.
        self.until = capture::last(&mut self.source).await?;
        for (table, _) in &self.tables {
            self.source.begin_reading().await?;
            let digest = copy_table(&mut self.source, &mut self.target, table, observe).await?;
            self.source.run("COMMIT").await?;
            observe(MoveStep::Copied { table: table.name, rows: digest.rows });
            let digest_text = format!("{:032x}", digest.sum);
            self.moved.push(MovedTable { name: table.name, rows: digest.rows, digest: digest_text });
        }
        make_ready(&mut self.target).await?;
        for _ in 0..ROUNDS_MAX {
            self.source.begin_reading().await?;
            let rows = self.round().await?;
            self.source.run("COMMIT").await?;
            observe(MoveStep::Written(rows as u64));
            if rows <= LEFT_MAX {
                break;
            }
        }
        Ok(())
    }

    /// Copies what is left, compares the number of rows, and fences the file. To be called when the server has closed its
    /// store. Answers how many rows were left.
    pub async fn finish(mut self, observe: Observer<'_>) -> StoreResult<(MoveReport, usize)> {
        let lock = self.lock.take();
        // Whatever of the closed store is still there somewhere keeps nobody from the file any more.
        let release = || lock.iter().for_each(|lock| lock.release());
        let left = match tokio::time::timeout(LAST_ROUND_MAX, self.last_round(observe)).await {
            Ok(Ok(left)) => self.fence().await.map(|()| left),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(refused(format!(
                "the last changes were not copied within {} seconds; nothing was moved",
                LAST_ROUND_MAX.as_secs()
            ))),
        };
        let left = match left {
            Ok(left) => left,
            Err(error) => {
                self.abort().await;
                release();
                return Err(error);
            }
        };
        observe(MoveStep::Fenced);
        release();
        // From here on the target counts, whatever happens to this process.
        match self.serve_target().await {
            Ok(()) => observe(MoveStep::Ended),
            Err(error) => tracing::error!(
                error = &error as &dyn std::error::Error,
                "the new database is in use from now on, but is not marked so yet: run `trunkline move` again with the \
                 same addresses"
            ),
        }
        // The last connection to a file carries its log over into it, which nobody has to wait for.
        tokio::spawn(self.source.close());
        let _ = tokio::time::timeout(CLOSE_WITHIN, self.target.close()).await;
        let Names { from, to } = self.names;
        Ok((MoveReport { id: self.id, from, to, tables: self.moved }, left))
    }

    /// Nobody writes to the source from here on.
    async fn last_round(&mut self, observe: Observer<'_>) -> StoreResult<usize> {
        self.source.run("BEGIN IMMEDIATE").await?;
        let left = self.round().await?;
        for (table, _) in &self.tables {
            let (here, there) =
                tokio::try_join!(count(&mut self.source, table), count(&mut self.target, table))?;
            if here != there {
                return Err(refused(format!(
                    "{} has {here} rows and its copy {there}; nothing was moved",
                    table.name
                )));
            }
            if let Some(moved) = self.moved.iter_mut().find(|moved| moved.name == table.name) {
                moved.rows = here;
            }
            if let Some(last) = self.source.last_identity(table).await? {
                self.target.advance_identity(table, last).await?;
            }
        }
        self.target.stand(&State::Complete, self.id, &self.names.from).await?;
        observe(MoveStep::Complete);
        Ok(left)
    }

    /// The one commit after which the target counts.
    async fn fence(&mut self) -> StoreResult<()> {
        capture::remove(&mut self.source).await?;
        self.source.fence(self.id, &self.names.to).await
    }

    /// Lets the target say that it is in use; over a new connection where the one of the move is broken.
    async fn serve_target(&mut self) -> StoreResult<()> {
        let begun_at = Instant::now();
        let mut tried = in_time(self.target.stand(&State::Serving, self.id, &self.names.from)).await;
        while tried.as_ref().is_err_and(StoreError::is_retryable) && begun_at.elapsed() < SERVING_WITHIN {
            tokio::time::sleep(SERVING_AGAIN).await;
            let again = async {
                self.target = End::open(&self.target_at, false).await?;
                self.target.stand(&State::Serving, self.id, &self.names.from).await
            };
            tried = in_time(again).await;
        }
        tried
    }

    /// Ends the move; the source goes on as if there had been none, and the target is left as one that a next move fills.
    pub async fn abort(mut self) {
        let undone = async {
            // Outside of a transaction this fails, and changes nothing.
            let _ = self.source.run("ROLLBACK").await;
            self.source.run("BEGIN IMMEDIATE").await?;
            capture::remove(&mut self.source).await?;
            self.source.run("COMMIT").await
        };
        if let Err(error) = undone.await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "changes are still recorded for a move that was aborted, until the next start"
            );
        }
        self.source.close().await;
        // It may be in the middle of a statement that was cut off.
        let _ = tokio::time::timeout(CLOSE_WITHIN, self.target.close()).await;
    }

    /// Copies what has changed since the last round, as it is at one instant. The source is within a transaction.
    async fn round(&mut self) -> StoreResult<usize> {
        let last = capture::last(&mut self.source).await?;
        self.target.run("BEGIN").await?;
        let applied = self.apply(last).await;
        let ended = self.target.run(if applied.is_ok() { "COMMIT" } else { "ROLLBACK" }).await;
        let rows = applied?;
        ended?;
        self.until = last;
        Ok(rows)
    }

    /// All that is gone or different goes before anything is inserted, because of keys that rows give to each other. A key that is
    /// on several pages is inserted with each of them, so that it goes once more before. Answers how many keys there were.
    async fn apply(&mut self, last: i64) -> StoreResult<usize> {
        let pages: Vec<(i64, i64)> = capture::pages(self.until, last).collect();
        if pages.len() > 1 {
            for &page in &pages {
                self.delete(page).await?;
            }
        }
        let mut keys = 0;
        for page in pages {
            for (number, count) in self.delete(page).await? {
                keys += count;
                capture::copy(&mut self.source, &mut self.target, &self.tables, number, page).await?;
            }
        }
        Ok(keys)
    }

    /// Removes the rows of a page from the target. Answers of which tables they are, and how many keys of each there were.
    async fn delete(&mut self, page: (i64, i64)) -> StoreResult<Vec<(usize, usize)>> {
        let changed = capture::changed(&mut self.source, &self.tables, page).await?;
        for (&number, keys) in &changed {
            let (table, key) = &self.tables[number];
            for some in keys.chunks(KEYS_AT_ONCE) {
                capture::delete(&mut self.target, table, key, some).await?;
            }
        }
        Ok(changed.into_iter().map(|(number, keys)| (number, keys.len())).collect())
    }
}

/// What takes too long is taken for a database that is away.
async fn in_time(call: impl Future<Output = StoreResult<()>>) -> StoreResult<()> {
    let done = tokio::time::timeout(CLOSE_WITHIN, call).await;
    done.unwrap_or_else(|elapsed| Err(StoreError::Unavailable { source: elapsed.into() }))
}

/// How many rows a table has.
async fn count(end: &mut End, table: &Table) -> StoreResult<u64> {
    let rows = end.number(&format!("SELECT count(*) FROM {}", table.name)).await?;
    Ok(rows.unwrap_or_default().unsigned_abs())
}
