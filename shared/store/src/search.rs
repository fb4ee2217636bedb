//! Finding objects: which ids match, in order and by pages, and how many there are.

use SearchList::{Archive, DeadLetters, Executions, Jobs};
use async_trait::async_trait;
use domain::access::TenantScope;
use domain::attribute::Searchable;
use domain::id::ScheduleId;
use domain::search::{Order, QueryFault, Search, SearchList, parse_query};
use domain::time::Timestamp;
use uuid::Uuid;

use crate::audit::AuditLine;
use crate::batches::BatchRecord;
use crate::dead_letters::DeadLetterRecord;
use crate::error::StoreResult;
use crate::executions::ExecutionRecord;
use crate::jobs::JobRecord;
use crate::operations::WorkerRecord;
use crate::page::Place;
use crate::schedules::{ScheduleRecord, ScheduleRunRecord};
use crate::user_tasks::UserTaskRecord;
use crate::webhooks::DeliveryRecord;

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

/// The largest limit of a count that is shown beside a list.
pub const NEAR_COUNT_MAX: u64 = 20_000;

/// How many a search finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// How many were counted, up to the limit.
    pub value: u64,
    /// Whether no more match, or as many as the limit do. Otherwise only a part was looked at: that is bounded in rows and in
    /// time.
    pub is_exact: bool,
}

impl Counted {
    /// So many, and no more.
    pub const fn exactly(value: u64) -> Self {
        Self { value, is_exact: true }
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

    /// How many a search finds, counted up to `limit`. Up to [`NEAR_COUNT_MAX`] no more rows are looked at than for a page, beyond
    /// that as many as some seconds allow.
    async fn count_found(&self, scope: &TenantScope, search: &Search, limit: u64) -> StoreResult<Counted>;

    /// Those of these jobs that are there, as lists show them, in the order of `ids`.
    async fn jobs_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<JobRecord>>;

    /// Those of these executions that are there, as lists show them, in the order of `ids`.
    async fn executions_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<ExecutionRecord>>;

    /// Those of these dead letters that are there, as lists show them, in the order of `ids`.
    async fn dead_letters_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<DeadLetterRecord>>;

    /// Those of these deliveries that are there, as lists show them, in the order of `ids`.
    async fn deliveries_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<DeliveryRecord>>;

    /// Those of these schedules that are there, in the order of `ids`. Inputs of more than 4 KiB are `null`.
    async fn schedules_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<ScheduleRecord>>;

    /// Those of these slots of a schedule that are there, in the order of `ids`, which stand for their nominal instants.
    async fn runs_of(&self, schedule: ScheduleId, ids: &[Uuid]) -> StoreResult<Vec<ScheduleRunRecord>>;

    /// Those of these user tasks that are there, in the order of `ids`, which stand for their positions. Inputs of far more
    /// than 4 KiB are left out, and forms where those of newer tasks take 16 MiB.
    async fn user_tasks_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<UserTaskRecord>>;

    /// Those of these workers that are there, in the order of `ids`.
    async fn workers_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<WorkerRecord>>;

    /// Those of these lines of the audit log that are there, in the order of `ids`.
    async fn audit_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<AuditLine>>;

    /// Those of these bulk operations that are there, in the order of `ids`. Requests are `null` where those of newer ones take
    /// 16 MiB.
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

// The thirty pairs of list and filter that are answered from an index however large the tables are.
// docs/search.md lists them.

/// A list, and what it is filtered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedPair {
    /// Its name.
    pub name: &'static str,
    /// The list.
    pub list: SearchList,
    /// The query; words in braces stand for values.
    pub query: &'static str,
    /// The instant of the order where it is not the list's first one.
    pub sort: Option<&'static str>,
    /// The direction.
    pub order: Order,
}

const fn pair(name: &'static str, list: SearchList, query: &'static str) -> NamedPair {
    NamedPair { name, list, query, sort: None, order: Order::Desc }
}

const fn sorted(name: &'static str, list: SearchList, query: &'static str, sort: &'static str) -> NamedPair {
    NamedPair { sort: Some(sort), ..pair(name, list, query) }
}

/// All of them.
pub const NAMED_PAIRS: [NamedPair; 30] = [
    pair("jobs-newest", Jobs, ""),
    NamedPair { order: Order::Asc, ..pair("jobs-oldest", Jobs, "") },
    pair("jobs-waiting", Jobs, "status:QUEUED,SCHEDULED,RETRY_WAIT"),
    pair("jobs-failed", Jobs, "status:FAILED,DEAD_LETTER"),
    pair("jobs-cancelled", Jobs, "status:CANCELLED"),
    pair("jobs-of-tenant", Jobs, "tenant:{tenant}"),
    pair("jobs-of-type", Jobs, "jobType:{jobType}"),
    pair("jobs-of-workflow", Jobs, "workflow:{workflow}"),
    pair("jobs-of-type-dead", Jobs, "jobType:{jobType} status:DEAD_LETTER"),
    pair("jobs-of-execution", Jobs, "executionId:{execution}"),
    pair("jobs-of-time", Jobs, "created:{from}..{to}"),
    sorted("jobs-ended", Jobs, "completed:{from}..{to}", "completed"),
    pair("jobs-of-fingerprint", Jobs, "fingerprint:{fingerprint}"),
    pair("jobs-of-attribute", Jobs, "attr.customerId:{customer}"),
    pair("executions-newest", Executions, ""),
    pair("executions-failed", Executions, "status:FAILED"),
    pair("executions-of-tenant", Executions, "tenant:{tenant}"),
    pair("executions-of-workflow", Executions, "workflow:{workflow}"),
    pair("executions-of-correlation", Executions, "correlationId:{correlation}"),
    pair("executions-of-schedule", Executions, "scheduleId:{schedule}"),
    pair("executions-of-parent", Executions, "parent:{execution}"),
    pair("executions-of-attribute", Executions, "attr.orderNo:{order}"),
    sorted("executions-ended", Executions, "completed:{from}..{to}", "completed"),
    pair("dead-letters-newest", DeadLetters, "status:open"),
    pair("dead-letters-of-tenant", DeadLetters, "status:open tenant:{tenant}"),
    pair("dead-letters-of-type", DeadLetters, "status:open jobType:{jobType}"),
    pair("dead-letters-of-workflow", DeadLetters, "status:open workflow:{workflow}"),
    pair("dead-letters-of-fingerprint", DeadLetters, "status:open fingerprint:{fingerprint}"),
    pair("dead-letters-of-time", DeadLetters, "status:open died:{from}..{to}"),
    pair("archive-newest", Archive, ""),
];

impl NamedPair {
    /// What is looked for, with values in the place of the words in braces.
    pub fn search(
        &self,
        value_of: impl Fn(&str) -> String,
        searchable: &Searchable,
        now: Timestamp,
    ) -> Result<Search, QueryFault> {
        let mut query = String::new();
        for (index, part) in self.query.split(['{', '}']).enumerate() {
            if index % 2 == 0 { query.push_str(part) } else { query.push_str(&value_of(part)) }
        }
        let terms = parse_query(self.list, &query, now, searchable)?;
        let all = Search::all(self.list);
        let sort = self.sort.map_or(all.sort, str::to_owned);
        Ok(Search { list: self.list, terms, sort, order: self.order })
    }
}
