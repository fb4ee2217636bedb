//! Executions: created with their job, moved on by the one owner that holds the job's lease, shown to everybody else.
//!
//! What happens to an execution is not decided here: `domain` does that for the owner, and the owner commits it.

mod cancel;
mod command;
mod commit;
pub(crate) mod create;
mod detail;
pub(crate) mod entry;
mod fail;
pub(crate) mod inbox;
mod items;
mod load;
pub(crate) mod lock;
pub(crate) mod parents;
mod read;
mod unique;
pub(crate) mod wake;

use std::borrow::Cow;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::{CommandId, ExecutionId};
use domain::names::{NodeId, TenantName};
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionError;
use store::StoreResult;
use store::audit::AuditRecord;
use store::executions::{
    Appended, CommandRecord, Committed, EagerlyCommitted, EventRecord, ExecutionCommit, ExecutionDetail,
    ExecutionRecord, ExecutionStore, InboxEntry, InboxRow, ItemPage, LoadedExecution, LostExecution,
    NewExecution, NodeView, UniqueKey, UniqueStart, UniqueStarted,
};
use store::jobs::{ClaimRequest, EagerlyEnqueued, Enqueued, LeaseAnswer, LeaseRef};

use crate::retry::{RetryBudget, with_retry};
use crate::{SqlStore, lanes};

pub(crate) use cancel::end_at_once;
pub(crate) use commit::NEVER;
use fail::FailedBy;
pub(crate) use fail::expire as expire_execution;
pub(crate) use read::{record_of, select_short};

// The port's operations on executions, each retried where that is safe.

#[async_trait]
impl ExecutionStore for SqlStore {
    async fn create_executions(
        &self,
        executions: &[NewExecution],
        now: Timestamp,
    ) -> StoreResult<Vec<Enqueued>> {
        let executions = &*self.sealed(executions).await?;
        lanes::with_current(self, || create::create(self, executions, now)).await
    }

    async fn create_executions_eagerly(
        &self,
        executions: &[NewExecution],
        claim: &ClaimRequest,
    ) -> StoreResult<EagerlyEnqueued> {
        let executions = &*self.sealed(executions).await?;
        lanes::with_current(self, || create::create_eagerly(self, executions, claim)).await
    }

    async fn start_unique(&self, start: &UniqueStart, now: Timestamp) -> StoreResult<UniqueStarted> {
        let execution = self.sealed(std::slice::from_ref(&start.execution)).await?;
        let sealed = match &execution {
            Cow::Borrowed(_) => None,
            Cow::Owned(sealed) => {
                sealed.first().map(|execution| UniqueStart { execution: execution.clone(), ..start.clone() })
            }
        };
        let start = sealed.as_ref().unwrap_or(start);
        lanes::with_current(self, || {
            with_retry(RetryBudget::repeatable(), || unique::start(self, start, now))
        })
        .await
    }

    async fn admit_unique(&self, key: &UniqueKey, now: Timestamp) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || unique::admit(self, key, now)).await
    }

    async fn unique_keys_left(&self, limit: u32) -> StoreResult<Vec<UniqueKey>> {
        with_retry(RetryBudget::repeatable(), || unique::left(self.pool(), limit)).await
    }

    async fn load_executions(
        &self,
        executions: &[(ExecutionId, LeaseRef)],
    ) -> StoreResult<Vec<LeaseAnswer<LoadedExecution>>> {
        let mut loaded =
            with_retry(RetryBudget::repeatable(), || load::load(self.pool(), executions)).await?;
        let there = loaded.iter_mut().filter_map(|answer| match answer {
            LeaseAnswer::Ok(execution) => Some(execution),
            LeaseAnswer::AlreadyDone | LeaseAnswer::Cancelled | LeaseAnswer::LeaseLost => None,
        });
        self.open_executions(there.collect()).await?;
        Ok(loaded)
    }

    async fn record_evaluations_lost(
        &self,
        id: ExecutionId,
        lease: LeaseRef,
        lost: u32,
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || load::record(self, id, lease, lost)).await
    }

    async fn record_unowned_evaluations_lost(
        &self,
        id: ExecutionId,
        step: i64,
        before: u32,
        after: u32,
    ) -> StoreResult<bool> {
        // Not repeated over a broken connection: who had noted it would not be known.
        with_retry(RetryBudget::once(), || load::record_unowned(self, id, step, (before, after))).await
    }

    async fn executions_to_look_at(&self, before: Timestamp, limit: u32) -> StoreResult<Vec<ExecutionId>> {
        with_retry(RetryBudget::repeatable(), || wake::to_look_at(self.pool(), before, limit)).await
    }

    async fn look_later(&self, ids: &[ExecutionId], until: Timestamp) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || wake::look_later(self, ids, until)).await
    }

    async fn load_unowned(&self, ids: &[ExecutionId]) -> StoreResult<Vec<Option<LoadedExecution>>> {
        let mut loaded =
            with_retry(RetryBudget::repeatable(), || load::load_unowned(self.pool(), ids)).await?;
        self.open_executions(loaded.iter_mut().flatten().collect()).await?;
        Ok(loaded)
    }

    async fn commit_unowned(
        &self,
        commits: &[ExecutionCommit],
        due_at: &[Option<Timestamp>],
        now: Timestamp,
    ) -> StoreResult<Vec<Option<Committed>>> {
        // Not repeated over a broken connection: the number of the step would show that it was written, and not by
        // whom.
        let commits = &*self.sealed(commits).await?;
        lanes::with_current(self, || {
            with_retry(RetryBudget::once(), || commit::commit_unowned(self, commits, due_at, now))
        })
        .await
    }

    async fn inboxes(&self, ids: &[ExecutionId], limit: u32) -> StoreResult<Vec<Vec<InboxRow>>> {
        let inboxes =
            with_retry(RetryBudget::repeatable(), || inbox::pending(self.pool(), ids, limit)).await?;
        self.opened_inboxes(ids, inboxes).await
    }

    async fn filled_inboxes(&self, ids: &[ExecutionId]) -> StoreResult<Vec<ExecutionId>> {
        with_retry(RetryBudget::repeatable(), || inbox::filled(self.pool(), ids)).await
    }

    async fn commit_executions(
        &self,
        commits: &[ExecutionCommit],
        now: Timestamp,
    ) -> StoreResult<Vec<LeaseAnswer<Committed>>> {
        let commits = &*self.sealed(commits).await?;
        let committed = lanes::with_current(self, || commit::commit(self, commits, (now, None))).await?;
        Ok(committed.answers)
    }

    async fn commit_executions_eagerly(
        &self,
        commits: &[ExecutionCommit],
        claim: &ClaimRequest,
    ) -> StoreResult<EagerlyCommitted> {
        let commits = &*self.sealed(commits).await?;
        let mut committed =
            lanes::with_current(self, || commit::commit(self, commits, (claim.now, Some(claim)))).await?;
        committed.leased = self.opened_jobs(committed.leased, claim.now).await?;
        Ok(committed)
    }

    async fn wake_parked(&self, limit: u32, now: Timestamp) -> StoreResult<u32> {
        with_retry(RetryBudget::repeatable(), || wake::wake_parked(self, limit, now)).await
    }

    async fn ended_executions(&self, ids: &[ExecutionId]) -> StoreResult<Vec<ExecutionId>> {
        with_retry(RetryBudget::repeatable(), || read::ended(self.pool(), ids)).await
    }

    async fn append_command(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        command: CommandId,
        entry: &InboxEntry,
        now: Timestamp,
    ) -> StoreResult<Appended> {
        self.append_audited_command(scope, id, (command, entry), &[], now).await
    }

    async fn append_audited_command(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        command: (CommandId, &InboxEntry),
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<Appended> {
        self.sealer().ring(self.pool()).await?;
        // One that is there already is found by its id.
        with_retry(RetryBudget::repeatable(), || command::append(self, (scope, id), command, audit, now))
            .await
    }

    async fn command_position(&self, scope: &TenantScope, id: CommandId) -> StoreResult<Option<i64>> {
        with_retry(RetryBudget::repeatable(), || command::position(self.pool(), scope, id)).await
    }

    async fn command(&self, scope: &TenantScope, position: i64) -> StoreResult<Option<CommandRecord>> {
        with_retry(RetryBudget::repeatable(), || command::one(self.pool(), scope, position)).await
    }

    async fn execution(&self, scope: &TenantScope, id: ExecutionId) -> StoreResult<Option<ExecutionRecord>> {
        self.opened(with_retry(RetryBudget::repeatable(), || read::one(self.pool(), scope, id)).await?).await
    }

    async fn tenants_of_executions(
        &self,
        ids: &[ExecutionId],
    ) -> StoreResult<Vec<(ExecutionId, TenantName)>> {
        with_retry(RetryBudget::repeatable(), || read::tenants(self.pool(), ids)).await
    }

    async fn execution_detail(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
    ) -> StoreResult<Option<ExecutionDetail>> {
        let found = with_retry(RetryBudget::repeatable(), || detail::detail(self.pool(), scope, id)).await?;
        self.opened(found).await
    }

    async fn execution_head(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
    ) -> StoreResult<Option<ExecutionDetail>> {
        let found = with_retry(RetryBudget::repeatable(), || detail::head(self.pool(), scope, id)).await?;
        self.opened(found).await
    }

    async fn node_outputs(&self, id: ExecutionId, nodes: &[NodeId]) -> StoreResult<Vec<NodeView>> {
        let items = with_retry(RetryBudget::repeatable(), || detail::outputs(self.pool(), id, nodes)).await?;
        Ok(self.opened(ItemPage { execution_id: id, items, next: None }).await?.items)
    }

    async fn execution_items(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        map: &NodeId,
        after: i64,
        limit: u32,
    ) -> StoreResult<Option<ItemPage>> {
        let read = || items::page(self.pool(), scope, id, map, (after, limit));
        self.opened(with_retry(RetryBudget::repeatable(), read).await?).await
    }

    async fn execution_item(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        item: &NodeId,
    ) -> StoreResult<Option<NodeView>> {
        let read = || items::one(self.pool(), scope, id, item);
        let page = self.opened(with_retry(RetryBudget::repeatable(), read).await?).await?;
        Ok(page.and_then(|page| page.items.into_iter().next()))
    }

    async fn execution_events(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        after: i64,
        limit: u32,
    ) -> StoreResult<Option<Vec<EventRecord>>> {
        with_retry(RetryBudget::repeatable(), || read::list_events(self.pool(), scope, id, after, limit))
            .await
    }

    async fn fail_execution(
        &self,
        id: ExecutionId,
        error: &ExecutionError,
        now: Timestamp,
    ) -> StoreResult<bool> {
        let by = FailedBy::Anybody;
        let failed = with_retry(RetryBudget::once(), || fail::fail(self, id, error, (by, now))).await?;
        Ok(failed == LostExecution::Failed)
    }

    async fn fail_lost_execution(
        &self,
        id: ExecutionId,
        error: &ExecutionError,
        now: Timestamp,
    ) -> StoreResult<LostExecution> {
        let by = FailedBy::Reaper;
        with_retry(RetryBudget::once(), || fail::fail(self, id, error, (by, now))).await
    }
}
