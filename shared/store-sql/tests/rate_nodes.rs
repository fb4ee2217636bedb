//! Three nodes on one database, of which one freezes while it holds the lock of the queue: no period has more starts than
//! the rate says, by the instants that the rows have.
#![expect(clippy::disallowed_methods, reason = "tests make ids of their own")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::build::WorkerBuild;
use domain::id::LeaseToken;
use domain::names::{CallerKey, WorkerId};
use domain::queue::{QueueName, Tier};
use domain::rate::{KeyRate, Rate, RateScope};
use domain::time::{DurationMs, Timestamp};
use sqlx::{Connection as _, PgConnection};
use store::conformance::fixture::{T0, claim_nodes, enqueue, jobs, tenant};
use store::jobs::{ClaimRequest, JobStore as _, NewJob};
use store::limits::{LimitStore as _, RateChange};
use store_sql::{SqlStore, StoreOptions, TimeSource};
use testkit::database::{options, postgres_database};
use testkit::pg_proxy::{Act, Message, PgProxy, Way};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use uuid::Uuid;

/// So many starts in any second.
const STARTS: u32 = 20;
const PERIOD_MS: i64 = 1_000;
/// How many are started before the test is over.
const WANTED: usize = 160;
/// A safety net: the test fails rather than hangs.
const DEADLINE: Duration = Duration::from_secs(90);

/// Options under which instants come from the clock of the database.
fn by_database_clock(url: &str) -> StoreOptions {
    StoreOptions {
        lease_time: TimeSource::Database,
        statement_timeout: Duration::from_secs(5),
        ..options(url, &[])
    }
}

/// Claims a few jobs at a time, errors or not, until the test is over.
async fn claim_on(store: Arc<SqlStore>, is_over: Arc<AtomicBool>, counts: UnboundedSender<usize>) {
    while !is_over.load(Ordering::SeqCst) {
        let request = ClaimRequest {
            build: WorkerBuild::Any,
            queue: QueueName::Node,
            tenant: None,
            job_types: None,
            jobs_max: 7,
            lease: DurationMs::from_secs(3_600),
            worker_id: WorkerId::trusted("worker"),
            others: Vec::new(),
            tokens: (0..7).map(|_| LeaseToken(Uuid::new_v4())).collect(),
            now: Timestamp(chrono_now()),
        };
        // A frozen node's claim fails: its session was ended. What it would have taken is free.
        if let Ok(claimed) = store.claim(&request).await {
            let _ = counts.send(claimed.len());
        }
        tokio::task::yield_now().await;
    }
}

/// What the engine would say is now: the machine's clock.
fn chrono_now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(since.expect("it is after 1970").as_millis()).expect("it is before the year 292277026")
}

/// When the jobs with a rate key were started; those without one for the empty key.
async fn started(connection: &mut PgConnection, key: &str) -> Vec<i64> {
    sqlx::query_scalar(
        "SELECT j.started_at FROM job j JOIN lane l ON l.id = j.lane
         WHERE j.state = 'processing' AND l.rate_key = $1 ORDER BY j.started_at",
    )
    .bind(key)
    .fetch_all(connection)
    .await
    .expect("jobs can be read")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn i03_no_period_has_too_many_starts_on_three_nodes_of_which_one_freezes() {
    hold_on_three_nodes(&[""]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn i03_no_rate_key_has_too_many_starts_on_three_nodes_of_which_one_freezes() {
    hold_on_three_nodes(&["k1", "k2"]).await;
}

/// With the empty key the rate is that of the queue, otherwise that of a pattern that all keys match.
async fn hold_on_three_nodes(keys: &[&str]) {
    let url = postgres_database().await;
    let proxy = PgProxy::start(&url).await;
    let direct = by_database_clock(&url);
    let nodes = [
        SqlStore::connect(&direct).await.expect("a new database can be opened"),
        SqlStore::connect(&direct).await.expect("a second node can join"),
        SqlStore::connect(&by_database_clock(&proxy.url())).await.expect("a third node can join"),
    ];
    let rate = Rate::new(STARTS, DurationMs(PERIOD_MS), None).expect("it is within the bounds");
    if keys == [""] {
        let change = RateChange { queue: QueueName::Node, scope: RateScope::Global, rate: Some(rate) };
        nodes[0].change_limits_and_rates(&[], &[change], T0).await.expect("change works");
    } else {
        let set = KeyRate { tenant: tenant("a"), pattern: "k*".to_owned(), rate, max_concurrent: None };
        assert!(nodes[0].set_key_rate(&set, 10, T0).await.expect("change works"));
    }
    for key in keys {
        let rate_key = (!key.is_empty()).then(|| CallerKey::trusted(*key));
        let some = jobs(400, "a", Tier::Normal).into_iter();
        let some: Vec<_> = some.map(|job| NewJob { rate_key: rate_key.clone(), ..job }).collect();
        enqueue(nodes[0].as_ref(), &some).await;
    }
    // The third node has the lock, has taken jobs and counted them, and is not heard of again before its commit.
    let frozen = proxy.arm(Way::ToServer, Message::Says("INSERT INTO start_count ("), Act::Silence);
    let is_over = Arc::new(AtomicBool::new(false));
    let (counts, mut counted) = unbounded_channel();
    let claimers = nodes
        .iter()
        .map(|node| tokio::spawn(claim_on(Arc::clone(node), Arc::clone(&is_over), counts.clone())));
    let claimers: Vec<_> = claimers.collect();
    let mut connection = PgConnection::connect(&url).await.expect("the server answers");
    let watched = async {
        frozen.struck().await;
        let mut sum = 0;
        while sum < WANTED {
            sum += counted.recv().await.expect("claimers go on");
        }
        check(&mut connection, keys).await
    };
    let before = tokio::time::timeout(DEADLINE, watched).await.expect("enough jobs are started in time");
    is_over.store(true, Ordering::SeqCst);
    proxy.resume();
    proxy.cut_open();
    for claimer in claimers {
        claimer.await.expect("a claimer ends well");
    }
    let after = check(&mut connection, keys).await;
    assert!(after >= before, "a start went away");
}

/// No period has more starts of a key than the rate says; answers how many there were in all.
async fn check(connection: &mut PgConnection, keys: &[&str]) -> usize {
    let mut sum = 0;
    for key in keys {
        let starts = started(connection, key).await;
        for (place, &first) in starts.iter().enumerate() {
            let within = starts[place..].iter().filter(|&&at| at - first < PERIOD_MS).count();
            assert!(within <= STARTS as usize, "{within} starts within {PERIOD_MS} ms of {first}");
        }
        sum += starts.len();
    }
    sum
}

/// Whoever waits for jobs knows when to look again.
#[tokio::test]
async fn a_claim_that_a_rate_cuts_says_when_the_next_start_is() {
    let database = testkit::database::sqlite_memory().await;
    let store = database.store.as_ref();
    enqueue(store, &jobs(5, "a", Tier::Normal)).await;
    assert_eq!(store.next_start(QueueName::Node, T0), None, "nothing was kept back");
    let rate = Rate::new(1, DurationMs(10_000), Some(1)).expect("it is within the bounds");
    let change = RateChange { queue: QueueName::Node, scope: RateScope::Global, rate: Some(rate) };
    store.change_limits_and_rates(&[], std::slice::from_ref(&change), T0).await.expect("change works");
    assert_eq!(claim_nodes(store, 5, T0).await.len(), 1);
    let next = T0.plus(DurationMs(10_000));
    assert_eq!(store.next_start(QueueName::Node, T0), Some(next));
    assert_eq!(store.next_start(QueueName::Node, next), None, "it may look by then");
    assert_eq!(store.next_start(QueueName::Execution, T0), None, "another queue has no rate");
    assert_eq!(claim_nodes(store, 5, next).await.len(), 1);
    let none = RateChange { rate: None, ..change };
    store.change_limits_and_rates(&[], &[none], T0).await.expect("change works");
    assert_eq!(claim_nodes(store, 5, next).await.len(), 3);
    assert_eq!(store.next_start(QueueName::Node, next), None, "there is no rate");
}

/// Whoever sets no rate pays for none: the claim is the one statement that it was, and nothing is counted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_without_rates_sends_what_it_sent_before() {
    const MANY: u32 = 10_000;
    let url = postgres_database().await;
    let proxy = PgProxy::start(&url).await;
    let store = SqlStore::connect(&options(&proxy.url(), &[])).await.expect("a new database can be opened");
    let store = store.as_ref();
    enqueue(store, &jobs(200, "a", Tier::Normal)).await;
    for _ in 0..12 {
        assert_eq!(claim_nodes(store, 2, T0).await.len(), 2);
    }
    // From here on the node knows what is leased.
    let seen = |text: &'static str| {
        proxy.arm_times(Way::ToServer, Message::Says(text), Act::Delay(Duration::ZERO), MANY)
    };
    let (begun, counted, parts) = (seen("BEGIN"), seen("start_count"), seen("is_resumed"));
    for _ in 0..20 {
        assert_eq!(claim_nodes(store, 2, T0).await.len(), 2);
    }
    assert_eq!((begun.strikes(), counted.strikes(), parts.strikes()), (0, 0, 0));
    let rate = Rate::new(100, DurationMs(60_000), None).expect("it is within the bounds");
    let change = RateChange { queue: QueueName::Node, scope: RateScope::Global, rate: Some(rate) };
    store.change_limits_and_rates(&[], &[change], T0).await.expect("change works");
    assert_eq!(claim_nodes(store, 2, T0).await.len(), 2);
    assert!(begun.strikes() > 0 && counted.strikes() > 0, "what is looked for is seen");
}
