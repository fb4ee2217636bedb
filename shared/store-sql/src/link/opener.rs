//! Where connections come from, and which of those that lie idle are still good.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, io};

use deadpool::managed::{Manager, Metrics, Object, RecycleError, RecycleResult};
use parking_lot::Mutex;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, SqliteConnection};
use store::DiskRoom;

use super::connection::{Connection, Session};

/// PostgreSQL connections idle for this long are tried out before they are used; on the hot path none is.
const IDLE_BEFORE_TEST: Duration = Duration::from_secs(1);

/// How long such a trial may take.
const TEST_WITHIN: Duration = Duration::from_secs(1);

/// PostgreSQL connections that are older are closed: a process of the server keeps what it once needed.
const AGE_MAX: Duration = Duration::from_mins(30);

/// Called when a connection was lost, or with it a transaction: what is remembered of the store may not be so any more.
pub(crate) type OnLost = Arc<dyn Fn() + Send + Sync>;

/// How a connection is opened.
pub(crate) enum Source {
    /// PostgreSQL.
    Postgres {
        options: Box<PgConnectOptions>,
        /// The statements that set up a new session; `None` where a pooler lends the sessions out.
        setup: Option<String>,
    },
    /// A file of SQLite.
    SqliteFile {
        options: Box<SqliteConnectOptions>,
        /// A statement that fails inside a transaction and does nothing outside, on the connection that writes.
        probe: Option<&'static str>,
    },
    /// A database in memory: it is gone with its connection, so that there is one, which is never given up.
    SqliteMemory { connection: Mutex<Option<SqliteConnection>>, probe: &'static str },
}

/// Opens connections of one pool.
pub(crate) struct Opener {
    source: Source,
    /// How long a statement may take.
    pub(super) statement_within: Duration,
    on_lost: OnLost,
    /// Whether a statement is ended when whoever asked leaves.
    is_left: bool,
    /// Connections that have not answered since are not used any more.
    suspect_since: Mutex<Option<Instant>>,
}

impl Opener {
    pub(crate) fn new(source: Source, statement_within: Duration, on_lost: OnLost) -> Self {
        Self { source, statement_within, on_lost, is_left: false, suspect_since: Mutex::new(None) }
    }

    /// Opens connections whose statements end when whoever asked leaves, or when they take too long. What is remembered
    /// of the store stays as it is then.
    pub(crate) fn for_lists(source: Source, statement_within: Duration) -> Self {
        Self { is_left: true, ..Self::new(source, statement_within, Arc::new(|| {})) }
    }

    /// Whether a statement is ended when whoever asked leaves.
    pub(super) fn is_left(&self) -> bool {
        self.is_left
    }

    /// Whether a statement whose time is up is certain to be at work: a list on a SQLite file. PostgreSQL's server ends a
    /// list before that, so that a connection that has said nothing is silent, and another one may answer.
    pub(super) fn is_at_work(&self) -> bool {
        self.is_left && self.file().is_some()
    }

    /// How the server is connected to, where it is PostgreSQL.
    pub(super) fn postgres_options(&self) -> Option<&PgConnectOptions> {
        match &self.source {
            Source::Postgres { options, .. } => Some(options),
            _ => None,
        }
    }

    /// The file, where it is one of SQLite.
    pub(super) fn file(&self) -> Option<&Path> {
        match &self.source {
            Source::SqliteFile { options, .. } => Some(options.get_filename()),
            _ => None,
        }
    }

    /// The statement that shows whether a writing connection of SQLite is inside a transaction.
    pub(super) fn probe(&self) -> Option<&'static str> {
        match &self.source {
            Source::Postgres { .. } => None,
            Source::SqliteFile { probe, .. } => *probe,
            Source::SqliteMemory { probe, .. } => Some(probe),
        }
    }

    /// Whether the data is gone with the connection.
    pub(super) fn is_irreplaceable(&self) -> bool {
        matches!(self.source, Source::SqliteMemory { .. })
    }

    /// Says that a connection was lost.
    pub(super) fn lost(&self) {
        (self.on_lost)();
    }

    /// Says that something asked at that time was never answered: connections that have been silent since are likely to
    /// share its fate (an address that moved, a firewall that forgot them), and are not tried one after the other.
    pub(super) fn suspect(&self, asked_at: Instant) {
        let mut since = self.suspect_since.lock();
        *since = since.max(Some(asked_at));
    }

    fn is_suspect(&self, connection: &Connection) -> bool {
        self.suspect_since.lock().is_some_and(|since| connection.answered_at < since)
    }
}

impl Manager for Opener {
    type Type = Connection;
    type Error = sqlx::Error;

    async fn create(&self) -> Result<Connection, sqlx::Error> {
        match &self.source {
            Source::Postgres { options, setup } => {
                let mut raw = PgConnection::connect_with(options).await?;
                let Some(setup) = setup else {
                    return Ok(Connection::postgres(raw, None));
                };
                sqlx::Executor::execute(&mut raw, sqlx::raw_sql(sqlx::AssertSqlSafe(setup.as_str()))).await?;
                let session = Session::of(&mut raw).await?;
                Ok(Connection::postgres(raw, session))
            }
            Source::SqliteFile { options, .. } => {
                let connection = options.connect().await.map(Connection::sqlite)?;
                if self.is_left { connection.interruptible().await } else { Ok(connection) }
            }
            Source::SqliteMemory { connection, .. } => {
                connection.lock().take().map(Connection::sqlite).ok_or(sqlx::Error::PoolClosed)
            }
        }
    }

    async fn recycle(&self, connection: &mut Connection, _: &Metrics) -> RecycleResult<sqlx::Error> {
        if connection.is_sqlite() {
            return Ok(());
        }
        if self.is_suspect(connection) {
            return Err(RecycleError::message("others that were used since did not answer"));
        }
        if connection.opened_at.elapsed() > AGE_MAX {
            return Err(RecycleError::message("it is old"));
        }
        if connection.answered_at.elapsed() < IDLE_BEFORE_TEST {
            return Ok(());
        }
        let asked_at = Instant::now();
        match tokio::time::timeout(TEST_WITHIN, connection.ping()).await {
            Ok(Ok(())) => {
                connection.answered_at = Instant::now();
                Ok(())
            }
            Ok(Err(error)) => {
                self.lost();
                Err(RecycleError::Backend(error))
            }
            Err(_) => {
                self.suspect(asked_at);
                self.lost();
                Err(RecycleError::message("it did not answer"))
            }
        }
    }
}

// The options of PostgreSQL hold the password in clear text.
impl fmt::Debug for Opener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opener").field("statement_within", &self.statement_within).finish_non_exhaustive()
    }
}

// A disk that is full: how much room there is, and how much it takes to go on.

/// What SQLite needs to go on: its log grows to 16 MiB before it is copied into the file, which may grow by as much.
const NEEDED_BYTES: u64 = 32 << 20;

/// The result code of SQLite.
const FULL: u32 = 13;

/// Adds the room on the disk of `file` to an error that says that it is full.
pub(super) fn with_room(error: sqlx::Error, file: Option<&Path>) -> sqlx::Error {
    let Some(file) = file.filter(|_| is_full(&error)) else {
        return error;
    };
    match rustix::fs::statvfs(file) {
        Ok(disk) => {
            let free_bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
            let room = DiskRoom { free_bytes, needed_bytes: NEEDED_BYTES };
            sqlx::Error::Io(io::Error::other(DiskFull { room, source: error }))
        }
        Err(_) => error,
    }
}

/// The room that was added to an error.
pub(crate) fn disk_room(error: &sqlx::Error) -> Option<DiskRoom> {
    let sqlx::Error::Io(error) = error else {
        return None;
    };
    error.get_ref()?.downcast_ref::<DiskFull>().map(|full| full.room)
}

fn is_full(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else {
        return false;
    };
    let code = error.code().unwrap_or_default();
    code.len() < 5 && code.parse::<u32>().is_ok_and(|code| code & 0xff == FULL)
}

#[derive(Debug)]
struct DiskFull {
    room: DiskRoom,
    source: sqlx::Error,
}

impl fmt::Display for DiskFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the disk is full: {}", self.room)
    }
}

impl Error for DiskFull {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}

/// Takes a connection out of its pool for good, and drops it with its socket.
pub(super) fn discard(object: Object<Opener>) {
    drop(Object::take(object));
}
