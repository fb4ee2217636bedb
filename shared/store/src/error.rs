//! What can go wrong in a store. One concrete type, so that every caller handles the same few cases.

use std::error::Error;
use std::fmt;

/// The result of every store call.
pub type StoreResult<T> = Result<T, StoreError>;

/// A failed store call. Nothing of the call was written, unless the case says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be reached, or gave up; trying again later can help. Nothing was written.
    #[error("the database is unavailable")]
    Unavailable {
        /// The driver's error.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The answer to a commit, or to a single statement that writes, was lost: the write may have happened or not.
    /// Callers repeat with the same ids and tokens. Where the server could be asked to, it has ended the session before
    /// this is answered, so that what is read afterwards is the outcome; behind a pooler the write may still come.
    #[error("the database did not confirm whether the write was committed")]
    Unknown {
        /// The driver's error.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The disk is full. Nothing was written; reads go on, and so do writes once there is room.
    #[error("the disk of the database is full{}", room.map_or_else(String::new, |room| format!(" ({room})")))]
    Full {
        /// What is free and what is needed, where the disk is this machine's.
        room: Option<DiskRoom>,
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
    #[error("{what} has changed in the meantime")]
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
    /// A payload cannot be opened, or may not be written as it is. Nothing is lost where a process with the key can go on.
    #[error("a payload of {table} is encrypted, and {why}")]
    Sealed {
        /// The table.
        table: &'static str,
        /// Why there is no key for it.
        why: Closed,
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
    /// The file of the URL is not a SQLite database.
    #[error(
        "{path} is not a SQLite database, and is left as it is: set database.url (--database-url) to another file; one that \
         does not exist is created"
    )]
    NotADatabase {
        /// The file.
        path: String,
    },
    /// The configured schema of PostgreSQL holds no store, but another one of the database does.
    #[error(
        "there is no store in the schema {wanted} of this database, but there is one in the schema {found}: set \
         database.schema to {found}, or rename that schema; a second store is not made beside the first one"
    )]
    Elsewhere {
        /// The schema of the settings.
        wanted: String,
        /// A schema with a store.
        found: String,
    },
    /// The database was moved to another one, and is kept for reading.
    #[error(
        "this database was moved to {to} and can only be read: set database.url to that address (the address is shown \
         without its credentials)"
    )]
    Moved {
        /// Where it is now, without credentials.
        to: String,
    },
    /// A move into this database has not ended.
    #[error(
        "a move from {from} to this database has not ended: run `trunkline move` again with the same addresses, or \
         start the server on {from}"
    )]
    Unfinished {
        /// Where it is moved from, without credentials.
        from: String,
    },
    /// The processes on this database speak a protocol that this version does not.
    #[error(
        "the processes on this database speak protocol {stored}, and this version of Trunkline speaks {least} to {most}: \
         start a version that speaks protocol {stored}"
    )]
    Protocol {
        /// What the database says.
        stored: i64,
        /// The oldest that this version speaks.
        least: i64,
        /// The newest that this version speaks.
        most: i64,
    },
    /// A database cannot be moved there, or not now.
    #[error("{reason}")]
    Immovable {
        /// What is in the way, and what to do.
        reason: String,
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
            Self::Unavailable { .. }
                | Self::Unknown { .. }
                | Self::Full { .. }
                | Self::Contended { .. }
                | Self::Outdated { .. }
                | Self::Later { .. }
                | Self::Sealed { .. }
        )
    }
}

/// Why there is no key for a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// This process does not have it: the name of the key in `secrets.keys`, or what is known of the key of the payload.
    WithoutKey(String),
    /// The tenant is being erased. Its keys are gone, and its rows follow.
    Erasing,
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WithoutKey(key) => write!(
                f,
                "its key ({key}) cannot be used: add that key to secrets.keys, after the current one"
            ),
            Self::Erasing => f.write_str("its tenant is being erased: its keys are already deleted"),
        }
    }
}

/// The room on the disk of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskRoom {
    /// What is free, in bytes.
    pub free_bytes: u64,
    /// What has to be free to go on, in bytes.
    pub needed_bytes: u64,
}

impl fmt::Display for DiskRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebibytes = |bytes: u64| bytes / (1 << 20);
        let (free, needed) = (mebibytes(self.free_bytes), mebibytes(self.needed_bytes));
        write!(f, "{free} MiB are free, {needed} MiB are needed")
    }
}
