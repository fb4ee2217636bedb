//! The server's side of a connection to PostgreSQL: which process it is, and how it is ended.
//!
//! A statement whose answer was lost may still run, and be carried out later. Its session is ended before the store says
//! that the outcome is unknown, so that whoever looks afterwards sees what became of it. Behind a pooler the process
//! serves others, too, and is left alone.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};

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
                tracing::debug!(error = &error as &dyn std::error::Error, "a session could not be ended");
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
