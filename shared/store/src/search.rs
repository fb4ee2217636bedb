//! Finding objects: which ids match, in order and by pages, and how many there are.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::ScheduleId;
use domain::search::Search;
use domain::time::Timestamp;
use uuid::Uuid;

use crate::audit::AuditLine;
use crate::batches::BatchRecord;
use crate::dead_letters::DeadLetterRecord;
use crate::error::StoreResult;
use crate::executions::ExecutionRecord;
use crate::jobs::JobRecord;
use crate::operations::WorkerRecord;
use crate::schedules::{ScheduleRecord, ScheduleRunRecord};
use crate::user_tasks::UserTaskRecord;
use crate::webhooks::DeliveryRecord;

mod pairs;

pub use pairs::{NAMED_PAIRS, NamedPair};

/// Where an object stands in the order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The instant by which the list is ordered; 0 where that is when its objects were made, as ids are in that order.
    pub at: i64,
    /// Its id; of slots and user tasks their number, and of workers what their tenant and name give.
    pub id: Uuid,
}

/// Which part of what is found is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchPage {
    /// How many at most.
    pub limit: u32,
    /// Only what comes after this in the order of the list.
    pub after: Option<Place>,
}

/// A part of what is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// In the order of the list.
    pub places: Vec<Place>,
    /// Where the next part begins; `None` at the end.
    pub next: Option<Place>,
    /// Where the part is short because what was looked at was bounded: the instant up to which it looked.
    pub scanned_to: Option<Timestamp>,
}

impl Found {
    /// Nothing.
    pub const fn nothing() -> Self {
        Self { places: Vec::new(), next: None, scanned_to: None }
    }
}

/// Of what values are suggested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuggestedValues {
    /// Tenants with jobs.
    Tenants,
    /// Workflows with jobs.
    Workflows,
    /// Job types with jobs.
    JobTypes,
    /// Workers that showed themselves.
    Workers,
    /// Tags of the newest jobs that ended.
    JobTags,
    /// Tags of the newest executions.
    ExecutionTags,
    /// Types of the newest deliveries.
    EventTypes,
    /// Fingerprints of the newest dead letters.
    Fingerprints,
}

/// The store's search. Each call reads a bounded part of a table.
#[async_trait]
pub trait SearchStore {
    /// A part of what a search finds. The part may be short or empty while there is a next one.
    async fn search(&self, scope: &TenantScope, search: &Search, page: SearchPage) -> StoreResult<Found>;

    /// How many a search finds, counted up to `limit`. `None` where counting takes too long.
    async fn count_found(&self, scope: &TenantScope, search: &Search, limit: u64)
    -> StoreResult<Option<u64>>;

    /// Those of these jobs that are there, as lists show them, in the order of `ids`.
    async fn jobs_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<JobRecord>>;

    /// Those of these executions that are there, as lists show them, in the order of `ids`.
    async fn executions_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<ExecutionRecord>>;

    /// Those of these dead letters that are there, as lists show them, in the order of `ids`.
    async fn dead_letters_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<DeadLetterRecord>>;

    /// Those of these deliveries that are there, as lists show them, in the order of `ids`.
    async fn deliveries_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<DeliveryRecord>>;

    /// Those of these schedules that are there, in the order of `ids`.
    async fn schedules_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<ScheduleRecord>>;

    /// Those of these slots of a schedule that are there, in the order of `ids`, which stand for their nominal instants.
    async fn runs_of(&self, schedule: ScheduleId, ids: &[Uuid]) -> StoreResult<Vec<ScheduleRunRecord>>;

    /// Those of these user tasks that are there, in the order of `ids`, which stand for their positions.
    async fn user_tasks_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<UserTaskRecord>>;

    /// Those of these workers that are there, in the order of `ids`.
    async fn workers_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<WorkerRecord>>;

    /// Those of these lines of the audit log that are there, in the order of `ids`.
    async fn audit_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<AuditLine>>;

    /// Those of these bulk operations that are there, in the order of `ids`.
    async fn batches_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<BatchRecord>>;

    /// Values that were seen lately and begin so, for completion, at most `limit`, in their order. Reads a bounded part of
    /// a table.
    async fn suggest_values(
        &self,
        scope: &TenantScope,
        of: SuggestedValues,
        begin: &str,
        since: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<String>>;
}

tokio::task_local! {
    static MAY_LAG: ();
}

/// Lets the searches of a call be answered by a replica that is a little behind: for lists that are shown, and nothing that is
/// decided.
pub async fn that_may_lag<T>(searching: impl Future<Output = T>) -> T {
    MAY_LAG.scope((), searching).await
}

/// Whether a replica may answer the present search.
pub fn may_lag() -> bool {
    MAY_LAG.try_with(|()| ()).is_ok()
}
