//! Leases: renewing them and looking at them.

use std::collections::HashMap;
use std::time::Instant;

use domain::id::{ExecutionId, JobId, LeaseToken};
use domain::lease_watch::Watched;
use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;
use store::jobs::{ExpiredLease, LeaseAnswer, LeaseExtension, LeaseRef, LeasedJob};

use super::claim::facts;
use super::end::mark_cancelled;
use super::finish::partition_unique_ids;
use crate::bind::{self, Cell};
use crate::metric_names::CLOCK_STEPS_TOTAL;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

pub(super) static EXTEND: Sql = Sql::new("extend_leases", include_str!("../../sql/extend_leases.sql"));
pub(super) static LEASED: Sql = Sql::new("leased_jobs", include_str!("../../sql/leased_jobs.sql"));
pub(super) static FIRST_END: Sql = Sql::new("first_lease_end", include_str!("../../sql/first_lease_end.sql"));
/// How far two readings of one clock may differ beside its step.
const ROUNDING: DurationMs = DurationMs::from_secs(5);

// Not those that were asked for longer than the length they were claimed with, as far as the step does not explain it.
// Index: job_leased.
static SHORTEN: Sql = Sql::new(
    "shorten_leases",
    "UPDATE job SET lease_until = $1 + lease_ms, reap_at = $1 + lease_ms
     WHERE queue IN (0, 1, 2, 3) AND state = 'processing' AND lease_until > $1 + lease_ms
       AND lease_until <= $1 + lease_ms + $2",
);
static EXPIRED: Sql = Sql::new("expired_leases", include_str!("../../sql/expired_leases.sql"));
pub(super) static DEFER: Sql = Sql::new("defer_reaping", include_str!("../../sql/defer_reaping.sql"));

/// How many renewed leases one statement puts off.
const DEFERRED_MAX: u32 = 1_000;

/// How many such statements one look takes at most; the next look goes on.
const DEFERRALS_MAX: u32 = 20;

/// `JobStore::extend_leases`.
pub(super) async fn extend(
    store: &SqlStore,
    held: &[LeaseExtension],
    now: Timestamp,
) -> StoreResult<Vec<LeaseAnswer<Timestamp>>> {
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let mut ends: HashMap<LeaseRef, Timestamp> = HashMap::with_capacity(held.len());
    // A lease may be named twice, where heartbeats of several callers come together: the last one counts.
    for mut places in partition_unique_ids(held.iter().map(|extension| extension.lease.id)) {
        // In the order in which everybody locks jobs: owners that commit in groups lock those of several leases.
        places.sort_unstable_by_key(|&place| held[place].lease.id);
        let cells = places.iter().map(|&place| {
            let extension = &held[place];
            [
                Cell::Uuid(extension.lease.id.uuid()),
                Cell::Uuid(extension.lease.token.0),
                Cell::LongOrNull(extension.extend.map(|extend| extend.0)),
                Cell::TextOrNull(extension.progress.as_deref()),
            ]
        });
        let mut values = vec![store.lease_now(now).into()];
        values.extend(bind::rows(store.dialect(), cells));
        let rows = with_retry(RetryBudget::repeatable(), || EXTEND.all(store.pool().write(), values.clone()))
            .await?;
        for row in &rows {
            let row = Row::new("job", row);
            ends.insert(lease_of(row)?, row.instant("lease_until")?);
        }
    }
    let answer = |extension: &LeaseExtension| match ends.get(&extension.lease) {
        Some(&end) => LeaseAnswer::Ok(end),
        None => LeaseAnswer::LeaseLost,
    };
    let mut answers: Vec<LeaseAnswer<Timestamp>> = held.iter().map(answer).collect();
    let leases = held.iter().map(|extension| extension.lease);
    mark_cancelled(store.pool().read(), store.dialect(), leases, &mut answers).await?;
    Ok(answers)
}

/// `JobStore::leased_jobs`.
pub(super) async fn leased_jobs(store: &SqlStore, held: &[LeaseRef]) -> StoreResult<Vec<Option<LeasedJob>>> {
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let cells = held
        .iter()
        .enumerate()
        .map(|(ord, lease)| [Cell::Int(ord as i32), Cell::Uuid(lease.id.uuid()), Cell::Uuid(lease.token.0)]);
    let values = bind::rows(store.dialect(), cells);
    let mut leased: Vec<Option<LeasedJob>> = vec![None; held.len()];
    let rows = LEASED.all(store.pool().read(), values).await?;
    for row in &rows {
        let row = Row::new("job", row);
        leased[row.int("ord")? as usize] = Some(leased_job(row)?);
    }
    Ok(leased)
}

/// `JobStore::expired_leases`. Mostly none is to be looked at, so that the first such instant is read before. Those
/// that were renewed are put off; the others have ended.
pub(super) async fn expired(store: &SqlStore, now: Timestamp, limit: u32) -> StoreResult<Vec<ExpiredLease>> {
    if store.memory().nothing_expires.is_still_empty(store.pool(), now) {
        return Ok(Vec::new());
    }
    let mark = store.pool().mark();
    let asked_at = Instant::now();
    let Some(row) = FIRST_END.first(store.pool().read(), vec![store.lease_now(now).into()]).await? else {
        return Ok(Vec::new());
    };
    let row = Row::new("job", &row);
    let (first, now) = (row.instant_or_null("reap_at")?, row.instant("now_ms")?);
    let first = first.unwrap_or(Timestamp(i64::MAX));
    let watched = store.watch_lease_time(asked_at, now);
    match watched {
        Watched::SetBack(step) => shorten(store, now, step).await?,
        // Logged when it is seen, and for as long as it matters.
        Watched::SetForward(DurationMs(0)) => {
            metrics::counter!(CLOCK_STEPS_TOTAL, "direction" => "forward").increment(1);
            tracing::warn!(
                "the database clock was set forward; leases that could not be renewed are not reaped"
            );
        }
        Watched::SetForward(_) | Watched::Steady => {}
    }
    if first >= now {
        store.memory().nothing_expires.record(mark, first);
        return Ok(Vec::new());
    }
    defer(store, now).await?;
    let values = vec![now.0.into(), i64::from(limit).into(), watched.longest_ended().0.into()];
    let rows = EXPIRED.all(store.pool().read(), values).await?;
    let expired = rows.iter().map(|row| {
        let row = Row::new("job", row);
        let worker_id = row.name_or_null("worker_id", WorkerId::trusted)?;
        let leased = leased_job(row)?;
        let execution_id = row.uuid_or_null("execution_id")?.map(ExecutionId::from_uuid);
        let execution_id = execution_id.filter(|_| leased.queue == QueueName::Execution);
        Ok(ExpiredLease {
            leased,
            worker_id: worker_id.unwrap_or_else(|| WorkerId::trusted("")),
            execution_id,
        })
    });
    expired.collect()
}

/// Leases that were renewed since they were to be looked at are looked at again when they end now.
async fn defer(store: &SqlStore, now: Timestamp) -> StoreResult<()> {
    for _ in 0..DEFERRALS_MAX {
        let values = vec![now.0.into(), i64::from(DEFERRED_MAX).into()];
        let deferred =
            with_retry(RetryBudget::repeatable(), || DEFER.run(store.pool().write(), values.clone())).await?;
        if deferred < u64::from(DEFERRED_MAX) {
            break;
        }
    }
    Ok(())
}

/// The clock was set back: leases that were written before it would last so much longer. Their holders renew them.
async fn shorten(store: &SqlStore, now: Timestamp, step: DurationMs) -> StoreResult<()> {
    let latest = step.0.saturating_add(ROUNDING.0);
    let shortened = SHORTEN.run(store.pool().write(), vec![now.0.into(), latest.into()]).await?;
    metrics::counter!(CLOCK_STEPS_TOTAL, "direction" => "back").increment(1);
    tracing::warn!(step_ms = step.0, leases = shortened, "the database clock was set back");
    Ok(())
}

fn leased_job(row: Row<'_>) -> StoreResult<LeasedJob> {
    Ok(LeasedJob {
        lease: lease_of(row)?,
        tenant: row.name("tenant", TenantName::trusted)?,
        queue: row.queue("queue")?,
        workflow: row.workflow()?,
        job_type: row.name("job_type", JobType::trusted)?,
        facts: facts(row)?,
        deadline_at: row.instant_or_null("deadline_at")?,
        lease_until: row.instant("lease_until")?,
    })
}

fn lease_of(row: Row<'_>) -> StoreResult<LeaseRef> {
    Ok(LeaseRef { id: JobId::from_uuid(row.uuid("id")?), token: LeaseToken(row.uuid("lease_token")?) })
}

#[cfg(test)]
mod tests;
