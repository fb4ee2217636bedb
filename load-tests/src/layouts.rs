//! Layouts of the row that were tried before one was chosen: each a schema with four statements in raw SQL, all driven alike.
//!
//! They know claims, leases under a token and history, and nothing else: no limits, keys, retries or results. What a claim
//! under its lock remembers of each lane (its floor) is passed in, as the engine does. `docs/adr/0086` says what came of them.

mod batches;
mod body;
mod lean;
mod narrow;
mod partitioned;
mod run;
mod sqlite;
mod today;

pub(crate) use run::{Logged, Speed, logged, speed};
pub(crate) use sqlite::sqlite_speed;

/// How many lanes the jobs are spread over, evenly.
const LANES: i32 = 10;

/// A schema and the statements of a job's life.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// What tables call it.
    pub(crate) name: &'static str,
    /// What it is, in a sentence.
    pub(crate) about: &'static str,
    /// Makes the tables: any number of statements.
    schema: &'static [&'static str],
    /// Inserts jobs. $1 now, $2 ids, $3 lanes, $4 payloads.
    enqueue: &'static str,
    /// Claims jobs; answers id or null, position, lane and payload of each. $1 the expected epoch of the queue, $2 now,
    /// $3 name and $4 number of the worker, $5 tokens, $6 lanes, $7 floors, $8 how many of each lane.
    claim: &'static str,
    /// Whether claims are one at a time and compare the epoch, as those of the engine.
    is_serial: bool,
    /// Ends leased jobs as completed. $1 now, $2 ids, $3 tokens, $4 positions, $5 the epoch of their claim.
    settle: &'static str,
    /// The same for a single job of a claim, where that is another statement.
    settle_one: Option<&'static str>,
    /// How many jobs have ended.
    ended: &'static str,
    /// Removes the history.
    prune: Prune,
}

/// How a history goes.
#[derive(Debug, Clone, Copy)]
enum Prune {
    /// By a statement that is repeated until it removes nothing. $1 how many at a time.
    Delete(&'static str),
    /// With its tables.
    Drop(&'static str),
}

/// A layout on SQLite, for one lane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SqliteLayout {
    /// What tables call it.
    pub(crate) name: &'static str,
    schema: &'static str,
    /// Inserts jobs. $1 now, $2 ids, $3 where payloads lie, $4 payloads.
    enqueue: &'static str,
    /// Answers position, id, payload, attempts and instant of jobs that wait. $1 the floor, $2 how many.
    read: &'static str,
    /// Leases what was read. $1 now, $2 the worker, $3 tokens, one for each position from $4 to $5.
    take: &'static str,
    /// Writes the ends of leased jobs. $1 now, $2 tokens, one for each position from $3 to $4.
    copy: &'static str,
    /// Removes what is left of their leases. $1 tokens, one for each position from $2 to $3.
    remove: &'static str,
    /// How many jobs have ended.
    ended: &'static str,
}

/// Those of SQLite; they are compared with [`SqliteReference`](crate::reference::SqliteReference).
pub(crate) const ON_SQLITE: &[SqliteLayout] = &[sqlite::TODAY, sqlite::BODY];

/// All of them; the first is what the others are compared with.
pub(crate) const ALL: &[Layout] = &[
    lean::LAYOUT,
    today::LAYOUT,
    today::UNLOCKED,
    narrow::LAYOUT,
    partitioned::BY_END,
    partitioned::BY_ID,
    body::BY_ID,
    body::BY_PLACE,
    body::BY_POSITION,
    batches::LAYOUT,
];

/// The row that serialises the claims of a queue, and the worker's name.
const QUEUE: &str = "
    CREATE TABLE queue_claim (queue smallint PRIMARY KEY, epoch bigint NOT NULL) WITH (fillfactor = 10);
    INSERT INTO queue_claim VALUES (1, 0)";
