//! What has to hold after every step, whatever it was.

use std::collections::BTreeMap;

use domain::access::TenantScope;
use domain::failure::DeadLetterStatus;
use domain::id::JobId;
use domain::job::{AttemptStatus, JobStatus};
use domain::limits::LimitScope;
use domain::queue::Tier;
use domain::time::Timestamp;
use store::conformance::fixture::listed_jobs;
use store::dead_letters::{DeadLetterFilter, DeadLetterRecord, DeadLetterStore as _};
use store::jobs::{JobRecord, JobStore as _};
use store::page::PageRequest;
use store::queues::QueueStore as _;
use testkit::oracle::{MemJob, MemLetterKey};

use crate::system::{ALL, QUEUE, System};

const EVERYBODY: TenantScope = TenantScope::All;
const PAGE: PageRequest = PageRequest { limit: ALL, after: None };

/// All jobs' states, all leases, the dead letters, and every detail of the jobs that were touched.
pub(crate) fn after_step(system: &mut System) {
    states(system);
    leases(system);
    letters(system);
    for id in std::mem::take(&mut system.touched) {
        details(system, id);
    }
}

/// Every detail of every job and dead letter.
pub(crate) fn at_the_end(system: &mut System) {
    let ids: Vec<JobId> = system.oracle.jobs().map(|job| job.asked.id).collect();
    for id in ids {
        details(system, id);
    }
    all_letters(system);
}

/// Every job is there once, in the oracle's state, and positions are in the oracle's order.
fn states(system: &System) {
    let of_queue = format!("queue:{}", QUEUE.as_str());
    let listed = system.wait(async { Ok(listed_jobs(&*system.store, &EVERYBODY, &of_queue).await) });
    let mut seen: Vec<(JobId, JobStatus, Tier)> =
        listed.iter().map(|job| (job.id, job.status, job.tier)).collect();
    seen.sort_by_key(|(id, ..)| *id);
    let expected: Vec<(JobId, JobStatus, Tier)> =
        system.oracle.jobs().map(|job| (job.asked.id, job.status, job.asked.tier)).collect();
    assert_eq!(seen, expected, "the states of all jobs");
    let mut in_order: Vec<(i64, JobId)> = listed.iter().map(|job| (job.position, job.id)).collect();
    in_order.sort_unstable();
    let mut expected: Vec<(u64, JobId)> = system.oracle.jobs().map(|job| (job.place, job.asked.id)).collect();
    expected.sort_unstable();
    let ids = |(_, id): &(i64, JobId)| *id;
    assert_eq!(
        in_order.iter().map(ids).collect::<Vec<_>>(),
        expected.iter().map(|(_, id)| *id).collect::<Vec<_>>(),
        "jobs in the order of their positions"
    );
}

/// Of all leases that were ever handed out, those hold that the oracle knows, and are as it knows them.
fn leases(system: &System) {
    let seen = system.wait(system.store.leased_jobs(&system.leases));
    let expected: Vec<_> = system.leases.iter().map(|lease| system.oracle.leased_job(*lease)).collect();
    assert_eq!(seen, expected, "the leases that hold");
}

/// As many dead letters wait as the oracle says. Learns the ids of new ones.
fn letters(system: &mut System) {
    let open = DeadLetterFilter::default();
    let listed = system.wait(system.store.list_dead_letters(&EVERYBODY, &open, PAGE)).items;
    assert_eq!(listed.len(), system.oracle.open_letters(), "open dead letters");
    for letter in listed {
        system.letters.insert((letter.job_id, letter.attempt_count), letter.id);
    }
    for letter in system.oracle.letters() {
        assert!(system.letters.contains_key(&letter.key()), "{letter:?} is missing");
    }
}

/// Every dead letter, whatever became of it, with its history.
fn all_letters(system: &System) {
    let mut seen: BTreeMap<MemLetterKey, DeadLetterRecord> = BTreeMap::new();
    for status in [DeadLetterStatus::Open, DeadLetterStatus::Requeued, DeadLetterStatus::Archived] {
        let filter = DeadLetterFilter { status: Some(status), ..DeadLetterFilter::default() };
        for listed in system.wait(system.store.list_dead_letters(&EVERYBODY, &filter, PAGE)).items {
            let letter = system.wait(system.store.dead_letter(&EVERYBODY, listed.id)).expect("it was listed");
            let key = (letter.job_id, letter.attempt_count);
            assert!(seen.insert(key, letter).is_none(), "two dead letters of {key:?}");
        }
    }
    assert_eq!(seen.len(), system.oracle.letters().len(), "dead letters in all: {:?}", seen.keys());
    for expected in system.oracle.letters() {
        let Some(letter) = seen.get(&expected.key()) else { panic!("{expected:?} is missing") };
        assert_eq!(
            (letter.status, letter.reason, letter.died_at, letter.resolved_at),
            (expected.status, expected.reason, expected.died_at, expected.resolved_at),
            "{expected:?}"
        );
        assert!(
            letter.attempts.len() as u32 >= expected.attempt_count,
            "the history of {expected:?} was cut"
        );
    }
}

/// An attempt: its number, how and when it ended, when it started.
type Attempt = (u32, Option<AttemptStatus>, Timestamp, Option<Timestamp>);

/// What is compared of a job.
#[derive(Debug, PartialEq)]
struct Details {
    status: JobStatus,
    data: Option<String>,
    result: Option<String>,
    progress: Option<String>,
    retries_max: u32,
    run_at: Timestamp,
    created_at: Timestamp,
    ended_at: Option<Timestamp>,
    lease_until: Option<Timestamp>,
    attempts: Vec<Attempt>,
}

impl From<JobRecord> for Details {
    fn from(job: JobRecord) -> Self {
        Self {
            status: job.status,
            data: job.data,
            result: job.result,
            progress: job.progress,
            retries_max: job.retries_max,
            run_at: job.run_at,
            created_at: job.created_at,
            ended_at: job.completed_at,
            lease_until: job.lease_until,
            attempts: job
                .attempts
                .into_iter()
                .map(|it| (it.attempt_number, it.status, it.started_at, it.finished_at))
                .collect(),
        }
    }
}

impl From<&MemJob> for Details {
    fn from(job: &MemJob) -> Self {
        let attempt =
            |it: &testkit::oracle::MemAttempt| (it.number, it.status, it.started_at, it.finished_at);
        Self {
            status: job.status,
            data: Some(job.asked.data.clone()),
            result: job.result.clone(),
            progress: job.progress.clone(),
            retries_max: job.asked.retries_max,
            run_at: job.run_at,
            created_at: job.created_at,
            ended_at: job.ended_at,
            lease_until: job.lease.as_ref().map(|lease| lease.until),
            attempts: job.attempts.iter().map(attempt).collect(),
        }
    }
}

/// A job is as the oracle knows it, with all its attempts.
fn details(system: &System, id: JobId) {
    let seen = system.wait(system.store.job(&EVERYBODY, id)).map(Details::from);
    assert_eq!(seen, system.oracle.job(id).map(Details::from), "{id}");
}

/// What operators are shown: the figures of the queue and the slots that a job waits for.
pub(crate) fn look(system: &System, id: JobId) {
    let figures = system.wait(system.store.queue_figures(&EVERYBODY, QUEUE, system.now));
    assert_eq!(figures.mode, system.oracle.mode(), "the queue's mode");
    assert_eq!(figures.dead_letters, system.oracle.open_letters() as u64, "open dead letters in the figures");
    let sums = figures.tiers.iter().fold([0_u64; 4], |sum, tier| {
        let of = [tier.queued, tier.processing, tier.retry_wait, tier.scheduled];
        std::array::from_fn(|nth| sum[nth] + of[nth])
    });
    let states = [JobStatus::Queued, JobStatus::Processing, JobStatus::RetryWait, JobStatus::Scheduled];
    assert_eq!(sums, states.map(|status| system.oracle.count(status) as u64), "{states:?} in the figures");

    let facts = system.wait(system.store.wait_facts(id));
    let job = system.oracle.job(id).filter(|job| !job.status.is_terminal());
    assert_eq!(facts.is_some(), job.is_some(), "facts about {id}");
    let (Some(facts), Some(job)) = (facts, job) else {
        return;
    };
    let workflow = job.asked.workflow.clone().map(LimitScope::Workflow);
    let expected = (
        system.oracle.running(&LimitScope::Global),
        system.oracle.running(&LimitScope::Tenant(job.asked.tenant.clone())),
        workflow.map_or(0, |scope| system.oracle.running(&scope)),
    );
    let seen = (facts.running_global.0, facts.running_tenant.0, facts.running_workflow.0);
    assert_eq!(seen, expected, "slots taken in all, of the tenant and of the workflow of {id}");
}
