//! The port's verbs on dead letters, each tried again where that is safe.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::DeadLetterId;
use domain::time::Timestamp;
use store::dead_letters::{
    DeadLetterChange, DeadLetterFilter, DeadLetterGroup, DeadLetterRecord, DeadLetterStore, RequeueEdit,
};
use store::{Page, PageRequest, StoreResult};

use super::{archive, groups, read, requeue};
use crate::SqlStore;
use crate::tries::{Tries, tried};

#[async_trait]
impl DeadLetterStore for SqlStore {
    async fn dead_letter(
        &self,
        scope: &TenantScope,
        id: DeadLetterId,
    ) -> StoreResult<Option<DeadLetterRecord>> {
        tried(Tries::repeatable(), || read::with_attempts(self.pool(), scope, id)).await
    }

    async fn list_dead_letters(
        &self,
        scope: &TenantScope,
        filter: &DeadLetterFilter,
        page: PageRequest,
    ) -> StoreResult<Page<DeadLetterRecord>> {
        tried(Tries::repeatable(), || read::list(self.pool(), scope, filter, page)).await
    }

    async fn count_dead_letters(&self, scope: &TenantScope, filter: &DeadLetterFilter) -> StoreResult<u64> {
        tried(Tries::repeatable(), || read::count(self.pool(), scope, filter)).await
    }

    async fn dead_letter_groups(
        &self,
        scope: &TenantScope,
        filter: &DeadLetterFilter,
        limit: u32,
    ) -> StoreResult<Vec<DeadLetterGroup>> {
        tried(Tries::repeatable(), || groups::groups(self.pool(), scope, filter, limit)).await
    }

    async fn requeue_dead_letter(
        &self,
        scope: &TenantScope,
        id: DeadLetterId,
        edit: &RequeueEdit,
        now: Timestamp,
    ) -> StoreResult<DeadLetterChange> {
        requeue::requeue(self, scope, id, edit, now).await
    }

    async fn archive_dead_letter(
        &self,
        scope: &TenantScope,
        id: DeadLetterId,
        reason: &str,
        now: Timestamp,
    ) -> StoreResult<DeadLetterChange> {
        tried(Tries::once(), || archive::archive(self, scope, id, reason, now)).await
    }
}
