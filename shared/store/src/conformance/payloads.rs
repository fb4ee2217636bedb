//! Large payloads: whole for whoever works on a job or looks at it, never in lists, and together never too much.

use domain::access::TenantScope;
use domain::failure::{DeadReason, JobError};
use domain::job::{Disposition, JobStatus};
use domain::names::CallerKey;
use domain::workflow::execution::ExecutionStatus;

use super::executions::{commit, node_job, owned};
use super::fixture::{T0, after_secs, claim_nodes, commit_one, complete, enqueue, job, lease};
use super::operations::keep_all;
use crate::Store;
use crate::dead_letters::{DeadLetterChange, DeadLetterFilter, DeadLetterRecord, RequeueEdit};
use crate::executions::ExecutionCommit;
use crate::jobs::{ClaimedJob, JobChange, JobFilter, JobRecord, LeaseAnswer, NewJob, Settlement};
use crate::operations::Retention;
use crate::page::PageRequest;

const ALL: TenantScope = TenantScope::All;
const PAGE: PageRequest = PageRequest { limit: 100, after: None };

/// JSON text of so many bytes, with characters of several bytes.
fn payload(bytes: usize, filler: &str) -> String {
    format!("\"ä€{}\"", filler.repeat(bytes - 7))
}

fn large_job() -> NewJob {
    NewJob { data: payload(100_000, "x"), ..job() }
}

async fn record(store: &dyn Store, new: &NewJob) -> JobRecord {
    store.job(&ALL, new.id).await.expect("read works").expect("the job is there")
}

async fn settle(store: &dyn Store, job: &ClaimedJob, disposition: Disposition) {
    let settlement = Settlement { lease: lease(job), disposition };
    let answers = store.settle(&[settlement], after_secs(1)).await.expect("settle works");
    assert!(matches!(answers[0], LeaseAnswer::Ok(_)), "{answers:?}");
}

async fn die(store: &dyn Store, job: &ClaimedJob) -> DeadLetterRecord {
    let error = JobError { message: "broken".into(), code: None, details: None };
    settle(store, job, Disposition::Die { reason: DeadReason::NonRetryable, error }).await;
    let list = store.list_dead_letters(&ALL, &DeadLetterFilter::default(), PAGE).await.expect("list works");
    let listed = list.items.into_iter().find(|letter| letter.job_id == job.id).expect("it is listed");
    let letter = store.dead_letter(&ALL, listed.id).await.expect("read works").expect("there");
    assert_eq!(letter.data.as_deref(), Some(job.data.as_str()), "a dead letter tells what died");
    DeadLetterRecord { data: listed.data, ..letter }
}

/// Enqueued in every way, beside small ones, claimed and tried again.
pub async fn a_large_payload_comes_whole(store: &dyn Store) {
    let keyed = |key: &str| Some(CallerKey::trusted(key));
    let batch = [
        large_job(),
        job(),
        NewJob { unique_key: keyed("u"), ..large_job() },
        NewJob { concurrency_key: keyed("c"), ..large_job() },
        NewJob { data: payload(4_096, "s"), ..job() },
        NewJob { data: payload(4_097, "l"), ..job() },
    ];
    enqueue(store, &batch[..2]).await;
    enqueue(store, &batch[2..]).await;
    for attempt in 1..=2 {
        let claimed = claim_nodes(store, 10, after_secs(2)).await;
        assert_eq!(claimed.len(), batch.len());
        for (job, new) in claimed.iter().zip(&batch) {
            assert_eq!((job.id, job.attempt), (new.id, attempt));
            assert!(job.data == new.data, "the payload of attempt {attempt} is what was enqueued");
            let error = JobError { message: "again".into(), code: None, details: None };
            let disposition = match attempt {
                1 => Disposition::RetryAt { at: T0, error },
                _ => Disposition::Complete(None),
            };
            settle(store, job, disposition).await;
        }
    }
    for new in &batch {
        let shown = record(store, new).await;
        assert_eq!(shown.status, JobStatus::Completed);
        assert!(shown.data.as_ref() == Some(&new.data), "a job is shown with its payload");
    }
}

/// A list is as quick as if payloads were small.
pub async fn lists_leave_large_payloads_out(store: &dyn Store) {
    let small = job();
    let batch = [large_job(), small.clone(), large_job()];
    enqueue(store, &batch).await;
    let claimed = claim_nodes(store, 1, T0).await;
    complete(store, &claimed[0], T0).await;
    let list = store.list_jobs(&ALL, &JobFilter::default(), PAGE).await.expect("list works");
    assert_eq!(list.items.len(), 3);
    for item in list.items {
        assert_eq!(item.data, (item.id == small.id).then(|| small.data.clone()));
    }
}

/// Whoever comes second with an id or a unique key changes nothing of the first.
pub async fn a_repeated_enqueue_keeps_the_payload(store: &dyn Store) {
    let first = NewJob { unique_key: Some(CallerKey::trusted("k")), ..large_job() };
    let same_key = NewJob { id: job().id, data: payload(50_000, "y"), ..first.clone() };
    let same_id = NewJob { data: payload(50_000, "z"), unique_key: None, ..first.clone() };
    for new in [&first, &same_key, &same_id] {
        let answers = enqueue(store, std::slice::from_ref(new)).await;
        assert_eq!(answers[0].id, first.id);
    }
    assert!(record(store, &first).await.data == Some(first.data));
    assert_eq!(store.job(&ALL, same_key.id).await.expect("read works"), None);
}

/// A dead letter keeps what died, however the job comes back.
pub async fn i10_a_requeue_keeps_or_edits_a_large_payload(store: &dyn Store) {
    let new = large_job();
    enqueue(store, std::slice::from_ref(&new)).await;
    let (small, larger) = (r#"{"n":2}"#.to_owned(), payload(200_000, "e"));
    let mut expected = new.data.clone();
    for edit in [None, Some(larger), None, Some(small), None, Some(new.data.clone()), None] {
        let claimed = claim_nodes(store, 10, after_secs(2)).await;
        assert_eq!(claimed.len(), 1);
        assert!(claimed[0].data == expected, "the job came back as it was asked for");
        let letter = die(store, &claimed[0]).await;
        assert_eq!(letter.data, (expected.len() < 100).then(|| expected.clone()), "lists leave it out");
        let next = edit.clone().unwrap_or_else(|| expected.clone());
        let died_with = std::mem::replace(&mut expected, next);
        let edit = RequeueEdit { data: edit, ..RequeueEdit::default() };
        let change = store.requeue_dead_letter(&ALL, letter.id, &edit, after_secs(2)).await;
        assert!(matches!(change.expect("requeue works"), DeadLetterChange::Changed { .. }));
        let kept = store.dead_letter(&ALL, letter.id).await.expect("read works").expect("there");
        assert!(kept.data == Some(died_with), "the letter tells what died");
        assert!(record(store, &new).await.data.as_ref() == Some(&expected));
    }
}

/// A cancelled job can still be looked at.
pub async fn a_cancelled_job_shows_its_large_payload(store: &dyn Store) {
    let new = large_job();
    enqueue(store, std::slice::from_ref(&new)).await;
    let change = store.cancel_job(&ALL, new.id, T0).await.expect("cancel works");
    assert!(matches!(change, JobChange::Changed { .. }), "{change:?}");
    assert!(record(store, &new).await.data == Some(new.data));
}

/// What one claim brings is bounded in bytes too, and what did not fit comes next, in order and as if untouched.
pub async fn i04_a_claim_is_bounded_in_bytes(store: &dyn Store) {
    let heavy = || NewJob { data: payload(6 << 20, "h"), ..job() };
    let batch = [heavy(), heavy(), job(), heavy(), job(), heavy(), heavy(), job()];
    enqueue(store, &batch).await;
    let mut served: Vec<ClaimedJob> = Vec::new();
    let mut claims = 0;
    while served.len() < batch.len() {
        let claimed = claim_nodes(store, 100, after_secs(1)).await;
        assert!(!claimed.is_empty(), "there is more after {} jobs", served.len());
        let bytes: usize = claimed.iter().map(|job| job.data.len()).sum();
        assert!(bytes <= 17 << 20, "one claim brought {bytes} bytes");
        served.extend(claimed);
        claims += 1;
    }
    assert!(claims >= 3, "30 MiB came in {claims} claims");
    for (job, new) in served.iter().zip(&batch) {
        assert_eq!((job.id, job.attempt), (new.id, 1));
        assert!(job.data == new.data);
    }
}

/// A node's large input travels with its job, and is shown with the execution.
pub async fn a_nodes_large_input_is_handed_out_and_shown(store: &dyn Store) {
    let (new, owner) = owned(store).await;
    let node_job = NewJob { data: payload(100_000, "x"), ..node_job(&new, "n") };
    let step = ExecutionCommit {
        enqueue: vec![node_job.clone()],
        ..commit(new.id, lease(&owner), ExecutionStatus::Running)
    };
    let answer = commit_one(store, &step, T0).await.expect("commit works");
    assert!(matches!(answer, LeaseAnswer::Ok(_)), "{answer:?}");
    let detail = store.execution_detail(&ALL, new.id).await.expect("read works").expect("there");
    assert!(detail.nodes[0].input.as_ref() == Some(&node_job.data), "the input is shown");
    let claimed = claim_nodes(store, 10, T0).await;
    assert!(claimed[0].data == node_job.data);
}

/// A job under the id of one that was removed is a job of its own.
pub async fn an_id_that_was_removed_can_be_used_again(store: &dyn Store) {
    let new = large_job();
    enqueue(store, std::slice::from_ref(&new)).await;
    let claimed = claim_nodes(store, 1, T0).await;
    complete(store, &claimed[0], T0).await;
    let retention = Retention { completed_before: after_secs(9), ..keep_all() };
    assert_eq!(store.prune(&retention, 10).await.expect("prune works"), 1);
    let again = NewJob { data: payload(5_000, "n"), ..new };
    enqueue(store, std::slice::from_ref(&again)).await;
    let claimed = claim_nodes(store, 1, T0).await;
    assert!(claimed[0].data == again.data);
}
