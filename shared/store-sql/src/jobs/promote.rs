//! Promotion: due jobs become claimable, aged jobs are lifted a tier, blocked jobs take keys that became free.

use std::collections::BTreeMap;

use domain::job::JobStatus;
use domain::lane::LaneId;
use domain::queue::{QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;
use store::jobs::Promoted;

use super::admit::{Admitted, admit};
use super::{promote_aged, states};
use crate::claim_row::bump_epoch;
use crate::lock_order::begin_upkeep;
use crate::pool::commit;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

pub(super) static LOOK: Sql = Sql::new("promote_look", include_str!("../../sql/promote_look.sql"));
static DUE: Sql = Sql::new("promote_due", include_str!("../../sql/promote_due.sql"));
static BLOCKED_KEYS: Sql = Sql::new("blocked_keys", include_str!("../../sql/blocked_keys.sql"));

/// What one step made claimable.
#[derive(Debug, Default)]
struct Step {
    claimable: Vec<(QueueName, LaneId, i64)>,
    /// The tiers that those jobs were enqueued at, in order.
    tiers: Vec<Tier>,
    is_full: bool,
}

/// `JobStore::promote_due`.
pub(super) async fn promote_due(
    store: &SqlStore,
    age_after: &[(QueueName, DurationMs)],
    now: Timestamp,
    limit: u32,
) -> StoreResult<Promoted> {
    let seen = look(store, now).await?;
    let (mut due_now, mut freed) = (Step::default(), Step::default());
    if seen.is_due {
        due_now = with_retry(RetryBudget::repeatable(), || due(store, now, limit)).await?;
    }
    // Some of those that were due may be blocked now.
    if seen.is_due || seen.is_blocked {
        freed = with_retry(RetryBudget::repeatable(), || admit_freed(store, now, limit)).await?;
    } else {
        store.memory().set_blocked_cursor(String::new());
    }
    let mut promoted = Promoted { more: due_now.is_full || freed.is_full, ..Promoted::default() };
    let mut counts: BTreeMap<QueueName, u32> = BTreeMap::new();
    for step in [&due_now, &freed] {
        for (&(queue, lane, _), &tier) in step.claimable.iter().zip(&step.tiers) {
            promoted.lanes.push((queue, lane, tier));
            *counts.entry(queue).or_default() += 1;
        }
    }
    promoted.by_queue.extend(counts);
    for &(queue, age) in age_after {
        promoted.more |= with_retry(RetryBudget::repeatable(), || {
            promote_aged::promote_aged(store, queue, age, now, limit)
        })
        .await?;
    }
    Ok(promoted)
}

/// What there is to do.
#[derive(Debug, Clone, Copy)]
struct Seen {
    is_due: bool,
    is_blocked: bool,
}

/// Looks whether anything is due or blocked. Most of the time nothing is: then no transaction begins.
async fn look(store: &SqlStore, now: Timestamp) -> StoreResult<Seen> {
    let nothing = Seen { is_due: false, is_blocked: false };
    if store.memory().nothing_due.is_still_empty(store.pool(), now) {
        return Ok(nothing);
    }
    let mark = store.pool().mark();
    let Some(row) = LOOK.first(store.pool().read(), vec![]).await? else {
        return Ok(nothing);
    };
    let row = Row::new("job", &row);
    let next = [row.instant_or_null("first_due")?, row.instant_or_null("first_parked")?];
    let next = next.into_iter().flatten().min().unwrap_or(Timestamp(i64::MAX));
    let seen = Seen { is_due: next <= now, is_blocked: row.int("blocked")? != 0 };
    store.memory().nothing_due.record(mark.filter(|_| !seen.is_due && !seen.is_blocked), next);
    Ok(seen)
}

async fn due(store: &SqlStore, now: Timestamp, limit: u32) -> StoreResult<Step> {
    let transaction = begin_upkeep(store.pool()).await?;
    let rows = DUE.all(&transaction, vec![now.0.into(), i64::from(limit).into()]).await?;
    let mut step = Step {
        claimable: Vec::with_capacity(rows.len()),
        tiers: Vec::with_capacity(rows.len()),
        is_full: rows.len() >= limit as usize,
    };
    let mut keys: Vec<String> = Vec::new();
    for row in &rows {
        let row = Row::new("job", row);
        if let Some(key) = row.text_or_null("concurrency_key")? {
            keys.push(key);
        } else {
            step.claimable.push((row.queue("queue")?, LaneId(row.int("lane")?), row.long("position")?));
            step.tiers.push(row.tier("tier")?);
        }
        debug_assert_eq!(states::status(row, "state")?, JobStatus::Queued);
    }
    step.admitted(&admit(&transaction, &keys, now).await?);
    finish(store, transaction, step).await
}

/// Admits blocked jobs whose key is free. Whoever frees a key admits the next job itself, but two transactions that
/// do not see each other can leave a job behind: one frees the key while the other brings the job. Walks through the
/// keys, at most `limit` a call.
async fn admit_freed(store: &SqlStore, now: Timestamp, limit: u32) -> StoreResult<Step> {
    let after = store.memory().blocked_cursor();
    let values = vec![after.clone().into(), i64::from(limit).into()];
    let rows = BLOCKED_KEYS.all(store.pool().read(), values).await?;
    let keys = rows.iter().map(|row| Row::new("job", row).text("concurrency_key"));
    let keys: Vec<String> = keys.collect::<StoreResult<_>>()?;
    let is_full = keys.len() >= limit as usize;
    store.memory().set_blocked_cursor(if is_full {
        keys.last().cloned().unwrap_or_default()
    } else {
        String::new()
    });
    if keys.is_empty() {
        return Ok(Step { is_full: !after.is_empty(), ..Step::default() });
    }
    let transaction = begin_upkeep(store.pool()).await?;
    let admitted = admit(&transaction, &keys, now).await?;
    let mut step = Step { is_full, ..Step::default() };
    step.admitted(&admitted);
    finish(store, transaction, step).await
}

impl Step {
    fn admitted(&mut self, jobs: &[Admitted]) {
        self.claimable.extend(jobs.iter().map(|job| (job.queue, job.lane, job.position)));
        self.tiers.extend(jobs.iter().map(|job| job.tier));
    }
}

async fn finish(
    store: &SqlStore,
    transaction: crate::transaction::DatabaseTransaction,
    step: Step,
) -> StoreResult<Step> {
    let mut queues: Vec<QueueName> = step.claimable.iter().map(|(queue, ..)| *queue).collect();
    queues.dedup();
    let bumps = bump_epoch(&transaction, &queues).await?;
    commit(transaction).await?;
    for &(queue, lane, position) in &step.claimable {
        store.memory().record_claimable_from(queue, lane, position);
    }
    bumps.record(store);
    Ok(step)
}
