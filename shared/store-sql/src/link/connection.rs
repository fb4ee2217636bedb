//! One connection of either database, and how it runs a statement.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sea_orm::{DbErr, ExecResult, QueryResult, Statement, Values};
use sea_query_sqlx::SqlxValues;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgRow};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _, SqliteConnection};

use crate::metric_names::DATABASE_STATEMENT_SECONDS;

/// After so many steps of its machine SQLite looks whether its statement is still wanted: some tens of microseconds.
const STEPS_BETWEEN_LOOKS: i32 = 1_000;

/// A connection that is open.
#[derive(Debug)]
pub(crate) struct Connection {
    raw: Raw,
    /// When the database last answered on it.
    pub(super) answered_at: Instant,
    pub(super) opened_at: Instant,
    /// The server's process, where it serves this connection alone.
    pub(super) session: Option<Session>,
    /// Ends the statement that runs, on SQLite where that was asked for.
    interrupt: Option<Arc<AtomicBool>>,
}

#[derive(Debug)]
enum Raw {
    Postgres(PgConnection),
    Sqlite(SqliteConnection),
}

/// What is asked of a connection.
#[derive(Debug)]
pub(crate) enum Work {
    /// A statement; the answer is what it changed.
    Run(Statement),
    /// A statement; the answer is its first row.
    First(Statement),
    /// A statement; the answer is its rows.
    All(Statement),
    /// Statements without parameters, which are not prepared.
    Plain(String),
    /// A statement of the hot path on PostgreSQL, with values that the driver encoded. Whether it is kept prepared.
    Encoded(&'static str, PgArguments, bool),
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Answer {
    Done(ExecResult),
    Rows(Vec<QueryResult>),
    PgRows(Vec<PgRow>),
}

impl Work {
    /// Whether its answer is rows. Errors are classified by that.
    pub(crate) fn is_query(&self) -> bool {
        matches!(self, Self::First(_) | Self::All(_) | Self::Encoded(..))
    }

    /// Where the time that it takes is counted; `None` where it begins or undoes a transaction, or only looks at its state.
    pub(super) fn time(&self) -> Option<metrics::Histogram> {
        match self {
            Self::Plain(text) if text == "COMMIT" => {
                Some(metrics::histogram!(DATABASE_STATEMENT_SECONDS, "kind" => "commit"))
            }
            Self::Plain(_) => None,
            Self::Run(_) | Self::First(_) | Self::All(_) | Self::Encoded(..) => {
                Some(metrics::histogram!(DATABASE_STATEMENT_SECONDS, "kind" => "statement"))
            }
        }
    }
}

impl Answer {
    /// What was changed.
    pub(crate) fn done(self) -> Result<ExecResult, DbErr> {
        match self {
            Self::Done(done) => Ok(done),
            Self::Rows(_) | Self::PgRows(_) => Err(DbErr::Custom("rows instead of a count".into())),
        }
    }

    /// The rows; none where nothing else was asked for.
    pub(crate) fn rows(self) -> Vec<QueryResult> {
        match self {
            Self::Rows(rows) => rows,
            Self::Done(_) | Self::PgRows(_) => Vec::new(),
        }
    }

    /// The driver's rows; none where nothing else was asked for.
    pub(crate) fn pg_rows(self) -> Vec<PgRow> {
        match self {
            Self::PgRows(rows) => rows,
            Self::Done(_) | Self::Rows(_) => Vec::new(),
        }
    }
}

impl Connection {
    /// A connection to PostgreSQL that was opened now.
    pub(super) fn postgres(raw: PgConnection, session: Option<Session>) -> Self {
        let now = Instant::now();
        Self { raw: Raw::Postgres(raw), answered_at: now, opened_at: now, session, interrupt: None }
    }

    /// A connection to SQLite.
    pub(super) fn sqlite(raw: SqliteConnection) -> Self {
        let now = Instant::now();
        Self { raw: Raw::Sqlite(raw), answered_at: now, opened_at: now, session: None, interrupt: None }
    }

    /// Makes a connection to SQLite one whose statement can be ended from outside.
    pub(super) async fn interruptible(mut self) -> Result<Self, sqlx::Error> {
        if let Raw::Sqlite(raw) = &mut self.raw {
            let interrupt = Arc::new(AtomicBool::new(false));
            let is_over = Arc::clone(&interrupt);
            let goes_on = move || !is_over.load(Ordering::Relaxed);
            raw.lock_handle().await?.set_progress_handler(STEPS_BETWEEN_LOOKS, goes_on);
            self.interrupt = Some(interrupt);
        }
        Ok(self)
    }

    /// Ends the statement that runs on it, and all that come: it is not used any more.
    pub(super) fn interrupt(&self) {
        if let Some(interrupt) = &self.interrupt {
            interrupt.store(true, Ordering::Relaxed);
        }
    }

    /// Closes it in order.
    pub(super) async fn close(self) {
        // One that is closed already has nothing to say.
        let _ = match self.raw {
            Raw::Postgres(raw) => raw.close().await,
            Raw::Sqlite(raw) => raw.close().await,
        };
    }

    /// Lets so many commits of a SQLite connection fail from now on: SQLite undoes the transaction and says so, as when
    /// the disk is full or broken.
    #[cfg(test)]
    pub(super) async fn fail_commits(&mut self, mut count: u32) -> Result<(), sqlx::Error> {
        if let Raw::Sqlite(raw) = &mut self.raw {
            raw.lock_handle().await?.set_commit_hook(move || {
                let goes_on = count == 0;
                count = count.saturating_sub(1);
                goes_on
            });
        }
        Ok(())
    }

    /// Whether it is one of SQLite.
    pub(super) fn is_sqlite(&self) -> bool {
        matches!(self.raw, Raw::Sqlite(_))
    }

    /// Asks for one sign of life.
    pub(super) async fn ping(&mut self) -> Result<(), sqlx::Error> {
        match &mut self.raw {
            Raw::Postgres(raw) => raw.ping().await,
            Raw::Sqlite(raw) => raw.ping().await,
        }
    }

    /// Runs statements without parameters, whose answers are not looked at.
    pub(super) async fn plain(&mut self, text: &str) -> Result<ExecResult, sqlx::Error> {
        let text = sqlx::raw_sql(AssertSqlSafe(text));
        match &mut self.raw {
            Raw::Postgres(raw) => raw.execute(text).await.map(Into::into),
            Raw::Sqlite(raw) => raw.execute(text).await.map(Into::into),
        }
    }

    /// Does what is asked of it.
    pub(super) async fn work(&mut self, work: Work) -> Result<Answer, sqlx::Error> {
        match (&mut self.raw, work) {
            (_, Work::Plain(text)) => self.plain(&text).await.map(Answer::Done),
            (Raw::Postgres(raw), Work::Encoded(text, values, is_kept)) => {
                let query = sqlx::query_with(text, values).persistent(is_kept);
                raw.fetch_all(query).await.map(Answer::PgRows)
            }
            (Raw::Sqlite(_), Work::Encoded(..)) => {
                Err(sqlx::Error::Configuration("a statement for PostgreSQL".into()))
            }
            (Raw::Postgres(raw), Work::Run(Statement { sql, values, .. })) => {
                let query = sqlx::query_with(AssertSqlSafe(sql), bound(values));
                raw.execute(query).await.map(|done| Answer::Done(done.into()))
            }
            (Raw::Postgres(raw), Work::First(Statement { sql, values, .. })) => {
                let query = sqlx::query_with(AssertSqlSafe(sql), bound(values));
                let row = raw.fetch_optional(query).await?;
                Ok(Answer::Rows(row.into_iter().map(Into::into).collect()))
            }
            (Raw::Postgres(raw), Work::All(Statement { sql, values, .. })) => {
                let query = sqlx::query_with(AssertSqlSafe(sql), bound(values));
                let rows = raw.fetch_all(query).await?;
                Ok(Answer::Rows(rows.into_iter().map(Into::into).collect()))
            }
            (Raw::Sqlite(raw), Work::Run(Statement { sql, values, .. })) => {
                let query = sqlx::query_with(AssertSqlSafe(sql), bound(values));
                raw.execute(query).await.map(|done| Answer::Done(done.into()))
            }
            (Raw::Sqlite(raw), Work::First(Statement { sql, values, .. })) => {
                let query = sqlx::query_with(AssertSqlSafe(sql), bound(values));
                let row = raw.fetch_optional(query).await?;
                Ok(Answer::Rows(row.into_iter().map(Into::into).collect()))
            }
            (Raw::Sqlite(raw), Work::All(Statement { sql, values, .. })) => {
                let query = sqlx::query_with(AssertSqlSafe(sql), bound(values));
                let rows = raw.fetch_all(query).await?;
                Ok(Answer::Rows(rows.into_iter().map(Into::into).collect()))
            }
        }
    }
}

fn bound(values: Option<Values>) -> SqlxValues {
    SqlxValues(values.unwrap_or(Values(Vec::new())))
}

/// How long it may take to end a session. Afterwards the outcome stays open.
const ENDS_WITHIN: Duration = Duration::from_secs(3);

/// A process of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Session {
    pid: i32,
    /// The numbers of processes are used again; together with its start it is one for ever.
    started: String,
}

impl Session {
    /// The process that serves a connection.
    pub(super) async fn of(connection: &mut PgConnection) -> Result<Option<Self>, sqlx::Error> {
        let text = "SELECT pid, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()";
        let Some(row) = connection.fetch_optional(sqlx::raw_sql(text)).await? else {
            return Ok(None);
        };
        Ok(Some(Self { pid: row.try_get(0)?, started: row.try_get(1)? }))
    }

    /// Ends it, and waits until it is gone. Answers whether that is so.
    pub(super) async fn end(&self, options: &PgConnectOptions) -> bool {
        let ended = tokio::time::timeout(ENDS_WITHIN, self.try_to_end(options)).await;
        match ended {
            Ok(Ok(is_gone)) => is_gone,
            Ok(Err(error)) => {
                tracing::debug!(error = &error as &dyn std::error::Error, "a session could not be closed");
                false
            }
            Err(_) => false,
        }
    }

    async fn try_to_end(&self, options: &PgConnectOptions) -> Result<bool, sqlx::Error> {
        let mut connection = PgConnection::connect_with(options).await?;
        let wait_ms = i64::try_from(ENDS_WITHIN.as_millis()).unwrap_or(i64::MAX);
        let ended = sqlx::query(
            "SELECT pg_terminate_backend(pid, $3) FROM pg_stat_activity
             WHERE pid = $1 AND backend_start = $2::timestamptz",
        )
        .bind(self.pid)
        .bind(&self.started)
        .bind(wait_ms)
        .persistent(false)
        .fetch_optional(&mut connection)
        .await?;
        connection.close().await?;
        // No such session: it has ended by itself.
        ended.map_or(Ok(true), |row| row.try_get(0))
    }
}
