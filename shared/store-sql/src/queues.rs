//! Queues: their modes, and what is going on in them.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::job::JobStatus;
use domain::names::TenantName;
use domain::queue::{QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;
use store::queues::{QueueFigures, QueueMode, QueueStore, RecentFigures, TierFigures};

use crate::errors::corrupt;
use crate::jobs::states;
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;
use crate::store::SqlStore;

static MODES: Sql = Sql::new("queue_modes", "SELECT queue, mode FROM queue_claim ORDER BY queue");

// The epoch moves with the mode: a claim that starts after the commit sees it in its lock statement.
static SET_MODE: Sql = Sql::new(
    "set_queue_mode",
    "UPDATE queue_claim SET mode = $2, epoch = epoch + 1, changed_at = $3 WHERE queue = $1",
);

/// What counts as lately.
const RECENT: DurationMs = DurationMs::from_secs(60);

/// How many of the jobs that ended lately are looked at for wait and run times.
const SAMPLE_MAX: usize = 2_000;

/// How jobs end: `job_done` is indexed by this.
const ENDED: [JobStatus; 4] =
    [JobStatus::Completed, JobStatus::Failed, JobStatus::DeadLetter, JobStatus::Cancelled];

#[async_trait]
impl QueueStore for SqlStore {
    async fn queue_figures(
        &self,
        scope: &TenantScope,
        queue: QueueName,
        now: Timestamp,
    ) -> StoreResult<QueueFigures> {
        let modes = self.queue_modes().await?;
        let mode = modes.into_iter().find(|(named, _)| *named == queue);
        let (_, mode) = mode.ok_or_else(|| corrupt("queue_claim", "queue", queue))?;
        Ok(QueueFigures {
            queue,
            mode,
            tiers: tiers(self, scope, queue, now).await?,
            recent: recent(self, scope, queue, now).await?,
            dead_letters: dead_letters(self, scope, queue).await?,
        })
    }

    async fn queue_modes(&self) -> StoreResult<Vec<(QueueName, QueueMode)>> {
        let rows = MODES.all(self.pool().read(), vec![]).await?;
        let modes = rows.iter().map(|row| {
            let row = Row::new("queue_claim", row);
            Ok((row.queue("queue")?, row.parsed("mode", QueueMode::parse)?))
        });
        modes.collect()
    }

    async fn set_queue_mode(&self, queue: QueueName, mode: QueueMode, now: Timestamp) -> StoreResult<()> {
        let values = vec![queue.code().into(), mode.as_str().into(), now.0.into()];
        SET_MODE.run(self.pool().write(), values).await.map(|_| ())
    }
}

/// Unfinished jobs by the tier at which they wait (aging may have lifted them).
async fn tiers(
    store: &SqlStore,
    scope: &TenantScope,
    queue: QueueName,
    now: Timestamp,
) -> StoreResult<Vec<TierFigures>> {
    // Counted by lane first, so that each job does not look up its lane.
    let mut select = Select::new(
        "queue_figures",
        "SELECT l.tier, c.state, CAST(sum(c.jobs) AS bigint) AS jobs, min(c.oldest) AS oldest FROM (SELECT lane, state, count(*) AS jobs, min(queued_at) AS oldest FROM job",
    );
    select.with(
        "WHERE queue = $? GROUP BY lane, state) c JOIN lane l ON l.id = c.lane WHERE true",
        queue.code(),
    );
    select.with_some("AND l.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.push("GROUP BY l.tier, c.state");
    let none = |tier| TierFigures {
        tier,
        queued: 0,
        processing: 0,
        retry_wait: 0,
        scheduled: 0,
        waiting: 0,
        oldest_age: None,
    };
    let mut tiers = Tier::ALL.map(none);
    for row in &select.all(store.pool().read()).await? {
        let row = Row::new("job", row);
        let figures = &mut tiers[row.tier("tier")?.code() as usize];
        let jobs = u64::try_from(row.long("jobs")?).unwrap_or(0);
        match states::status(row, "state")? {
            JobStatus::Queued => {
                figures.queued += jobs;
                let age = now.since(row.instant("oldest")?);
                figures.oldest_age = Some(figures.oldest_age.map_or(age, |oldest| oldest.max(age)));
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
) -> StoreResult<RecentFigures> {
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
    let mut figures = RecentFigures::default();
    if let Some(row) = counts.first(store.pool().read()).await? {
        let row = Row::new("job_done", &row);
        figures.ended = u64::try_from(row.long("ended")?).unwrap_or(0);
        figures.failed = u64::try_from(row.long("failed")?).unwrap_or(0);
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
        for row in &sample.all(store.pool().read()).await? {
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
    figures.wait = percentiles(waits);
    figures.run = percentiles(runs);
    Ok(figures)
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

async fn dead_letters(store: &SqlStore, scope: &TenantScope, queue: QueueName) -> StoreResult<u64> {
    let mut select =
        Select::new("queue_dead_letters", "SELECT count(*) AS open FROM dead_letter WHERE status = 'open'");
    select.with("AND queue = $?", queue.code());
    select.with_some("AND tenant = $?", scope.tenant().map(TenantName::as_str));
    match select.first(store.pool().read()).await? {
        Some(row) => Ok(u64::try_from(Row::new("dead_letter", &row).long("open")?).unwrap_or(0)),
        None => Ok(0),
    }
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
