//! Dead letters, one by one.

use domain::failure::DeadLetterStatus;
use domain::id::DeadLetterId;
use domain::names::JobType;
use domain::problem::ProblemCode;
use domain::queue::Tier;
use engine::{EngineError, JobRequest};
use store::PageRequest;
use store::dead_letters::{DeadLetterFilter, RequeueEdit};
use testkit::EngineHarness;

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
    assert!(
        matches!(refused, Err(EngineError::Conflict { code: ProblemCode::DeadLetterRefused, .. })),
        "{refused:?}"
    );
    let empty = harness.engine.archive_dead_letter(&admin, id, "").await;
    assert!(matches!(empty, Err(EngineError::Invalid(_))), "{empty:?}");
}

on_both_databases!(i10_a_requeue_keeps_the_history_and_makes_one_job, an_archived_one_stays_archived,);
