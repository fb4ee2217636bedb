//! Leases: no write without one, renewed as long as it holds.

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::job::{Disposition, JobStatus};
use domain::names::CallerKey;
use domain::time::DurationMs;

use super::fixture::{LEASE, T0, after_secs, claim_nodes, complete, enqueue, job, lease, status, token};
use crate::Store;
use crate::jobs::{ClaimedJob, GiveBack, LeaseAnswer, LeaseExtension, LeaseRef, NewJob, Settlement};

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

/// A job that is put off waits for its time without consuming an attempt, and others may have its concurrency key
/// meanwhile.
pub async fn a_job_that_is_put_off_waits_for_its_time(store: &dyn Store) {
    let key = Some(CallerKey::trusted("one at a time"));
    let batch = [0, 1].map(|_| NewJob { concurrency_key: key.clone(), ..job() });
    enqueue(store, &batch).await;
    let claimed = claim_nodes(store, 2, T0).await;
    assert_eq!(claimed.iter().map(|job| job.id).collect::<Vec<_>>(), [batch[0].id]);
    let back = GiveBack { due: Some(after_secs(60)), ..lease(&claimed[0]).into() };
    assert_eq!(store.give_back(&[back], after_secs(1)).await.expect("it is put off"), [LeaseAnswer::Ok(())]);
    assert_eq!(store.give_back(&[back], after_secs(1)).await.expect("answers"), [LeaseAnswer::LeaseLost]);
    let record = store.job(&TenantScope::All, batch[0].id).await.expect("read works").expect("there");
    assert_eq!((record.status, record.run_at), (JobStatus::Scheduled, after_secs(60)));
    assert!(record.attempts.is_empty() && record.worker_id.is_none() && record.lease_until.is_none());

    let other = claim_nodes(store, 2, after_secs(2)).await;
    assert_eq!(other.iter().map(|job| job.id).collect::<Vec<_>>(), [batch[1].id]);
    complete(store, &other[0], after_secs(3)).await;
    store.promote_due(&[], after_secs(59), 10).await.expect("promote works");
    assert!(claim_nodes(store, 2, after_secs(59)).await.is_empty(), "not before its time");
    store.promote_due(&[], after_secs(60), 10).await.expect("promote works");
    let again = claim_nodes(store, 2, after_secs(60)).await;
    assert_eq!(again.iter().map(|job| (job.id, job.attempt)).collect::<Vec<_>>(), [(batch[0].id, 1)]);
}

/// What one attempt left is there for the next: the last error, and the last progress however the attempt ended.
pub async fn an_attempt_leaves_error_and_progress(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let earlier = async |claimed: &ClaimedJob| {
        let earlier = store.earlier_attempts(&[claimed.id]).await.expect("read works").remove(0);
        (earlier.error.and_then(|error| error.code), earlier.progress)
    };
    let report = async |claimed: &ClaimedJob, text: &str, secs: i64| {
        let progress = Some(text.to_owned());
        let extension = LeaseExtension { progress, ..renewal(lease(claimed)) };
        store.extend_leases(&[extension], after_secs(secs)).await.expect("extend works");
    };
    let first = claim_nodes(store, 1, T0).await.remove(0);
    assert!(!first.may_have_history());
    assert_eq!(earlier(&first).await, (None, None));
    report(&first, "1", 1).await;
    store.release(&[lease(&first)], after_secs(2)).await.expect("release works");

    let second = claim_nodes(store, 1, after_secs(3)).await.remove(0);
    assert!(second.may_have_history());
    assert_eq!(earlier(&second).await, (None, Some("1".to_owned())));
    let disposition = Disposition::RetryAt { at: after_secs(4), error: JobError::coded("boom", "boom") };
    store.settle(&[Settlement { lease: lease(&second), disposition }], after_secs(4)).await.expect("settles");

    let third = claim_nodes(store, 1, after_secs(5)).await.remove(0);
    assert_eq!(earlier(&third).await, (Some("boom".to_owned()), Some("1".to_owned())));
    report(&third, "2", 6).await;
    let disposition =
        Disposition::RetryAt { at: after_secs(40), error: JobError::coded("worker_lost", "lost") };
    store.reap(&[Settlement { lease: lease(&third), disposition }], after_secs(40)).await.expect("reaps");
    let fourth = claim_nodes(store, 1, after_secs(41)).await.remove(0);
    assert_eq!(earlier(&fourth).await, (Some("worker_lost".to_owned()), Some("2".to_owned())));
}

/// Which jobs have ended is answered for many at once.
pub async fn ended_jobs_are_distinguished(store: &dyn Store) {
    let batch = [job(), job(), job()];
    enqueue(store, &batch).await;
    let claimed = claim_nodes(store, 2, T0).await;
    complete(store, &claimed[0], after_secs(1)).await;
    store.cancel_job(&TenantScope::All, batch[2].id, after_secs(1)).await.expect("cancel works");
    let ids = batch.each_ref().map(|job| job.id);
    let mut ended = store.ended_jobs(&ids).await.expect("read works");
    ended.sort_unstable();
    let mut expected = [ids[0], ids[2]];
    expected.sort_unstable();
    assert_eq!(ended, expected);
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
