//! From the drivers' errors to the few cases that callers tell apart.

use std::fmt::Display;

use sea_orm::{DbErr, RuntimeErr, SqlErr};
use store::StoreError;

/// Sorts an error of the statement `statement` into one of the store's cases.
pub(crate) fn classify(statement: &'static str, error: DbErr) -> StoreError {
    match kind_of(&error) {
        Kind::Unavailable => StoreError::Unavailable { source: Box::new(error) },
        Kind::Contended => StoreError::Contended { source: Box::new(error) },
        Kind::Refused => StoreError::Refused { statement, source: Box::new(error) },
    }
}

/// The same for an error of the pool or a connection of its own.
pub(crate) fn classify_sqlx(statement: &'static str, error: sqlx::Error) -> StoreError {
    match kind_of_sqlx(&error) {
        Kind::Unavailable => StoreError::Unavailable { source: Box::new(error) },
        Kind::Contended => StoreError::Contended { source: Box::new(error) },
        Kind::Refused => StoreError::Refused { statement, source: Box::new(error) },
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

/// Whether a connection broke under a statement, so that another one may work at once. Waiting for a connection in
/// vain is not that: it took long already.
pub(crate) fn is_broken_connection(error: &DbErr) -> bool {
    let (DbErr::Exec(RuntimeErr::SqlxError(error))
    | DbErr::Query(RuntimeErr::SqlxError(error))
    | DbErr::Conn(RuntimeErr::SqlxError(error))) = error
    else {
        return false;
    };
    match error.as_ref() {
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::BeginFailed => true,
        // The server ends the connection: an operator terminated it, or it is shutting down or starting.
        sqlx::Error::Database(error) => {
            error.code().is_some_and(|code| ["57P01", "57P02", "57P03", "25P03"].contains(&code.as_ref()))
        }
        _ => false,
    }
}

/// A row that no version of Trunkline writes.
pub(crate) fn corrupt(table: &'static str, column: &'static str, row: impl Display) -> StoreError {
    StoreError::Corrupt { table, column, row: row.to_string() }
}

enum Kind {
    Unavailable,
    Contended,
    Refused,
}

fn kind_of(error: &DbErr) -> Kind {
    match error {
        DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => Kind::Unavailable,
        DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error)) => {
            kind_of_sqlx(error)
        }
        _ => Kind::Refused,
    }
}

fn kind_of_sqlx(error: &sqlx::Error) -> Kind {
    use sqlx::Error as E;
    match error {
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
        return match number & 0xff {
            // BUSY, LOCKED
            5 | 6 => Kind::Contended,
            // NOMEM, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL
            7 | 8 | 10 | 13 | 14 | 15 => Kind::Unavailable,
            _ => Kind::Refused,
        };
    }
    match code {
        // Serialization failure, deadlock, lock not available.
        "40001" | "40P01" | "55P03" => Kind::Contended,
        // Read-only transaction: a standby after a failover. Idle in a transaction for too long: this process stood still.
        "25006" | "25P03" => Kind::Unavailable,
        // Connections, resources (disk full, too many connections), operator intervention, system errors.
        _ if ["08", "53", "57", "58"].iter().any(|class| code.starts_with(class)) => Kind::Unavailable,
        _ => Kind::Refused,
    }
}
