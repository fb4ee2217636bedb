//! The lock that keeps a second process from a SQLite file.
//!
//! SQLite itself would let several processes in, and each would believe that it is the only one that claims.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use store::{StoreError, StoreResult};

/// A locked `<database>.lock`. The lock goes with this value, or with the process, however it ends.
#[derive(Debug)]
pub(crate) struct LockFile {
    file: File,
}

impl LockFile {
    /// Takes the lock of a database file, whose directory exists.
    pub(crate) fn take(database: &Path) -> StoreResult<Self> {
        let mut path = database.as_os_str().to_owned();
        path.push(".lock");
        let path = PathBuf::from(path);
        let file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(unavailable)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path: database.display().to_string() }),
            Err(TryLockError::Error(error)) => Err(unavailable(error)),
        }
    }

    /// Lets others have the file, while this value is still there.
    pub(crate) fn release(&self) {
        if let Err(error) = self.file.unlock() {
            tracing::warn!(%error, "the lock of a database file cannot be given back");
        }
    }
}

/// A file that cannot be opened or made.
pub(crate) fn unavailable(error: io::Error) -> StoreError {
    StoreError::Unavailable { source: Box::new(error) }
}
