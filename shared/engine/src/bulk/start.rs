//! Start a bulk operation, or only show what it would change.

use domain::access::{Permission, TenantScope};
use domain::bulk::BulkVerb;
use domain::problem::ProblemCode;
use domain::search::{Bound, Search, SearchList, Term, TermValue, Test};
use domain::time::{DurationMs, Timestamp};
use store::batches::{BatchRecord, BatchStatus};
use store::search::{NEAR_COUNT_MAX, SearchPage};
use uuid::Uuid;

use super::request::{BulkAction, BulkAnswer, BulkRequest, BulkTarget, Samples, StoredBulk};
use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::fail_points;

/// The fastest pace that can be asked for; without one there is no pace.
const RATE_MAX: u32 = 100_000;
/// How far a dry run counts.
const COUNT_MAX: u64 = 1_000_000;
/// How many samples a dry run shows.
const SAMPLES: u32 = 10;
/// The most objects that are named.
const IDS_MAX: usize = 10_000;
/// How many bulk operations of a tenant may be open: each has its own task, which looks at it and writes down how far it is.
const OPEN_MAX: u64 = 100;
/// When to come again for another.
const RETRY_AFTER: DurationMs = DurationMs::from_secs(10);
/// The longest reason, in characters.
const REASON_MAX: usize = 500;

impl Engine {
    /// Shows what matches, or begins and answers the batch. The work goes on after the answer; upkeep of any node takes it
    /// over should this process die.
    pub async fn bulk(&self, caller: &Caller, request: BulkRequest) -> Result<BulkAnswer, EngineError> {
        caller.require(Permission::Operate)?;
        self.check_bulk(&request)?;
        let now = self.now();
        let list = request.action.verb().list();
        if request.dry_run {
            let search = match request.target {
                BulkTarget::Filter(search) => search,
                BulkTarget::Ids(ids) => of_ids(list, ids.into_iter().map(TermValue::Id)),
            };
            return self.dry_run(caller, &search, request.pace.limit).await;
        }
        self.refuse_many_open(caller).await?;
        let search = match &request.target {
            BulkTarget::Filter(search) => Some(until(search.clone(), now)),
            BulkTarget::Ids(_) => None,
        };
        let stored = StoredBulk::of(&request, search);
        let batch = self.batch_of(caller, &request, &stored, now)?;
        let (id, owner) = (batch.id, self.process());
        let detail = serde_json::json!({ "batch": id.to_string(), "reason": request.reason });
        let action = request.action.verb().as_str();
        let audited = AuditedAction::new(action, &id).with(detail).because(request.reason.as_deref());
        let mut recording = self.recording(caller, audited);
        recording.of(self.store().create_batch(&batch, owner)).await?;
        let kept = self.store().batch(&TenantScope::All, id).await?;
        let kept = kept.ok_or_else(|| EngineError::not_found("batch", &id))?;
        if kept.created_at != batch.created_at {
            // A repeated request: the first one's batch is under way or done.
            return Ok(BulkAnswer::Batch(Box::new(kept)));
        }
        let batch = match &request.target {
            BulkTarget::Filter(_) => kept,
            BulkTarget::Ids(ids) => {
                let ids = &ids[..ids.len().min(request.pace.limit.unwrap_or(u64::MAX) as usize)];
                self.store().add_batch_items((id, owner), ids, None, now).await?.unwrap_or(kept)
            }
        };
        self.recorded(recording).await;
        self.spawn_batch(batch.clone());
        Ok(BulkAnswer::Batch(Box::new(batch)))
    }

    /// Refuses another bulk operation of a tenant that has many under way or paused. Whoever is bound to none speaks for all.
    async fn refuse_many_open(&self, caller: &Caller) -> Result<(), EngineError> {
        if caller.scope == TenantScope::All {
            return Ok(());
        }
        let is_open = |status: &BatchStatus| Test::Is(TermValue::Text(status.as_str().to_owned()));
        let tests = BatchStatus::OPEN.iter().map(is_open).collect();
        let term = Term { key: "status".to_owned(), is_negated: false, tests };
        let open = Search { terms: vec![term], ..Search::all(SearchList::Batches) };
        // Few of many are open: those are looked for to the end.
        let counted_to = OPEN_MAX.max(NEAR_COUNT_MAX + 1);
        if self.store().count_found(&caller.scope, &open, counted_to).await?.value < OPEN_MAX {
            return Ok(());
        }
        let message = format!(
            "A tenant has at most {OPEN_MAX} open bulk operations; abort some, or wait for their end."
        );
        Err(EngineError::TooMany {
            code: ProblemCode::TooManyBulkOperations,
            message,
            retry_after: RETRY_AFTER,
        })
    }

    fn batch_of(
        &self,
        caller: &Caller,
        request: &BulkRequest,
        stored: &StoredBulk,
        now: Timestamp,
    ) -> Result<BatchRecord, EngineError> {
        let text = serde_json::to_string(stored);
        Ok(BatchRecord {
            id: self.make_id::<domain::id::BatchKind>(caller, &["batch"], now),
            tenant: caller.scope.tenant().cloned(),
            kind: request.action.verb().as_str().to_owned(),
            request: text.map_err(|source| EngineError::Encoding {
                what: "a bulk request",
                source: Box::new(source),
            })?,
            status: BatchStatus::Preparing,
            status_reason: None,
            is_past_canary: false,
            counts: domain::bulk::BatchCounts::default(),
            reason: request.reason.clone(),
            actor: caller.actor.clone(),
            cursor: None,
            created_at: now,
            updated_at: now,
            finished_at: None,
        })
    }

    async fn dry_run(
        &self,
        caller: &Caller,
        search: &Search,
        limit: Option<u64>,
    ) -> Result<BulkAnswer, EngineError> {
        let most = limit.unwrap_or(COUNT_MAX).min(COUNT_MAX);
        // What is rare is looked for to the end, also where few are asked for.
        let counted_to = most.saturating_add(1).max(NEAR_COUNT_MAX + 1);
        let counted = self.store().count_found(&caller.scope, search, counted_to).await?;
        let page = SearchPage { limit: SAMPLES.min(u32::try_from(most).unwrap_or(SAMPLES)), after: None };
        let found = self.store().search(&caller.scope, search, page).await?;
        let ids: Vec<_> = found.places.iter().map(|place| place.id).collect();
        let samples = self.samples(&caller.scope, search.list, &ids).await?;
        let has_all = limit.is_some_and(|limit| counted.value >= limit);
        let is_exact = has_all || counted.is_exact && counted.value <= COUNT_MAX;
        let count = counted.value.min(most).max(ids.len() as u64);
        Ok(BulkAnswer::Matches { count, is_exact, samples })
    }

    fn check_bulk(&self, request: &BulkRequest) -> Result<(), EngineError> {
        if let BulkAction::RequeueDeadLetters(edit) = &request.action {
            self.check_requeue(edit)?;
        }
        let mut faults = Faults::default();
        if let BulkAction::RerunExecutions { input: Some(input), .. } = &request.action {
            faults.json("/input", input, self.policy().payload_bytes_max);
        }
        match &request.target {
            BulkTarget::Filter(_) if !request.has_filter && !request.all => {
                faults.add("/filter", "expected a filter, or \"all\": true for everything of the list");
            }
            BulkTarget::Ids(ids) if ids.is_empty() || ids.len() > IDS_MAX => {
                faults.add("/ids", format!("expected 1 to {IDS_MAX} IDs"));
            }
            _ => {}
        }
        check_pace(&mut faults, request);
        let is_archive = request.action.verb() == BulkVerb::ArchiveDeadLetters;
        match &request.reason {
            Some(reason) if reason.chars().count() > REASON_MAX => {
                faults.add("/reason", format!("expected at most {REASON_MAX} characters"));
            }
            Some(reason) => faults.text("/reason", reason),
            None if is_archive && !request.dry_run => faults.add("/reason", "is required"),
            None => {}
        }
        faults.check()
    }
}

fn check_pace(faults: &mut Faults, request: &BulkRequest) {
    let pace = &request.pace;
    if pace.limit == Some(0) {
        faults.add("/limit", "expected at least 1");
    }
    if pace.rate_per_second.is_some_and(|rate| rate == 0 || rate > RATE_MAX) {
        faults.add("/ratePerSecond", format!("expected 1 to {RATE_MAX}"));
    }
    if pace.canary.is_some_and(|canary| canary.count == 0) {
        faults.add("/canary/count", "expected at least 1");
    }
    if pace.stop_on_failure_rate.is_some_and(|rate| !(0.0..=1.0).contains(&rate)) {
        faults.add("/stopOnFailureRate", "expected a fraction from 0 to 1");
    }
}

/// A search for these objects.
pub(super) fn of_ids(list: SearchList, ids: impl Iterator<Item = TermValue>) -> Search {
    let tests = ids.map(Test::Is).collect();
    let term = Term { key: "id".to_owned(), is_negated: false, tests };
    Search { terms: vec![term], ..Search::all(list) }
}

/// The same search for what there is by now: what comes later is not meant.
fn until(mut search: Search, now: Timestamp) -> Search {
    let first = search.list.instants()[0];
    let bound = Bound { value: TermValue::Instant(now), is_included: true };
    let tests = vec![Test::Between(None, Some(bound))];
    search.terms.push(Term { key: first.to_owned(), is_negated: false, tests });
    search
}

// The first few objects of a dry run, as their lists show them.

impl Engine {
    /// Objects by their ids, as their list shows them.
    pub(super) async fn samples(
        &self,
        scope: &TenantScope,
        list: SearchList,
        ids: &[Uuid],
    ) -> Result<Samples, EngineError> {
        let store = self.store();
        Ok(match list {
            SearchList::Jobs => Samples::Jobs(store.jobs_of(scope, ids).await?),
            SearchList::Executions => Samples::Executions(store.executions_of(scope, ids).await?),
            SearchList::DeadLetters | SearchList::Archive => {
                Samples::DeadLetters(store.dead_letters_of(scope, ids).await?)
            }
            SearchList::Deliveries => Samples::Deliveries(store.deliveries_of(scope, ids).await?),
            SearchList::Schedules => {
                let (records, now) = (store.schedules_of(scope, ids).await?, self.now());
                Samples::Schedules(records.into_iter().map(|record| self.view(record, now)).collect())
            }
            // No bulk operation is about them.
            SearchList::Runs
            | SearchList::UserTasks
            | SearchList::Workers
            | SearchList::Audit
            | SearchList::Batches => Samples::Schedules(Vec::new()),
        })
    }
}

// List the objects of a batch, a page in each commit, so that another process goes on where one died.

/// How many objects are listed at once.
const PAGE: u32 = 500;

impl Engine {
    /// Lists what is left to list. Answers the batch as it is then; `None` where it is another's or has ended.
    pub(super) async fn prepare_batch(
        &self,
        mut batch: BatchRecord,
        stored: &StoredBulk,
    ) -> Result<Option<BatchRecord>, EngineError> {
        let scope = batch.tenant.clone().map_or(TenantScope::All, TenantScope::One);
        while batch.status == BatchStatus::Preparing {
            if self.shutdown_started() {
                return Ok(None);
            }
            let Some(search) = &stored.search else {
                // The process died before it had stored the objects that were named; nobody was answered.
                let to = (BatchStatus::Failed, Some("error"));
                self.store().move_batch(batch.id, &BatchStatus::OPEN, to, self.now()).await?;
                return Ok(None);
            };
            let left = stored.pace.limit.map_or(u64::MAX, |limit| limit.saturating_sub(batch.counts.total));
            let limit = PAGE.min(u32::try_from(left).unwrap_or(PAGE)).max(1);
            let page = SearchPage { limit, after: batch.cursor };
            let found = self.store().search(&scope, search, page).await?;
            let ids: Vec<Uuid> = found.places.iter().map(|place| place.id).collect();
            let next = found.next.filter(|_| (ids.len() as u64) < left);
            let added =
                self.store().add_batch_items((batch.id, self.process()), &ids, next, self.now()).await?;
            fail_points::reach("batch-prepared");
            match added {
                Some(added) => batch = added,
                None => return Ok(None),
            }
        }
        Ok((!batch.status.is_ended() || batch.counts.pending > 0).then_some(batch))
    }
}
