//! What a store is opened with.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::limits::QueueLimits;
use domain::queue::QueueName;
use store::{StoreError, StoreResult};

/// How a database is opened.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// `sqlite://path/file.db`, `sqlite:path`, `sqlite::memory:`, `postgres://…` or `postgresql://…`.
    pub url: String,
    /// The most connections (readers, on SQLite, which has one writer besides).
    pub connections_max: u32,
    /// What a commit waits for on SQLite. PostgreSQL's own setting is left alone.
    pub synchronous: Synchronous,
    /// Whether pending migrations are applied.
    pub migrate: bool,
    /// What is between this process and PostgreSQL.
    pub pooler: Pooler,
    /// PostgreSQL: where notifications are sent and listened for, past a pooler; at `url` where it is absent.
    pub listen_url: Option<String>,
    /// PostgreSQL: the schema in which the tables are.
    pub schema: String,
    /// PostgreSQL: how long a statement, a commit or the wait for a connection may take. Afterwards the connection is
    /// closed.
    pub statement_timeout: Duration,
    /// The limits of the settings; a queue that is not named has the product's defaults.
    pub limits: Vec<(QueueName, QueueLimits)>,
    /// By which clock leases are written and judged.
    pub lease_time: TimeSource,
}

/// The connections of their own on which lists, counts and figures are read, so that none of them takes one that claims
/// and reports need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListOptions {
    /// The most of these connections. A list beyond them waits for its turn.
    pub connections_max: u32,
    /// How long a list waits for its turn, and then each of its statements may take. Afterwards it is given up as
    /// unavailable, and its statement ended.
    pub timeout: Duration,
}

impl Default for ListOptions {
    /// Four connections, five seconds.
    fn default() -> Self {
        Self { connections_max: 4, timeout: Duration::from_secs(5) }
    }
}

/// By which clock leases begin, end and are found to have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeSource {
    /// The database's, read by the statement that writes or judges. All nodes have the same one, and what a call waited
    /// before is no part of the lease.
    #[default]
    Database,
    /// The instants that callers name: for tests, whose time is their own.
    Caller,
}

/// Whether a pooler such as PgBouncer lends connections to PostgreSQL out, one transaction at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooler {
    /// It is found out when the store is opened.
    Auto,
    /// No: a connection keeps its session, without a pooler or by one that lends out by session.
    Session,
    /// Yes.
    Transaction,
}

/// What a commit waits for on SQLite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synchronous {
    /// It is on disk.
    Full,
    /// It is with the operating system: a power failure can lose the last commits, a crash of the process none.
    Normal,
}

// The lock that keeps a second process from a SQLite file.
//
// SQLite itself would let several processes in, and each would believe that it is the only one that claims.

/// A locked `<database>.lock`. The lock goes with this value, or with the process, however it ends.
#[derive(Debug)]
pub(crate) struct LockFile {
    file: File,
}

impl LockFile {
    /// Takes the lock of a database file, whose directory exists. Fails where the file holds something else.
    pub(crate) fn take(database: &Path) -> StoreResult<Self> {
        let mut path = database.as_os_str().to_owned();
        path.push(".lock");
        let path = PathBuf::from(path);
        let file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(unavailable)?;
        match file.try_lock() {
            // Not before: nobody else of this process may have it open, because closing it drops the locks of SQLite.
            Ok(()) => require_database(database).map(|()| Self { file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path: database.display().to_string() }),
            Err(TryLockError::Error(error)) => Err(unavailable(error)),
        }
    }

    /// Lets others have the file, while this value is still there.
    pub(crate) fn release(&self) {
        if let Err(error) = self.file.unlock() {
            tracing::warn!(%error, "the lock of a database file could not be released");
        }
    }
}

/// What every SQLite database begins with. A new file is empty.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Fails where a file is there and holds something else than a database: SQLite would only say so of a statement.
fn require_database(path: &Path) -> StoreResult<()> {
    let mut head = Vec::new();
    let is_read = path.is_file()
        && File::open(path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut head)).is_ok();
    // What cannot be read is for SQLite to say.
    if !is_read || head.is_empty() || head == MAGIC {
        return Ok(());
    }
    Err(StoreError::NotADatabase { path: path.display().to_string() })
}

/// A file that cannot be opened or made.
pub(crate) fn unavailable(error: io::Error) -> StoreError {
    StoreError::Unavailable { source: Box::new(error) }
}
