//! Settling: what becomes of a job, and its history.

use domain::access::TenantScope;
use domain::failure::{DeadReason, JobError};
use domain::job::{AttemptStatus, Disposition, JobStatus};
use domain::search::SearchList;

use super::fixture::{T0, after_secs, claim_nodes, complete, enqueue, job, lease, number_found, status};
use crate::Store;
use crate::jobs::{JobRecord, LeaseAnswer, Settlement};

async fn record(store: &dyn Store, id: domain::id::JobId) -> JobRecord {
    store.job(&TenantScope::All, id).await.expect("read works").expect("the job is there")
}

/// A completed job keeps its result and its one attempt.
pub async fn i01_a_completed_job_keeps_result_and_attempt(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let claimed = claim_nodes(store, 1, after_secs(1)).await;
    complete(store, &claimed[0], after_secs(3)).await;
    let record = record(store, claimed[0].id).await;
    assert_eq!((record.status, record.result.as_deref()), (JobStatus::Completed, Some(r#"{"ok":true}"#)));
    assert_eq!(
        (record.created_at, record.processed_at, record.completed_at),
        (T0, Some(after_secs(1)), Some(after_secs(3)))
    );
    assert_eq!(record.attempts.len(), 1);
    let attempt = &record.attempts[0];
    assert_eq!((attempt.attempt_number, attempt.status), (1, Some(AttemptStatus::Completed)));
    assert_eq!((attempt.started_at, attempt.finished_at), (after_secs(1), Some(after_secs(3))));
    assert_eq!(attempt.worker_id.as_str(), "w1");
}

/// Settling again with the same lease, after the answer was lost, is distinguished from a lost lease.
pub async fn settling_twice_is_already_done(store: &dyn Store) {
    enqueue(store, &[job(), job()]).await;
    let claimed = claim_nodes(store, 2, T0).await;
    let done = Settlement { lease: lease(&claimed[0]), disposition: Disposition::Complete(Some("1".into())) };
    let error = JobError::coded("bad", "no use");
    let died = Settlement {
        lease: lease(&claimed[1]),
        disposition: Disposition::Die { reason: DeadReason::NonRetryable, error },
    };
    let batch = [done, died];
    let first = store.settle(&batch, T0).await.expect("settle works");
    assert!(first.iter().all(|answer| matches!(answer, LeaseAnswer::Ok(_))), "{first:?}");
    let again = store.settle(&batch, after_secs(1)).await.expect("settle works");
    assert_eq!(again, [LeaseAnswer::AlreadyDone, LeaseAnswer::AlreadyDone]);
    assert_eq!(record(store, claimed[0].id).await.completed_at, Some(T0), "the first report stands");
    assert_eq!(number_found(store, &TenantScope::All, SearchList::DeadLetters, "status:open").await, 1);
}

/// A retry waits for its time, keeps its error, and every attempt stays in the history.
pub async fn retries_keep_their_history(store: &dyn Store) {
    let new = job();
    enqueue(store, std::slice::from_ref(&new)).await;
    let claimed = claim_nodes(store, 1, T0).await;
    let error = JobError {
        message: "boom".into(),
        code: Some("e1".into()),
        details: Some(serde_json::json!({"a": [1]})),
    };
    let disposition = Disposition::RetryAt { at: after_secs(5), error: error.clone() };
    let answers = store.settle(&[Settlement { lease: lease(&claimed[0]), disposition }], after_secs(1)).await;
    assert!(
        matches!(&answers.expect("settle works")[0], LeaseAnswer::Ok(settled) if settled.status == JobStatus::RetryWait)
    );
    let waiting = record(store, new.id).await;
    assert_eq!(
        (waiting.status, waiting.run_at, waiting.retry_count),
        (JobStatus::RetryWait, after_secs(5), 0)
    );
    assert_eq!(waiting.error, Some(error.clone()));
    assert_eq!(waiting.attempts.len(), 1);
    assert_eq!(waiting.attempts[0].error, Some(error));
    store.promote_due(&[], after_secs(5), 10).await.expect("promote works");
    let second = claim_nodes(store, 1, after_secs(5)).await;
    assert_eq!((second[0].attempt, second[0].facts.attempt), (2, 2));
    complete(store, &second[0], after_secs(6)).await;
    let ended = record(store, new.id).await;
    assert_eq!((ended.status, ended.retry_count), (JobStatus::Completed, 1));
    let numbers: Vec<_> =
        ended.attempts.iter().map(|attempt| (attempt.attempt_number, attempt.status)).collect();
    assert_eq!(numbers, [(1, Some(AttemptStatus::Failed)), (2, Some(AttemptStatus::Completed))]);
}

/// A retry that is due at once can be claimed at once.
pub async fn an_immediate_retry_is_queued(store: &dyn Store) {
    let new = job();
    enqueue(store, std::slice::from_ref(&new)).await;
    let claimed = claim_nodes(store, 1, T0).await;
    let disposition = Disposition::RetryAt { at: T0, error: JobError::coded("x", "x") };
    store.settle(&[Settlement { lease: lease(&claimed[0]), disposition }], T0).await.expect("settle works");
    assert_eq!(status(store, new.id).await, JobStatus::Queued);
    assert_eq!(claim_nodes(store, 1, T0).await.len(), 1);
}

/// A retried job goes back to its own place in line, before jobs that came after it.
pub async fn i04_a_retry_keeps_its_place(store: &dyn Store) {
    let batch = [job(), job(), job()];
    enqueue(store, &batch).await;
    let claimed = claim_nodes(store, 1, T0).await;
    let disposition = Disposition::RetryAt { at: T0, error: JobError::coded("x", "x") };
    store.settle(&[Settlement { lease: lease(&claimed[0]), disposition }], T0).await.expect("settle works");
    let order: Vec<_> = claim_nodes(store, 3, T0).await.iter().map(|job| job.id).collect();
    assert_eq!(order, [batch[0].id, batch[1].id, batch[2].id]);
}

/// A failing job in a batch with others changes only itself.
pub async fn a_batch_settles_each_by_itself(store: &dyn Store) {
    enqueue(store, &[job(), job(), job()]).await;
    let claimed = claim_nodes(store, 3, T0).await;
    let batch = [
        Settlement { lease: lease(&claimed[0]), disposition: Disposition::Complete(None) },
        Settlement {
            lease: lease(&claimed[1]),
            disposition: Disposition::RetryAt { at: after_secs(9), error: JobError::coded("x", "x") },
        },
        Settlement {
            lease: lease(&claimed[2]),
            disposition: Disposition::Die {
                reason: DeadReason::RetriesExhausted,
                error: JobError::coded("y", "y"),
            },
        },
    ];
    store.settle(&batch, T0).await.expect("settle works");
    let mut seen = Vec::new();
    for job in &claimed {
        seen.push(status(store, job.id).await);
    }
    assert_eq!(seen, [JobStatus::Completed, JobStatus::RetryWait, JobStatus::DeadLetter]);
    assert_eq!(record(store, claimed[0].id).await.result, None);
}

/// However far apart the jobs of a batch lie, and in whatever order they are reported, each keeps its own result, and those
/// between them stay leased.
pub async fn jobs_that_end_together_keep_their_own_results(store: &dyn Store) {
    let new: Vec<_> = (0..24).map(|_| job()).collect();
    enqueue(store, &new).await;
    let claimed = claim_nodes(store, 24, T0).await;
    let result_of = |place: usize| (!place.is_multiple_of(3)).then(|| format!(r#"{{"n":"zwölf {place}"}}"#));
    let settled = |places: &[usize]| -> Vec<Settlement> {
        let one = |&place: &usize| Settlement {
            lease: lease(&claimed[place]),
            disposition: Disposition::Complete(result_of(place)),
        };
        places.iter().map(one).collect()
    };
    let (far, near): (&[usize], &[usize]) = (&[23, 0], &[9, 5, 1, 7, 3]);
    let rest: Vec<usize> =
        (0..24).filter(|place| !far.contains(place) && !near.contains(place)).rev().collect();
    for (round, places) in [far, near, &rest].into_iter().enumerate() {
        let answers = store.settle(&settled(places), after_secs(1)).await.expect("settle works");
        assert!(answers.iter().all(|answer| matches!(answer, LeaseAnswer::Ok(_))), "{answers:?}");
        let ended = [far, near, &rest][..=round].concat();
        for (place, job) in claimed.iter().enumerate() {
            let is_ended = ended.contains(&place);
            let expected = if is_ended { JobStatus::Completed } else { JobStatus::Processing };
            let record = record(store, job.id).await;
            assert_eq!(record.status, expected, "job {place} after round {round}");
            assert_eq!(record.result, result_of(place).filter(|_| is_ended), "job {place}");
            assert_eq!(record.data.as_ref(), Some(&new[place].data));
        }
    }
    let again = store.settle(&settled(near), after_secs(2)).await.expect("settle works");
    assert!(again.iter().all(|answer| *answer == LeaseAnswer::AlreadyDone), "{again:?}");
}
