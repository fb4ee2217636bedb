//! Counting what waits, runs and ended in a queue. Costs as much as there is; [`figures`](super::figures) bounds how often.

use domain::access::TenantScope;
use domain::job::JobStatus;
use domain::names::TenantName;
use domain::queue::{QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;

use super::counted::{Counted, CountedTier};
use crate::dead_letters::open_of_queue;
use crate::jobs::status;
use crate::rows::Row;
use crate::select::Select;
use crate::store::SqlStore;

/// What counts as lately.
const RECENT: DurationMs = DurationMs::from_secs(60);

/// How many unfinished jobs of a queue are counted at most.
const COUNT_MAX: i64 = 5_000_000;

/// How many of the jobs that ended lately are looked at for wait and run times.
const SAMPLE_MAX: usize = 2_000;

/// How jobs end: `job_done` is indexed by this.
const ENDED: [JobStatus; 4] =
    [JobStatus::Completed, JobStatus::Failed, JobStatus::DeadLetter, JobStatus::Cancelled];

/// Counts now.
pub(super) async fn count(
    store: &SqlStore,
    scope: &TenantScope,
    queue: QueueName,
    now: Timestamp,
) -> StoreResult<Counted> {
    let mut counted = Counted {
        tiers: tiers(store, scope, queue).await?,
        ended: 0,
        failed: 0,
        wait_ms: None,
        run_ms: None,
        dead_letters: open_of_queue(store.pool(), scope, queue).await?,
    };
    recent(store, scope, queue, now, &mut counted).await?;
    Ok(counted)
}

/// Unfinished jobs by the tier at which they wait (aging may have promoted them), in the order of the tiers' codes.
async fn tiers(store: &SqlStore, scope: &TenantScope, queue: QueueName) -> StoreResult<Vec<CountedTier>> {
    // Counted by lane first, so that each job does not look up its lane.
    let mut select = Select::new(
        "queue_figures",
        "SELECT l.tier, c.state, CAST(sum(c.jobs) AS bigint) AS jobs, min(c.oldest) AS oldest
         FROM (SELECT j.lane, j.state, count(*) AS jobs, min(j.queued_at) AS oldest
               FROM (SELECT lane, state, queued_at FROM job",
    );
    select.with("WHERE queue = $?", queue.code());
    select.with("LIMIT $?) j GROUP BY j.lane, j.state) c JOIN lane l ON l.id = c.lane WHERE true", COUNT_MAX);
    select.with_some("AND l.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.push("GROUP BY l.tier, c.state");
    let mut tiers = Tier::ALL.map(|_| CountedTier::default());
    for row in &select.all(store.pool().lists()).await? {
        let row = Row::new("job", row);
        let figures = &mut tiers[row.tier("tier")?.code() as usize];
        let jobs = u64::try_from(row.long("jobs")?).unwrap_or(0);
        match status::status(row, "state")? {
            JobStatus::Queued => {
                figures.queued += jobs;
                let oldest = row.instant("oldest")?.0;
                figures.oldest_ms = Some(figures.oldest_ms.map_or(oldest, |known| known.min(oldest)));
            }
            JobStatus::Processing => figures.processing += jobs,
            JobStatus::RetryWait => figures.retry_wait += jobs,
            JobStatus::Scheduled => figures.scheduled += jobs,
            JobStatus::Waiting => figures.waiting += jobs,
            _ => return Err(row.fault("state")),
        }
    }
    Ok(tiers.into())
}

async fn recent(
    store: &SqlStore,
    scope: &TenantScope,
    queue: QueueName,
    now: Timestamp,
    counted: &mut Counted,
) -> StoreResult<()> {
    let conditions = |select: &mut Select| {
        select.with("AND d.queue = $?", queue.code());
        select.with("AND d.finished_at > $?", now.minus(RECENT).0);
        select.with_some("AND l.tenant = $?", scope.tenant().map(TenantName::as_str));
    };
    // Every job has a lane; the join is there for the tenant's sake only.
    let join = if scope.tenant().is_some() { "JOIN lane l ON l.id = d.lane" } else { "" };
    let text = format!(
        "SELECT count(*) AS ended, count(CASE WHEN d.status <> 'COMPLETED' THEN 1 END) AS failed \
         FROM job_done d {join} WHERE d.status IN ('COMPLETED', 'FAILED', 'DEAD_LETTER', 'CANCELLED')"
    );
    let mut counts = Select::new("queue_recent", &text);
    conditions(&mut counts);
    if let Some(row) = counts.first(store.pool().lists()).await? {
        let row = Row::new("job_done", &row);
        counted.ended = u64::try_from(row.long("ended")?).unwrap_or(0);
        counted.failed = u64::try_from(row.long("failed")?).unwrap_or(0);
    }
    let text = format!(
        "SELECT d.queued_at, d.started_at, d.finished_at FROM job_done d {join} WHERE d.started_at IS NOT NULL"
    );
    // The newest of each status in the order of the index, and of these the newest.
    let mut newest: Vec<(Timestamp, DurationMs, DurationMs)> = Vec::new();
    for status in ENDED {
        let mut sample = Select::new("queue_sample", &text);
        conditions(&mut sample);
        sample.with("AND d.status = $?", status.as_str());
        sample.with("ORDER BY d.finished_at DESC LIMIT $?", SAMPLE_MAX as i64);
        for row in &sample.all(store.pool().lists()).await? {
            let row = Row::new("job_done", row);
            let (started_at, finished_at) = (row.instant("started_at")?, row.instant("finished_at")?);
            newest.push((
                finished_at,
                started_at.since(row.instant("queued_at")?),
                finished_at.since(started_at),
            ));
        }
    }
    newest.sort_unstable_by_key(|(finished_at, ..)| std::cmp::Reverse(*finished_at));
    newest.truncate(SAMPLE_MAX);
    let (waits, runs) = newest.into_iter().map(|(_, wait, run)| (wait, run)).unzip();
    counted.wait_ms = percentiles(waits).map(|of| of.map(|DurationMs(ms)| ms));
    counted.run_ms = percentiles(runs).map(|of| of.map(|DurationMs(ms)| ms));
    Ok(())
}

/// p50, p95 and p99 by nearest rank.
fn percentiles(mut sample: Vec<DurationMs>) -> Option<[DurationMs; 3]> {
    sample.sort_unstable();
    let last = sample.len().checked_sub(1)?;
    Some(
        [50, 95, 99]
            .map(|percent| sample[(sample.len() * percent).div_ceil(100).saturating_sub(1).min(last)]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_members_of_the_sample() {
        let ms = |values: &[i64]| values.iter().copied().map(DurationMs).collect::<Vec<_>>();
        assert_eq!(percentiles(Vec::new()), None);
        assert_eq!(percentiles(ms(&[7])), Some([DurationMs(7); 3]));
        let hundred: Vec<i64> = (1..=100).rev().collect();
        assert_eq!(percentiles(ms(&hundred)), Some([DurationMs(50), DurationMs(95), DurationMs(99)]));
    }
}
