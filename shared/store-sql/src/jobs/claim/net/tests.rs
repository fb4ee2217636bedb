//! What is found in many lanes although no node announced it, and what is forgotten of them.

use domain::names::{JobType, TenantName};
use domain::queue::LaneKey;
use sea_orm::{ConnectionTrait as _, Statement};
use sqlx::{Connection as _, Executor as _, PgConnection};
use store::jobs::{ClaimedJob, JobStore as _};
use testkit::eventually;
use tokio::sync::MutexGuard;

use super::super::plans::{fill_over, open_small, request};
use super::*;
use crate::dialect::Dialect;
use crate::memory_lanes::{LANES_LISTED_MAX, Look};

const QUEUE: QueueName = QueueName::Node;

/// More lanes than are read at once.
const LANES: u128 = LANES_LISTED_MAX as u128 + 500;

/// Each case on each database.
macro_rules! on_each_database {
    ($($case:ident),* $(,)?) => {
        mod on_postgres {
            $(#[tokio::test] async fn $case() {
                let store = super::open_small(testkit::database::postgres_database().await).await;
                super::$case(&store).await;
            })*
        }
        mod in_memory {
            $(#[tokio::test] async fn $case() {
                let store = super::open_small("sqlite::memory:".to_owned()).await;
                super::$case(&store).await;
            })*
        }
    };
}

on_each_database!(
    i05_a_high_job_that_nobody_announced_is_found_by_the_next_listing,
    jobs_in_new_lanes_that_nobody_announced_are_found_by_the_next_listing,
    parts_say_what_one_listing_says,
    many_lanes_are_forgotten_once_they_are_not_used,
    i04_what_a_lost_connection_leaves_is_read_again,
    looks_at_known_lanes_find_what_a_listing_finds,
    a_queue_without_lanes_is_looked_at_for_new_ones,
    many_lanes_are_looked_through_past_what_was_served_where_listings_are_dear,
    i04_a_late_job_that_nobody_announced_is_found_beside_claims,
    floors_are_set_by_a_look_and_outlive_claims_of_others,
);

async fn claim(store: &SqlStore, jobs_max: u32) -> Vec<ClaimedJob> {
    store.claim(&request(jobs_max)).await.expect("claims work")
}

/// A ring of many lanes, in which a job waits each.
async fn many(store: &SqlStore) {
    fill_over(store, LANES, LANES).await;
    assert_eq!(claim(store, 1).await.len(), 1);
    assert!(memory(store, |memory| memory.ring.len()) > LANES_LISTED_MAX);
}

fn memory<T>(store: &SqlStore, of: impl FnOnce(&mut LaneMemory) -> T) -> T {
    of(&mut store.memory().queue(QUEUE).lanes())
}

/// What another process does without telling anybody.
async fn behind_its_back(store: &SqlStore, statement: &str) {
    store.pool().write().execute_unprepared(statement).await.expect("the statement is valid");
}

/// The row that a query answers.
async fn row_of(store: &SqlStore, query: &str) -> QueryResult {
    let on = store.pool().read();
    let statement = Statement::from_string(on.get_database_backend(), query);
    on.query_one_raw(statement).await.expect("the query is valid").expect("there is a row")
}

/// Makes a lane and answers its number.
async fn make_lane(store: &SqlStore, tier: Tier, tenant: &str) -> i32 {
    let (queue, tier) = (QUEUE.code(), tier.code());
    behind_its_back(
        store,
        &format!(
            "INSERT INTO lane (queue, tier, tenant, workflow_owner, workflow, job_type)
             VALUES ({queue}, {tier}, '{tenant}', '', '', 'encode')"
        ),
    )
    .await;
    let row = HIGHEST.first(store.pool().read(), vec![]).await.expect("lanes can be read");
    Row::new("lane", &row.expect("there is one")).int("id").expect("it is a number")
}

/// Puts a copy of a job into a lane, where it waits.
async fn put_into(store: &SqlStore, lane: i32, tier: Tier) {
    let id = match store.dialect() {
        Dialect::Postgres => "gen_random_uuid()",
        Dialect::Sqlite => "randomblob(16)",
    };
    let (queue, tier) = (QUEUE.code(), tier.code());
    behind_its_back(
        store,
        &format!(
            "INSERT INTO job (id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at,
               created_at, tier, data)
             SELECT {id}, queue, {lane}, 'queued', 0, 0, 3, 0, run_at, queued_at, created_at, {tier}, data
             FROM job WHERE queue = {queue} LIMIT 1"
        ),
    )
    .await;
}

/// Lets the next claim look, as a second later.
fn a_second_later(store: &SqlStore) {
    memory(store, |memory| memory.net.make_due());
}

async fn i05_a_high_job_that_nobody_announced_is_found_by_the_next_listing(store: &SqlStore) {
    let lane = make_lane(store, Tier::High, "urgent").await;
    many(store).await;
    put_into(store, lane, Tier::High).await;
    a_second_later(store);
    // A claim that has something else does not wait for the look.
    eventually("the high job comes first", || async { claim(store, 1).await[0].tier == Tier::High }).await;
}

async fn jobs_in_new_lanes_that_nobody_announced_are_found_by_the_next_listing(store: &SqlStore) {
    many(store).await;
    let lanes = [make_lane(store, Tier::Normal, "one").await, make_lane(store, Tier::Low, "other").await];
    put_into(store, lanes[0], Tier::Normal).await;
    put_into(store, lanes[1], Tier::Low).await;
    let are_found = || lanes.iter().all(|&lane| memory(store, |memory| memory.ring.contains(LaneId(lane))));
    // On a busy machine a look does not come to the end of those that the ring knows.
    for _ in 0..100 {
        look_at_new(store, QUEUE).await.expect("lanes can be read");
        if are_found() {
            break;
        }
    }
    assert!(are_found());
}

async fn parts_say_what_one_listing_says(store: &SqlStore) {
    let old = make_lane(store, Tier::Normal, "old").await;
    many(store).await;
    put_into(store, old, Tier::Normal).await;
    let queue = QUEUE.code();
    // Others took every third job.
    let gone = "position IN (SELECT position FROM job WHERE state = 'queued' AND position % 3 = 0)";
    behind_its_back(store, &format!("DELETE FROM job WHERE queue = {queue} AND {gone}")).await;
    after_looks(store).await;
    memory(store, LaneMemory::mark_stale);
    for _ in 0..1_000 {
        look_at_rest(store, QUEUE).await.expect("lanes can be read");
        if !memory(store, |memory| memory.is_stale()) {
            break;
        }
    }
    let listed =
        crate::jobs::claim::nonempty::nonempty_lanes(store, QUEUE).await.expect("lanes can be listed");
    assert!(listed.contains(&LaneId(old)));
    let in_ring =
        memory(store, |memory| (memory.ring.len(), listed.iter().all(|&lane| memory.ring.contains(lane))));
    assert_eq!(in_ring, (listed.len(), true));
}

async fn many_lanes_are_forgotten_once_they_are_not_used(store: &SqlStore) {
    many(store).await;
    behind_its_back(store, "DELETE FROM job").await;
    after_looks(store).await;
    while memory(store, |memory| !memory.ring.is_empty()) {
        assert!(claim(store, 500).await.is_empty());
    }
    let known = memory(store, |memory| memory.lanes.len());
    assert!(known as u128 >= LANES);
    for _ in 0..3 {
        memory(store, |memory| drop(memory.forget_unused_now(1_000)));
    }
    assert_eq!(memory(store, |memory| memory.lanes.len()), 0);
    // They come again under the same numbers.
    fill_over(store, 30, 10).await;
    assert_eq!(claim(store, 100).await.len(), 30);
    assert_eq!(memory(store, |memory| memory.lanes.len()), 10);
    let row = HIGHEST.first(store.pool().read(), vec![]).await.expect("lanes can be read").expect("a lane");
    assert!(
        Row::new("lane", &row).int("id").expect("it is a number") as usize <= known,
        "a number was burnt"
    );
}

async fn i04_what_a_lost_connection_leaves_is_read_again(store: &SqlStore) {
    fill_over(store, 20, 5).await;
    assert_eq!(claim(store, 2).await.len(), 2);
    let first = memory(store, |memory| memory.ring.len());
    assert!(first > 0);
    store.memory().forget();
    fill_over(store, 5, 5).await;
    assert_eq!(claim(store, 100).await.len(), 23);
    let key = LaneKey {
        queue: QUEUE,
        tier: Tier::Normal,
        tenant: TenantName::trusted("tenant0"),
        workflow: None,
        job_type: JobType::trusted("encode"),
        rate_key: None,
    };
    assert!(memory(store, |memory| memory.lanes.find(&key).is_some()));
}

/// Whichever call meets a connection that is gone, the node forgets: what answers next may be another server.
#[tokio::test]
async fn i04_a_connection_that_is_gone_makes_the_node_forget() {
    let url = testkit::database::postgres_database().await;
    let store = open_small(url.clone()).await;
    assert!(!memory(&store, |memory| memory.is_lost()));
    let mut server = PgConnection::connect(&url).await.expect("the server answers");
    let end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    server.execute(end).await.expect("sessions can be ended");
    eventually("it is noticed", || async {
        // It fails, or has another connection by now.
        let _ = store.pool().write().execute_unprepared("SELECT 1").await;
        memory(&store, |memory| memory.is_lost())
    })
    .await;
}

/// A listing takes long while an old snapshot keeps what is gone, which is only said here: what is found is the same.
async fn looks_at_known_lanes_find_what_a_listing_finds(store: &SqlStore) {
    let _alone = without_relooks(store).await;
    let empty = make_lane(store, Tier::Normal, "empty").await;
    fill_over(store, 40, 8).await;
    while !claim(store, 7).await.is_empty() {}
    list_dearly(store).await;
    assert!(memory(store, |memory| memory.is_listing_dear()));
    assert_eq!(memory(store, |memory| memory.look()), Look::Probe);
    assert!(claim(store, 7).await.is_empty());
    // Without an announcement: in a lane that was served, in one that never was, and in one that is new.
    let served =
        memory(store, |memory| memory.lanes.ids().find(|lane| lane.0 != empty)).expect("a lane is known");
    for lane in [served.0, empty, make_lane(store, Tier::Normal, "new").await] {
        put_into(store, lane, Tier::Normal).await;
    }
    assert_eq!(claim(store, 7).await.len(), 3);
    assert!(claim(store, 7).await.is_empty());
}

async fn a_queue_without_lanes_is_looked_at_for_new_ones(store: &SqlStore) {
    let _alone = without_relooks(store).await;
    memory(store, LaneMemory::lose);
    memory(store, LaneMemory::renew);
    let begun_at = memory(store, LaneMemory::begin_listing);
    memory(store, |memory| memory.end_listing(begun_at, &[], Duration::from_mins(1)));
    memory(store, |memory| memory.mark_complete(Some(0)));
    assert_eq!(memory(store, |memory| memory.look()), Look::Probe);
    assert!(claim(store, 1).await.is_empty());
    let lane = make_lane(store, Tier::Normal, "new").await;
    put_into(store, lane, Tier::Normal).await;
    assert_eq!(claim(store, 2).await.len(), 1);
}

/// Says that the last listing found nothing and took long, as an old snapshot would make it.
async fn list_dearly(store: &SqlStore) {
    let begun_at = memory(store, LaneMemory::begin_listing);
    memory(store, |memory| memory.end_listing(begun_at, &[], Duration::from_mins(1)));
    let up_to = lanes::learn_all(store, QUEUE, 1_000).await.expect("lanes can be read");
    memory(store, |memory| memory.mark_complete(up_to));
}

/// Waits until nobody reads the known lanes from their beginnings, and lets no claim start that beside itself until the
/// answer is dropped: it finds what a test is about to put there one by one, and costs of its own replace those that
/// [`list_dearly`] says.
async fn without_relooks(store: &SqlStore) -> MutexGuard<'_, ()> {
    store.memory().queue(QUEUE).relooking.lock().await
}

/// Waits for a look at a part of the lanes that a claim has started beside itself: it may have read what has gone since.
async fn after_looks(store: &SqlStore) {
    drop(store.memory().queue(QUEUE).listing.lock().await);
}

/// Gives the position of a job that was taken to another one, as if its insert had been committed late.
async fn put_late(store: &SqlStore, lane: LaneId) -> i64 {
    let first =
        format!("SELECT min(position) AS position FROM job WHERE lane = {} AND state = 'processing'", lane.0);
    let row = row_of(store, &first).await;
    let position = Row::new("job", &row).long("position").expect("a job was taken");
    let id = match store.dialect() {
        Dialect::Postgres => "gen_random_uuid()",
        Dialect::Sqlite => "randomblob(16)",
    };
    let overriding = match store.dialect() {
        Dialect::Postgres => "OVERRIDING SYSTEM VALUE",
        Dialect::Sqlite => "",
    };
    let copy = format!(
        "INSERT INTO job (id, position, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at,
           queued_at, created_at, tier, data) {overriding}
         SELECT {id}, -position, queue, lane, 'queued', 0, 0, 3, 0, run_at, queued_at, created_at, tier, data
         FROM job WHERE position = {position}"
    );
    behind_its_back(store, &copy).await;
    behind_its_back(store, &format!("DELETE FROM job WHERE position = {position}")).await;
    behind_its_back(store, &format!("UPDATE job SET position = {position} WHERE position = -{position}"))
        .await;
    position
}

async fn i04_a_late_job_that_nobody_announced_is_found_beside_claims(store: &SqlStore) {
    for is_looked_for in [true, false] {
        let alone = without_relooks(store).await;
        fill_over(store, 40, 4).await;
        while !claim(store, 7).await.is_empty() {}
        list_dearly(store).await;
        let lane = memory(store, |memory| {
            memory.lanes.ids().find(|&lane| memory.counts.floor(lane) > 0).expect("floors are kept")
        });
        let position = put_late(store, lane).await;
        let floor = || memory(store, |memory| memory.counts.floor(lane));
        assert!(position <= floor(), "claims begin after it");
        if is_looked_for {
            super::super::relook::relook(store, QUEUE).await.expect("lanes can be read");
            assert!(position > floor() && memory(store, |memory| memory.ring.contains(lane)));
        }
        drop(alone);
        let found = std::cell::RefCell::new(Vec::new());
        eventually("the late job is found", || async {
            let jobs = claim(store, 7).await;
            found.borrow_mut().extend(jobs);
            !found.borrow().is_empty()
        })
        .await;
        let found: Vec<i64> = found.into_inner().iter().map(|job| job.position).collect();
        assert_eq!(found, [position]);
    }
}

/// A node that has just started knows nothing of lanes that were served by others.
async fn floors_are_set_by_a_look_and_outlive_claims_of_others(store: &SqlStore) {
    let _alone = without_relooks(store).await;
    fill_over(store, 40, 4).await;
    while !claim(store, 7).await.is_empty() {}
    memory(store, LaneMemory::lose);
    memory(store, LaneMemory::renew);
    list_dearly(store).await;
    super::super::relook::relook(store, QUEUE).await.expect("lanes can be read");
    let floors = || {
        memory(store, |memory| memory.lanes.ids().map(|lane| memory.counts.floor(lane)).collect::<Vec<_>>())
    };
    // SQLite keeps no entries of what is gone, so that there is nothing to be passed.
    let is_passed = store.dialect() == Dialect::Postgres;
    assert_eq!(floors().iter().all(|&floor| floor >= 40), is_passed);
    // So that no claim lists the lanes meanwhile.
    list_dearly(store).await;
    fill_over(store, 8, 4).await;
    assert_eq!(claim(store, 7).await.len(), 7);
    let before = floors();
    let bump = |set: &str| format!("UPDATE queue_claim SET {set} WHERE queue = {}", QUEUE.code());
    behind_its_back(store, &bump("epoch = epoch + 1, claims = claims + 1")).await;
    assert_eq!(claim(store, 1).await.len(), 1);
    assert!(before.iter().zip(floors()).all(|(&before, after)| after >= before), "another node has claimed");
    behind_its_back(store, &bump("epoch = epoch + 1")).await;
    fill_over(store, 1, 1).await;
    assert_eq!(claim(store, 7).await.len(), 1);
    assert!(
        floors().iter().filter(|&&floor| floor > 0).count() <= 1,
        "another node made something claimable"
    );
}

/// A queue that was emptied, of very many lanes, whose listing took long for nothing: what nobody announced is found all the
/// same, and none of the looks is a listing.
async fn many_lanes_are_looked_through_past_what_was_served_where_listings_are_dear(store: &SqlStore) {
    let old = make_lane(store, Tier::Normal, "old").await;
    let high = make_lane(store, Tier::High, "urgent").await;
    fill_over(store, LANES * 2, LANES).await;
    // From the beginning, so that no round of looks costs floors meanwhile.
    memory(store, |memory| memory.record_cost(0, Duration::from_mins(1)));
    while !claim(store, 500).await.is_empty() {}
    let begun_at = memory(store, LaneMemory::begin_listing);
    memory(store, |memory| memory.end_listing(begun_at, &[], Duration::from_mins(1)));
    a_second_later(store);
    assert_eq!(memory(store, |memory| memory.look()), Look::Part);
    assert!(claim(store, 7).await.is_empty());
    let served = memory(store, |memory| {
        memory.lanes.ids().find(|&lane| memory.counts.floor(lane) > 0).expect("floors are kept")
    });
    put_into(store, high, Tier::High).await;
    put_into(store, make_lane(store, Tier::Low, "new").await, Tier::Low).await;
    put_into(store, old, Tier::Normal).await;
    put_into(store, served.0, Tier::Normal).await;
    let found = std::cell::Cell::new(0);
    // Looks are taken beside the claims, and a busy machine begins some of them later than others.
    eventually("the four jobs are found", || async {
        a_second_later(store);
        assert_ne!(memory(store, |memory| memory.look()), Look::ListFirst);
        found.set(found.get() + claim(store, 7).await.len());
        found.get() >= 4
    })
    .await;
    assert_eq!(found.get(), 4);
}
