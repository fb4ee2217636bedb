//! Concurrency keys: one leased job a key.

use domain::failure::JobError;
use domain::job::{Disposition, JobStatus};
use domain::names::CallerKey;

use super::fixture::{T0, after_secs, claim_nodes, complete, enqueue, job, lease, status, tenant};
use crate::Store;
use crate::jobs::{NewJob, Settlement};

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
