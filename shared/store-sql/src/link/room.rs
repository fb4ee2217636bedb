//! A disk that is full: how much room there is, and how much it takes to go on.

use std::error::Error;
use std::path::Path;
use std::{fmt, io};

use store::DiskRoom;

/// What SQLite needs to go on: its log grows to 16 MiB before it is copied into the file, which may grow by as much.
const NEEDED_BYTES: u64 = 32 << 20;

/// The result code of SQLite.
const FULL: u32 = 13;

/// Adds the room on the disk of `file` to an error that says that it is full.
pub(super) fn with_room(error: sqlx::Error, file: Option<&Path>) -> sqlx::Error {
    let Some(file) = file.filter(|_| is_full(&error)) else {
        return error;
    };
    match rustix::fs::statvfs(file) {
        Ok(disk) => {
            let free_bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
            let room = DiskRoom { free_bytes, needed_bytes: NEEDED_BYTES };
            sqlx::Error::Io(io::Error::other(DiskFull { room, source: error }))
        }
        Err(_) => error,
    }
}

/// The room that was added to an error.
pub(crate) fn disk_room(error: &sqlx::Error) -> Option<DiskRoom> {
    let sqlx::Error::Io(error) = error else {
        return None;
    };
    error.get_ref()?.downcast_ref::<DiskFull>().map(|full| full.room)
}

fn is_full(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else {
        return false;
    };
    let code = error.code().unwrap_or_default();
    code.len() < 5 && code.parse::<u32>().is_ok_and(|code| code & 0xff == FULL)
}

#[derive(Debug)]
struct DiskFull {
    room: DiskRoom,
    source: sqlx::Error,
}

impl fmt::Display for DiskFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the disk is full: {}", self.room)
    }
}

impl Error for DiskFull {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}
