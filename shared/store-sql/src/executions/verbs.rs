//! The port's verbs on executions, each tried again where that is safe.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionError;
use store::executions::{
    Appended, CommandRecord, Committed, EventRecord, ExecutionCommit, ExecutionDetail, ExecutionFilter,
    ExecutionRecord, ExecutionStore, InboxEntry, InboxRow, LoadedExecution, NewExecution,
};
use store::jobs::{Enqueued, LeaseAnswer, LeaseRef};
use store::{Page, PageRequest, StoreResult};

use super::{command, commit, create, detail, events, fail, inbox, load, read};
use crate::SqlStore;
use crate::tries::{Tries, tried};

#[async_trait]
impl ExecutionStore for SqlStore {
    async fn create_executions(
        &self,
        executions: &[NewExecution],
        now: Timestamp,
    ) -> StoreResult<Vec<Enqueued>> {
        create::create(self, executions, now).await
    }

    async fn load_execution(
        &self,
        id: ExecutionId,
        lease: LeaseRef,
    ) -> StoreResult<LeaseAnswer<LoadedExecution>> {
        tried(Tries::repeatable(), || load::load(self.pool(), id, lease)).await
    }

    async fn inbox(&self, id: ExecutionId, limit: u32) -> StoreResult<Vec<InboxRow>> {
        tried(Tries::repeatable(), || inbox::pending(self.pool(), id, limit)).await
    }

    async fn commit_execution(
        &self,
        step: &ExecutionCommit,
        now: Timestamp,
    ) -> StoreResult<LeaseAnswer<Committed>> {
        commit::commit(self, step, now).await
    }

    async fn append_command(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        entry: &InboxEntry,
        now: Timestamp,
    ) -> StoreResult<Appended> {
        // Not repeated over a broken connection: the command could be there twice.
        tried(Tries::once(), || command::append(self, scope, id, entry, now)).await
    }

    async fn command(&self, scope: &TenantScope, position: i64) -> StoreResult<Option<CommandRecord>> {
        tried(Tries::repeatable(), || command::one(self.pool(), scope, position)).await
    }

    async fn execution(&self, scope: &TenantScope, id: ExecutionId) -> StoreResult<Option<ExecutionRecord>> {
        tried(Tries::repeatable(), || read::one(self.pool(), scope, id)).await
    }

    async fn list_executions(
        &self,
        scope: &TenantScope,
        filter: &ExecutionFilter,
        page: PageRequest,
    ) -> StoreResult<Page<ExecutionRecord>> {
        tried(Tries::repeatable(), || read::list(self.pool(), scope, filter, page)).await
    }

    async fn execution_detail(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
    ) -> StoreResult<Option<ExecutionDetail>> {
        tried(Tries::repeatable(), || detail::detail(self.pool(), scope, id)).await
    }

    async fn execution_events(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        after: i64,
        limit: u32,
    ) -> StoreResult<Option<Vec<EventRecord>>> {
        tried(Tries::repeatable(), || events::list(self.pool(), scope, id, after, limit)).await
    }

    async fn fail_execution(
        &self,
        id: ExecutionId,
        error: &ExecutionError,
        now: Timestamp,
    ) -> StoreResult<bool> {
        tried(Tries::once(), || fail::fail(self, id, error, now)).await
    }
}
