//! What can go wrong in a store. One concrete type, so that every caller handles the same few cases.

use std::error::Error;

/// The result of every store call.
pub type StoreResult<T> = Result<T, StoreError>;

/// A failed store call. Nothing of the call was written, unless the case says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be reached, is full, or gave up; trying again later can help. Where the connection
    /// broke during a commit the write may have happened: callers repeat with the same ids and tokens.
    #[error("the database is unavailable")]
    Unavailable {
        /// The driver's error.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// Two transactions got in each other's way and this one was undone. The store has tried again already.
    #[error("the database kept refusing the transaction because of concurrent ones")]
    Contended {
        /// The driver's error.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The call rests on what is not so any more: a job that it was to end is not leased under that token, or another step
    /// of the execution was committed. Whoever made
    /// it looks again and makes another one.
    #[error("{what} is not as it was")]
    Outdated {
        /// What.
        what: &'static str,
    },
    /// A row holds what no version of Trunkline writes.
    #[error("table {table} holds an invalid {column} in row {row}")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The row's key.
        row: String,
    },
    /// A row holds what a later version of Trunkline wrote: a node of that version can go on with it.
    #[error("row {row} of table {table} was written by a later version of Trunkline ({column})")]
    Later {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The row's key.
        row: String,
    },
    /// The database refused a statement that should be valid: a fault of ours.
    #[error("the database refused a statement ({statement})")]
    Refused {
        /// Which statement.
        statement: &'static str,
        /// The driver's error.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// Another process holds the SQLite file.
    #[error(
        "{path} is in use by another Trunkline process; one process at a time can open a SQLite file. \
             Stop the other one, or use PostgreSQL for several nodes"
    )]
    Locked {
        /// The file.
        path: String,
    },
    /// The database URL is not one we understand.
    #[error("invalid database URL: {reason}")]
    Url {
        /// What is wrong and what would be right.
        reason: String,
    },
}

impl StoreError {
    /// Whether the same call may work later.
    pub const fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Unavailable { .. } | Self::Contended { .. } | Self::Outdated { .. } | Self::Later { .. }
        )
    }
}
