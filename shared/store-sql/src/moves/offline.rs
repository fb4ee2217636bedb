//! A move without a server: the whole store is copied, compared and fenced in one transaction of the source.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::end::{End, STATEMENT_WITHIN, place, refused};
use super::plan::{self, Table};
use super::read::Reading;
use super::value::RowsDigest;
use super::{Standing, State, capture};
use crate::connect::sqlite_options;
use crate::options::{LockFile, Synchronous};
use crate::schema_name::Database;
use crate::store::lock;

/// How long it may take to clean one table up on PostgreSQL, which reads all of it.
const VACUUM_WITHIN: &str = "6h";

/// After so long the server has gone silent: it ends the statement before.
const VACUUM_ANSWERED_WITHIN: Duration = Duration::from_mins(6 * 60 + 1);

/// Any number, as long as it stays the same: two moves to one database do not run at once.
/// The lock goes with the session.
const TURN: &str = "SELECT pg_advisory_lock(7287154962)";

/// One end of a move.
#[derive(Clone)]
pub struct MoveEnd {
    /// The address of the database. Of PostgreSQL: of the server itself, past poolers.
    pub url: String,
    /// PostgreSQL: the schema of the tables.
    pub schema: String,
}

impl fmt::Debug for MoveEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may hold a password.
        f.debug_struct("MoveEnd").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl MoveEnd {
    pub(super) fn database(&self) -> StoreResult<Database> {
        Database::parse(&self.url, &self.schema)
    }
}

/// How far a move is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveStep {
    /// The target is marked as being filled, and empty.
    Begun,
    /// So many rows of a table were written to the target.
    Written(u64),
    /// A table is copied, and the copy was read and is the same.
    Copied {
        /// Its name.
        table: &'static str,
        /// Its rows.
        rows: u64,
    },
    /// The target has everything; the source is still the one that counts.
    Complete,
    /// The source refuses writes; the target is the one that counts.
    Fenced,
    /// A server can be started on the target.
    Ended,
}

/// Called with each step as soon as it was made.
pub type Observer<'a> = &'a (dyn Fn(MoveStep) + Send + Sync);

/// A table that was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedTable {
    /// Its name.
    pub name: &'static str,
    /// Its rows.
    pub rows: u64,
    /// A digest of its rows, equal on both sides, in hexadecimal digits.
    pub digest: String,
}

/// A move that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveReport {
    /// Its id, in both databases.
    pub id: Uuid,
    /// The database that was left, without credentials.
    pub from: String,
    /// The database that is in use now, without credentials.
    pub to: String,
    /// What was copied; nothing where all had been copied by a call that broke off later.
    pub tables: Vec<MovedTable>,
}

/// What both ends are called.
pub(super) struct Names {
    pub(super) from: String,
    pub(super) to: String,
}

/// Moves a store that no server runs on. The source stays as it is until the last moment, and is fenced then. A call that
/// broke off is repeated with the same ends: it begins anew, or, where the source was fenced, ends what is left.
pub async fn move_offline(
    from: &MoveEnd,
    to: &MoveEnd,
    id: Uuid,
    observe: Observer<'_>,
) -> StoreResult<MoveReport> {
    let (source_at, target_at) = (from.database()?, to.database()?);
    let names = Names { from: place(&source_at), to: place(&target_at) };
    if names.from == names.to {
        return Err(refused("a store cannot be moved to where it is"));
    }
    let _locks = (lock_source(&source_at)?, lock_target(&target_at)?);
    let mut source = End::open(&source_at, false).await?;
    let standing = source_standing(&mut source).await?;
    match standing.state {
        State::Serving => {}
        State::Moved => return end_moved(&standing, &target_at, &names, observe).await,
        State::Receiving | State::Complete => {
            return Err(StoreError::Unfinished { from: standing.other.unwrap_or_default() });
        }
    }
    let mut target = open_target(&target_at, &names).await?;
    if source.migrations().await? != target.migrations().await? {
        return Err(refused(format!(
            "the schema of {} is not the one of this version: run `trunkline migrate` on it first",
            names.from
        )));
    }
    let servers = source.servers().await?;
    if servers > 0 {
        return Err(refused(format!(
            "{servers} servers run on {}: stop them first (one that was killed counts for 15 seconds)",
            names.from
        )));
    }
    source.begin_moving().await?;
    if !source.is_postgres() {
        // Of a server that was killed while it moved the file.
        capture::remove(&mut source).await?;
    }
    target.stand(&State::Receiving, id, &names.from).await?;
    plan::clear(&mut target).await?;
    observe(MoveStep::Begun);
    let tables = plan::tables(&mut source, &mut target).await?;
    let mut moved = Vec::with_capacity(tables.len());
    for table in &tables {
        let digest = copy_table(&mut source, &mut target, table, observe).await?;
        observe(MoveStep::Copied { table: table.name, rows: digest.rows });
        moved.push(MovedTable {
            name: table.name,
            rows: digest.rows,
            digest: format!("{:032x}", digest.sum),
        });
    }
    make_ready(&mut target).await?;
    target.stand(&State::Complete, id, &names.from).await?;
    observe(MoveStep::Complete);
    source.fence(id, &names.to).await?;
    observe(MoveStep::Fenced);
    target.stand(&State::Serving, id, &names.from).await?;
    observe(MoveStep::Ended);
    source.close().await;
    target.close().await;
    Ok(MoveReport { id, from: names.from, to: names.to, tables: moved })
}

fn lock_source(database: &Database) -> StoreResult<Option<LockFile>> {
    match database {
        Database::SqliteFile(path) if !path.exists() => {
            Err(refused(format!("there is no database {}", path.display())))
        }
        Database::SqliteFile(path) => LockFile::take(path).map(Some),
        _ => Ok(None),
    }
}

fn lock_target(database: &Database) -> StoreResult<Option<LockFile>> {
    match database {
        Database::SqliteFile(path) => lock(Path::new(path)).map(Some),
        _ => Ok(None),
    }
}

async fn source_standing(source: &mut End) -> StoreResult<Standing> {
    if !source.has_table("store_state").await? {
        return Err(refused(
            "there is no store of this version to move: run `trunkline migrate` on it first, or correct the address",
        ));
    }
    source.standing().await
}

/// What is left of a move whose source was fenced.
async fn end_moved(
    standing: &Standing,
    target_at: &Database,
    names: &Names,
    observe: Observer<'_>,
) -> StoreResult<MoveReport> {
    let to = standing.other.clone().unwrap_or_default();
    let (Some(id), true) = (standing.move_id, to == names.to) else {
        return Err(StoreError::Moved { to });
    };
    let mut target = End::open(target_at, false).await?;
    let found = target.standing().await?;
    if found.move_id != Some(id) || !matches!(found.state, State::Complete | State::Serving) {
        return Err(refused(format!(
            "{} was moved to {to}, but what is there now is not that store",
            names.from
        )));
    }
    if found.state == State::Complete {
        target.stand(&State::Serving, id, &names.from).await?;
    }
    observe(MoveStep::Ended);
    target.close().await;
    Ok(MoveReport { id, from: names.from.clone(), to, tables: Vec::new() })
}

/// Opens the target with an empty store of this version, or one that a move from the same source left behind.
pub(super) async fn open_target(at: &Database, names: &Names) -> StoreResult<End> {
    let found = match at {
        Database::SqliteFile(path) if !path.exists() => None,
        _ => {
            let mut target = End::open(at, false).await?;
            let is_there = target.has_table("store_state").await?;
            let found = if is_there { Some(target.standing().await?) } else { None };
            if found.as_ref().is_none_or(|found| found.state == State::Serving) {
                // Before its schema is brought up to date: it may be the store of somebody else.
                plan::require_empty(&mut target, &names.to).await?;
            }
            target.close().await;
            found
        }
    };
    let is_left = match &found {
        Some(Standing { state: State::Receiving | State::Complete, other, .. }) => {
            if other.as_deref() != Some(names.from.as_str()) {
                let other = other.as_deref().unwrap_or_default();
                return Err(refused(format!("{} is being filled from {other}", names.to)));
            }
            true
        }
        Some(Standing { state: State::Moved, other, .. }) => {
            let other = other.as_deref().unwrap_or_default();
            return Err(refused(format!(
                "{} is not empty: it holds a store that was moved to {other}. Name another database",
                names.to
            )));
        }
        Some(Standing { state: State::Serving, .. }) | None => false,
    };
    crate::schema_name::check(at).await?;
    crate::migrate::postgres(at).await?;
    if let Database::SqliteFile(path) = at {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path);
        drop(crate::migrate::sqlite(sqlite_options(options, Synchronous::Full)).await?);
    }
    let mut target = End::open(at, false).await?;
    if target.is_postgres() {
        target.run(TURN).await.map_err(|error| match error {
            StoreError::Contended { .. } => refused(format!("another move to {} is in progress", names.to)),
            error => error,
        })?;
    }
    if !is_left {
        plan::require_empty(&mut target, &names.to).await?;
    }
    Ok(target)
}

/// Copies a table, reads the copy, and compares the two.
pub(super) async fn copy_table(
    source: &mut End,
    target: &mut End,
    table: &Table,
    observe: Observer<'_>,
) -> StoreResult<RowsDigest> {
    let (mut digest, mut reading) = (RowsDigest::default(), Reading::default());
    loop {
        let rows = source.piece(table, &table.source, &mut reading).await?;
        if rows.is_empty() {
            break;
        }
        for row in &rows {
            digest.add(row);
        }
        target.insert(table, &rows).await?;
        observe(MoveStep::Written(rows.len() as u64));
    }
    let copied = digest_of(target, table).await?;
    if copied != digest {
        return Err(refused(format!(
            "the copy of {} is not the same: {} rows were read and {} are there; nothing was moved",
            table.name, digest.rows, copied.rows
        )));
    }
    if let Some(last) = source.last_identity(table).await? {
        target.advance_identity(table, last).await?;
    }
    Ok(digest)
}

async fn digest_of(target: &mut End, table: &Table) -> StoreResult<RowsDigest> {
    target.begin_reading().await?;
    let (mut digest, mut reading) = (RowsDigest::default(), Reading::default());
    loop {
        let rows = target.piece(table, &table.target, &mut reading).await?;
        if rows.is_empty() {
            break;
        }
        for row in &rows {
            digest.add(row);
        }
    }
    target.run("COMMIT").await?;
    Ok(digest)
}

/// Makes the copy ready for work: statistics for the planner, and everything in the file itself.
pub(super) async fn make_ready(target: &mut End) -> StoreResult<()> {
    if !target.is_postgres() {
        return target.run("PRAGMA wal_checkpoint(TRUNCATE)").await;
    }
    // Vacuumed, rows are counted by an index alone; other tables of the database are none of ours.
    target.run(&format!("SET statement_timeout = '{VACUUM_WITHIN}'")).await?;
    for table in plan::moved() {
        target.run_within(VACUUM_ANSWERED_WITHIN, &format!("VACUUM (ANALYZE) {table}")).await?;
    }
    target.run(&format!("SET statement_timeout = '{STATEMENT_WITHIN}'")).await
}
