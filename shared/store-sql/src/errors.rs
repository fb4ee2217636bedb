//! From the drivers' errors to the few cases that callers distinguish.

use std::error::Error;
use std::fmt::Display;
use std::sync::Arc;

use sea_orm::{DbErr, RuntimeErr, SqlErr};
use store::{DiskRoom, StoreError};

use crate::link::after::is_stale_plan;
use crate::link::{disk_room, is_out_of_time, is_outcome_unknown, is_undone};
use crate::metric_names::STORE_ERRORS_TOTAL;

/// Sorts an error of the statement `statement` into one of the store's cases.
pub(crate) fn classify(statement: &'static str, error: DbErr) -> StoreError {
    let (kind, room) = (kind_of(&error), sqlx_error(&error).and_then(disk_room));
    sorted(statement, &kind, room, Box::new(error))
}

/// The same for an error of the pool or a connection of its own.
pub(crate) fn classify_sqlx(statement: &'static str, error: sqlx::Error) -> StoreError {
    let (kind, room) = (kind_of_sqlx(&error), disk_room(&error));
    // Callers ask a `DbErr` whether the connection broke.
    sorted(statement, &kind, room, Box::new(conn_error(error)))
}

fn sorted(
    statement: &'static str,
    kind: &Kind,
    room: Option<DiskRoom>,
    source: Box<dyn Error + Send + Sync>,
) -> StoreError {
    // What concurrent transactions do to each other, and what a statement is refused for, says nothing about the database.
    if matches!(kind, Kind::Unavailable | Kind::Unknown | Kind::Full) {
        metrics::counter!(STORE_ERRORS_TOTAL, "operation" => statement).increment(1);
    }
    match kind {
        Kind::Unavailable => StoreError::Unavailable { source },
        Kind::Unknown => StoreError::Unknown { source },
        Kind::Full => StoreError::Full { room, source },
        Kind::Contended => StoreError::Contended { source },
        Kind::Refused => StoreError::Refused { statement, source },
    }
}

/// The driver's error of a statement without rows.
pub(crate) fn exec_error(error: sqlx::Error) -> DbErr {
    DbErr::Exec(RuntimeErr::SqlxError(Arc::new(error)))
}

/// The driver's error of a statement with rows.
pub(crate) fn query_error(error: sqlx::Error) -> DbErr {
    DbErr::Query(RuntimeErr::SqlxError(Arc::new(error)))
}

/// An error on the way to a connection.
pub(crate) fn conn_error(error: sqlx::Error) -> DbErr {
    DbErr::Conn(RuntimeErr::SqlxError(Arc::new(error)))
}

fn sqlx_error(error: &DbErr) -> Option<&sqlx::Error> {
    match error {
        DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error))
        | DbErr::Conn(RuntimeErr::SqlxError(error)) => Some(error),
        _ => None,
    }
}

/// Whether a unique index refused the statement.
pub(crate) fn is_unique_violation(error: &StoreError) -> bool {
    let StoreError::Refused { source, .. } = error else {
        return false;
    };
    let error = source.downcast_ref::<DbErr>().and_then(DbErr::sql_err);
    matches!(error, Some(SqlErr::UniqueConstraintViolation(_)))
}

/// Whether a job was to be inserted into a lane that is gone or about to go: no lane of it was current, and the column
/// takes no null.
pub(crate) fn is_missing_lane(error: &StoreError) -> bool {
    let StoreError::Refused { source, .. } = error else {
        return false;
    };
    let Some(sqlx::Error::Database(error)) = source.downcast_ref::<DbErr>().and_then(sqlx_error) else {
        return false;
    };
    match error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>() {
        Some(error) => {
            error.code() == "23502" && error.table() == Some("job") && error.column() == Some("lane")
        }
        None => error.message() == "NOT NULL constraint failed: job.lane",
    }
}

/// Whether a connection broke under a statement, or has it prepared for tables that a migration has changed since, so that
/// another one may work at once. Waiting for a connection in vain is not that: it took long already, and neither is a list that
/// was read until its time was up.
pub(crate) fn is_broken_connection(error: &DbErr) -> bool {
    let Some(error) = sqlx_error(error) else {
        return false;
    };
    match error {
        error if is_out_of_time(error) => false,
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::BeginFailed => true,
        // The server ends the connection: an operator terminated it, or it is shutting down or starting.
        sqlx::Error::Database(error) => {
            is_stale_plan(error.as_ref())
                || error.code().is_some_and(|code| ["57P01", "57P02", "57P03"].contains(&code.as_ref()))
        }
        _ => false,
    }
}

/// Whether a list was read until its time was up.
pub(crate) fn is_too_late(error: &DbErr) -> bool {
    sqlx_error(error).is_some_and(is_out_of_time)
}

/// A row that no version of Trunkline writes.
pub(crate) fn corrupt(table: &'static str, column: &'static str, row: impl Display) -> StoreError {
    StoreError::Corrupt { table, column, row: row.to_string() }
}

enum Kind {
    Unavailable,
    Unknown,
    Full,
    Contended,
    Refused,
}

fn kind_of(error: &DbErr) -> Kind {
    match error {
        // Whatever a server says of a connection that it refuses, another may work later.
        DbErr::ConnectionAcquire(_) | DbErr::Conn(_) if !is_full_or_unknown(error) => Kind::Unavailable,
        error => sqlx_error(error).map_or(Kind::Refused, kind_of_sqlx),
    }
}

fn is_full_or_unknown(error: &DbErr) -> bool {
    sqlx_error(error).is_some_and(|error| matches!(kind_of_sqlx(error), Kind::Full | Kind::Unknown))
}

fn kind_of_sqlx(error: &sqlx::Error) -> Kind {
    use sqlx::Error as E;
    match error {
        error if is_outcome_unknown(error) => Kind::Unknown,
        error if is_undone(error) => Kind::Contended,
        error if disk_room(error).is_some() => Kind::Full,
        // Its connection is closed, and another one prepares the statement anew.
        E::Database(database) if is_stale_plan(database.as_ref()) => Kind::Contended,
        E::Database(database) => database.code().map_or(Kind::Refused, |code| kind_of_code(&code)),
        E::Io(_)
        | E::Tls(_)
        | E::Protocol(_)
        | E::PoolTimedOut
        | E::PoolClosed
        | E::WorkerCrashed
        | E::BeginFailed => Kind::Unavailable,
        _ => Kind::Refused,
    }
}

/// SQLSTATE of PostgreSQL (five characters), or the extended result code of SQLite (a decimal number below 10,000).
fn kind_of_code(code: &str) -> Kind {
    if code.len() < 5
        && let Ok(number) = code.parse::<u32>()
    {
        // CONSTRAINT_TRIGGER: the store was moved, and its triggers refuse what comes late.
        if number == 1811 {
            return Kind::Unavailable;
        }
        return match number & 0xff {
            // BUSY, LOCKED
            5 | 6 => Kind::Contended,
            13 => Kind::Full,
            // NOMEM, READONLY, INTERRUPT, IOERR, CANTOPEN, PROTOCOL
            7 | 8 | 9 | 10 | 14 | 15 => Kind::Unavailable,
            _ => Kind::Refused,
        };
    }
    match code {
        // Serialization failure, deadlock, lock not available.
        // Idle in a transaction for too long: this process stood still, and the transaction is undone.
        "40001" | "40P01" | "55P03" | "25P03" => Kind::Contended,
        // Read-only transaction: a standby after a failover.
        "25006" => Kind::Unavailable,
        "53100" => Kind::Full,
        // Connections, resources (disk full, too many connections), operator intervention, system errors.
        _ if ["08", "53", "57", "58"].iter().any(|class| code.starts_with(class)) => Kind::Unavailable,
        _ => Kind::Refused,
    }
}
