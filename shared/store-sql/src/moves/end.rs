//! The two ends of a move, each with one connection of its own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection, Row as _,
    SqliteConnection,
};
use store::{StoreError, StoreResult};

use crate::connect::sqlite_options;
use crate::errors::classify_sqlx;
use crate::options::Synchronous;
use crate::schema_name::Database;
use crate::transaction_pooling;

/// How many rows SQLite's thread reads ahead: rows may be large.
const ROWS_AHEAD: usize = 16;

/// The longest that one statement may take on PostgreSQL, each on a bounded number of rows but for counts.
pub(super) const STATEMENT_WITHIN: &str = "10min";

/// How long servers that still write are waited for.
const LOCK_WITHIN: &str = "10s";

/// A database that is copied from or to.
pub(super) enum End {
    /// A PostgreSQL database.
    Postgres(Box<PgConnection>),
    /// A SQLite file.
    Sqlite(Box<SqliteConnection>),
}

impl End {
    /// Connects. `creates` makes a SQLite file that is not there.
    pub(super) async fn open(database: &Database, creates: bool) -> StoreResult<Self> {
        match database {
            Database::Postgres { options, schema, .. } => {
                let mut connection = postgres(options).await?;
                let setup = format!(
                    "SET search_path TO {schema}; SET statement_timeout = '{STATEMENT_WITHIN}'; \
                     SET lock_timeout = '{LOCK_WITHIN}'; SET idle_in_transaction_session_timeout = 0; \
                     SET tcp_keepalives_idle = 30; SET tcp_user_timeout = '60s'"
                );
                connection.execute(sqlx::raw_sql(AssertSqlSafe(setup))).await.map_err(failed)?;
                Ok(Self::Postgres(Box::new(connection)))
            }
            Database::SqliteFile(path) => {
                let options = SqliteConnectOptions::new().filename(path);
                let options = sqlite_options(options, Synchronous::Full)
                    .create_if_missing(creates)
                    .row_buffer_size(ROWS_AHEAD);
                let connection = options.connect().await.map_err(failed)?;
                Ok(Self::Sqlite(Box::new(connection)))
            }
            Database::SqliteMemory => Err(refused("a database in memory cannot be moved")),
        }
    }

    /// Runs statements without parameters.
    pub(super) async fn run(&mut self, text: &str) -> StoreResult<()> {
        self.run_within(ANSWERED_WITHIN, text).await
    }

    /// The same, for as long as the session was allowed to.
    pub(super) async fn run_within(&mut self, within: Duration, text: &str) -> StoreResult<()> {
        let text = sqlx::raw_sql(AssertSqlSafe(text.to_owned()));
        match self {
            Self::Postgres(connection) => answered_within(within, connection.execute(text)).await.map(drop),
            Self::Sqlite(connection) => connection.execute(text).await.map(drop).map_err(failed),
        }
    }

    /// The number in the first column of the first row; nothing where it is null or there is no row.
    pub(super) async fn number(&mut self, text: &str) -> StoreResult<Option<i64>> {
        let text = AssertSqlSafe(text.to_owned());
        let found = match self {
            Self::Postgres(connection) => {
                let row = answered(sqlx::query(text).fetch_optional(connection.as_mut())).await?;
                row.map(|row| row.try_get(0)).transpose()
            }
            Self::Sqlite(connection) => {
                let row = sqlx::query(text).fetch_optional(connection.as_mut()).await.map_err(failed)?;
                row.map(|row| row.try_get(0)).transpose()
            }
        };
        found.map(Option::flatten).map_err(failed)
    }

    /// The texts in the first column.
    pub(super) async fn texts(&mut self, text: &str) -> StoreResult<Vec<String>> {
        let text = AssertSqlSafe(text.to_owned());
        let found: Result<Vec<String>, sqlx::Error> = match self {
            Self::Postgres(connection) => {
                let rows = answered(sqlx::query(text).fetch_all(connection.as_mut())).await?;
                rows.iter().map(|row| row.try_get(0)).collect()
            }
            Self::Sqlite(connection) => {
                let rows = sqlx::query(text).fetch_all(connection.as_mut()).await.map_err(failed)?;
                rows.iter().map(|row| row.try_get(0)).collect()
            }
        };
        found.map_err(failed)
    }

    /// The migrations that were applied.
    pub(super) async fn migrations(&mut self) -> StoreResult<Vec<String>> {
        self.texts("SELECT version FROM seaql_migrations ORDER BY version").await
    }

    /// Whether there is a table with this name.
    pub(super) async fn has_table(&mut self, name: &str) -> StoreResult<bool> {
        let text = match self {
            Self::Postgres(_) => {
                format!("SELECT CASE WHEN to_regclass('{name}') IS NULL THEN 0 ELSE 1 END::bigint")
            }
            Self::Sqlite(_) => {
                format!("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '{name}'")
            }
        };
        Ok(self.number(&text).await? == Some(1))
    }

    /// The present instant of the database, in milliseconds.
    pub(super) async fn now(&mut self) -> StoreResult<i64> {
        let text = match self {
            Self::Postgres(_) => "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint",
            Self::Sqlite(_) => "SELECT CAST(unixepoch('subsec') * 1000 AS integer)",
        };
        Ok(self.number(text).await?.unwrap_or_default())
    }

    /// Whether it is PostgreSQL.
    pub(super) const fn is_postgres(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// Ends the connection. What was not committed is undone.
    pub(super) async fn close(self) {
        let closed = match self {
            Self::Postgres(connection) => connection.close().await,
            Self::Sqlite(connection) => connection.close().await,
        };
        if let Err(error) = closed {
            tracing::debug!(error = &error as &dyn std::error::Error, "a connection of a move did not close");
        }
    }
}

/// A session of our own: settings and cursors live in it.
async fn postgres(options: &PgConnectOptions) -> StoreResult<PgConnection> {
    if transaction_pooling::is_shared(options).await.map_err(failed)? {
        return Err(refused(
            "these connections go through a pooler in transaction mode: give the URL of PostgreSQL itself for a move",
        ));
    }
    PgConnection::connect_with(options).await.map_err(failed)
}

/// What a database is called in front of people: its address without credentials.
pub(super) fn place(database: &Database) -> String {
    match database {
        Database::Postgres { options, schema, .. } => {
            let database = options.get_database().unwrap_or_else(|| options.get_username());
            let schema = match schema.as_str() {
                "public" => String::new(),
                other => format!(" (schema {other})"),
            };
            format!("postgres://{}:{}/{database}{schema}", options.get_host(), options.get_port())
        }
        Database::SqliteFile(path) => format!("sqlite://{}", absolute(path).display()),
        Database::SqliteMemory => "sqlite::memory:".to_owned(),
    }
}

/// The file's own place, however its directory is named.
fn absolute(path: &Path) -> PathBuf {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (Some(directory), Some(name)) = (full.parent(), full.file_name()) else {
        return full;
    };
    std::fs::canonicalize(directory).map_or_else(|_| full.clone(), |directory| directory.join(name))
}

/// An error of the driver.
pub(super) fn failed(error: sqlx::Error) -> StoreError {
    classify_sqlx("move", error)
}

/// What is in the way of a move.
pub(super) fn refused(reason: impl Into<String>) -> StoreError {
    StoreError::Immovable { reason: reason.into() }
}

/// Longer than the server lets a statement take. Whoever does not answer by then has gone silent, and a move that waited on would
/// keep the log of the source from being emptied for as long.
const ANSWERED_WITHIN: Duration = Duration::from_mins(11);

/// The answer of a database, if it comes.
pub(super) async fn answered<T>(call: impl Future<Output = Result<T, sqlx::Error>>) -> StoreResult<T> {
    answered_within(ANSWERED_WITHIN, call).await
}

/// The same for a statement that may take longer than others.
async fn answered_within<T>(
    within: Duration,
    call: impl Future<Output = Result<T, sqlx::Error>>,
) -> StoreResult<T> {
    match tokio::time::timeout(within, call).await {
        Ok(answer) => answer.map_err(failed),
        Err(elapsed) => Err(StoreError::Unavailable { source: elapsed.into() }),
    }
}
