//! The store's operations on executions.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::{CommandId, ExecutionId};
use domain::names::{NodeId, TenantName};
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionError;

use super::commit::{Committed, EagerlyCommitted, ExecutionCommit};
use super::create::{NewExecution, UniqueKey, UniqueStart, UniqueStarted};
use super::inbox::{Appended, CommandRecord, InboxEntry, InboxRow};
use super::{EventRecord, ExecutionDetail, ExecutionRecord, ItemPage, LoadedExecution, NodeView};
use crate::audit::AuditRecord;
use crate::error::StoreResult;
use crate::jobs::{ClaimRequest, EagerlyEnqueued, Enqueued, LeaseAnswer, LeaseRef};

/// What became of an execution whose owner was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostExecution {
    /// It failed now.
    Failed,
    /// It had ended before.
    Ended,
    /// It has an owner again, or its job is being changed: it goes on.
    Owned,
}

/// The store's operations on executions.
#[async_trait]
pub trait ExecutionStore {
    /// Creates executions and their jobs in one commit, all or nothing. Answers in order, with the job's place.
    async fn create_executions(
        &self,
        executions: &[NewExecution],
        now: Timestamp,
    ) -> StoreResult<Vec<Enqueued>>;

    /// Creates executions whose jobs one pool has slots for; see
    /// [`JobStore::enqueue_eagerly`](crate::jobs::JobStore::enqueue_eagerly).
    async fn create_executions_eagerly(
        &self,
        executions: &[NewExecution],
        claim: &ClaimRequest,
    ) -> StoreResult<EagerlyEnqueued>;

    /// Starts an execution with a unique key, exactly as its policy says: starts with the same key are decided one after
    /// the other, on all nodes. An id that is there already changes nothing and is answered as started.
    async fn start_unique(&self, start: &UniqueStart, now: Timestamp) -> StoreResult<UniqueStarted>;

    /// Lets the first open execution with a key go, if it waits for one that has ended. Answers whether it did. To be
    /// called after the end of an execution with the key.
    async fn admit_unique(&self, key: &UniqueKey, now: Timestamp) -> StoreResult<bool>;

    /// Keys of which executions wait although none is under way, at most `limit`: the net under calls of
    /// [`ExecutionStore::admit_unique`] that were lost.
    async fn unique_keys_left(&self, limit: u32) -> StoreResult<Vec<UniqueKey>>;

    /// Takes executions up: what their owners need to go on. `LeaseLost` without the lease. Answers in order.
    async fn load_executions(
        &self,
        executions: &[(ExecutionId, LeaseRef)],
    ) -> StoreResult<Vec<LeaseAnswer<LoadedExecution>>>;

    /// Records under the lease how often in a row an evaluation of the execution's expressions ended with its process.
    /// One more before an evaluation, as many as before after it; a commit after which owners that were lost do not
    /// count any more sets it to zero. Answers whether the lease holds.
    async fn record_evaluations_lost(&self, id: ExecutionId, lease: LeaseRef, lost: u32)
    -> StoreResult<bool>;

    /// The same of an execution that nobody owns, while `step` is the number of its last step: a number in place of the
    /// one that was known. Answers whether it was so; of several who record the same at once, one gets `true`.
    async fn record_unowned_evaluations_lost(
        &self,
        id: ExecutionId,
        step: i64,
        before: u32,
        after: u32,
    ) -> StoreResult<bool>;

    /// Entries of several inboxes that were not applied yet, each in order, at most `limit` each, and of each the first
    /// [`INBOX_BYTES_MAX`](super::INBOX_BYTES_MAX) bytes with the entry that reaches beyond them. Answers in the order
    /// of `ids`.
    async fn inboxes(&self, ids: &[ExecutionId], limit: u32) -> StoreResult<Vec<Vec<InboxRow>>>;

    /// Which of these executions have entries in their inboxes that were not applied yet. Reads none of them.
    async fn filled_inboxes(&self, ids: &[ExecutionId]) -> StoreResult<Vec<ExecutionId>>;

    /// Commits one step of each of several executions in one transaction, each gated by its own lease: one that has
    /// lost its lease changes nothing and holds up no other. Answers in order. A commit is progress: it resets the
    /// job's crash count. No execution is named twice.
    ///
    /// Fails with [`StoreError::Outdated`](crate::StoreError::Outdated), and writes nothing of any step, if a step that
    /// holds its lease ends jobs of nodes of which one is not leased under its token any more, or rests on a state that
    /// is not the last one ([`ExecutionCommit::step`]). After
    /// [`StoreError::Unavailable`](crate::StoreError::Unavailable) the outcome is unknown, and may be decided later:
    /// whoever goes on first ends the lease.
    async fn commit_executions(
        &self,
        commits: &[ExecutionCommit],
        now: Timestamp,
    ) -> StoreResult<Vec<LeaseAnswer<Committed>>>;

    /// The same; new jobs of nodes may be leased by the commit, for a pool that has slots for them. See
    /// [`JobStore::enqueue_eagerly`](crate::jobs::JobStore::enqueue_eagerly).
    async fn commit_executions_eagerly(
        &self,
        commits: &[ExecutionCommit],
        claim: &ClaimRequest,
    ) -> StoreResult<EagerlyCommitted>;

    /// Executions that have started, that nobody owns, and that are to be looked at although no slot was free for them
    /// since `before`: they were taken up, have entries in their inbox, or the clock passed something. At most `limit`.
    async fn executions_to_look_at(&self, before: Timestamp, limit: u32) -> StoreResult<Vec<ExecutionId>>;

    /// Has executions looked at again at `until` and not before, of those that nobody owns and that were to be looked at
    /// earlier. One that is being changed is left as it is.
    async fn look_later(&self, ids: &[ExecutionId], until: Timestamp) -> StoreResult<()>;

    /// Loads executions that nobody owns; `None` for any other. Answers in order.
    async fn load_unowned(&self, ids: &[ExecutionId]) -> StoreResult<Vec<Option<LoadedExecution>>>;

    /// Commits one step of each of several executions that nobody owns, which takes no slot. `None` for one of which
    /// another step was committed since, or that somebody owns: of it nothing is written. The leases of the steps name
    /// their jobs, with fresh tokens. A step with [`OwnerNext::Keep`] has work to do: the jobs of its nodes are held,
    /// and its execution waits for a slot at the place that it had; it is looked at again at its `due_at`. So does one
    /// that was to be parked and has other entries.
    async fn commit_unowned(
        &self,
        commits: &[ExecutionCommit],
        due_at: &[Option<Timestamp>],
        now: Timestamp,
    ) -> StoreResult<Vec<Option<Committed>>>;

    /// Puts parked executions back that have entries in their inbox: the net under appends that did not see them
    /// parked. Answers how many, at most `limit`.
    async fn wake_parked(&self, limit: u32, now: Timestamp) -> StoreResult<u32>;

    /// Which of these have ended.
    async fn ended_executions(&self, ids: &[ExecutionId]) -> StoreResult<Vec<ExecutionId>>;

    /// Appends a command (`Cancel`, `Retry`, `Signal`, `UserTaskCompleted`, `Callback`), and takes a parked execution
    /// up again. A cancel that undoes nothing, of an execution that nobody owns, is applied in the same commit (its job
    /// and itself become CANCELLED, and its parent is notified of it); a retry of a FAILED one puts its job back into
    /// `workflow-execution`, and executions above it that failed with it go on as well. A command to an execution in a
    /// status that cannot take it is recorded as refused. One that is there already, under the same `command`, changes
    /// nothing: the answer is its position.
    async fn append_command(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        command: CommandId,
        entry: &InboxEntry,
        now: Timestamp,
    ) -> StoreResult<Appended>;

    /// The same with its lines of the audit log, which are written where the command is.
    async fn append_audited_command(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        command: (CommandId, &InboxEntry),
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<Appended>;

    /// The position of a command by its id.
    async fn command_position(&self, scope: &TenantScope, id: CommandId) -> StoreResult<Option<i64>>;

    /// A command by its position.
    async fn command(&self, scope: &TenantScope, position: i64) -> StoreResult<Option<CommandRecord>>;

    /// An execution.
    async fn execution(&self, scope: &TenantScope, id: ExecutionId) -> StoreResult<Option<ExecutionRecord>>;

    /// Whose these executions are, in no order. Those that are not there are left out.
    async fn tenants_of_executions(&self, ids: &[ExecutionId])
    -> StoreResult<Vec<(ExecutionId, TenantName)>>;

    /// An execution with its nodes.
    async fn execution_detail(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
    ) -> StoreResult<Option<ExecutionDetail>>;

    /// The same without its nodes, of which nothing is read.
    async fn execution_head(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
    ) -> StoreResult<Option<ExecutionDetail>>;

    /// The latest results of these nodes of an execution, without what they were given and in no order. Those that have none are left out,
    /// and outputs beyond 32 MiB.
    async fn node_outputs(&self, id: ExecutionId, nodes: &[NodeId]) -> StoreResult<Vec<NodeView>>;

    /// Items of a `MAP` that have settled, in the order in which they did, after a position of results (0 is the beginning): at most
    /// `limit`. A page goes through a bounded number of results, so that it may be short or empty and have a next one. An
    /// item that ran again is there again: the later one holds. `None` if there is no such execution in the scope.
    async fn execution_items(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        map: &NodeId,
        after: i64,
        limit: u32,
    ) -> StoreResult<Option<ItemPage>>;

    /// An item of a `MAP` by its key, with what it was given, as it settled last. `None` where it has not.
    async fn execution_item(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        item: &NodeId,
    ) -> StoreResult<Option<NodeView>>;

    /// The timeline, oldest first, after a position.
    async fn execution_events(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        after: i64,
        limit: u32,
    ) -> StoreResult<Option<Vec<EventRecord>>>;

    /// Fails an execution whose own job died (its owner crashed again and again): status FAILED with `error`. Its
    /// parent is notified of it, its children are cancelled (it is notified of those that end at once), its user tasks
    /// stay open: whoever retries it goes on from there. The reaper calls it for each such job. Does nothing if it has
    /// ended.
    async fn fail_execution(
        &self,
        id: ExecutionId,
        error: &ExecutionError,
        now: Timestamp,
    ) -> StoreResult<bool>;

    /// The same for an execution whose job is about to die: only while the job is leased, its lease has expired, and nobody is
    /// changing it.
    async fn fail_lost_execution(
        &self,
        id: ExecutionId,
        error: &ExecutionError,
        now: Timestamp,
    ) -> StoreResult<LostExecution>;
}
