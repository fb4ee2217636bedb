//! Concurrency keys: one leased job a key, or as many as are declared for it.

use domain::failure::JobError;
use domain::job::{Disposition, JobStatus};
use domain::names::CallerKey;
use domain::queue::QueueName;
use domain::rate::{KeyRate, Rate};

use super::fixture::{T0, after_secs, claim_nodes, complete, enqueue, job, lease, status, tenant};
use crate::Store;
use crate::jobs::{ClaimedJob, NewJob, Settlement};

fn keyed(key: &str) -> NewJob {
    NewJob { concurrency_key: Some(CallerKey::trusted(key)), ..job() }
}

/// Jobs with one key run one after the other, in order; others are not held up.
pub async fn i03_a_concurrency_key_admits_one_at_a_time(store: &dyn Store) {
    let batch = [keyed("k"), keyed("k"), keyed("k"), keyed("other"), job()];
    enqueue(store, &batch).await;
    enqueue(store, &[NewJob { tenant: tenant("b"), ..keyed("k") }]).await;
    assert_eq!(
        status(store, batch[1].id).await,
        JobStatus::Queued,
        "a job that waits for its key is queued to callers"
    );
    let first = claim_nodes(store, 10, T0).await;
    let ids: Vec<_> = first.iter().map(|job| job.id).collect();
    assert_eq!(first.len(), 4, "one of k, other, the plain one, and tenant b's own k");
    assert!(ids.contains(&batch[0].id) && ids.contains(&batch[3].id) && ids.contains(&batch[4].id));
    let holder = first.iter().find(|job| job.id == batch[0].id).expect("the first of k runs");
    complete(store, holder, T0).await;
    let second = claim_nodes(store, 10, T0).await;
    assert_eq!(second.iter().map(|job| job.id).collect::<Vec<_>>(), [batch[1].id]);
}

/// While the holder waits for its next try, another job of the key may run; the retry waits for it.
pub async fn a_retry_waits_for_its_key_again(store: &dyn Store) {
    let (first, second) = (keyed("k"), keyed("k"));
    enqueue(store, &[first.clone(), second.clone()]).await;
    let claimed = claim_nodes(store, 10, T0).await;
    let disposition = Disposition::RetryAt { at: after_secs(1), error: JobError::coded("x", "failed") };
    store.settle(&[Settlement { lease: lease(&claimed[0]), disposition }], T0).await.expect("settle works");
    let next = claim_nodes(store, 10, T0).await;
    assert_eq!(next.iter().map(|job| job.id).collect::<Vec<_>>(), [second.id]);
    store.promote_due(&[], after_secs(1), 100).await.expect("promote works");
    assert!(claim_nodes(store, 10, after_secs(1)).await.is_empty(), "the key is taken");
    complete(store, &next[0], after_secs(1)).await;
    let again = claim_nodes(store, 10, after_secs(1)).await;
    assert_eq!(again.iter().map(|job| job.id).collect::<Vec<_>>(), [first.id]);
}

/// A key whose holder was cancelled is free, whether the holder waited or ran.
pub async fn cancelling_the_holder_frees_the_key(store: &dyn Store) {
    for (key, runs) in [("waits", false), ("runs", true)] {
        let (first, second) = (keyed(key), keyed(key));
        enqueue(store, &[first.clone(), second.clone()]).await;
        if runs {
            let claimed = claim_nodes(store, 10, T0).await;
            assert_eq!(claimed.iter().map(|job| job.id).collect::<Vec<_>>(), [first.id]);
        }
        store.cancel_job(&domain::access::TenantScope::All, first.id, T0).await.expect("cancel works");
        store.promote_due(&[], T0, 100).await.expect("promote works");
        let claimed = claim_nodes(store, 10, T0).await;
        assert_eq!(claimed.iter().map(|job| job.id).collect::<Vec<_>>(), [second.id], "the holder {key}");
        complete(store, &claimed[0], T0).await;
    }
}

async fn declare(store: &dyn Store, pattern: &str, max_concurrent: Option<u32>) {
    let rate = Rate::parse("1000/1s").expect("it is a rate");
    let rate = KeyRate { tenant: job().tenant, pattern: pattern.to_owned(), rate, max_concurrent };
    assert!(store.set_key_rate(&rate, 100, T0).await.expect("change works"));
}

/// Claims what there is, after what was blocked had its look.
async fn claimed(store: &dyn Store) -> Vec<ClaimedJob> {
    store.promote_due(&[], T0, 100).await.expect("promote works");
    claim_nodes(store, 100, T0).await
}

/// Of a key that is declared as many jobs run as is said, each key for itself; the longest match wins.
pub async fn i03_a_declared_concurrency_key_admits_as_many_as_it_says(store: &dyn Store) {
    declare(store, "smtp:*", Some(3)).await;
    declare(store, "smtp:vip", Some(2)).await;
    declare(store, "smtp:plain", None).await;
    let mut batch = Vec::new();
    for key in ["smtp:a", "smtp:vip", "smtp:plain", "http:a"] {
        batch.extend((0..5).map(|_| keyed(key)));
    }
    enqueue(store, &batch).await;
    enqueue(
        store,
        &[
            NewJob { tenant: tenant("b"), ..keyed("smtp:a") },
            NewJob { tenant: tenant("b"), ..keyed("smtp:a") },
        ],
    )
    .await;
    let first = claimed(store).await;
    let of = |key: &str, claimed: &[ClaimedJob]| {
        let is_of = |job: &NewJob| job.concurrency_key.as_ref().is_some_and(|of| of.as_str() == key);
        let ids: Vec<_> = batch.iter().filter(|job| is_of(job)).map(|job| job.id).collect();
        ids.iter()
            .enumerate()
            .filter(|(_, id)| claimed.iter().any(|job| job.id == **id))
            .map(|(at, _)| at)
            .collect()
    };
    let places: [Vec<usize>; 4] = ["smtp:a", "smtp:vip", "smtp:plain", "http:a"].map(|key| of(key, &first));
    assert_eq!(places, [vec![0, 1, 2], vec![0, 1], vec![0], vec![0]]);
    assert_eq!(first.len(), 8, "the other tenant's key is declared by nobody");
    complete(store, first.iter().find(|job| job.id == batch[1].id).expect("it runs"), T0).await;
    let second = claimed(store).await;
    assert_eq!(second.iter().map(|job| job.id).collect::<Vec<_>>(), [batch[3].id], "one place became free");
    let facts = store.wait_facts(batch[4].id).await.expect("read works").expect("it is there");
    let (limit, (running, holders)) = facts.concurrency_key.expect("it waits for its key");
    assert_eq!((limit, running, holders.len()), (3, 3, 3));
    let facts = store.wait_facts(batch[0].id).await.expect("read works").expect("it is there");
    assert_eq!(facts.concurrency_key, None, "it has its place");
}

/// More places are taken at once. With fewer, or none declared any more, nobody comes in before there is room below the number.
pub async fn i03_the_places_of_a_concurrency_key_can_be_changed(store: &dyn Store) {
    let batch: Vec<NewJob> = (0..8).map(|_| keyed("k")).collect();
    enqueue(store, &batch).await;
    let mut running = claimed(store).await;
    assert_eq!(running.len(), 1);
    declare(store, "k", Some(4)).await;
    running.extend(claimed(store).await);
    assert_eq!(running.len(), 4);
    declare(store, "k", Some(2)).await;
    for left in [3, 2] {
        complete(store, &running.pop().expect("one runs"), T0).await;
        assert!(claimed(store).await.is_empty(), "{left} run");
    }
    complete(store, &running.pop().expect("one runs"), T0).await;
    running.extend(claimed(store).await);
    assert_eq!(running.len(), 2);
    assert!(store.remove_key_rate(&job().tenant, "k").await.expect("change works"));
    complete(store, &running.pop().expect("one runs"), T0).await;
    assert!(claimed(store).await.is_empty(), "one runs, and nothing is declared");
    complete(store, &running.pop().expect("one runs"), T0).await;
    assert_eq!(claimed(store).await.len(), 1);
}

/// Whoever brings or ends jobs of a key at the same time, there are never more than its places, and each place is used.
pub async fn i03_the_places_of_a_concurrency_key_are_exact_under_races(store: &dyn Store) {
    declare(store, "k", Some(3)).await;
    let bring = async || enqueue(store, &[keyed("k"), keyed("k"), keyed("k"), keyed("k")]).await;
    tokio::join!(bring(), bring(), bring());
    let mut left = 12;
    while left > 0 {
        let running = claimed(store).await;
        assert_eq!(running.len(), 3, "of {left} that are left");
        tokio::join!(
            complete(store, &running[0], T0),
            complete(store, &running[1], T0),
            complete(store, &running[2], T0)
        );
        left -= 3;
    }
}

/// A retry, a release and a priority keep a job to its key.
pub async fn a_retry_takes_a_place_of_its_key_again(store: &dyn Store) {
    declare(store, "k", Some(2)).await;
    let batch: Vec<NewJob> = (0..4).map(|_| keyed("k")).collect();
    enqueue(store, &batch).await;
    let first = claimed(store).await;
    let disposition = Disposition::RetryAt { at: T0, error: JobError::coded("x", "failed") };
    store.settle(&[Settlement { lease: lease(&first[0]), disposition }], T0).await.expect("settle works");
    let second = claimed(store).await;
    assert_eq!(second.len(), 1, "one place is free");
    assert!(claimed(store).await.is_empty());
    for job in [&first[1], &second[0]] {
        complete(store, job, T0).await;
    }
    let rest = claimed(store).await;
    assert_eq!(rest.len(), 2, "the retry and the last one");
    assert!(rest.iter().all(|job| job.queue == QueueName::Node));
}
