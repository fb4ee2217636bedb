//! Opening databases: what a URL means, and how each connection is set up.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use sea_orm::{SqlxPostgresConnector, SqlxSqliteConnector};
use sqlx::ConnectOptions as _;
use sqlx::Executor as _;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use store::{StoreError, StoreResult};

use crate::dialect::Dialect;
use crate::errors::classify_sqlx;
use crate::options::{Pooler, Synchronous};
use crate::pool::Pool;
use crate::sharing::{self, OWN_SETUP};

/// How long a call waits for a connection to PostgreSQL before the database counts as unavailable.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a call waits for its turn at the one writing connection of SQLite.
const SQLITE_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a statement waits for the write lock of SQLite (only a companion's connection competes for it).
pub(crate) const SQLITE_BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// PostgreSQL connections idle for this long are tried out before they are used; on the hot path none is.
const IDLE_BEFORE_TEST: Duration = Duration::from_secs(1);

/// After so many pages in the log a commit copies it into the file. A page that is written again and again is copied
/// once, and the file is flushed less often than with the default of 1,000.
const SQLITE_CHECKPOINT_PAGES: &str = "4000";

/// A log that had to grow, because somebody read for long, is cut to this length when it begins anew.
const SQLITE_LOG_BYTES: &str = "67108864";

/// The most reading connections to a SQLite file; more than cores only queue up elsewhere.
const SQLITE_READERS_MAX: u32 = 8;

/// How many rows of SQLite may be under way between its thread and the one that reads them: a whole batch, so that the
/// two do not wait for each other every few rows.
const SQLITE_ROWS_BUFFERED: usize = 1_000;

/// How many statements a connection keeps prepared: more than there are, but for rare combinations of conditions.
const STATEMENTS_MAX: usize = 500;

/// What a URL stands for. Not `Debug`: the options of PostgreSQL hold the password in clear text.
#[derive(Clone)]
pub(crate) enum Database {
    /// A PostgreSQL database.
    Postgres {
        /// How to connect.
        options: Box<PgConnectOptions>,
        /// Whether a pooler lends the connections out by transaction.
        is_shared: bool,
    },
    /// A SQLite file.
    SqliteFile(PathBuf),
    /// A SQLite database that is gone when the store is.
    SqliteMemory,
}

impl Database {
    /// Reads a URL. The error never repeats it, because it may hold a password.
    pub(crate) fn parse(url: &str) -> StoreResult<Self> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            let options = Box::new(postgres_options(url)?);
            return Ok(Self::Postgres { options, is_shared: false });
        }
        let Some(rest) = url.strip_prefix("sqlite:") else {
            return Err(refused("expected a URL that starts with sqlite: or postgres://"));
        };
        let path = rest.strip_prefix("//").unwrap_or(rest);
        let path = path.strip_suffix("?mode=rwc").unwrap_or(path);
        match path {
            ":memory:" => Ok(Self::SqliteMemory),
            "" => Err(refused("expected a file name, as in sqlite://data/trunkline.db, or sqlite::memory:")),
            _ if path.contains('?') => {
                Err(refused("parameters after the name of a SQLite file are not supported"))
            }
            _ => Ok(Self::SqliteFile(PathBuf::from(path))),
        }
    }

    /// Finds out whether connections are shared, unless that is known. Connections are opened accordingly from then on.
    pub(crate) async fn look_at_connections(&mut self, pooler: Pooler) -> StoreResult<()> {
        let Self::Postgres { options, is_shared } = self else {
            return Ok(());
        };
        *is_shared = match pooler {
            Pooler::Session => false,
            Pooler::Transaction => true,
            Pooler::Auto => {
                let found = sharing::is_shared(options).await;
                found.map_err(|error| classify_sqlx("connect", error))?
            }
        };
        if *is_shared {
            // A statement that is prepared in one session is not there in the next.
            **options = options.as_ref().clone().statement_cache_capacity(0);
        }
        Ok(())
    }

    /// Opens connections. A new SQLite file is created, its directory must exist.
    pub(crate) async fn open(&self, connections_max: u32, synchronous: Synchronous) -> StoreResult<Pool> {
        match self {
            Self::Postgres { options, is_shared } => {
                open_postgres(options, connections_max, *is_shared).await
            }
            Self::SqliteFile(path) => {
                let options = sqlite_options(SqliteConnectOptions::new().filename(path), synchronous);
                let write = sqlite_pool(1).connect_with(options.clone()).await;
                let write = write.map_err(|error| classify_sqlx("connect", error))?;
                let readers = sqlite_pool(connections_max.clamp(1, SQLITE_READERS_MAX));
                let read = readers.connect_with(options.pragma("query_only", "ON")).await;
                let read = read.map_err(|error| classify_sqlx("connect", error))?;
                let write = SqlxSqliteConnector::from_sqlx_sqlite_pool(write);
                Ok(Pool::new(Dialect::Sqlite, write, SqlxSqliteConnector::from_sqlx_sqlite_pool(read)))
            }
            Self::SqliteMemory => {
                let options = sqlite_options(SqliteConnectOptions::new().filename(":memory:"), synchronous);
                let pool = sqlite_pool(1).min_connections(1).connect_with(options).await;
                let pool = pool.map_err(|error| classify_sqlx("connect", error))?;
                let connection = SqlxSqliteConnector::from_sqlx_sqlite_pool(pool);
                Ok(Pool::new(Dialect::Sqlite, connection.clone(), connection))
            }
        }
    }
}

/// How the server at `url` is connected to. The error never repeats the address, because it may hold a password.
pub(crate) fn postgres_options(url: &str) -> StoreResult<PgConnectOptions> {
    let options = PgConnectOptions::from_str(url).map_err(|_| {
        refused("expected postgres://user:password@host:5432/database, optionally with ?sslmode=…")
    })?;
    let options = options
        .application_name("trunkline")
        .statement_cache_capacity(STATEMENTS_MAX)
        // A default of the server since PostgreSQL 12, and poolers refuse what they do not know.
        .extra_float_digits(None)
        .disable_statement_logging();
    Ok(options)
}

async fn open_postgres(
    options: &PgConnectOptions,
    connections_max: u32,
    is_shared: bool,
) -> StoreResult<Pool> {
    let pool = PgPoolOptions::new()
        .max_connections(connections_max.max(2))
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .test_before_acquire(false)
        .before_acquire(|connection, metadata| {
            Box::pin(async move {
                if metadata.idle_for < IDLE_BEFORE_TEST {
                    return Ok(true);
                }
                Ok(sqlx::Connection::ping(connection).await.is_ok())
            })
        })
        .after_connect(move |connection, _| {
            Box::pin(async move {
                // What is shared is set up by each transaction.
                if !is_shared {
                    connection.execute(OWN_SETUP).await?;
                }
                Ok(())
            })
        })
        .connect_with(options.clone())
        .await
        .map_err(|error| classify_sqlx("connect", error))?;
    let connection = SqlxPostgresConnector::from_sqlx_postgres_pool(pool);
    if is_shared {
        return Ok(Pool::shared(connection));
    }
    Ok(Pool::new(Dialect::Postgres, connection.clone(), connection))
}

/// Connections that stay: a database in memory would go with its connection, and a file's caches with theirs.
fn sqlite_pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(SQLITE_ACQUIRE_TIMEOUT)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
}

fn sqlite_options(options: SqliteConnectOptions, synchronous: Synchronous) -> SqliteConnectOptions {
    let synchronous = match synchronous {
        Synchronous::Full => SqliteSynchronous::Full,
        Synchronous::Normal => SqliteSynchronous::Normal,
    };
    options
        .create_if_missing(true)
        .auto_vacuum(SqliteAutoVacuum::Incremental)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous)
        .busy_timeout(SQLITE_BUSY_TIMEOUT)
        .foreign_keys(false)
        .pragma("temp_store", "MEMORY")
        .pragma("cache_size", "-65536")
        .pragma("wal_autocheckpoint", SQLITE_CHECKPOINT_PAGES)
        .pragma("journal_size_limit", SQLITE_LOG_BYTES)
        .statement_cache_capacity(STATEMENTS_MAX)
        .row_buffer_size(SQLITE_ROWS_BUFFERED)
        .disable_statement_logging()
}

fn refused(reason: &str) -> StoreError {
    StoreError::Url { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_databases() {
        let path = |url| match Database::parse(url) {
            Ok(Database::SqliteFile(path)) => path.display().to_string(),
            _ => "no file".to_owned(),
        };
        assert_eq!(path("sqlite://data/trunkline.db"), "data/trunkline.db");
        assert_eq!(path("sqlite:///var/lib/trunkline.db?mode=rwc"), "/var/lib/trunkline.db");
        assert_eq!(path("sqlite:trunkline.db"), "trunkline.db");
        assert!(matches!(Database::parse("sqlite::memory:"), Ok(Database::SqliteMemory)));
        assert!(matches!(Database::parse("postgresql://a:b@localhost/c"), Ok(Database::Postgres { .. })));
        for url in ["mysql://root@localhost/x", "sqlite:", "data.db", "", "sqlite:x.db?cache=shared"] {
            assert!(matches!(Database::parse(url), Err(StoreError::Url { .. })), "{url}");
        }
    }
}
