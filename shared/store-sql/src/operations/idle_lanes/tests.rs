//! Lanes go while they hold nothing, and no job is lost to that, whoever remembers their numbers.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use domain::names::CallerKey;
use domain::queue::{QueueName, Tier};
use domain::time::DurationMs;
use sea_orm::{ConnectionTrait as _, Statement};
use sqlx::{Connection as _, PgConnection};
use store::conformance::fixture::{self, T0, complete, jobs};
use store::jobs::{ClaimedJob, JobStore as _, NewJob};
use store::operations::OperationsStore as _;

use super::*;
use crate::SqlStore;
use crate::jobs::plans::open_empty;
use crate::jobs::revive::{Changes, Revival, revive};
use crate::pool::commit;

/// Without patience: what has to be waited for otherwise is shown by what is refused meanwhile.
const AT_ONCE: LaneRemovalPace = LaneRemovalPace { idle_for: DurationMs(0), every: DurationMs(0) };

/// Each case on each database, with the address of another node's connection where there can be one.
macro_rules! on_each_database {
    ($($case:ident),* $(,)?) => {
        mod on_postgres {
            $(#[tokio::test] async fn $case() {
                let store = super::open_empty(testkit::database::postgres_database().await).await;
                super::$case(&store).await;
            })*
        }
        mod in_memory {
            $(#[tokio::test] async fn $case() {
                let store = super::open_empty("sqlite::memory:".to_owned()).await;
                super::$case(&store).await;
            })*
        }
    };
}

on_each_database!(
    a_lane_without_jobs_goes_and_comes_again,
    lanes_with_jobs_of_any_state_stay,
    a_job_that_comes_after_the_mark_keeps_its_lane,
    i01_no_job_is_lost_to_lanes_that_go_meanwhile,
);

/// Goes on with each look at it.
fn now() -> Timestamp {
    static LOOKS: AtomicI64 = AtomicI64::new(1);
    T0.plus(DurationMs(LOOKS.fetch_add(1, Ordering::Relaxed)))
}

/// How many lanes go in a whole round.
async fn a_round(store: &SqlStore) -> u64 {
    let mut removed = 0;
    loop {
        let step = store.remove_idle_lanes(&AT_ONCE, now()).await.expect("lanes can be removed");
        removed += step.removed;
        if !step.has_more {
            return removed;
        }
    }
}

async fn number(store: &SqlStore, sql: &str) -> i64 {
    let statement = Statement::from_string(store.dialect().backend(), sql.to_owned());
    let row = store.pool().write().query_one_raw(statement).await.expect("it can be read");
    row.expect("a row").try_get::<i64>("", "number").expect("a number")
}

async fn lanes_of(store: &SqlStore) -> i64 {
    number(store, "SELECT count(*) AS number FROM lane").await
}

/// Jobs in lanes that are not there.
async fn strays(store: &SqlStore) -> i64 {
    number(
        store,
        "SELECT count(*) AS number FROM job j WHERE NOT EXISTS (SELECT 1 FROM lane l WHERE l.id = j.lane)",
    )
    .await
}

async fn run(store: &SqlStore, sql: &str) {
    store.pool().write().execute_unprepared(sql).await.expect("the statement is valid");
}

async fn claim(store: &SqlStore, jobs_max: u32) -> Vec<ClaimedJob> {
    store.claim(&fixture::claim(QueueName::Node, jobs_max, T0)).await.expect("claims work")
}

async fn enqueue(store: &SqlStore, jobs: &[NewJob]) {
    store.enqueue(jobs, T0).await.expect("jobs can be enqueued");
}

/// Jobs in lanes of their own.
fn apart(count: usize, name: &str) -> Vec<NewJob> {
    (0..count).flat_map(|number| jobs(1, &format!("{name}{number}"), Tier::Normal)).collect()
}

/// Nothing is left of jobs, finished or not.
async fn clear(store: &SqlStore) {
    for job in claim(store, 500).await {
        complete(store, &job, T0).await;
    }
    run(store, "DELETE FROM job_done").await;
}

async fn a_lane_without_jobs_goes_and_comes_again(store: &SqlStore) {
    enqueue(store, &apart(30, "t")).await;
    clear(store).await;
    let highest = number(store, "SELECT CAST(max(id) AS bigint) AS number FROM lane").await;
    assert_eq!((a_round(store).await, lanes_of(store).await), (30, 0));
    // This node remembers the numbers.
    enqueue(store, &apart(20, "t")).await;
    assert_eq!((strays(store).await, claim(store, 100).await.len()), (0, 20));
    let lowest = number(store, "SELECT CAST(min(id) AS bigint) AS number FROM lane").await;
    assert!(lowest > highest, "a number was used again");
    assert_eq!(a_round(store).await, 0);
}

async fn lanes_with_jobs_of_any_state_stay(store: &SqlStore) {
    enqueue(store, &apart(2, "done")).await;
    enqueue(store, &apart(2, "leased")).await;
    let leased = claim(store, 4).await;
    for job in leased.iter().filter(|job| job.tenant.as_str().starts_with("done")) {
        complete(store, job, T0).await;
    }
    enqueue(store, &apart(2, "queued")).await;
    let mut later = apart(2, "later");
    for job in &mut later {
        job.run_at = T0.plus(DurationMs::from_secs(60));
    }
    enqueue(store, &later).await;
    let mut blocked = apart(1, "blocked");
    blocked.extend(blocked.clone());
    for (job, id) in blocked.iter_mut().zip([fixture::id(), fixture::id()]) {
        (job.id, job.concurrency_key) = (id, Some(CallerKey::trusted("key")));
    }
    enqueue(store, &blocked).await;
    assert_eq!((a_round(store).await, lanes_of(store).await), (0, 9));
    assert_eq!(number(store, "SELECT count(*) AS number FROM lane WHERE mark IS NOT NULL").await, 0);
    run(store, "DELETE FROM job_done").await;
    assert_eq!((a_round(store).await, lanes_of(store).await), (2, 7));
}

/// As many steps of a round as make the marks.
async fn mark(store: &SqlStore) {
    for _ in 0..2 {
        assert!(store.remove_idle_lanes(&AT_ONCE, now()).await.expect("lanes can be marked").has_more);
    }
}

async fn a_job_that_comes_after_the_mark_keeps_its_lane(store: &SqlStore) {
    enqueue(store, &apart(10, "t")).await;
    clear(store).await;
    mark(store).await;
    assert_eq!(number(store, "SELECT count(*) AS number FROM lane WHERE mark IS NOT NULL").await, 10);
    enqueue(store, &apart(4, "t")).await;
    assert_eq!((a_round(store).await, lanes_of(store).await), (6, 4));
    let claimed = claim(store, 100).await;
    assert_eq!((strays(store).await, claimed.len()), (0, 4));
    for job in claimed {
        complete(store, &job, T0).await;
    }
    // One that was finished comes back after the mark.
    clear(store).await;
    enqueue(store, &jobs(1, "dead", Tier::Normal)).await;
    let dead = claim(store, 1).await.remove(0);
    mark(store).await;
    complete(store, &dead, T0).await;
    let transaction = store.pool().begin().await.expect("begin works");
    let revived = revive(&transaction, dead.id.uuid(), &Changes::default(), T0).await;
    assert!(matches!(revived.expect("revive works"), Revival::Revived(_)));
    commit(transaction).await.expect("commit works");
    a_round(store).await;
    assert_eq!((strays(store).await, lanes_of(store).await), (0, 1));
}

/// Jobs come to lanes that are removed all the time, a round beside each call.
async fn i01_no_job_is_lost_to_lanes_that_go_meanwhile(store: &SqlStore) {
    const ROUNDS: usize = 60;
    for _ in 0..ROUNDS {
        let come = apart(7, "t");
        tokio::join!(a_round(store), enqueue(store, &come));
        let claimed = claim(store, 100).await;
        assert_eq!((claimed.len(), strays(store).await), (7, 0));
        tokio::join!(a_round(store), async {
            for job in claimed {
                complete(store, &job, T0).await;
            }
        });
        run(store, "DELETE FROM job_done").await;
    }
    clear(store).await;
    // The first may end a round that was under way.
    a_round(store).await;
    a_round(store).await;
    assert_eq!(lanes_of(store).await, 0);
}

#[tokio::test]
async fn i01_an_insert_under_way_keeps_its_lane() {
    let url = testkit::database::postgres_database().await;
    let store = open_empty(url.clone()).await;
    enqueue(&store, &apart(3, "t")).await;
    let leased = claim(&store, 10).await;
    let mut other = PgConnection::connect(&url).await.expect("the server answers");
    let mut late = other.begin().await.expect("begin works");
    let copied = sqlx::query(
        "INSERT INTO job (id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at,
           created_at, tier, data)
         SELECT gen_random_uuid(), queue, lane, 'queued', 0, 0, 3, 0, run_at, queued_at, created_at, tier, data
         FROM job WHERE id = $1",
    );
    let copied = copied.bind(leased[0].id.uuid()).execute(&mut *late).await.expect("a job can be copied");
    assert_eq!(copied.rows_affected(), 1);
    for job in leased {
        complete(store.as_ref(), &job, T0).await;
    }
    run(&store, "DELETE FROM job_done").await;
    // Another one begins only after the marks, and is not waited for.
    assert_eq!((a_round(&store).await, lanes_of(&store).await), (0, 3));
    assert_eq!(a_round(&store).await, 0);
    let mut third = PgConnection::connect(&url).await.expect("the server answers");
    let mut later = third.begin().await.expect("begin works");
    sqlx::query("UPDATE job SET data = data").execute(&mut *later).await.expect("the statement is valid");
    late.commit().await.expect("it can be committed");
    assert_eq!((a_round(&store).await, lanes_of(&store).await), (2, 1));
    drop(later);
    crate::memory::Memory::mark_all_stale(store.memory());
    assert_eq!((strays(&store).await, claim(&store, 10).await.len()), (0, 1));
}

#[tokio::test]
async fn another_node_that_remembers_a_lane_makes_it_again() {
    let url = testkit::database::postgres_database().await;
    let (store, other): (Arc<SqlStore>, _) = (open_empty(url.clone()).await, open_empty(url).await);
    for node in [&store, &other] {
        enqueue(node, &apart(10, "t")).await;
        clear(node).await;
    }
    clear(&store).await;
    assert_eq!(a_round(&store).await, 10);
    let (here, there) = (apart(10, "t"), apart(10, "t"));
    tokio::join!(enqueue(&store, &here), enqueue(&other, &there));
    assert_eq!((strays(&store).await, lanes_of(&store).await), (0, 10));
    other.memory().mark_all_stale();
    assert_eq!(claim(&other, 100).await.len(), 20);
}

#[tokio::test]
async fn numbers_begin_anew_past_those_that_are_used() {
    let store = open_empty(testkit::database::postgres_database().await).await;
    enqueue(&store, &apart(5, "old")).await;
    run(&store, "ALTER TABLE lane ALTER COLUMN id RESTART WITH 2147483646").await;
    enqueue(&store, &apart(9, "new")).await;
    assert_eq!((strays(&store).await, lanes_of(&store).await), (0, 14));
    assert_eq!(claim(&store, 100).await.len(), 14);
}

#[tokio::test]
async fn none_goes_while_nodes_of_a_version_before_may_run() {
    let store = open_empty(testkit::database::postgres_database().await).await;
    enqueue(&store, &apart(2, "t")).await;
    clear(&store).await;
    run(&store, &format!("UPDATE lane_removal SET starts_at = {}", T0.0 + 86_400_000)).await;
    assert_eq!(a_round(&store).await, 0);
    run(&store, &format!("UPDATE lane_removal SET starts_at = {}", T0.0)).await;
    assert_eq!(a_round(&store).await, 2);
}
