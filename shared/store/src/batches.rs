//! Bulk operations: a row each, an entry for each object, and changes that commit together with their entry.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::bulk::BatchCounts;
use domain::id::{BatchId, DeadLetterId};
use domain::names::TenantName;
use domain::queue::QueueName;
use domain::time::Timestamp;
use uuid::Uuid;

use crate::error::StoreResult;
use crate::page::Place;

domain::words! {
    /// Where a batch is.
    BatchStatus {
        /// Its objects are being listed.
        Preparing "preparing",
        /// They are being changed.
        Running "running",
        /// It waits, for its canary or for an operator.
        Paused "paused",
        /// All have had their turn.
        Completed "completed",
        /// An operator ended it.
        Aborted "aborted",
        /// Too much failed, or it cannot be carried out.
        Failed "failed",
    }
}

impl BatchStatus {
    /// Those of a batch that has not ended.
    pub const OPEN: [Self; 3] = [Self::Preparing, Self::Running, Self::Paused];

    /// Whether it has ended.
    pub const fn is_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Aborted | Self::Failed)
    }
}

/// A bulk operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchRecord {
    /// Its id.
    pub id: BatchId,
    /// The tenant scope it runs in.
    pub tenant: Option<TenantName>,
    /// What it does, such as `dead_letters.requeue`.
    pub kind: String,
    /// What it was asked, as raw JSON text, so that another process can go on with it.
    pub request: String,
    /// Where it is.
    pub status: BatchStatus,
    /// Why it is there: `canary`, `operator`, `failure_rate`, `error`.
    pub status_reason: Option<String>,
    /// Whether it went on after its canary.
    pub is_past_canary: bool,
    /// How far it is.
    pub counts: BatchCounts,
    /// Why it was started, for people.
    pub reason: Option<String>,
    /// Who started it.
    pub actor: String,
    /// Where the listing of its objects goes on.
    pub cursor: Option<Place>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last moved; one that has not moved for a while is taken over by another process.
    pub updated_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

domain::words! {
    /// What became of one object of a batch.
    ItemOutcome {
        /// It was changed.
        Done "done",
        /// It could not be changed.
        Failed "failed",
        /// It is not there, or did not fit any more.
        Skipped "skipped",
    }
}

/// An object of a batch that has had its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchItem {
    /// Its place in the batch.
    pub position: i64,
    /// The object.
    pub object: Uuid,
    /// What became of it.
    pub outcome: ItemOutcome,
    /// When.
    pub at: Timestamp,
    /// What the change made or started.
    pub result: Option<Uuid>,
    /// Why it was not changed.
    pub error: Option<String>,
}

/// An object of a batch that waits for its turn, or for the end of what its change started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenItem {
    /// Its place in the batch.
    pub position: i64,
    /// The object.
    pub object: Uuid,
    /// What its change started.
    pub result: Option<Uuid>,
}

/// The entry of one object, by which its change is made once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchEntry {
    /// The batch.
    pub batch: BatchId,
    /// The process that carries the batch out; another one's changes do not commit.
    pub owner: Uuid,
    /// The object.
    pub object: Uuid,
    /// What the change makes or starts.
    pub result: Option<Uuid>,
    /// Whether what it starts can end badly.
    pub has_aftermath: bool,
    /// The present instant.
    pub now: Timestamp,
}

/// How many dead letters of a batch are requeued together at most.
pub const REQUEUED_TOGETHER_MAX: usize = 100;

/// A dead letter that was requeued together with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequeuedLetter {
    /// The dead letter.
    pub id: DeadLetterId,
    /// The queue to which its job went back.
    pub queue: QueueName,
}

/// The store's bulk operations.
#[async_trait]
pub trait BatchStore {
    /// Stores a new batch, which `owner` carries out, with the line of the audit log of the call. An id that is there already
    /// changes nothing.
    async fn create_batch(&self, batch: &BatchRecord, owner: Uuid) -> StoreResult<()>;

    /// A batch.
    async fn batch(&self, scope: &TenantScope, id: BatchId) -> StoreResult<Option<BatchRecord>>;

    /// Adds objects to a batch that is being prepared, behind those it has, and where the listing goes on; without a cursor
    /// the batch runs. All in one commit. Answers the batch, or `None` where it is not the owner's to prepare any more.
    async fn add_batch_items(
        &self,
        (id, owner): (BatchId, Uuid),
        objects: &[Uuid],
        cursor: Option<Place>,
        now: Timestamp,
    ) -> StoreResult<Option<BatchRecord>>;

    /// Objects that wait for their turn, in order, after a position.
    async fn waiting_items(&self, id: BatchId, after: i64, limit: u32) -> StoreResult<Vec<OpenItem>>;

    /// Objects whose change started something that has not ended, in order, after a position.
    async fn pending_items(&self, id: BatchId, after: i64, limit: u32) -> StoreResult<Vec<OpenItem>>;

    /// Records what became of an object that was not changed, or whose change did not commit with its entry. Answers
    /// whether it was recorded: not where it has had its turn, or the batch is another's.
    async fn settle_item(
        &self,
        entry: &BatchEntry,
        outcome: ItemOutcome,
        error: Option<&str>,
    ) -> StoreResult<bool>;

    /// Requeues dead letters of a batch, at most [`REQUEUED_TOGETHER_MAX`], all in one commit with their entries: each as
    /// [`bound_to`](crate::Store::bound_to) its entry, with other retries or none. Of these letters only those that are open
    /// and whose jobs belong to no execution and have no unique and no concurrency key; answers which they are, and leaves the
    /// others and their entries as they were. Where another call was faster with one of them, one has had its turn, or
    /// the batch does not run or is another's, it fails as `Outdated` and changes nothing: each is to be requeued by itself.
    async fn requeue_together(
        &self,
        scope: &TenantScope,
        (id, owner): (BatchId, Uuid),
        letters: &[DeadLetterId],
        retries_max: Option<u32>,
        now: Timestamp,
    ) -> StoreResult<Vec<RequeuedLetter>>;

    /// Records how what was started has ended: the objects, each with whether badly.
    async fn resolve_items(&self, id: BatchId, ended: &[(Uuid, bool)]) -> StoreResult<()>;

    /// Counts the entries of a batch.
    async fn count_items(&self, id: BatchId) -> StoreResult<BatchCounts>;

    /// Writes down how far a batch is and that it moves. Answers it, or `None` where it is another's.
    async fn report_batch(
        &self,
        (id, owner): (BatchId, Uuid),
        counts: &BatchCounts,
        now: Timestamp,
    ) -> StoreResult<Option<BatchRecord>>;

    /// Moves a batch from one of these statuses to another. Going on from a pause for the canary is remembered. Answers
    /// whether it was in one of them.
    async fn move_batch(
        &self,
        id: BatchId,
        from: &[BatchStatus],
        to: (BatchStatus, Option<&str>),
        now: Timestamp,
    ) -> StoreResult<bool>;

    /// Batches that are to move and have not since `before`; they are `owner`'s from now on.
    async fn take_over_batches(
        &self,
        before: Timestamp,
        owner: Uuid,
        now: Timestamp,
    ) -> StoreResult<Vec<BatchRecord>>;

    /// Objects that have had their turn, in order, after a position. Without outcomes all of them.
    async fn batch_items(
        &self,
        id: BatchId,
        outcomes: &[ItemOutcome],
        after: i64,
        limit: u32,
    ) -> StoreResult<Vec<BatchItem>>;

    /// Removes batches that ended before an instant, with their entries, at most `limit` rows of each. Answers how many went.
    async fn prune_batches(&self, before: Timestamp, limit: u32) -> StoreResult<u64>;
}
