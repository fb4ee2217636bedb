//! Find objects: a page of a list, how many there are, and completion of queries.

use std::time::{Duration, Instant};

use domain::access::{Action, Permission};
use domain::id::ScheduleId;
use domain::search::{
    Bound, Search, SearchList, SuggestAt, Suggestion, Term, TermValue, Test, quoted, suggest_at,
};
use domain::time::{DurationMs, Timestamp};
use store::StoreError;
use store::audit::AuditLine;
use store::batches::BatchRecord;
use store::dead_letters::DeadLetterRecord;
use store::executions::ExecutionRecord;
use store::jobs::JobRecord;
use store::operations::WorkerRecord;
use store::page::Place;
use store::schedules::ScheduleRunRecord;
use store::search::{Found, SearchPage, SuggestedValues, that_may_lag};
use store::user_tasks::UserTaskRecord;
use store::webhooks::DeliveryRecord;
use uuid::Uuid;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::operations::SILENCE_MAX;
use crate::schedules::ScheduleView;

// A page of what a search finds, as the lists show it.

/// How far a list is counted.
const COUNT_MAX: u64 = 10_000;

/// How long a list may take; just before the store gives its statement up.
const LISTED_WITHIN: Duration = Duration::from_millis(4_900);

/// What fails after so long took too long: PostgreSQL ends a statement before the store gives it up.
const LATE_FROM: Duration = Duration::from_millis(4_400);

/// What is asked of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListRequest {
    /// What is looked for.
    pub search: Search,
    /// Which part.
    pub page: SearchPage,
    /// Whether all that match are counted.
    pub counts: bool,
}

impl ListRequest {
    /// The first page of all of a list, not counted.
    pub fn all(list: SearchList, limit: u32) -> Self {
        Self { search: Search::all(list), page: SearchPage { limit, after: None }, counts: false }
    }
}

/// How many match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundCount {
    /// How many were counted, at most 10,000.
    pub value: u64,
    /// Whether there are no more than that. Otherwise there are more, or not all rows were looked at.
    pub is_exact: bool,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed<T> {
    /// The objects, in order.
    pub items: Vec<T>,
    /// Where the next page begins.
    pub next: Option<Place>,
    /// Where the page is short because what was looked at is bounded: up to which instant it looked.
    pub scanned_to: Option<Timestamp>,
    /// How many match, where that was asked for.
    pub count: Option<FoundCount>,
}

impl Engine {
    /// Jobs, without their attempts.
    pub async fn search_jobs(
        &self,
        caller: &Caller,
        request: &ListRequest,
    ) -> Result<Listed<JobRecord>, EngineError> {
        let found = self.find(caller, request).await?;
        let items = self.store().jobs_of(&caller.scope, &ids_of(&found)).await?;
        self.listed(caller, request, found, items).await
    }

    /// Executions, without inputs and outputs.
    pub async fn search_executions(
        &self,
        caller: &Caller,
        request: &ListRequest,
    ) -> Result<Listed<ExecutionRecord>, EngineError> {
        let found = self.find(caller, request).await?;
        let items = self.store().executions_of(&caller.scope, &ids_of(&found)).await?;
        self.listed(caller, request, found, items).await
    }

    /// Dead letters, open or archived, without their attempts.
    pub async fn search_dead_letters(
        &self,
        caller: &Caller,
        request: &ListRequest,
    ) -> Result<Listed<DeadLetterRecord>, EngineError> {
        let found = self.find(caller, request).await?;
        let items = self.store().dead_letters_of(&caller.scope, &ids_of(&found)).await?;
        self.listed(caller, request, found, items).await
    }

    /// Deliveries, without headers and bodies.
    pub async fn search_deliveries(
        &self,
        caller: &Caller,
        request: &ListRequest,
    ) -> Result<Listed<DeliveryRecord>, EngineError> {
        let found = self.find(caller, request).await?;
        let items = self.store().deliveries_of(&caller.scope, &ids_of(&found)).await?;
        self.listed(caller, request, found, items).await
    }

    /// Schedules.
    pub async fn search_schedules(
        &self,
        caller: &Caller,
        request: &ListRequest,
    ) -> Result<Listed<ScheduleView>, EngineError> {
        let found = self.find(caller, request).await?;
        let now = self.now();
        let records = self.store().schedules_of(&caller.scope, &ids_of(&found)).await?;
        let items = records.into_iter().map(|record| self.view(record, now)).collect();
        self.listed(caller, request, found, items).await
    }

    /// Slots of a schedule.
    pub async fn search_runs(
        &self,
        caller: &Caller,
        schedule: ScheduleId,
        request: &ListRequest,
    ) -> Result<Listed<ScheduleRunRecord>, EngineError> {
        // Slots are known by their schedule only, which has to be the caller's.
        self.schedule(caller, schedule).await?;
        let mut request = request.clone();
        request.search.terms.push(Term::is("scheduleId", TermValue::Id(schedule.uuid())));
        let found = self.find(caller, &request).await?;
        let items = self.store().runs_of(schedule, &ids_of(&found)).await?;
        self.listed(caller, &request, found, items).await
    }

    /// User tasks.
    pub async fn search_user_tasks(
        &self,
        caller: &Caller,
        request: &ListRequest,
    ) -> Result<Listed<UserTaskRecord>, EngineError> {
        let found = self.find(caller, request).await?;
        let items = self.store().user_tasks_of(&caller.scope, &ids_of(&found)).await?;
        self.listed(caller, request, found, items).await
    }

    /// Workers. Where nothing is asked of when they were seen, those of the last ten minutes.
    pub async fn search_workers(
        &self,
        caller: &Caller,
        request: &ListRequest,
    ) -> Result<Listed<WorkerRecord>, EngineError> {
        let mut request = request.clone();
        if !request.search.has("lastSeen") && !request.search.has("firstSeen") {
            let since = TermValue::Instant(self.now().minus(SILENCE_MAX));
            let since = Test::Between(Some(Bound { value: since, is_included: true }), None);
            let term = Term { key: "lastSeen".to_owned(), is_negated: false, tests: vec![since] };
            request.search.terms.push(term);
        }
        let found = self.find(caller, &request).await?;
        let items = self.store().workers_of(&caller.scope, &ids_of(&found)).await?;
        self.listed(caller, &request, found, items).await
    }

    /// Lines of the audit log.
    pub async fn search_audit(
        &self,
        caller: &Caller,
        request: &ListRequest,
    ) -> Result<Listed<AuditLine>, EngineError> {
        caller.require(Permission::Operate)?;
        let found = self.find(caller, request).await?;
        let items = self.store().audit_of(&caller.scope, &ids_of(&found)).await?;
        self.listed(caller, request, found, items).await
    }

    /// Bulk operations.
    pub async fn search_batches(
        &self,
        caller: &Caller,
        request: &ListRequest,
    ) -> Result<Listed<BatchRecord>, EngineError> {
        let found = self.find(caller, request).await?;
        let items = self.store().batches_of(&caller.scope, &ids_of(&found)).await?;
        self.listed(caller, request, found, items).await
    }

    async fn find(&self, caller: &Caller, request: &ListRequest) -> Result<Found, EngineError> {
        caller.require(Permission::Read)?;
        let begun_at = Instant::now();
        let finding = that_may_lag(self.store().search(&caller.scope, &request.search, request.page));
        match tokio::time::timeout(LISTED_WITHIN, finding).await {
            Ok(found) => found.map_err(|error| failed_after(begun_at.elapsed(), error)),
            Err(_elapsed) => Err(EngineError::QueryTimeout),
        }
    }

    async fn listed<T>(
        &self,
        caller: &Caller,
        request: &ListRequest,
        found: Found,
        items: Vec<T>,
    ) -> Result<Listed<T>, EngineError> {
        let count =
            if request.counts { Some(self.count_found(caller, &request.search).await?) } else { None };
        Ok(Listed { items, next: found.next, scanned_to: found.scanned_to, count })
    }

    async fn count_found(&self, caller: &Caller, search: &Search) -> Result<FoundCount, EngineError> {
        let counted = self.store().count_found(&caller.scope, search, COUNT_MAX + 1).await?;
        let is_exact = counted.is_exact && counted.value <= COUNT_MAX;
        Ok(FoundCount { value: counted.value.min(COUNT_MAX), is_exact })
    }
}

/// Why a list failed after so long.
fn failed_after(elapsed: Duration, error: StoreError) -> EngineError {
    match error {
        StoreError::Unavailable { .. } if elapsed >= LATE_FROM => EngineError::QueryTimeout,
        error => error.into(),
    }
}

fn ids_of(found: &Found) -> Vec<Uuid> {
    found.places.iter().map(|place| place.id).collect()
}

// Completion of queries: keys, words and instants, and values that were seen lately.

/// How many suggestions one answer has.
const SUGGESTIONS_MAX: u32 = 20;
/// How long ago values were seen at most.
const SEEN_WITHIN: DurationMs = DurationMs::from_secs(7 * 24 * 3_600);

impl Engine {
    /// What may stand at a place of a query of a list, at most `limit` of them.
    pub async fn suggest(
        &self,
        caller: &Caller,
        list: SearchList,
        query: &str,
        at: Option<usize>,
        limit: u32,
    ) -> Result<SuggestAt, EngineError> {
        // Values are those of the list.
        caller.require_action(read_of(list))?;
        if !(1..=SUGGESTIONS_MAX).contains(&limit) {
            return Err(EngineError::invalid("/limit", format!("expected 1 to {SUGGESTIONS_MAX}")));
        }
        let searchable = self.searchable(caller).await?;
        let mut found = suggest_at(list, query, at.unwrap_or(usize::MAX), &searchable);
        if let Some((key, begin)) = &found.values_of
            && let Some(of) = values_of(list, key)
        {
            let since = self.now().minus(SEEN_WITHIN);
            let values = self.store().suggest_values(&caller.scope, of, begin, since, limit).await?;
            found.known.extend(values.iter().map(|value| Suggestion {
                text: quoted(value),
                is_key: false,
                detail: None,
                count: None,
            }));
        }
        if let Some((named, begin)) = &found.values_of_attribute {
            let since = self.now().minus(SEEN_WITHIN);
            let values = self
                .store()
                .suggest_attribute_values(&caller.scope, &named.names, begin, since, limit)
                .await?;
            found.known.extend(values.into_iter().map(|one| Suggestion {
                text: quoted(&one.value),
                is_key: false,
                detail: None,
                count: Some(one.count),
            }));
        }
        found.known.truncate(limit as usize);
        Ok(found)
    }
}

/// What looking at a list needs.
const fn read_of(list: SearchList) -> Action {
    match list {
        SearchList::Jobs => Action::JobsRead,
        SearchList::Executions => Action::ExecutionsRead,
        SearchList::DeadLetters | SearchList::Archive => Action::DeadLettersRead,
        SearchList::Deliveries => Action::DeliveriesRead,
        SearchList::Schedules | SearchList::Runs => Action::SchedulesRead,
        SearchList::UserTasks => Action::UserTasksRead,
        SearchList::Workers => Action::WorkersRead,
        SearchList::Audit => Action::AuditRead,
        SearchList::Batches => Action::BatchesRead,
    }
}

fn values_of(list: SearchList, key: &str) -> Option<SuggestedValues> {
    match key {
        "tenant" => Some(SuggestedValues::Tenants),
        "workflow" => Some(SuggestedValues::Workflows),
        "jobType" => Some(SuggestedValues::JobTypes),
        "workerId" => Some(SuggestedValues::Workers),
        "tag" if list == SearchList::Executions => Some(SuggestedValues::ExecutionTags),
        "tag" => Some(SuggestedValues::JobTags),
        "eventType" => Some(SuggestedValues::EventTypes),
        "fingerprint" => Some(SuggestedValues::Fingerprints),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_its_database_ends_late_took_too_long() {
        let ended =
            || StoreError::Unavailable { source: "canceling statement due to statement timeout".into() };
        assert!(matches!(failed_after(LATE_FROM, ended()), EngineError::QueryTimeout));
        let early = failed_after(Duration::from_secs(4), ended());
        assert!(matches!(early, EngineError::Store(StoreError::Unavailable { .. })), "{early:?}");
        let contended = failed_after(LISTED_WITHIN, StoreError::Contended { source: "a deadlock".into() });
        assert!(matches!(contended, EngineError::Store(StoreError::Contended { .. })), "{contended:?}");
    }
}
