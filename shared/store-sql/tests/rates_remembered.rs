//! Claims that go by remembered counts of starts are one statement, and give what claims under the lock give: on SQLite every
//! claim is one of those.

#![expect(clippy::disallowed_methods, reason = "a test asks the clock of the machine")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use domain::names::{CallerKey, JobType};
use domain::queue::{QueueName, Tier};
use domain::rate::{KeyRate, Rate, RateScope};
use domain::time::{DurationMs, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sqlx::{Connection as _, PgConnection};
use store::Store as _;
use store::conformance::fixture::{T0, claim_nodes, complete, enqueue, job, jobs, tenant};
use store::jobs::{ClaimedJob, JobStore as _, NewJob};
use store::limits::{LimitStore as _, RateChange};
use store_sql::{SqlStore, StoreOptions, TimeSource};
use testkit::database::{options, postgres_database, sqlite_memory};
use testkit::pg_proxy::{Act, Message, PgProxy, Way};

const QUEUE: QueueName = QueueName::Node;

fn rate(text: &str) -> Rate {
    Rate::parse(text).expect("it is a rate")
}

async fn set(store: &SqlStore, scopes: &[(RateScope, &str)]) {
    let changes: Vec<RateChange> = scopes
        .iter()
        .map(|(scope, text)| RateChange { queue: QUEUE, scope: scope.clone(), rate: Some(rate(text)) })
        .collect();
    store.change_limits_and_rates(&[], &changes, T0).await.expect("change works");
}

async fn set_keys(store: &SqlStore, text: &str) {
    let keys =
        KeyRate { tenant: tenant("a"), pattern: "k*".to_owned(), rate: rate(text), max_concurrent: None };
    assert!(store.set_key_rate(&keys, 10, T0).await.expect("change works"));
}

fn with_key(number: usize) -> NewJob {
    let rate_key = Some(CallerKey::trusted(format!("k{number}")));
    NewJob { tenant: tenant("a"), rate_key, ..job() }
}

/// With rates of all kinds, none of them used up, the claim is the one statement that it is without any.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_no_rate_cuts_is_one_statement() {
    let url = postgres_database().await;
    let proxy = PgProxy::start(&url).await;
    let store = SqlStore::connect(&options(&proxy.url(), &[])).await.expect("a new database can be opened");
    let store = store.as_ref();
    let kinds = [RateScope::Global, RateScope::TenantDefault, RateScope::JobTypeDefault];
    set(store, &kinds.map(|scope| (scope, "1000/10s"))).await;
    set_keys(store, "1000/10s burst 500").await;
    let mut batch = jobs(60, "a", Tier::Normal);
    batch.extend((0..60).map(|number| with_key(number % 3)));
    enqueue(store, &batch).await;
    // Claims that read what was counted, of each subject.
    assert_eq!(claim_nodes(store, 20, T0).await.len(), 20);
    let begun = proxy.arm_times(Way::ToServer, Message::Says("BEGIN"), Act::Delay(Duration::ZERO), 10_000);
    for step in 1..=20 {
        let now = T0.plus(DurationMs(step * 10));
        assert_eq!(claim_nodes(store, 2, now).await.len(), 2);
    }
    assert_eq!(begun.strikes(), 0, "a claim took the lock");
    // What a rate cuts is looked at under the lock.
    set(store, &[(RateScope::Global, "61/1h")]).await;
    let now = T0.plus(DurationMs(1_000));
    assert_eq!(claim_nodes(store, 60, now).await.len(), 1, "sixty are counted");
    assert!(begun.strikes() > 0, "what is looked for is seen");
    let other = SqlStore::connect(&options(&url, &[])).await.expect("another node can join");
    assert!(claim_nodes(other.as_ref(), 60, now).await.is_empty(), "all is counted in the database");
}

#[derive(Debug, Clone)]
enum Step {
    /// Jobs come: tenant, job type or key, how many.
    Enqueue(usize, usize, usize),
    /// So many milliseconds later, all that may start is claimed.
    Claim(i64),
    /// The same by a node that remembers nothing.
    ClaimElsewhere(i64),
    /// What runs is completed.
    Complete,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3_usize, 0..3_usize, 1..12_usize).prop_map(|(a, b, c)| Step::Enqueue(a, b, c)),
        8 => prop_oneof![Just(0_i64), 1..400_i64, 1_000..12_000_i64].prop_map(Step::Claim),
        1 => (0..400_i64).prop_map(Step::ClaimElsewhere),
        2 => Just(Step::Complete),
    ]
}

/// Jobs of tenant `a` have keys, those of `b` types with rates; those of `c` the rate of their tenant alone.
fn new_jobs(of: usize, variant: usize, count: usize) -> Vec<NewJob> {
    let one = || match of {
        0 => with_key(variant),
        1 => NewJob { tenant: tenant("b"), job_type: JobType::trusted(format!("t{variant}")), ..job() },
        _ => NewJob { tenant: tenant("c"), ..job() },
    };
    (0..count).map(|_| one()).collect()
}

async fn prepare(store: &SqlStore) {
    let of_type = |name: &str| RateScope::JobType(JobType::trusted(name));
    set(
        store,
        &[
            (RateScope::Tenant(tenant("c")), "5/10s"),
            (of_type("t0"), "7/3s"),
            (of_type("t1"), "6/2s burst 3"),
        ],
    )
    .await;
    set_keys(store, "4/1s").await;
}

/// How many jobs of each kind were claimed, of as many as may start.
async fn claim_all(store: &SqlStore, now: Timestamp) -> (BTreeMap<String, usize>, Vec<ClaimedJob>) {
    let mut claimed: Vec<ClaimedJob> = Vec::new();
    loop {
        let more = claim_nodes(store, 400, now).await;
        if more.is_empty() {
            break;
        }
        claimed.extend(more);
    }
    let mut by_kind = BTreeMap::new();
    for job in &claimed {
        assert_eq!(job.started_at, now, "what is counted starts at the instant of its claim");
        *by_kind.entry(format!("{} {}", job.tenant, job.job_type)).or_insert(0) += 1;
    }
    (by_kind, claimed)
}

async fn complete_all(store: &SqlStore, running: &mut Vec<ClaimedJob>, now: Timestamp) {
    for job in running.drain(..) {
        complete(store, &job, now).await;
    }
}

async fn check_alike(steps: Vec<Step>) {
    let by_lock = sqlite_memory().await;
    let url = postgres_database().await;
    let open = async || SqlStore::connect(&options(&url, &[])).await.expect("the database can be opened");
    let store: Arc<SqlStore> = open().await;
    prepare(&by_lock).await;
    prepare(&store).await;
    let mut now = T0;
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for (place, step) in steps.into_iter().enumerate() {
        match step {
            Step::Enqueue(of, variant, count) => {
                enqueue(by_lock.store.as_ref(), &new_jobs(of, variant, count)).await;
                enqueue(store.as_ref(), &new_jobs(of, variant, count)).await;
            }
            Step::Claim(later) | Step::ClaimElsewhere(later) => {
                now = now.plus(DurationMs(later));
                let (expected, claimed) = claim_all(&by_lock, now).await;
                there.extend(claimed);
                let (found, claimed) = match step {
                    Step::ClaimElsewhere(_) => claim_all(open().await.as_ref(), now).await,
                    _ => claim_all(&store, now).await,
                };
                here.extend(claimed);
                assert_eq!(found, expected, "at step {place}");
            }
            Step::Complete => {
                complete_all(&by_lock, &mut there, now).await;
                complete_all(&store, &mut here, now).await;
            }
        }
    }
}

/// Random sequences give the same starts as under the lock, also where other nodes claim in between.
#[test]
fn i03_remembered_starts_give_what_counted_ones_give() {
    let runtime = tokio::runtime::Runtime::new().expect("threads can be started");
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 12, failure_persistence: None, ..Default::default() });
    let steps = prop::collection::vec(step(), 10..50);
    let checked = runner.run(&steps, |steps| {
        runtime.block_on(check_alike(steps));
        Ok(())
    });
    if let Err(fault) = checked {
        panic!("{fault}");
    }
}

/// By the clock of the database, which a claim knows only about: no period has too many starts, by the instants that the rows
/// have.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i03_no_period_has_too_many_starts_by_remembered_counts_and_the_clock_of_the_database() {
    const STARTS: usize = 40;
    const PERIOD_MS: i64 = 500;
    let url = postgres_database().await;
    let options = StoreOptions { lease_time: TimeSource::Database, ..options(&url, &[]) };
    let store = SqlStore::connect(&options).await.expect("a new database can be opened");
    let store = store.as_ref();
    set(store, &[(RateScope::Global, "40/500ms"), (RateScope::TenantDefault, "400/5s burst 60")]).await;
    enqueue(store, &jobs(400, "a", Tier::Normal)).await;
    let claim_until_done = async {
        let mut sum = 0;
        while sum < 200 {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
            sum += claim_nodes(store, 3, Timestamp(now.as_millis() as i64)).await.len();
        }
    };
    let deadline = Duration::from_mins(1);
    tokio::time::timeout(deadline, claim_until_done).await.expect("five periods go by in time");
    let mut connection = PgConnection::connect(&url).await.expect("the server answers");
    let read = "SELECT started_at FROM job WHERE state = 'processing' ORDER BY started_at";
    let starts: Vec<i64> =
        sqlx::query_scalar(read).fetch_all(&mut connection).await.expect("jobs can be read");
    for (place, &first) in starts.iter().enumerate() {
        let within = starts[place..].iter().filter(|&&at| at - first < PERIOD_MS).count();
        assert!(within <= STARTS, "{within} starts within {PERIOD_MS} ms of {first}");
    }
}

/// A node whose clock is ahead has enqueued them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_that_is_counted_is_never_before_its_job_was_queued() {
    let url = postgres_database().await;
    let options = StoreOptions { lease_time: TimeSource::Database, ..options(&url, &[]) };
    let store = SqlStore::connect(&options).await.expect("a new database can be opened");
    let store = store.as_ref();
    set(store, &[(RateScope::Global, "1000/10s")]).await;
    let fast = store.database_now().await.expect("the database tells the time").plus(DurationMs(3_600_000));
    let new: Vec<NewJob> =
        jobs(10, "a", Tier::Normal).into_iter().map(|job| NewJob { run_at: fast, ..job }).collect();
    store.enqueue(&new, fast).await.expect("enqueue works");
    // The first of them reads what was counted, the others go by what they remember.
    for _ in 0..5 {
        let claimed = claim_nodes(store, 2, fast).await;
        assert_eq!(claimed.len(), 2);
        for job in claimed {
            assert!(job.started_at >= job.queued_at, "{job:?}");
        }
    }
}
