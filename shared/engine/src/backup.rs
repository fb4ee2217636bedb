//! Backups, and what has to be done after one was restored to an earlier moment.

mod restored;

use std::path::{Path, PathBuf};

use domain::access::Action;
use domain::problem::ProblemCode;
use serde_json::json;
use uuid::Uuid;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

pub use restored::{Mended, Restored, RestoredDelivery, RestoredLease, RestoredSchedule};

// Make a copy of the database, for whoever asked to take away.

/// What the names of copies begin with.
const PREFIX: &str = "trunkline-backup-";

/// A copy on the machine of the server. It is removed when this is dropped.
#[derive(Debug)]
pub struct BackupFile {
    path: PathBuf,
    bytes: u64,
}

impl BackupFile {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How long it is.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for BackupFile {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "the temporary copy of a backup could not be removed");
        }
    }
}

impl Engine {
    /// Copies the database. One copy is made at a time.
    pub async fn back_up(&self, caller: &Caller) -> Result<BackupFile, EngineError> {
        caller.require_action(Action::BackupsCreate)?;
        caller.require_unscoped()?;
        let Some(directory) = self.store().backup_directory() else {
            return Err(EngineError::Conflict {
                code: ProblemCode::BackupUnsupported,
                message: "A PostgreSQL database is backed up by its own tools, such as pg_basebackup."
                    .to_owned(),
            });
        };
        let Ok(_turn) = self.memory().backups.try_lock() else {
            return Err(EngineError::Conflict {
                code: ProblemCode::BackupRunning,
                message: "Another backup is in progress.".to_owned(),
            });
        };
        remove_leftovers(&directory);
        let name = format!("{PREFIX}{}.db", self.entropy().uuid(self.now()).simple());
        let path = directory.join(name);
        let bytes = self.store().back_up(&path).await?;
        let file = BackupFile { path, bytes };
        let audited = AuditedAction::new("backup.create", "database").with(json!({ "bytes": bytes }));
        self.audit(caller, audited).await;
        Ok(file)
    }
}

/// Copies of a process that was killed while it made or sent them. Those that are being sent have no name to be found by
/// any more: they are open, and are read to their end.
fn remove_leftovers(directory: &Path) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_copy = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(".db"));
        if is_copy.is_some_and(|id| Uuid::try_parse(id).is_ok()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_copies_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let copy = at(&format!("{PREFIX}{}.db", Uuid::nil().simple()));
        let kept = [at("trunkline.db"), at("trunkline-backup-mine.db"), at("trunkline-backup-.db")];
        for path in kept.iter().chain([&copy]) {
            std::fs::write(path, "x").unwrap();
        }
        remove_leftovers(directory.path());
        assert!(!copy.exists());
        assert!(kept.iter().all(|path| path.exists()));
    }
}
