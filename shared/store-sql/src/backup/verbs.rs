//! The port's operations on copies.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use domain::id::JobId;
use domain::time::Timestamp;
use store::StoreResult;
use store::backup::{BackupStore, HeldLease};

use super::{copy, look};
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl BackupStore for SqlStore {
    fn backup_directory(&self) -> Option<PathBuf> {
        if self.is_postgres() {
            return None;
        }
        let parent = self.sqlite_file().map(|file| file.parent().unwrap_or(Path::new("")).to_owned());
        Some(match parent {
            Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
            Some(parent) => parent,
            None => std::env::temp_dir(),
        })
    }

    async fn back_up(&self, into: &Path) -> StoreResult<u64> {
        // Not repeated: it takes long, and whoever asked can ask again.
        copy::copy(self, into).await
    }

    async fn last_written(&self) -> StoreResult<Option<Timestamp>> {
        with_retry(RetryBudget::repeatable(), || look::last_written(self.pool())).await
    }

    async fn held_leases(&self, after: Option<JobId>, limit: u32) -> StoreResult<Vec<HeldLease>> {
        with_retry(RetryBudget::repeatable(), || look::leases(self.pool(), after, limit)).await
    }
}
