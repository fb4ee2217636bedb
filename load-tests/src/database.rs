//! Databases of one measure each, gone afterwards: what one run leaves behind must not slow the next.

use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tempfile::TempDir;

/// Which database a measure runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Postgres,
    Sqlite,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::Sqlite => "SQLite",
        }
    }
}

/// A database without tables. Call [`Database::remove`] when nobody uses it any more.
#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) url: String,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Server { url: String, name: String },
    Folder(TempDir),
}

impl Database {
    /// Makes one, of either kind.
    pub(crate) async fn create(kind: Kind, server: &str) -> Result<Self> {
        match kind {
            Kind::Postgres => Self::on_server(server).await,
            Kind::Sqlite => Self::in_folder(),
        }
    }

    async fn on_server(server: &str) -> Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("trunkline_load_{}_{count}", std::process::id());
        run_on(server, &format!("CREATE DATABASE {name}")).await?;
        let (base, _) = server.rsplit_once('/').context("the URL names no database")?;
        Ok(Self { url: format!("{base}/{name}"), place: Place::Server { url: server.to_owned(), name } })
    }

    fn in_folder() -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a folder for SQLite")?;
        Ok(Self {
            url: format!("sqlite://{}", folder.path().join("load.db").display()),
            place: Place::Folder(folder),
        })
    }

    /// Connections for raw SQL to PostgreSQL.
    pub(crate) async fn postgres(&self, connections: u32) -> Result<PgPool> {
        connect(&self.url, connections).await
    }

    /// One connection for raw SQL to SQLite, as durable as the engine's.
    pub(crate) async fn sqlite(&self) -> Result<SqlitePool> {
        let options = SqliteConnectOptions::from_str(&self.url)?
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .row_buffer_size(1_000)
            .pragma("cache_size", "-65536")
            .pragma("wal_autocheckpoint", "4000")
            .pragma("temp_store", "MEMORY");
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .test_before_acquire(false)
            .connect_with(options)
            .await?;
        Ok(pool)
    }

    /// Removes it with its content.
    pub(crate) async fn remove(self) -> Result<()> {
        match self.place {
            Place::Server { url, name } => {
                run_on(&url, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await
            }
            Place::Folder(folder) => folder.close().context("cannot remove a folder"),
        }
    }
}

/// Connections for raw SQL to PostgreSQL.
pub(crate) async fn connect(url: &str, connections: u32) -> Result<PgPool> {
    let options = PgConnectOptions::from_str(url)?;
    let pool = PgPoolOptions::new()
        .max_connections(connections)
        .test_before_acquire(false)
        .connect_with(options)
        .await?;
    Ok(pool)
}

async fn run_on(server: &str, statement: &str) -> Result<()> {
    let mut connection = PgConnection::connect(server).await.context("PostgreSQL does not answer")?;
    connection
        .execute(AssertSqlSafe(statement.to_owned()))
        .await
        .context("the role may not create databases")?;
    connection.close().await?;
    Ok(())
}

/// The version of the server and what a commit waits for there.
pub(crate) async fn server_version(server: &str) -> Result<String> {
    let mut connection = PgConnection::connect(server).await?;
    let row: (String, String, String) = sqlx::query_as(
        "SELECT current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit')",
    )
    .fetch_one(&mut connection)
    .await?;
    connection.close().await?;
    Ok(format!("{} (fsync {}, synchronous_commit {})", row.0, row.1, row.2))
}
