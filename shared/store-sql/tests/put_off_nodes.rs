//! Three nodes on one database, of which one freezes while it has counted starts under a throttle: every start is taken by
//! one node, and no period has more of them than the rate says.
#![expect(clippy::disallowed_methods, reason = "tests make ids and read the clock of their own")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use domain::id::ExecutionId;
use domain::rate::Rate;
use domain::time::{DurationMs, Timestamp};
use domain::webhook::StartEnd;
use sqlx::{Connection as _, PgConnection};
use store::conformance::fixture::{T0, after_secs, id, tenant};
use store::conformance::sealing::seal_payloads_of;
use store::starts::{PutOff, StartStore as _, StartsOf};
use store_sql::{SqlStore, StoreOptions, TimeSource};
use testkit::database::{options, postgres_database};
use testkit::eventually;
use testkit::pg_proxy::{Act, Message, PgProxy, Way};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use uuid::Uuid;

/// So many starts in any second.
const STARTS: usize = 20;
const PERIOD: Duration = Duration::from_secs(1);
/// How many are put off.
const WANTED: usize = 120;
/// A safety net: the test fails rather than hangs.
const DEADLINE: Duration = Duration::from_secs(90);

/// A start that a call answered, and between which instants that was.
struct Taken {
    id: ExecutionId,
    asked: Instant,
    answered: Instant,
}

fn by_database_clock(url: &str) -> StoreOptions {
    StoreOptions {
        lease_time: TimeSource::Database,
        statement_timeout: Duration::from_secs(5),
        ..options(url, &[])
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
    Timestamp(i64::try_from(since.as_millis()).expect("it is before the year 292277026"))
}

fn throttled() -> PutOff {
    let (delivery_id, rate) = (id(), Rate::new(STARTS as u32, DurationMs(1_000), None));
    PutOff {
        delivery_id,
        shown_on: delivery_id,
        tenant: tenant("a"),
        of: StartsOf { owner: Uuid::nil(), trigger_id: "trg".to_owned() },
        gathering: None,
        throttle: Some((rate.expect("it is within the bounds"), "k".to_owned())),
        id: ExecutionId::derive(delivery_id.uuid(), &["start"]),
        request: "{}".to_owned(),
        entry: None,
    }
}

/// Takes starts and ends them, errors or not, until the test is over.
async fn start_on(store: Arc<SqlStore>, is_over: Arc<AtomicBool>, taken: UnboundedSender<Taken>) {
    while !is_over.load(Ordering::SeqCst) {
        let asked = Instant::now();
        // A frozen node's look fails: its session was ended. What it would have taken is free.
        for start in store.due_starts(now(), 7).await.unwrap_or_default() {
            let _ = taken.send(Taken { id: start.id, asked, answered: Instant::now() });
            let _ = store.end_start(start.id, &StartEnd::Started(start.id)).await;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn i08_a_throttle_holds_on_three_nodes_of_which_one_freezes() {
    let url = postgres_database().await;
    let proxy = PgProxy::start(&url).await;
    let direct = by_database_clock(&url);
    let nodes = [
        SqlStore::connect(&direct).await.expect("a new database can be opened"),
        SqlStore::connect(&direct).await.expect("a second node can join"),
        SqlStore::connect(&by_database_clock(&proxy.url())).await.expect("a third node can join"),
    ];
    for _ in 0..WANTED {
        nodes[0].put_off(&throttled(), now()).await.expect("put off works");
    }
    // The third node has the lock, has taken starts and counted them, and is not heard of again before its commit.
    let frozen = proxy.arm(Way::ToServer, Message::Says("UPDATE start_throttle"), Act::Silence);
    let is_over = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = unbounded_channel();
    let third = tokio::spawn(start_on(Arc::clone(&nodes[2]), Arc::clone(&is_over), sender.clone()));
    tokio::time::timeout(DEADLINE, frozen.struck()).await.expect("the third node counts starts");
    let others = nodes[..2]
        .iter()
        .map(|node| tokio::spawn(start_on(Arc::clone(node), Arc::clone(&is_over), sender.clone())));
    let others: Vec<_> = others.collect();
    let watched = async {
        let mut taken: BTreeMap<ExecutionId, Taken> = BTreeMap::new();
        while taken.len() < WANTED {
            let start = receiver.recv().await.expect("nodes go on");
            assert!(taken.insert(start.id, start).is_none(), "a start was taken twice");
        }
        taken
    };
    let taken = tokio::time::timeout(DEADLINE, watched).await.expect("all starts are taken in time");
    is_over.store(true, Ordering::SeqCst);
    proxy.resume();
    proxy.cut_open();
    for node in others.into_iter().chain([third]) {
        node.await.expect("a node ends well");
    }
    let starts: Vec<&Taken> = taken.values().collect();
    for first in &starts {
        // Those that were surely taken within a period: an answer may come long after what it says.
        let surely_within =
            |start: &&&Taken| start.asked >= first.asked && start.answered < first.asked + PERIOD;
        assert!(starts.iter().filter(surely_within).count() <= STARTS, "too many starts within {PERIOD:?}");
    }
}

/// A look that takes one start and then fails at another answers the first: it would come again after half a minute only.
#[tokio::test]
async fn what_was_taken_is_answered_although_another_start_fails() {
    let url = postgres_database().await;
    let proxy = PgProxy::start(&url).await;
    let node =
        SqlStore::connect(&by_database_clock(&proxy.url())).await.expect("a new database can be opened");
    let at_once = PutOff { throttle: None, ..throttled() };
    for event in [&at_once, &throttled()] {
        node.put_off(event, now()).await.expect("put off works");
    }
    let cut = proxy.arm(Way::ToServer, Message::Says("UPDATE start_throttle"), Act::Cut);
    let taken = node.due_starts(now(), 7).await.expect("what was taken is answered");
    cut.struck().await;
    assert_eq!(taken.iter().map(|start| start.id).collect::<Vec<_>>(), [at_once.id]);
    // The server ends the session that was cut off a moment later, and with it the lock of the key.
    eventually("the other one is free", || async {
        node.due_starts(now(), 7).await.is_ok_and(|starts| starts.len() == 1)
    })
    .await;
}

/// A row that cannot be read, of a later version or spoilt by somebody, is left, and the others start.
#[tokio::test]
async fn a_start_that_cannot_be_read_keeps_no_other_back() {
    let url = postgres_database().await;
    let node = SqlStore::connect(&by_database_clock(&url)).await.expect("a new database can be opened");
    for key in ["a", "b", "c"] {
        let event = throttled();
        let rate = event.throttle.as_ref().map(|(rate, _)| (*rate, key.to_owned()));
        node.put_off(&PutOff { throttle: rate, ..event }, now()).await.expect("put off works");
    }
    let mut connection = PgConnection::connect(&url).await.expect("the server answers");
    let spoil = sqlx::query("UPDATE put_off_start SET rate = 'often' WHERE throttle_key = 'a'");
    spoil.execute(&mut connection).await.expect("the row can be changed");
    assert_eq!(node.due_starts(now(), 7).await.expect("the others are taken").len(), 2);
}

/// A node that has not the key of a start takes it once and leaves it to the others, however often it looks first; also where the
/// start waits for its place under a rate.
#[tokio::test]
async fn a_start_that_a_node_cannot_open_is_left_to_the_others() {
    let url = postgres_database().await;
    let with_key = SqlStore::connect(&options(&url, &[])).await.expect("a new database can be opened");
    seal_payloads_of(with_key.as_ref(), &["a"]).await;
    let without = SqlStore::connect(&options(&url, &[])).await.expect("a second node can join");
    for event in [PutOff { throttle: None, ..throttled() }, throttled()] {
        with_key.put_off(&event, T0).await.expect("put off works");
        assert!(without.due_starts(after_secs(1), 7).await.expect("look works").is_empty());
        // It is to be taken again half a minute later.
        for _ in 0..3 {
            let closed = without.due_starts(after_secs(60), 7).await.expect("look works");
            assert!(closed.is_empty(), "{closed:?}");
        }
        let mut opened = with_key.due_starts(after_secs(60), 7).await.expect("look works");
        if opened.is_empty() {
            // It had lost its place.
            assert!(without.due_starts(after_secs(61), 7).await.expect("look works").is_empty());
            opened = with_key.due_starts(after_secs(61), 7).await.expect("look works");
        }
        assert_eq!(opened.iter().map(|start| start.id).collect::<Vec<_>>(), [event.id]);
        with_key.end_start(event.id, &StartEnd::Started(event.id)).await.expect("an end is written");
    }
}
