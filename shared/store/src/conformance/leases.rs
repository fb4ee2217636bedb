//! Leases: no write without one, renewed as long as it holds.

use domain::failure::JobError;
use domain::job::{Disposition, JobStatus};
use domain::time::DurationMs;

use super::fixture::{LEASE, T0, after_secs, claim_nodes, complete, enqueue, job, lease, status, token};
use crate::Store;
use crate::jobs::{LeaseAnswer, LeaseExtension, LeaseRef, NewJob, Settlement};

fn renewal(lease: LeaseRef) -> LeaseExtension {
    LeaseExtension { lease, extend: None, progress: None }
}

/// A heartbeat moves the end of the lease, by its own length or by what it asks for.
pub async fn a_heartbeat_renews(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let claimed = claim_nodes(store, 1, T0).await;
    let mut extension = renewal(lease(&claimed[0]));
    let answers = store.extend_leases(&[extension.clone()], after_secs(10)).await.expect("extend works");
    assert_eq!(answers, [LeaseAnswer::Ok(after_secs(10).plus(LEASE))]);
    extension.extend = Some(DurationMs::from_secs(90));
    extension.progress = Some(r#"{"percent":40}"#.to_owned());
    let answers = store.extend_leases(&[extension], after_secs(20)).await.expect("extend works");
    assert_eq!(answers, [LeaseAnswer::Ok(after_secs(110))]);
    let record = store
        .job(&domain::access::TenantScope::All, claimed[0].id)
        .await
        .expect("read works")
        .expect("there");
    assert_eq!(record.progress.as_deref(), Some(r#"{"percent":40}"#));
    assert_eq!(record.lease_until, Some(after_secs(110)));
}

/// No heartbeat carries an attempt past its own time.
pub async fn a_heartbeat_stops_at_the_attempts_deadline(store: &dyn Store) {
    enqueue(store, &[NewJob { timeout: Some(DurationMs::from_secs(40)), ..job() }]).await;
    let claimed = claim_nodes(store, 1, T0).await;
    let answers =
        store.extend_leases(&[renewal(lease(&claimed[0]))], after_secs(25)).await.expect("extend works");
    assert_eq!(answers, [LeaseAnswer::Ok(after_secs(40))]);
}

/// Every write with a token that is not the lease's touches nothing.
pub async fn i02_a_stale_token_writes_nothing(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let first = claim_nodes(store, 1, T0).await;
    let stale = lease(&first[0]);
    let expired = store.expired_leases(after_secs(31), 10).await.expect("read works");
    assert_eq!(expired.len(), 1);
    let disposition =
        Disposition::RetryAt { at: after_secs(31), error: JobError::coded("worker_lost", "lost") };
    store.reap(&[Settlement { lease: stale, disposition }], after_secs(31)).await.expect("reap works");
    let second = claim_nodes(store, 1, after_secs(31)).await;
    assert_eq!((second[0].id, second[0].attempt), (first[0].id, 2));

    let late = after_secs(32);
    let foreign = LeaseRef { id: first[0].id, token: token() };
    for dead in [stale, foreign] {
        assert_eq!(
            store.extend_leases(&[renewal(dead)], late).await.expect("answers"),
            [LeaseAnswer::LeaseLost]
        );
        assert_eq!(store.release(&[dead], late).await.expect("answers"), [LeaseAnswer::LeaseLost]);
        assert_eq!(store.leased_jobs(&[dead]).await.expect("answers"), [None]);
        for disposition in [
            Disposition::Complete(Some("1".into())),
            Disposition::RetryAt { at: late, error: JobError::coded("x", "x") },
            Disposition::Die {
                reason: domain::failure::DeadReason::NonRetryable,
                error: JobError::coded("x", "x"),
            },
        ] {
            let answers =
                store.settle(&[Settlement { lease: dead, disposition }], late).await.expect("answers");
            assert_eq!(answers, [LeaseAnswer::LeaseLost]);
        }
    }
    assert_eq!(status(store, first[0].id).await, JobStatus::Processing);
    let held = store.leased_jobs(&[lease(&second[0])]).await.expect("answers");
    assert_eq!(
        held[0].as_ref().map(|job| job.lease_until),
        Some(after_secs(31).plus(LEASE)),
        "the new lease is untouched"
    );
    complete(store, &second[0], late).await;
}

/// A lease that is given back consumes no attempt and puts the job where it was.
pub async fn a_released_job_keeps_its_attempt_and_place(store: &dyn Store) {
    let batch = [job(), job()];
    enqueue(store, &batch).await;
    let claimed = claim_nodes(store, 1, T0).await;
    assert_eq!(
        store.release(&[lease(&claimed[0])], after_secs(1)).await.expect("release works"),
        [LeaseAnswer::Ok(())]
    );
    assert_eq!(status(store, batch[0].id).await, JobStatus::Queued);
    let again = claim_nodes(store, 2, after_secs(2)).await;
    assert_eq!(
        again.iter().map(|job| (job.id, job.attempt)).collect::<Vec<_>>(),
        [(batch[0].id, 1), (batch[1].id, 1)]
    );
    assert_ne!(again[0].token, claimed[0].token);
}

/// Answers come in the order of the questions, whatever their outcome.
pub async fn answers_keep_the_order_of_the_batch(store: &dyn Store) {
    enqueue(store, &[job(), job()]).await;
    let claimed = claim_nodes(store, 2, T0).await;
    let held = [lease(&claimed[1]), LeaseRef { id: claimed[0].id, token: token() }, lease(&claimed[0])];
    let batch: Vec<_> = held
        .iter()
        .map(|lease| Settlement { lease: *lease, disposition: Disposition::Complete(None) })
        .collect();
    let answers = store.settle(&batch, T0).await.expect("settle works");
    let kinds: Vec<bool> = answers.iter().map(|answer| matches!(answer, LeaseAnswer::Ok(_))).collect();
    assert_eq!(kinds, [true, false, true]);
}
