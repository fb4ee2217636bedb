//! Several workers of several nodes on one queue at once, as fast as they can: no limit is ever exceeded, and every
//! job ends as it should, once.
//!
//! Two looks are taken at the limits. Workers count what they hold, from the answer of the claim to the sending of the
//! report; that can be too low but never too high. A sampler lists the leased jobs in one statement, which sees the
//! database as it was at one instant.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use domain::access::TenantScope;
use domain::build::WorkerBuild;
use domain::id::{JobId, LeaseToken};
use domain::job::{Disposition, JobStatus};
use domain::names::WorkerId;
use domain::search::SearchList;
use domain::time::DurationMs;
use parking_lot::Mutex;
use store::Store as _;
use store::conformance::fixture::search;
use store::jobs::{ClaimRequest, ClaimedJob, JobStore as _, LeaseAnswer, LeaseRef, NewJob, Settlement};
use store::limits::LimitStore as _;
use store::search::{SearchPage, SearchStore as _};
use store_sql::SqlStore;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::load::{self, JOBS, NOW, TENANT_MAX, disposition, new_job, number_of, within_limits};
use crate::system::{QUEUE, job_type};

const WORKERS: u32 = 4;

/// How long all of it may take at most.
const TIME_LIMIT: Duration = Duration::from_mins(5);

/// What the workers know together.
#[derive(Default)]
struct Crowd {
    /// Jobs that workers hold.
    held: Mutex<BTreeSet<u32>>,
    /// How often each job was completed.
    completed: Mutex<BTreeMap<u32, u32>>,
    /// Jobs that were given back once.
    released: Mutex<BTreeSet<u32>>,
    /// How many jobs ended.
    ended: AtomicU32,
    /// Something ended or went back.
    moved: Notify,
}

impl Crowd {
    fn is_done(&self) -> bool {
        self.ended.load(Ordering::SeqCst) >= JOBS
    }

    fn take(&self, claimed: &[ClaimedJob]) {
        let mut held = self.held.lock();
        for job in claimed {
            assert!(held.insert(number_of(job.id)), "{} is leased twice", job.id);
        }
        within_limits(held.iter().copied());
    }
}

/// Lets workers loose on these nodes.
pub(crate) async fn crowd(nodes: Vec<Arc<SqlStore>>) {
    nodes[0].change_limits_and_rates(&load::limits(), &[], NOW).await.expect("limits can be set");
    let jobs: Vec<NewJob> = (0..JOBS).map(new_job).collect();
    nodes[0].enqueue(&jobs, NOW).await.expect("jobs can be enqueued");
    let crowd = Arc::new(Crowd::default());
    let mut tasks = JoinSet::new();
    for number in 0..WORKERS {
        let node = Arc::clone(&nodes[number as usize % nodes.len()]);
        tasks.spawn(work(node, Arc::clone(&crowd), number));
    }
    tasks.spawn(sample(Arc::clone(&nodes[0]), Arc::clone(&crowd)));
    let all = async {
        while let Some(ended) = tasks.join_next().await {
            ended.expect("no worker fails");
        }
    };
    tokio::time::timeout(TIME_LIMIT, all).await.expect("the jobs come to an end");
    check_ends(&nodes[0], &crowd).await;
    for node in &nodes {
        node.close().await;
    }
}

async fn work(node: Arc<SqlStore>, crowd: Arc<Crowd>, worker: u32) {
    let mut round = 0_u32;
    while !crowd.is_done() {
        round += 1;
        let moved = crowd.moved.notified();
        let claimed = node.claim(&request(worker, round)).await.expect("a claim works");
        if claimed.is_empty() {
            // Others hold all there is. What they do next may be before the wait begins, so it is not for ever.
            let _ = tokio::time::timeout(Duration::from_millis(50), moved).await;
            continue;
        }
        crowd.take(&claimed);
        tokio::task::yield_now().await;
        let (back, reported): (Vec<_>, Vec<_>) = claimed.iter().partition(|job| {
            let number = number_of(job.id);
            number % 10 == 3 && crowd.released.lock().insert(number)
        });
        for job in &claimed {
            crowd.held.lock().remove(&number_of(job.id));
        }
        release(&node, &back).await;
        report(&node, &crowd, &reported, round).await;
        crowd.moved.notify_waiters();
    }
    crowd.moved.notify_waiters();
}

fn request(worker: u32, round: u32) -> ClaimRequest {
    let jobs_max = 1 + (worker + round) % 5;
    let token = |nth: u32| {
        let (worker, round) = (u128::from(worker + 1), u128::from(round));
        LeaseToken(Uuid::from_u128((worker << 96) | (round << 32) | u128::from(nth)))
    };
    ClaimRequest {
        build: WorkerBuild::Any,
        queue: QUEUE,
        tenant: None,
        job_types: round.is_multiple_of(3).then(|| vec![job_type((round % 2) as u8)]),
        jobs_max,
        lease: DurationMs::from_secs(30),
        worker_id: WorkerId::trusted(format!("worker {worker}")),
        others: Vec::new(),
        tokens: (0..jobs_max).map(token).collect(),
        now: NOW,
    }
}

fn lease(job: &ClaimedJob) -> LeaseRef {
    LeaseRef { id: job.id, token: job.token }
}

async fn release(node: &SqlStore, jobs: &[&ClaimedJob]) {
    let held: Vec<LeaseRef> = jobs.iter().map(|job| lease(job)).collect();
    let answers = node.release(&held, NOW).await.expect("leases can be given back");
    assert!(answers.iter().all(|answer| *answer == LeaseAnswer::Ok(())), "{answers:?}");
}

async fn report(node: &SqlStore, crowd: &Crowd, jobs: &[&ClaimedJob], round: u32) {
    let batch: Vec<Settlement> =
        jobs.iter().map(|job| Settlement { lease: lease(job), disposition: disposition(job) }).collect();
    let answers = node.settle(&batch, NOW).await.expect("reports are taken");
    for (job, answer) in jobs.iter().zip(&answers) {
        let LeaseAnswer::Ok(settled) = answer else { panic!("{job:?} was not settled: {answer:?}") };
        if settled.status == JobStatus::Completed {
            *crowd.completed.lock().entry(number_of(job.id)).or_default() += 1;
        }
        if settled.status.is_terminal() {
            crowd.ended.fetch_add(1, Ordering::SeqCst);
        }
    }
    if round.is_multiple_of(4) {
        let late =
            |job: &&ClaimedJob| Settlement { lease: lease(job), disposition: Disposition::Complete(None) };
        let again: Vec<Settlement> = jobs.iter().map(late).collect();
        let answers = node.settle(&again, NOW).await.expect("reports are answered");
        assert!(
            !answers.iter().any(|answer| matches!(answer, LeaseAnswer::Ok(_))),
            "settled twice: {answers:?}"
        );
    }
}

/// Looks at the leased jobs again and again.
async fn sample(node: Arc<SqlStore>, crowd: Arc<Crowd>) {
    let leased = search(SearchList::Jobs, &format!("queue:{} status:PROCESSING", QUEUE.as_str()));
    let page = SearchPage { limit: 100, after: None };
    let mut pause = tokio::time::interval(Duration::from_millis(5));
    let mut peak = 0;
    while !crowd.is_done() {
        pause.tick().await;
        let found = node.search(&TenantScope::All, &leased, page).await.expect("jobs can be listed");
        let numbers = found.places.iter().map(|place| number_of(JobId::from_uuid(place.id)));
        peak = peak.max(within_limits(numbers));
    }
    assert!(peak > TENANT_MAX, "at most {peak} jobs were ever leased at once: nothing was tested");
}

/// Every job ended as its number says, after as many attempts, and was completed once.
async fn check_ends(node: &SqlStore, crowd: &Crowd) {
    let completed = crowd.completed.lock().clone();
    for number in 0..JOBS {
        let id = new_job(number).id;
        let record = node.job(&TenantScope::All, id).await.expect("a job can be read").expect("it is kept");
        let seen = (record.status, record.attempts.len(), completed.get(&number).copied().unwrap_or(0));
        assert_eq!(seen, load::end_of(number), "{id}");
    }
}
