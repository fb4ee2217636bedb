//! Two nodes on one PostgreSQL.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use domain::build::{BuildPin, PinSource, WorkerBuild};
use domain::names::{CallerKey, JobType};
use sqlx::{Connection as _, PgConnection, Row as _};
use store::Store as _;
use store::builds::BuildStore as _;
use store::jobs::{ClaimRequest, JobStore as _};
use store::queues::{QueueMode, QueueStore as _};
use store_sql::SqlStore;
use testkit::database::{TestStore, last_session, options, postgres};
use testkit::eventually;
use testkit::pg_proxy::PgProxy;

use crate::fixture::{NOW, QUEUE, claim, complete, enqueue, ids, limit, request, retry_at_once};

/// A safety net for what must not wait for a lock that is held: far longer than it takes.
const AT_ONCE: Duration = Duration::from_secs(15);

/// Two nodes, of which the first has claimed often enough to trust what it remembers.
async fn nodes() -> (TestStore, Arc<SqlStore>) {
    let database = postgres().await;
    let other = database.another().await;
    claim_often(&database.store).await;
    (database, other)
}

/// Claims often enough that the node trusts what it remembers.
async fn claim_often(node: &SqlStore) {
    enqueue(node, "warm", 12).await;
    for _ in 0..12 {
        let jobs = claim(node, 1).await;
        assert_eq!(jobs.len(), 1);
        complete(node, &jobs).await;
    }
}

#[tokio::test]
async fn i03_what_another_node_claims_counts() {
    let (database, other) = nodes().await;
    limit(&database.store, 10).await;
    enqueue(&database.store, "a", 40).await;
    for (node, expected) in [(&database.store, 3), (&other, 3), (&database.store, 3), (&other, 1)] {
        assert_eq!(claim(node, 3).await.len(), expected);
    }
    assert!(claim(&database.store, 3).await.is_empty());
    assert!(claim(&other, 3).await.is_empty());
}

#[tokio::test]
async fn i03_nodes_that_take_turns_stay_within_the_limit() {
    let (database, other) = nodes().await;
    limit(&database.store, 7).await;
    enqueue(&database.store, "a", 300).await;
    let mut held = Vec::new();
    let mut done = 0;
    // Turns of different lengths, so that each node trusts its memory at times and is overtaken at others.
    for turn in 0_u32..200 {
        let node = if (turn / (1 + turn % 13)).is_multiple_of(2) { &database.store } else { &other };
        held.extend(claim(node, 1 + turn % 4).await);
        assert!(held.len() <= 7, "{} are leased", held.len());
        let ending: Vec<_> = held.drain(..held.len().min(1 + (turn % 3) as usize)).collect();
        // Not always where it was claimed.
        complete(if turn.is_multiple_of(5) { &other } else { &database.store }, &ending).await;
        done += ending.len();
    }
    assert!(done > 250, "only {done} jobs were done");
}

#[tokio::test]
async fn i03_a_slot_is_free_wherever_its_lease_ended() {
    let (database, other) = nodes().await;
    limit(&database.store, 4).await;
    enqueue(&database.store, "a", 40).await;
    let mut held = claim(&database.store, 10).await;
    assert_eq!(held.len(), 4);
    for node in [&database.store, &other, &database.store, &other] {
        complete(node, &held.split_off(2)).await;
        held.extend(claim(&database.store, 10).await);
        assert_eq!(held.len(), 4, "the freed slots were not used, or more");
    }
}

#[tokio::test]
async fn i04_a_job_that_goes_back_is_served_first() {
    let (database, other) = nodes().await;
    let all = enqueue(&database.store, "a", 20).await;
    let first = claim(&database.store, 4).await;
    assert_eq!(ids(&first), all[..4]);
    assert_eq!(ids(&claim(&database.store, 4).await), all[4..8]);
    retry_at_once(&other, &first[2..3]).await;
    assert_eq!(ids(&claim(&database.store, 2).await), [all[2], all[8]]);
    retry_at_once(&database.store, &first[..1]).await;
    assert_eq!(ids(&claim(&database.store, 2).await), [all[0], all[9]]);
}

#[tokio::test]
async fn i03_limits_and_modes_that_another_node_changes_hold_at_once() {
    let (database, other) = nodes().await;
    enqueue(&database.store, "a", 40).await;
    assert_eq!(claim(&database.store, 5).await.len(), 5);
    limit(&other, 6).await;
    assert_eq!(claim(&database.store, 5).await.len(), 1);
    limit(&other, 100).await;
    assert_eq!(claim(&database.store, 5).await.len(), 5);
    other.set_queue_mode(QUEUE, QueueMode::Paused, NOW).await.expect("the queue can be paused");
    assert!(claim(&database.store, 5).await.is_empty());
    other.set_queue_mode(QUEUE, QueueMode::Running, NOW).await.expect("the queue can go on");
    assert_eq!(claim(&database.store, 5).await.len(), 5);
}

/// A standby takes over that had not all commits, and a pooler hides it: no connection is lost. Another node brings the
/// epoch to where the first one left it.
#[tokio::test]
async fn i03_an_epoch_that_comes_again_after_a_lossy_failover_is_not_trusted() {
    let (database, other) = nodes().await;
    limit(&database.store, 3).await;
    enqueue(&database.store, "a", 40).await;
    for _ in 0..12 {
        let jobs = claim(&database.store, 1).await;
        complete(&database.store, &jobs).await;
    }
    assert_eq!(claim(&database.store, 2).await.len(), 2);
    let left_at = epoch(&database.url).await;
    let mut connection = PgConnection::connect(&database.url).await.expect("the server answers");
    let back = sqlx::query("UPDATE queue_claim SET epoch = epoch - 1 WHERE queue = $1").bind(QUEUE.code());
    back.execute(&mut connection).await.expect("the row can be changed");
    assert_eq!(claim(&other, 1).await.len(), 1);
    assert_eq!(epoch(&database.url).await, left_at, "the number is the one that the first node remembers");
    assert!(claim(&database.store, 1).await.is_empty(), "three are leased");
}

/// A start looks its lanes up, and takes no numbers for them.
#[tokio::test]
async fn a_lane_that_is_known_to_the_database_takes_no_number() {
    let database = postgres().await;
    for tenant in ["a", "b", "c"] {
        enqueue(&database.store, tenant, 1).await;
    }
    for _ in 0..3 {
        let other = database.another().await;
        for tenant in ["c", "a", "b"] {
            enqueue(&other, tenant, 1).await;
        }
        other.close().await;
    }
    enqueue(&database.store, "d", 1).await;
    let mut connection = PgConnection::connect(&database.url).await.expect("the server answers");
    let query = sqlx::query("SELECT max(id), count(*) FROM lane");
    let row = query.fetch_one(&mut connection).await.expect("lanes can be counted");
    assert_eq!((row.get::<i64, _>(0), row.get::<i64, _>(1)), (4, 4));
}

/// The position is given when a job is inserted, and the commit may come after that of a later one.
#[tokio::test]
async fn a_job_whose_insert_is_committed_late_is_found() {
    let (database, _) = nodes().await;
    let first = enqueue(&database.store, "a", 1).await;
    let mut connection = PgConnection::connect(&database.url).await.expect("the server answers");
    let mut late = connection.begin().await.expect("a transaction can be begun");
    let copied = sqlx::query(
        "INSERT INTO job (id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at,
           created_at, tier, data)
         SELECT gen_random_uuid(), queue, lane, state, 0, 0, 3, 0, run_at, queued_at, created_at, tier, data
         FROM job WHERE id = $1",
    );
    let copied = copied.bind(first[0].uuid()).execute(&mut *late).await.expect("a job can be copied");
    assert_eq!(copied.rows_affected(), 1);
    enqueue(&database.store, "a", 3).await;
    assert_eq!(claim(&database.store, 4).await.len(), 4);
    late.commit().await.expect("it can be committed");
    // Nobody notifies the node: it looks by itself after a while.
    let found = AtomicUsize::new(0);
    eventually("the late job is found", || async {
        found.fetch_add(claim(&database.store, 4).await.len(), Ordering::Relaxed) > 0
    })
    .await;
    assert_eq!(found.into_inner(), 1);
}

#[tokio::test]
async fn a_claim_for_which_no_job_waits_does_not_wait_for_the_lock() {
    let (database, _) = nodes().await;
    enqueue(&database.store, "a", 3).await;
    let mut connection = PgConnection::connect(&database.url).await.expect("the server answers");
    let mut holder = connection.begin().await.expect("a transaction can be begun");
    let lock = sqlx::query("SELECT epoch FROM queue_claim WHERE queue = $1 FOR UPDATE").bind(QUEUE.code());
    lock.execute(&mut *holder).await.expect("the row can be locked");
    let for_others = ClaimRequest { job_types: Some(vec![JobType::trusted("other")]), ..request(5) };
    let claimed = tokio::time::timeout(AT_ONCE, database.store.claim(&for_others)).await;
    assert!(claimed.expect("it does not wait").expect("claim works").is_empty());
    holder.rollback().await.expect("the lock can be given back");
    assert_eq!(claim(&database.store, 5).await.len(), 3);
}

/// Has jobs given to one build of workers only.
fn pin(build: &str) -> BuildPin {
    BuildPin {
        tenant: None,
        job_type: JobType::trusted("encode"),
        builds: vec![CallerKey::trusted(build)],
        source: PinSource::Operator,
        since: NOW,
    }
}

/// What a worker of an earlier build asks for.
fn of_old(jobs_max: u32) -> ClaimRequest {
    ClaimRequest { build: WorkerBuild::Named(CallerKey::trusted("v1")), ..request(jobs_max) }
}

/// Workers of another build ask again with each job that comes. They wait for nobody, and see at once that it is theirs.
#[tokio::test]
async fn a_claim_from_which_all_that_waits_is_withheld_does_not_wait_for_the_lock() {
    let (database, other) = nodes().await;
    assert!(other.set_build_pin(&pin("v2"), 10).await.expect("a job type can be pinned"));
    enqueue(&database.store, "a", 12).await;
    // Often enough that it trusts what it remembers.
    for _ in 0..10 {
        assert_eq!(claim(&database.store, 1).await.len(), 1);
    }
    let mut connection = PgConnection::connect(&database.url).await.expect("the server answers");
    let mut holder = connection.begin().await.expect("a transaction can be begun");
    let lock = sqlx::query("SELECT epoch FROM queue_claim WHERE queue = $1 FOR UPDATE").bind(QUEUE.code());
    lock.execute(&mut *holder).await.expect("the row can be locked");
    let claimed = tokio::time::timeout(AT_ONCE, database.store.claim(&of_old(5))).await;
    assert!(claimed.expect("it does not wait").expect("claim works").is_empty());
    holder.rollback().await.expect("the lock can be given back");
    assert!(other.set_build_pin(&pin("v1"), 10).await.expect("it can be pinned to another build"));
    let claimed = database.store.claim(&of_old(5)).await.expect("claim works");
    assert_eq!(claimed.len(), 2, "a claim that starts after the change obeys it");
}

/// A claim may end at any of its waits, because its caller went away. What it had recorded by then must not hide jobs.
#[tokio::test]
async fn i04_a_claim_that_is_given_up_hides_no_job() {
    let database = postgres().await;
    // The proxy has its turn on this test's only thread while the claim waits: no answer is there before that.
    let proxy = PgProxy::start(&database.url).await;
    let node = SqlStore::connect(&options(&proxy.url(), &[])).await.expect("the database is there");
    claim_often(&node).await;
    enqueue(&node, "a", 400).await;
    let mut connection = PgConnection::connect(&database.url).await.expect("the server answers");
    let mut given_up = 0;
    for waits in 0..30 {
        // Limits that changed are read under the lock, in a transaction that is given up as well.
        limit(&node, 1_000 + waits).await;
        let is_given_up = give_up_after(waits, claim(&node, 4)).await;
        given_up += u32::from(is_given_up);
        let next = claim(&node, 2).await;
        let last = next.iter().map(|job| job.position).max().expect("jobs wait");
        let query =
            sqlx::query("SELECT count(*) FROM job WHERE state = 'queued' AND position < $1").bind(last);
        let before: i64 = query.fetch_one(&mut connection).await.expect("jobs can be counted").get(0);
        assert_eq!(before, 0, "passed over after a claim that was given up at wait {waits}");
    }
    assert!(given_up > 3, "{given_up} claims were given up");
}

/// Drives a future until it has waited so often, and drops it then. Answers whether it was not at its end.
async fn give_up_after(waits: u32, future: impl Future) -> bool {
    let mut future = std::pin::pin!(future);
    let mut left = waits;
    std::future::poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(_) => Poll::Ready(false),
        Poll::Pending if left == 0 => Poll::Ready(true),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

/// A node that claims alone reads no leased job, however many claims it makes.
#[tokio::test]
async fn a_node_alone_counts_once() {
    let (database, _) = nodes().await;
    limit(&database.store, 1_000).await;
    enqueue(&database.store, "a", 200).await;
    // Limits changed, so this one looks.
    assert_eq!(claim(&database.store, 10).await.len(), 10);
    let before = epoch(&database.url).await;
    for _ in 0..15 {
        assert_eq!(claim(&database.store, 10).await.len(), 10);
    }
    assert_eq!(epoch(&database.url).await, before + 15);
    database.store.close().await;
    let mut connection = last_session(&database.url).await;
    let query = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'job_leased'";
    let scans: i64 =
        sqlx::query(query).fetch_one(&mut connection).await.expect("counters can be read").get(0);
    // While it made friends with the database, and after the limits changed.
    assert!(scans <= 3, "leased jobs were counted {scans} times");
}

async fn epoch(url: &str) -> i64 {
    let mut connection = PgConnection::connect(url).await.expect("the server answers");
    let query = sqlx::query("SELECT epoch FROM queue_claim WHERE queue = $1").bind(QUEUE.code());
    query.fetch_one(&mut connection).await.expect("the epoch can be read").get(0)
}
