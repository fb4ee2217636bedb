//! Replay many deliveries: counted, paced, stoppable, and taken up again after a crash, as bulk operations on dead
//! letters are.

use std::time::Duration;

use domain::access::{Permission, TenantScope};
use domain::id::{BatchId, DeliveryId, Id};
use domain::names::TenantName;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use store::operations::BatchRecord;
use store::webhooks::{DeliveryFilter, DeliverySource, DeliveryStatus};
use store::{PageRequest, StoreError};
use tokio::time::Instant;

use super::replay::is_replayable;
use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::dead_letters::BulkAnswer;
use crate::engine::Engine;
use crate::error::EngineError;

/// The kind of the batch.
pub(crate) const KIND_REPLAY: &str = "deliveries.replay";

/// The fastest pace that can be asked for; without one there is no pace.
const RATE_MAX: u32 = 100_000;
/// How many deliveries are read at once, and after how many progress is written down.
const PAGE: u32 = 100;
/// How long progress is kept back at most.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// The most deliveries that are counted of each status.
const COUNT_MAX: u64 = 1_000_000;

/// The statuses whose deliveries are replayed where none is asked for: what is still to be matched is not decided twice.
const STATUSES: [DeliveryStatus; 3] =
    [DeliveryStatus::Matched, DeliveryStatus::Unmatched, DeliveryStatus::Parked];

/// Which deliveries are replayed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReplayRequest {
    /// Which. Those that were never verified are left out, and so are those that are still to be matched, unless the
    /// filter names their status.
    pub filter: DeliveryFilter,
    /// Has to be set where the filter is empty: nobody replays everything by a forgotten filter.
    pub all: bool,
    /// Only counts.
    pub dry_run: bool,
    /// Stops after this many.
    pub limit: Option<u64>,
    /// How many at most in a second.
    pub rate_per_second: Option<u32>,
    /// Whether triggers that have started their workflows do so again.
    pub all_triggers: bool,
}

/// The request as it is stored with the batch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct StoredReplay {
    #[serde(default)]
    source: Option<String>,
    webhook: Option<String>,
    tenant: Option<TenantName>,
    status: Option<String>,
    event_type: Option<String>,
    from_ms: Option<i64>,
    to_ms: Option<i64>,
    limit: Option<u64>,
    rate_per_second: Option<u32>,
    #[serde(default)]
    all_triggers: bool,
}

impl StoredReplay {
    fn of(request: &ReplayRequest) -> Self {
        let filter = &request.filter;
        Self {
            source: filter.source.map(|source| source.as_str().to_owned()),
            webhook: filter.webhook_id.map(|id| id.to_string()),
            tenant: filter.tenant.clone(),
            status: filter.status.map(|status| status.as_str().to_owned()),
            event_type: filter.event_type.clone(),
            from_ms: filter.from.map(|at| at.0),
            to_ms: filter.to.map(|at| at.0),
            limit: request.limit,
            rate_per_second: request.rate_per_second,
            all_triggers: request.all_triggers,
        }
    }

    /// What came before the batch was made: what it makes itself is not meant.
    fn filter(&self, created_at: Timestamp) -> DeliveryFilter {
        DeliveryFilter {
            source: self.source.as_deref().and_then(DeliverySource::parse),
            webhook_id: self.webhook.as_deref().and_then(Id::parse),
            tenant: self.tenant.clone(),
            status: self.status.as_deref().and_then(DeliveryStatus::parse),
            event_type: self.event_type.clone(),
            from: self.from_ms.map(Timestamp),
            to: Some(self.to_ms.map_or(created_at, |to| Timestamp(to).min(created_at))),
        }
    }
}

/// How far a run is.
struct Progress {
    done: u64,
    failed: u64,
    unreported: (u64, u64),
    reported_at: Instant,
}

impl Engine {
    /// Counts, or begins and answers the batch. The work goes on after the answer; upkeep of any node takes it up again
    /// should this process die.
    pub async fn replay_deliveries(
        &self,
        caller: &Caller,
        request: ReplayRequest,
    ) -> Result<BulkAnswer, EngineError> {
        caller.require(Permission::Operate)?;
        check(&request)?;
        let now = self.now();
        let stored = StoredReplay::of(&request);
        let total = self.count_replayable(&caller.scope, &stored.filter(now)).await?;
        let total = request.limit.map_or(total, |limit| total.min(limit));
        if request.dry_run {
            return Ok(BulkAnswer::Count(total));
        }
        let batch = BatchRecord {
            id: self.make_id::<domain::id::BatchKind>(caller, &["batch"], now),
            tenant: caller.scope.tenant().cloned(),
            kind: KIND_REPLAY.to_owned(),
            request: serde_json::to_string(&stored).map_err(|source| EngineError::Encoding {
                what: "a bulk request",
                source: Box::new(source),
            })?,
            status: "running".to_owned(),
            total,
            done: 0,
            failed: 0,
            created_at: now,
            updated_at: now,
        };
        self.store().create_batch(&batch).await?;
        let kept = self.store().batch(&TenantScope::All, batch.id).await?;
        if let Some(kept) = kept.filter(|kept| kept.created_at != batch.created_at) {
            // A repeated request: the first one's batch is under way or done.
            return Ok(BulkAnswer::Batch(kept));
        }
        let detail = serde_json::json!({ "batch": batch.id.to_string(), "total": total });
        self.audit(caller, AuditedAction::new(KIND_REPLAY, "deliveries").with(detail)).await;
        self.spawn_batch(batch.clone());
        Ok(BulkAnswer::Batch(batch))
    }

    async fn count_replayable(
        &self,
        scope: &TenantScope,
        filter: &DeliveryFilter,
    ) -> Result<u64, EngineError> {
        let mut total = 0;
        for status in STATUSES.into_iter().chain([DeliveryStatus::Accepted]) {
            if is_meant(filter, status) {
                let filter = DeliveryFilter { status: Some(status), ..filter.clone() };
                total += self.store().count_deliveries(scope, &filter, COUNT_MAX).await?;
            }
        }
        Ok(total)
    }

    /// Carries a batch out, from its start: what was replayed already has its id already, and is not made again.
    pub(crate) async fn run_replay_batch(&self, batch: BatchRecord) -> Result<(), EngineError> {
        let stored: StoredReplay = serde_json::from_str(&batch.request).map_err(|_error| {
            StoreError::Corrupt { table: "batches", column: "request", row: batch.id.to_string() }
        })?;
        let scope = batch.tenant.clone().map_or(TenantScope::All, TenantScope::One);
        let filter = stored.filter(batch.created_at);
        // What an earlier run reported is counted once more on the way and not reported again.
        let mut known = (batch.done, batch.failed);
        let mut progress = Progress { done: 0, failed: 0, unreported: (0, 0), reported_at: Instant::now() };
        let mut after = None;
        loop {
            let page = PageRequest { limit: PAGE, after };
            let page = self.store().list_deliveries(&scope, &filter, page).await?;
            for original in page.items.iter().filter(|original| is_meant(&filter, original.status)) {
                if self.shutdown_started() {
                    return Ok(());
                }
                if stored.limit.is_some_and(|limit| progress.done + progress.failed >= limit) {
                    return self.end_replay(batch.id, &mut progress).await;
                }
                let id: DeliveryId = Id::derive(batch.id.uuid(), &["replay", &original.id.to_string()]);
                let is_done = self.replay(original, id, stored.all_triggers).await?.is_ok();
                note(&mut progress, &mut known, is_done);
                if let Some(rate) = stored.rate_per_second {
                    tokio::time::sleep(Duration::from_secs(1) / rate).await;
                }
                if progress.reported_at.elapsed() >= REPORT_INTERVAL
                    && !self.report_replay(batch.id, &mut progress).await?
                {
                    return Ok(());
                }
            }
            // Once a page at least, so that an abort is seen.
            if !self.report_replay(batch.id, &mut progress).await? {
                return Ok(());
            }
            after = page.next;
            if after.is_none() {
                return self.end_replay(batch.id, &mut progress).await;
            }
        }
    }

    async fn end_replay(&self, id: BatchId, progress: &mut Progress) -> Result<(), EngineError> {
        if self.report_replay(id, progress).await? {
            self.store().end_batch(id, "completed", self.now()).await?;
        }
        Ok(())
    }

    /// Writes progress down. Answers whether the batch is still to be carried out.
    async fn report_replay(&self, id: BatchId, progress: &mut Progress) -> Result<bool, EngineError> {
        let (done, failed) = std::mem::take(&mut progress.unreported);
        let moved = self.store().advance_batch(id, done, failed, self.now()).await?;
        progress.reported_at = Instant::now();
        Ok(moved.is_some_and(|batch| batch.status == "running"))
    }
}

/// Whether deliveries of a status are replayed by this filter.
fn is_meant(filter: &DeliveryFilter, status: DeliveryStatus) -> bool {
    match filter.status {
        Some(asked) => asked == status && is_replayable(status),
        None => STATUSES.contains(&status),
    }
}

fn note(progress: &mut Progress, known: &mut (u64, u64), is_done: bool) {
    let (total, unreported, known) = if is_done {
        (&mut progress.done, &mut progress.unreported.0, &mut known.0)
    } else {
        (&mut progress.failed, &mut progress.unreported.1, &mut known.1)
    };
    *total += 1;
    if *known > 0 {
        *known -= 1;
    } else {
        *unreported += 1;
    }
}

fn check(request: &ReplayRequest) -> Result<(), EngineError> {
    let mut faults = Faults::default();
    if request.filter == DeliveryFilter::default() && !request.all {
        faults.add("/filter", "expected a filter, or \"all\": true for every delivery");
    }
    if request.filter.status.is_some_and(|status| !is_replayable(status)) {
        faults.add(
            "/filter/status",
            "expected accepted, matched, unmatched or parked: the others are not replayed",
        );
    }
    if request.limit == Some(0) {
        faults.add("/limit", "expected at least 1");
    }
    if request.rate_per_second.is_some_and(|rate| rate == 0 || rate > RATE_MAX) {
        faults.add("/ratePerSecond", format!("expected 1 to {RATE_MAX}"));
    }
    faults.check()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_stored_request_says_the_same() {
        let request = ReplayRequest {
            filter: DeliveryFilter {
                webhook_id: Some(Id::from_uuid(Uuid::from_u128(7))),
                status: Some(DeliveryStatus::Parked),
                event_type: Some("push".to_owned()),
                from: Some(Timestamp(5)),
                ..DeliveryFilter::default()
            },
            limit: Some(7),
            ..ReplayRequest::default()
        };
        let text = serde_json::to_string(&StoredReplay::of(&request)).expect("plain data");
        let read: StoredReplay = serde_json::from_str(&text).expect("what was written");
        let expected = DeliveryFilter { to: Some(Timestamp(1_000)), ..request.filter.clone() };
        assert_eq!(read.filter(Timestamp(1_000)), expected);
        let bounded = StoredReplay { to_ms: Some(10), ..read };
        assert_eq!(bounded.filter(Timestamp(1_000)).to, Some(Timestamp(10)));
    }

    #[test]
    fn an_empty_filter_is_refused() {
        assert!(check(&ReplayRequest::default()).is_err());
        assert!(check(&ReplayRequest { all: true, ..ReplayRequest::default() }).is_ok());
        let rejected = DeliveryFilter { status: Some(DeliveryStatus::Rejected), ..DeliveryFilter::default() };
        assert!(check(&ReplayRequest { filter: rejected, ..ReplayRequest::default() }).is_err());
    }
}
