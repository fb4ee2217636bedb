//! Reaping: what becomes of leases that expired.

use domain::access::TenantScope;
use domain::failure::{DeadReason, JobError};
use domain::job::{AttemptStatus, Disposition, JobStatus};
use domain::time::DurationMs;

use super::fixture::{T0, after_secs, claim_nodes, complete, enqueue, job, jobs, lease};
use crate::Store;
use crate::jobs::{ClaimedJob, LeaseAnswer, LeaseExtension, NewJob, Settlement};

fn lost(at: domain::time::Timestamp) -> Disposition {
    Disposition::RetryAt { at, error: JobError::coded("worker_lost", "lost") }
}

/// Expired leases are found oldest first; a reaped job is claimable at once, one attempt and one crash later.
pub async fn i02_an_expired_lease_is_reaped(store: &dyn Store) {
    let new = job();
    enqueue(store, std::slice::from_ref(&new)).await;
    let claimed = claim_nodes(store, 1, T0).await;
    assert!(store.expired_leases(after_secs(29), 10).await.expect("read works").is_empty());
    let expired = store.expired_leases(after_secs(31), 10).await.expect("read works");
    assert_eq!(expired.len(), 1);
    assert_eq!((expired[0].leased.lease, expired[0].worker_id.as_str()), (lease(&claimed[0]), "w1"));
    assert_eq!((expired[0].leased.facts.attempt, expired[0].leased.facts.crashes), (1, 0));
    let now = after_secs(31);
    let batch = [Settlement { lease: lease(&claimed[0]), disposition: lost(now) }];
    assert!(matches!(store.reap(&batch, now).await.expect("reap works")[0], LeaseAnswer::Ok(_)));
    assert!(!matches!(store.reap(&batch, now).await.expect("reap works")[0], LeaseAnswer::Ok(_)), "once");
    let again = claim_nodes(store, 1, now).await;
    assert_eq!((again[0].attempt, again[0].facts.crashes), (2, 1));
    complete(store, &again[0], now).await;
    let record = store.job(&TenantScope::All, new.id).await.expect("read works").expect("there");
    assert_eq!(record.attempts[0].status, Some(AttemptStatus::WorkerLost));
}

/// A lease that was renewed after the reaper looked is left alone.
pub async fn a_renewed_lease_is_not_reaped(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let claimed = claim_nodes(store, 1, T0).await;
    assert_eq!(store.expired_leases(after_secs(31), 10).await.expect("read works").len(), 1);
    let renewal = LeaseExtension { lease: lease(&claimed[0]), extend: None, progress: None };
    store.extend_leases(&[renewal], after_secs(31)).await.expect("extend works");
    let batch = [Settlement { lease: lease(&claimed[0]), disposition: lost(after_secs(31)) }];
    assert_eq!(store.reap(&batch, after_secs(31)).await.expect("reap works"), [LeaseAnswer::LeaseLost]);
    complete(store, &claimed[0], after_secs(31)).await;
}

/// However often a lease was renewed, it is found as soon as it has ended, and not before.
pub async fn a_renewed_lease_is_found_when_it_ends(store: &dyn Store) {
    enqueue(store, &[job(), job()]).await;
    let claimed = claim_nodes(store, 2, T0).await;
    let renewal = |job: &ClaimedJob| LeaseExtension { lease: lease(job), extend: None, progress: None };
    let found = async |secs: i64| store.expired_leases(after_secs(secs), 10).await.expect("read works").len();
    for secs in [10, 20] {
        let renewed = store.extend_leases(&[renewal(&claimed[0])], after_secs(secs)).await;
        assert_eq!(renewed.expect("extend works"), [LeaseAnswer::Ok(after_secs(secs + 30))]);
    }
    assert_eq!(found(31).await, 1, "the other one");
    store.extend_leases(&[renewal(&claimed[0])], after_secs(45)).await.expect("extend works");
    assert_eq!(found(51).await, 1, "it was renewed again");
    assert_eq!(found(75).await, 1);
    assert_eq!(found(76).await, 2);
}

/// A lease that was renewed for less time than it had left is found when it ends.
pub async fn a_shortened_lease_is_found_when_it_ends(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let claimed = claim_nodes(store, 1, T0).await;
    let extend = Some(DurationMs::from_secs(5));
    let shorter = LeaseExtension { lease: lease(&claimed[0]), extend, progress: None };
    store.extend_leases(&[shorter], after_secs(1)).await.expect("extend works");
    assert!(store.expired_leases(after_secs(6), 10).await.expect("read works").is_empty());
    assert_eq!(store.expired_leases(after_secs(7), 10).await.expect("read works").len(), 1);
}

/// An attempt that ran out of time ends its lease then, and is no crash.
pub async fn a_timed_out_attempt_is_no_crash(store: &dyn Store) {
    enqueue(store, &[NewJob { timeout: Some(DurationMs::from_secs(5)), ..job() }]).await;
    let claimed = claim_nodes(store, 1, T0).await;
    let expired = store.expired_leases(after_secs(6), 10).await.expect("read works");
    assert_eq!(expired[0].leased.deadline_at, Some(after_secs(5)));
    let disposition =
        Disposition::RetryAt { at: after_secs(6), error: JobError::coded("timeout", "too long") };
    store
        .reap(&[Settlement { lease: lease(&claimed[0]), disposition }], after_secs(6))
        .await
        .expect("reap works");
    let again = claim_nodes(store, 1, after_secs(6)).await;
    assert_eq!((again[0].attempt, again[0].facts.crashes), (2, 0));
}

/// A job that died by its worker is a dead letter with that reason.
pub async fn a_reaped_job_can_die(store: &dyn Store) {
    let new = job();
    enqueue(store, std::slice::from_ref(&new)).await;
    let claimed = claim_nodes(store, 1, T0).await;
    let disposition =
        Disposition::Die { reason: DeadReason::WorkerLost, error: JobError::coded("worker_lost", "lost") };
    let answers = store.reap(&[Settlement { lease: lease(&claimed[0]), disposition }], after_secs(31)).await;
    assert!(
        matches!(&answers.expect("reap works")[0], LeaseAnswer::Ok(done) if done.status == JobStatus::DeadLetter)
    );
}

/// Pages of expired leases are bounded and oldest first.
pub async fn expired_leases_come_in_pages(store: &dyn Store) {
    enqueue(store, &jobs(6, "a", domain::queue::Tier::Normal)).await;
    let early = claim_nodes(store, 3, T0).await;
    claim_nodes(store, 3, after_secs(1)).await;
    let page = store.expired_leases(after_secs(60), 4).await.expect("read works");
    assert_eq!(page.len(), 4);
    let first: Vec<_> = page[..3].iter().map(|expired| expired.leased.lease.id).collect();
    assert!(early.iter().all(|job| first.contains(&job.id)));
}
