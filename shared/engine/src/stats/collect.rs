//! What this process has done since it was last written down.

use std::collections::{BTreeMap, HashMap};

use domain::job::{Disposition, JobStatus};
use domain::names::{TenantName, WorkflowName};
use domain::queue::{LaneId, LaneKey, QueueName, Tier};
use domain::stats::{Counts, StatKey, Step};
use domain::time::{DurationMs, Timestamp};
use domain::workflow::execution::ExecutionStatus;
use parking_lot::Mutex;
use store::Store;
use store::executions::NewExecution;
use store::jobs::{ClaimedJob, Enqueued, LeaseAnswer, NewJob, SettleResult, Settlement};
use store::stats::StatRow;

/// How many tenants with their workflows are counted by themselves between two writes, over all queues and tiers. Jobs of
/// others count in the sums over all.
const PAIRS_MAX: usize = 5_000;

/// Counts by tenant, then by workflow; empty texts where a job has none or it is not known.
type ByTenant = HashMap<String, HashMap<String, Counts>>;

/// What was done in a minute.
#[derive(Default)]
struct Table {
    by_queue_and_tier: [[ByTenant; 3]; 4],
    pairs: usize,
}

/// What this process has done and not written down.
#[derive(Default)]
pub(crate) struct StatNotes(Mutex<Notes>);

#[derive(Default)]
struct Notes {
    minutes: BTreeMap<i64, Table>,
}

impl Table {
    fn counts(&mut self, queue: QueueName, tier: Tier, tenant: &str, workflow: &str) -> &mut Counts {
        let by_tenant = &mut self.by_queue_and_tier[queue.code() as usize][tier.code() as usize];
        let is_known = by_tenant.get(tenant).is_some_and(|of| of.contains_key(workflow));
        let is_all = tenant.is_empty() && workflow.is_empty();
        if !is_known && !is_all && self.pairs >= PAIRS_MAX {
            return by_tenant.entry(String::new()).or_default().entry(String::new()).or_default();
        }
        self.pairs += usize::from(!is_known && !is_all);
        // Looked up by what is borrowed first: most jobs are of tenants and workflows that are there.
        if !by_tenant.contains_key(tenant) {
            by_tenant.insert(tenant.to_owned(), HashMap::new());
        }
        let of_tenant = by_tenant.get_mut(tenant).expect("it was inserted");
        if !of_tenant.contains_key(workflow) {
            of_tenant.insert(workflow.to_owned(), Counts::default());
        }
        of_tenant.get_mut(workflow).expect("it was inserted")
    }
}

/// Of whom something is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Of<'a> {
    queue: QueueName,
    tier: Tier,
    tenant: &'a str,
    workflow: &'a str,
}

impl<'a> Of<'a> {
    fn job(queue: QueueName, tier: Tier, tenant: &'a TenantName, workflow: Option<&'a WorkflowName>) -> Self {
        Self { queue, tier, tenant: tenant.as_str(), workflow: workflow.map_or("", WorkflowName::as_str) }
    }

    fn unseen(queue: QueueName, tier: Tier) -> Self {
        Self { queue, tier, tenant: "", workflow: "" }
    }

    fn lane(queue: QueueName, tier: Tier, key: Option<&'a LaneKey>) -> Self {
        key.map_or(Self::unseen(queue, tier), |key| {
            Self::job(queue, tier, &key.tenant, key.workflow.as_ref().map(|of| &of.name))
        })
    }
}

/// Jobs that a commit under way is to store, alike ones together.
pub(crate) struct StoredJobs(Vec<((QueueName, Tier), TenantName, Option<WorkflowName>, u64)>);

impl StoredJobs {
    /// These jobs.
    pub(crate) fn of<'a>(jobs: impl Iterator<Item = &'a NewJob>) -> Self {
        let mut all: Vec<((QueueName, Tier), TenantName, Option<WorkflowName>, u64)> = Vec::new();
        for job in jobs {
            let (of, workflow) = ((job.queue, job.tier), job.workflow.as_ref().map(|of| &of.name));
            match all.last_mut() {
                Some((known, tenant, name, count))
                    if *known == of && *tenant == job.tenant && name.as_ref() == workflow =>
                {
                    *count += 1;
                }
                _ => all.push((of, job.tenant.clone(), workflow.cloned(), 1)),
            }
        }
        Self(all)
    }
}

impl StatNotes {
    /// Jobs that a commit has stored.
    pub(crate) fn stored(&self, jobs: &StoredJobs, now: Timestamp) {
        for (of, tenant, workflow, count) in &jobs.0 {
            self.enqueued_of(*of, Some(tenant), workflow.as_ref(), *count, now);
        }
    }

    fn record(&self, at: Timestamp, of: Of<'_>, change: impl FnOnce(&mut Counts)) {
        let minute = Step::Minute.start_of(at).0;
        let mut notes = self.0.lock();
        let table = notes.minutes.entry(minute).or_default();
        change(table.counts(of.queue, of.tier, of.tenant, of.workflow));
    }

    /// The same for what comes together and is mostly of the same: looked up once for all that follow one another.
    fn record_all<'a, T>(
        &self,
        all: impl Iterator<Item = (Timestamp, Of<'a>, T)>,
        change: impl Fn(&mut Counts, T),
    ) {
        let mut notes = self.0.lock();
        let mut all = all.map(|(at, of, what)| ((Step::Minute.start_of(at).0, of), what)).peekable();
        while let Some((run, what)) = all.next() {
            let (minute, of) = run;
            let table = notes.minutes.entry(minute).or_default();
            let counts = table.counts(of.queue, of.tier, of.tenant, of.workflow);
            change(counts, what);
            while let Some((_, what)) = all.next_if(|(next, _)| *next == run) {
                change(counts, what);
            }
        }
    }

    /// Jobs that were stored.
    pub(crate) fn enqueued<'a>(&self, jobs: impl Iterator<Item = &'a NewJob>, now: Timestamp) {
        let all = jobs.map(|job| {
            let workflow = job.workflow.as_ref().map(|of| &of.name);
            (now, Of::job(job.queue, job.tier, &job.tenant, workflow), ())
        });
        self.record_all(all, |counts, ()| counts.enqueued += 1);
    }

    /// Those of these executions that were created now, with their jobs.
    pub(crate) fn created<'a>(
        &self,
        executions: impl Iterator<Item = &'a NewExecution>,
        enqueued: &[Enqueued],
        now: Timestamp,
    ) {
        let new = executions.zip(enqueued).filter(|(_, job)| !job.existing);
        self.enqueued(new.map(|(execution, _)| &execution.job), now);
    }

    /// So many jobs of one tenant and workflow that were stored, as far as is known of them.
    pub(crate) fn enqueued_of(
        &self,
        (queue, tier): (QueueName, Tier),
        tenant: Option<&TenantName>,
        workflow: Option<&WorkflowName>,
        count: u64,
        now: Timestamp,
    ) {
        if count > 0 {
            let of = tenant.map_or(Of::unseen(queue, tier), |tenant| Of::job(queue, tier, tenant, workflow));
            self.record(now, of, |counts| counts.enqueued += count);
        }
    }

    /// Leases that began.
    pub(crate) fn claimed(&self, jobs: &[ClaimedJob]) {
        let all = jobs.iter().map(|job| {
            let workflow = job.workflow.as_ref().map(|of| &of.name);
            let waited = job.started_at.since(job.queued_at);
            (job.started_at, Of::job(job.queue, job.tier, &job.tenant, workflow), waited)
        });
        self.record_all(all, |counts, waited| {
            counts.claimed += 1;
            counts.waits.add(waited);
        });
    }

    /// Attempts that were settled, also those of lost workers.
    pub(crate) fn settled(
        &self,
        store: &dyn Store,
        batch: &[Settlement],
        answers: &[LeaseAnswer<SettleResult>],
        now: Timestamp,
    ) {
        let settled: Vec<(&Settlement, &SettleResult)> = batch
            .iter()
            .zip(answers)
            .filter_map(|(settlement, answer)| Some((settlement, answer.ok()?)))
            .collect();
        // Attempts that are settled together are mostly of one lane.
        for run in settled.chunk_by(|(_, one), (_, other)| lane_of(one) == lane_of(other)) {
            let (queue, lane) = lane_of(run[0].1);
            let key = lane.and_then(|lane| store.lane_key(queue, lane));
            let all = run.iter().map(|&(settlement, settled)| {
                let facts = settled.facts.as_ref();
                let (at, tier) = facts.map_or((now, Tier::Normal), |facts| (facts.settled_at, facts.tier));
                (at, Of::lane(queue, tier, key.as_ref()), (settlement, settled))
            });
            self.record_all(all, |counts, (settlement, settled)| {
                count_settled(counts, &settlement.disposition, settled);
            });
        }
    }

    /// A job that was completed by a step of its execution: how long its attempt ran, and how long it took in all.
    pub(crate) fn completed(
        &self,
        (queue, tier): (QueueName, Tier),
        tenant: &TenantName,
        workflow: Option<&WorkflowName>,
        (ran, took): (DurationMs, DurationMs),
        now: Timestamp,
    ) {
        self.record(now, Of::job(queue, tier, tenant, workflow), |counts| {
            counts.completed += 1;
            counts.ends.add(took);
            count_run(counts, ran);
        });
    }

    /// A turn of the owner of an execution that ended with its lease.
    pub(crate) fn turn_ended(&self, job: &ClaimedJob, ran: DurationMs, now: Timestamp) {
        let workflow = job.workflow.as_ref().map(|of| &of.name);
        self.record(now, Of::job(job.queue, job.tier, &job.tenant, workflow), |counts| {
            count_run(counts, ran);
        });
    }

    /// An execution that a step has ended, and how long it took from its creation on.
    pub(crate) fn execution_ended(
        &self,
        (tier, tenant, workflow): (Tier, &TenantName, &WorkflowName),
        status: ExecutionStatus,
        took: DurationMs,
        now: Timestamp,
    ) {
        self.record(now, Of::job(QueueName::Execution, tier, tenant, Some(workflow)), |counts| {
            counts.ends.add(took);
            counts.completed += u64::from(status == ExecutionStatus::Completed);
            counts.failed += u64::from(status == ExecutionStatus::Failed);
        });
    }

    /// Takes all that was noted, as rows of minutes and hours in the order of their keys.
    pub(super) fn take(&self) -> Vec<StatRow<Counts>> {
        let minutes = std::mem::take(&mut self.0.lock().minutes);
        let mut rows: BTreeMap<(Step, Timestamp, StatKey), Counts> = BTreeMap::new();
        for (minute, table) in minutes {
            for (queue, tiers) in QueueName::ALL.into_iter().zip(table.by_queue_and_tier) {
                for (tier, by_tenant) in Tier::ALL.into_iter().zip(tiers) {
                    for (tenant, by_workflow) in by_tenant {
                        for (workflow, counts) in by_workflow {
                            let tenant = (!tenant.is_empty()).then(|| TenantName::trusted(&tenant));
                            let workflow = (!workflow.is_empty()).then(|| WorkflowName::trusted(&workflow));
                            for key in (StatKey { queue, tier, tenant, workflow }).with_sums() {
                                for step in Step::ALL {
                                    let at = step.start_of(Timestamp(minute));
                                    rows.entry((step, at, key.clone())).or_default().merge(&counts);
                                }
                            }
                        }
                    }
                }
            }
        }
        rows.into_iter().map(|((step, at, key), figures)| StatRow { step, at, key, figures }).collect()
    }
}

/// The queue and, where that is known, the lane of a job.
fn lane_of(settled: &SettleResult) -> (QueueName, Option<LaneId>) {
    (settled.queue, settled.facts.as_ref().map(|facts| facts.lane))
}

fn count_settled(counts: &mut Counts, disposition: &Disposition, settled: &SettleResult) {
    counts.completed += u64::from(settled.status == JobStatus::Completed);
    counts.failed += u64::from(!matches!(disposition, Disposition::Complete(_)));
    counts.dead_lettered += u64::from(settled.status == JobStatus::DeadLetter);
    let Some(facts) = &settled.facts else { return };
    if let Some(started_at) = facts.started_at {
        count_run(counts, facts.settled_at.since(started_at));
    }
    if settled.status.is_terminal() {
        counts.ends.add(facts.settled_at.since(facts.created_at));
    }
}

fn count_run(counts: &mut Counts, ran: DurationMs) {
    counts.run_ms += u64::try_from(ran.0).unwrap_or(0);
    counts.runs.add(ran);
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: (QueueName, Tier) = (QueueName::Node, Tier::Normal);

    fn enqueue(notes: &StatNotes, tenant: &str, workflow: &str, at: i64) {
        let (tenant, workflow) = (TenantName::trusted(tenant), WorkflowName::trusted(workflow));
        notes.enqueued_of(NODE, Some(&tenant), Some(&workflow), 1, Timestamp(at));
    }

    fn enqueued(
        rows: &[StatRow<Counts>],
        step: Step,
        tenant: Option<&str>,
        workflow: Option<&str>,
    ) -> Vec<u64> {
        let is_meant = |row: &&StatRow<Counts>| {
            row.step == step
                && row.key.tenant.as_ref().map(TenantName::as_str) == tenant
                && row.key.workflow.as_ref().map(WorkflowName::as_str) == workflow
        };
        rows.iter().filter(is_meant).map(|row| row.figures.enqueued).collect()
    }

    #[test]
    fn what_was_done_is_taken_once_by_minute_and_hour() {
        let notes = StatNotes::default();
        enqueue(&notes, "a", "w", 60_000);
        enqueue(&notes, "b", "w", 119_999);
        enqueue(&notes, "a", "v", 120_000);
        notes.enqueued_of(NODE, None, None, 5, Timestamp(120_000));
        let times = (DurationMs(250), DurationMs(700));
        notes.completed(NODE, &TenantName::trusted("a"), None, times, Timestamp(120_000));
        let rows = notes.take();
        assert_eq!(enqueued(&rows, Step::Minute, None, None), [2, 6]);
        assert_eq!(enqueued(&rows, Step::Hour, None, None), [8]);
        assert_eq!(enqueued(&rows, Step::Hour, Some("a"), None), [2]);
        assert_eq!(enqueued(&rows, Step::Minute, None, Some("w")), [2]);
        assert_eq!(enqueued(&rows, Step::Minute, Some("a"), Some("v")), [1]);
        let run: u64 = rows.iter().filter(|row| row.key.tenant.is_none()).map(|row| row.figures.run_ms).sum();
        assert_eq!(run, 500, "once by minute, once by hour");
        let of_all = |row: &&StatRow<Counts>| row.key.tenant.is_none();
        let ended: u64 = rows.iter().filter(of_all).map(|row| row.figures.ends.total()).sum();
        assert_eq!(ended, 2, "once by minute, once by hour");
        assert!(notes.take().is_empty());
    }

    #[test]
    fn executions_that_end_are_counted_as_their_status_says() {
        let (notes, tenant) = (StatNotes::default(), TenantName::trusted("a"));
        for status in [ExecutionStatus::Completed, ExecutionStatus::Failed, ExecutionStatus::Cancelled] {
            let workflow = WorkflowName::trusted("w");
            let of = (Tier::High, &tenant, &workflow);
            notes.execution_ended(of, status, DurationMs(90_000), Timestamp(60_000));
        }
        let rows = notes.take();
        let of_all = |row: &&StatRow<Counts>| row.step == Step::Minute && row.key.tenant.is_none();
        for row in rows.iter().filter(of_all) {
            assert_eq!((row.key.queue, row.key.tier), (QueueName::Execution, Tier::High));
            assert_eq!((row.figures.completed, row.figures.failed), (1, 1));
            assert_eq!(row.figures.ends.total(), 3);
            assert!(row.figures.ends.percentile(0.5).is_some_and(|took| took > DurationMs(60_000)));
        }
        assert_ne!(rows.iter().filter(of_all).count(), 0);
    }

    #[test]
    fn what_comes_together_counts_as_if_it_came_alone() {
        let all = [("a", 60_000), ("a", 119_999), ("b", 60_000), ("a", 120_000), ("a", 60_000)];
        let (together, alone) = (StatNotes::default(), StatNotes::default());
        let of = |tenant| Of { queue: NODE.0, tier: NODE.1, tenant, workflow: "w" };
        let jobs = all.iter().map(|&(tenant, at)| (Timestamp(at), of(tenant), 1));
        together.record_all(jobs, |counts, count| counts.enqueued += count);
        for (tenant, at) in all {
            enqueue(&alone, tenant, "w", at);
        }
        let (together, alone) = (together.take(), alone.take());
        for tenant in [None, Some("a"), Some("b")] {
            for step in Step::ALL {
                let counts = enqueued(&together, step, tenant, tenant.map(|_| "w"));
                assert_eq!(counts, enqueued(&alone, step, tenant, tenant.map(|_| "w")), "{tenant:?}");
                assert!(!counts.is_empty());
            }
        }
    }

    #[test]
    fn too_many_tenants_count_in_the_sums_only() {
        let notes = StatNotes::default();
        for number in 0..PAIRS_MAX + 10 {
            enqueue(&notes, &format!("t{number}"), "w", 0);
        }
        enqueue(&notes, "t0", "w", 0);
        let rows = notes.take();
        assert_eq!(enqueued(&rows, Step::Minute, None, None), [PAIRS_MAX as u64 + 11]);
        assert_eq!(enqueued(&rows, Step::Minute, Some("t0"), None), [2], "who was there is counted on");
        let tenants = rows.iter().filter(|row| row.step == Step::Minute && row.key.workflow.is_none());
        assert_eq!(tenants.count(), PAIRS_MAX + 1);
    }
}
