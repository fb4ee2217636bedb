//! Dead letters, one by one and in bulk.

use domain::id::DeadLetterId;
use domain::job::JobStatus;
use domain::names::JobType;
use domain::queue::Tier;
use domain::time::DurationMs;
use engine::{BulkAnswer, BulkKind, BulkRequest, EngineError, JobRequest};
use store::PageRequest;
use store::dead_letters::{DeadLetterFilter, DeadLetterStatus, RequeueEdit};
use store::operations::BatchRecord;
use testkit::{EngineHarness, eventually};

const PAGE: PageRequest = PageRequest { limit: 500, after: None };

/// Makes `count` dead letters of a job type; answers them newest first.
async fn kill(harness: &EngineHarness, job_type: &str, count: usize) -> Vec<DeadLetterId> {
    let request = JobRequest::new(JobType::trusted(job_type), "{\"n\":1}");
    harness.engine.enqueue(&harness.admin(), vec![request; count]).await.unwrap();
    for job in harness.poll(&[job_type], count as u32).await.unwrap() {
        harness.fail(&job, false).await.unwrap();
    }
    let filter =
        DeadLetterFilter { job_type: Some(JobType::trusted(job_type)), ..DeadLetterFilter::default() };
    let letters = harness.engine.list_dead_letters(&harness.admin(), &filter, PAGE).await.unwrap().items;
    assert_eq!(letters.len(), count);
    letters.into_iter().map(|letter| letter.id).collect()
}

fn bulk(kind: BulkKind, job_type: &str) -> BulkRequest {
    let filter =
        DeadLetterFilter { job_type: Some(JobType::trusted(job_type)), ..DeadLetterFilter::default() };
    BulkRequest {
        kind,
        filter,
        all: false,
        dry_run: false,
        limit: None,
        rate_per_second: None,
        stop_on_failure_rate: None,
    }
}

async fn run(harness: &EngineHarness, request: BulkRequest) -> BatchRecord {
    let answer = harness.engine.bulk_dead_letters(&harness.admin(), request).await.unwrap();
    let BulkAnswer::Batch(batch) = answer else { panic!("{answer:?}") };
    eventually("the batch ends", || async {
        harness.engine.batch(&harness.admin(), batch.id).await.unwrap().status != "running"
    })
    .await;
    harness.engine.batch(&harness.admin(), batch.id).await.unwrap()
}

async fn i10_a_requeue_keeps_the_history_and_makes_one_job(harness: EngineHarness) {
    let id = kill(&harness, "encode", 1).await[0];
    let admin = harness.admin();
    let edit = RequeueEdit { data: Some("{\"n\":2}".into()), tier: Some(Tier::High), retries_max: Some(0) };
    let job = harness.engine.requeue_dead_letter(&admin, id, edit.clone()).await.unwrap();
    assert_eq!(harness.engine.requeue_dead_letter(&admin, id, edit).await.unwrap(), job);
    let claimed = harness.poll(&["encode"], 10).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!((claimed[0].id, claimed[0].data.as_str(), claimed[0].tier), (job, "{\"n\":2}", Tier::High));
    let letter = harness.engine.dead_letter(&admin, id).await.unwrap();
    assert_eq!((letter.status, letter.data.as_deref()), (DeadLetterStatus::Requeued, Some("{\"n\":1}")));
    assert_eq!(harness.engine.job(&admin, job).await.unwrap().attempts.len(), 2);
    harness.complete(&claimed[0], &serde_json::json!(1)).await.unwrap();
}

async fn an_archived_one_stays_archived(harness: EngineHarness) {
    let id = kill(&harness, "encode", 1).await[0];
    let admin = harness.admin();
    harness.engine.archive_dead_letter(&admin, id, "known bug").await.unwrap();
    harness.engine.archive_dead_letter(&admin, id, "known bug").await.unwrap();
    let refused = harness.engine.requeue_dead_letter(&admin, id, RequeueEdit::default()).await;
    assert!(matches!(refused, Err(EngineError::Conflict { code: "dead_letter_refused", .. })), "{refused:?}");
    let empty = harness.engine.archive_dead_letter(&admin, id, "").await;
    assert!(matches!(empty, Err(EngineError::Invalid(_))), "{empty:?}");
}

async fn a_bulk_requeue_takes_what_matches(harness: EngineHarness) {
    kill(&harness, "encode", 120).await;
    kill(&harness, "publish", 3).await;
    let requeue = || BulkKind::Requeue(RequeueEdit::default());
    let forgotten = BulkRequest { filter: DeadLetterFilter::default(), ..bulk(requeue(), "x") };
    let refused = harness.engine.bulk_dead_letters(&harness.admin(), forgotten.clone()).await;
    assert!(matches!(refused, Err(EngineError::Invalid(_))), "an empty filter means a mistake");
    let counted = BulkRequest { all: true, dry_run: true, ..forgotten };
    let answer = harness.engine.bulk_dead_letters(&harness.admin(), counted).await.unwrap();
    assert_eq!(answer, BulkAnswer::Count(123));
    let limited = run(&harness, BulkRequest { limit: Some(20), ..bulk(requeue(), "encode") }).await;
    assert_eq!((limited.status.as_str(), limited.done, limited.failed), ("completed", 20, 0));
    let rest = run(&harness, bulk(requeue(), "encode")).await;
    assert_eq!((rest.status.as_str(), rest.total, rest.done, rest.failed), ("completed", 100, 100, 0));
    assert_eq!(harness.poll(&["encode"], 500).await.unwrap().len(), 120);
    assert!(harness.poll(&["publish"], 500).await.unwrap().is_empty());
}

async fn a_paced_batch_can_be_aborted(harness: EngineHarness) {
    kill(&harness, "encode", 50).await;
    let admin = harness.admin();
    let slow = BulkRequest {
        rate_per_second: Some(1),
        ..bulk(BulkKind::Archive { reason: "old".into() }, "encode")
    };
    let BulkAnswer::Batch(batch) = harness.engine.bulk_dead_letters(&admin, slow).await.unwrap() else {
        panic!("a batch")
    };
    assert_eq!(harness.engine.abort_batch(&admin, batch.id).await.unwrap().status, "aborted");
    let twice = harness.engine.abort_batch(&admin, batch.id).await;
    assert!(matches!(twice, Err(EngineError::Conflict { code: "batch_not_running", .. })), "{twice:?}");
    let open = harness.engine.list_dead_letters(&admin, &DeadLetterFilter::default(), PAGE).await.unwrap();
    assert!(open.items.len() > 40, "{} are left", open.items.len());
}

async fn a_batch_whose_process_is_gone_is_taken_up(harness: EngineHarness) {
    kill(&harness, "encode", 5).await;
    let admin = harness.admin();
    // What a process leaves that dies right after its answer.
    let slow =
        BulkRequest { rate_per_second: Some(1), ..bulk(BulkKind::Requeue(RequeueEdit::default()), "encode") };
    let gone = harness.node(2);
    let answer = gone.engine.bulk_dead_letters(&admin, slow).await.unwrap();
    gone.engine.begin_shutdown();
    let BulkAnswer::Batch(batch) = answer else { panic!("a batch") };
    assert_eq!(harness.engine.batches_tick().await.unwrap(), 0, "it has moved lately");
    // The one that goes may still record what it did last, and counts as alive until it has been silent.
    eventually("the batch is taken up", || async {
        harness.clock.advance(DurationMs::from_secs(31));
        harness.engine.batches_tick().await.unwrap() == 1
    })
    .await;
    eventually("the batch ends", || async {
        harness.engine.batch(&admin, batch.id).await.unwrap().status == "completed"
    })
    .await;
    let open = harness.engine.list_dead_letters(&admin, &DeadLetterFilter::default(), PAGE).await.unwrap();
    assert!(open.items.is_empty());
    let jobs = harness.engine.list_jobs(&admin, &store::jobs::JobFilter::default(), PAGE).await.unwrap();
    assert!(jobs.items.iter().all(|job| job.status == JobStatus::Queued));
}

on_both_databases!(
    i10_a_requeue_keeps_the_history_and_makes_one_job,
    an_archived_one_stays_archived,
    a_bulk_requeue_takes_what_matches,
    a_paced_batch_can_be_aborted,
    a_batch_whose_process_is_gone_is_taken_up,
);
