//! One node, on both databases.

use store::jobs::{JobStore as _, LeaseRef};
use testkit::database::{TestStore, postgres, sqlite_file, sqlite_memory};

use crate::fixture::{NOW, claim, complete, enqueue, ids, limit, retry_at_once};

/// Each case on each database.
macro_rules! on_each_database {
    ($($case:ident),* $(,)?) => {
        mod on_postgres { $(#[tokio::test] async fn $case() { super::$case(super::postgres().await).await; })* }
        mod on_sqlite { $(#[tokio::test] async fn $case() { super::$case(super::sqlite_file().await).await; })* }
        mod in_memory { $(#[tokio::test] async fn $case() { super::$case(super::sqlite_memory().await).await; })* }
    };
}

on_each_database!(
    i03_a_slot_is_used_as_soon_as_its_lease_ends,
    i03_a_lower_limit_holds_while_more_are_leased,
    i04_jobs_that_go_back_keep_their_place,
    i04_lanes_are_merged_by_position,
);

async fn i03_a_slot_is_used_as_soon_as_its_lease_ends(database: TestStore) {
    let store = &database.store;
    limit(store, 5).await;
    enqueue(store, "a", 100).await;
    let mut held = claim(store, 10).await;
    for ending in [1, 5, 2, 0, 4] {
        complete(store, &held.drain(..ending).collect::<Vec<_>>()).await;
        let claimed = claim(store, 10).await;
        assert_eq!(claimed.len(), ending);
        held.extend(claimed);
    }
    retry_at_once(store, &held[..2]).await;
    assert_eq!(claim(store, 10).await.len(), 2);
    let given_back = LeaseRef { id: held[3].id, token: held[3].token };
    store.release(&[given_back], NOW).await.expect("release works");
    assert_eq!(claim(store, 10).await.len(), 1);
}

async fn i03_a_lower_limit_holds_while_more_are_leased(database: TestStore) {
    let store = &database.store;
    enqueue(store, "a", 100).await;
    let mut held = claim(store, 8).await;
    assert_eq!(held.len(), 8);
    limit(store, 3).await;
    for left in [6, 4, 3] {
        complete(store, &held.split_off(left)).await;
        assert!(claim(store, 10).await.is_empty(), "{left} are leased");
    }
    complete(store, &held.split_off(1)).await;
    assert_eq!(claim(store, 10).await.len(), 2);
}

async fn i04_jobs_that_go_back_keep_their_place(database: TestStore) {
    let store = &database.store;
    let all = enqueue(store, "a", 30).await;
    let first = claim(store, 10).await;
    assert_eq!(ids(&first), all[..10]);
    retry_at_once(store, &first[4..6]).await;
    assert_eq!(ids(&claim(store, 3).await), [all[4], all[5], all[10]]);
    complete(store, &first[..4]).await;
    assert_eq!(ids(&claim(store, 2).await), all[11..13]);
    enqueue(store, "a", 1).await;
    assert_eq!(ids(&claim(store, 2).await), all[13..15]);
}

async fn i04_lanes_are_merged_by_position(database: TestStore) {
    let store = &database.store;
    let mut all = Vec::new();
    for number in 0..24 {
        let mut job = crate::fixture::job("a");
        job.job_type = domain::names::JobType::trusted(format!("type{}", number % 3));
        all.push(job.id);
        store.enqueue(&[job], NOW).await.expect("enqueue works");
    }
    for (number, expected) in all.chunks(4).enumerate() {
        assert_eq!(ids(&claim(store, 4).await), expected, "claim {number}");
    }
}
