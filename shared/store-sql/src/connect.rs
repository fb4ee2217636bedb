//! Opening databases: what a URL means, and how each connection is set up.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use parking_lot::Mutex;
use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::{SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use store::{StoreError, StoreResult};

use crate::errors::classify_sqlx;
use crate::link::{Lender, OnLost, Opener, Source};
use crate::options::{ListOptions, Pooler, Synchronous};
use crate::pool::{Lists, Pool};
use crate::schema_name::{Database, SchemaName};
use crate::transaction_pooling::{self, Setup};

/// How much longer than for a statement a call waits for a connection to PostgreSQL. Where all that are open have gone
/// silent, they come free when their statements are given up, and the next is opened anew.
const ACQUIRE_MARGIN: Duration = Duration::from_secs(2);

/// A list waits for a lock (somebody alters its table) as long as its statement may take, and is not tried again.
const LISTS_WAIT: &str = "SET lock_timeout = 0";
const LISTS_WAIT_SHARED: &str = "SET LOCAL lock_timeout = 0";

/// How long a call waits for its turn at the one writing connection of SQLite.
const SQLITE_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a statement waits for the write lock of SQLite (only a companion's connection competes for it).
pub(crate) const SQLITE_BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a statement on SQLite may take. It cannot be silent, but its disk can.
const SQLITE_STATEMENT_WITHIN: Duration = Duration::from_mins(2);

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

impl Database {
    /// Reads a URL. The error never repeats it, because it may hold a password.
    pub(crate) fn parse(url: &str, schema: &str) -> StoreResult<Self> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            let options = Box::new(postgres_options(url)?);
            let schema = SchemaName::parse(schema)?;
            return Ok(Self::Postgres { options, is_shared: false, schema });
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
        let Self::Postgres { options, is_shared, .. } = self else {
            return Ok(());
        };
        *is_shared = match pooler {
            Pooler::Session => false,
            Pooler::Transaction => true,
            Pooler::Auto => {
                let found = transaction_pooling::is_shared(options).await;
                found.map_err(|error| classify_sqlx("connect", error))?
            }
        };
        if *is_shared {
            // A statement that is prepared in one session is not there in the next.
            **options = options.as_ref().clone().statement_cache_capacity(0);
        }
        Ok(())
    }

    /// Opens connections, at least one of them at once. A new SQLite file is created, its directory must exist, and its
    /// tables are brought up to date if asked to.
    pub(crate) async fn open(&self, how: &Opening) -> StoreResult<Pool> {
        let opened = match self {
            Self::Postgres { options, is_shared, schema } => {
                open_postgres(options, *is_shared, schema, how).await
            }
            Self::SqliteFile(path) => {
                let options = sqlite_options(SqliteConnectOptions::new().filename(path), how.synchronous);
                if how.migrate {
                    crate::migrate::sqlite(options.clone()).await?;
                }
                open_sqlite_file(options, how).await
            }
            Self::SqliteMemory => {
                let options =
                    sqlite_options(SqliteConnectOptions::new().filename(":memory:"), how.synchronous);
                let connection = crate::migrate::sqlite(options).await?;
                let connection = Mutex::new(Some(connection));
                let source = Source::SqliteMemory { connection, probe: probe(how.synchronous) };
                let lender = Lender::new(opener(source, how), 1, SQLITE_ACQUIRE_TIMEOUT);
                // Everything goes over the one connection, which nobody may give up.
                let within = SQLITE_ACQUIRE_TIMEOUT;
                let lists = Lists { lender: lender.clone(), shared_begin: None, is_left: false, within };
                lender.lend().await.map(|_| Pool::sqlite(lender.clone(), lender, lists))
            }
        };
        opened.map_err(|error| classify_sqlx("connect", error))
    }
}

/// How connections are opened.
#[derive(Clone)]
pub(crate) struct Opening {
    /// The most of them; readers, on SQLite.
    pub(crate) connections_max: u32,
    /// What a commit waits for on SQLite.
    pub(crate) synchronous: Synchronous,
    /// Whether a SQLite file is brought up to date first.
    pub(crate) migrate: bool,
    /// How long a statement may take on PostgreSQL.
    pub(crate) statement_within: Duration,
    /// Called when a connection was lost.
    pub(crate) on_lost: OnLost,
    /// The connections of lists.
    pub(crate) lists: ListOptions,
}

async fn open_postgres(
    options: &PgConnectOptions,
    is_shared: bool,
    schema: &SchemaName,
    how: &Opening,
) -> Result<Pool, sqlx::Error> {
    let setup = Setup { schema, statement_within: how.statement_within };
    let begin = if is_shared { setup.shared_begin() } else { "BEGIN".to_owned() };
    // What is shared is set up by each transaction.
    let own = (!is_shared).then(|| setup.own());
    let source = Source::Postgres { options: Box::new(options.clone()), setup: own };
    let opener = Opener::new(source, how.statement_within, how.on_lost.clone());
    let lender = Lender::new(opener, how.connections_max.max(2), how.statement_within + ACQUIRE_MARGIN);
    drop(lender.lend().await?);
    Ok(Pool::postgres(lender, postgres_lists(options, is_shared, schema, how), begin.into(), is_shared))
}

/// None of them is opened before it is needed.
pub(crate) fn postgres_lists(
    options: &PgConnectOptions,
    is_shared: bool,
    schema: &SchemaName,
    how: &Opening,
) -> Lists {
    let within = how.lists.timeout;
    let setup = Setup { schema, statement_within: within };
    let own = (!is_shared).then(|| format!("{}; {LISTS_WAIT}", setup.own()));
    let source = Source::Postgres { options: Box::new(options.clone()), setup: own };
    Lists {
        lender: Lender::new(Opener::for_lists(source, within), how.lists.connections_max, within),
        shared_begin: is_shared.then(|| format!("{}; {LISTS_WAIT_SHARED}", setup.shared_begin()).into()),
        is_left: true,
        within,
    }
}

async fn open_sqlite_file(options: SqliteConnectOptions, how: &Opening) -> Result<Pool, sqlx::Error> {
    let file = |options, probe| Source::SqliteFile { options: Box::new(options), probe };
    let writer = file(options.clone(), Some(probe(how.synchronous)));
    let writer = Lender::new(opener(writer, how), 1, SQLITE_ACQUIRE_TIMEOUT);
    drop(writer.lend().await?);
    let options = options.pragma("query_only", "ON");
    let within = how.lists.timeout;
    let lists = Opener::for_lists(file(options.clone(), None), within);
    let lists_max = how.lists.connections_max.min(SQLITE_READERS_MAX);
    let lists =
        Lists { lender: Lender::new(lists, lists_max, within), shared_begin: None, is_left: true, within };
    let readers = opener(file(options, None), how);
    let readers_max = how.connections_max.clamp(1, SQLITE_READERS_MAX);
    let readers = Lender::new(readers, readers_max, SQLITE_ACQUIRE_TIMEOUT);
    drop(readers.lend().await?);
    Ok(Pool::sqlite(writer, readers, lists))
}

fn opener(source: Source, how: &Opening) -> Opener {
    Opener::new(source, SQLITE_STATEMENT_WITHIN, how.on_lost.clone())
}

/// What SQLite refuses inside a transaction, and which changes nothing outside of one.
fn probe(synchronous: Synchronous) -> &'static str {
    match synchronous {
        Synchronous::Full => "PRAGMA synchronous = FULL",
        Synchronous::Normal => "PRAGMA synchronous = NORMAL",
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

/// How a SQLite file is opened.
pub(crate) fn sqlite_options(
    options: SqliteConnectOptions,
    synchronous: Synchronous,
) -> SqliteConnectOptions {
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
        let path = |url| match Database::parse(url, "public") {
            Ok(Database::SqliteFile(path)) => path.display().to_string(),
            _ => "no file".to_owned(),
        };
        assert_eq!(path("sqlite://data/trunkline.db"), "data/trunkline.db");
        assert_eq!(path("sqlite:///var/lib/trunkline.db?mode=rwc"), "/var/lib/trunkline.db");
        assert_eq!(path("sqlite:trunkline.db"), "trunkline.db");
        assert!(matches!(Database::parse("sqlite::memory:", "public"), Ok(Database::SqliteMemory)));
        assert!(matches!(
            Database::parse("postgresql://a:b@localhost/c", "public"),
            Ok(Database::Postgres { .. })
        ));
        for url in ["mysql://root@localhost/x", "sqlite:", "data.db", "", "sqlite:x.db?cache=shared"] {
            assert!(matches!(Database::parse(url, "public"), Err(StoreError::Url { .. })), "{url}");
        }
    }
}
