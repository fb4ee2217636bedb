//! What operators do to queues and waiting jobs.

use domain::job::JobStatus;
use domain::names::JobType;
use domain::problem::ProblemCode;
use domain::queue::{QueueName, Tier};
use domain::time::DurationMs;
use engine::{EngineError, JobRequest};
use serde_json::json;
use store::jobs::LeaseAnswer;
use store::queues::QueueMode;
use testkit::EngineHarness;

fn job(job_type: &str) -> JobRequest {
    JobRequest::new(JobType::trusted(job_type), "{}")
}

async fn a_draining_queue_takes_no_jobs_of_callers(harness: EngineHarness) {
    let admin = harness.admin();
    harness.enqueue(job("encode")).await.unwrap();
    harness.engine.set_queue_mode(&admin, QueueName::Node, QueueMode::Draining).await.unwrap();
    let refused = harness.enqueue(job("encode")).await;
    assert!(
        matches!(refused, Err(EngineError::Conflict { code: ProblemCode::QueueDraining, .. })),
        "{refused:?}"
    );
    assert_eq!(harness.poll(&["encode"], 10).await.unwrap().len(), 1, "what is there is handed out");
    harness.engine.set_queue_mode(&admin, QueueName::Node, QueueMode::Running).await.unwrap();
    harness.enqueue(job("encode")).await.unwrap();
    let audit = harness.audit(&admin).await;
    let actions = audit.iter().map(|line| line.action.as_str()).filter(|action| action.starts_with("queue."));
    assert_eq!(actions.collect::<Vec<_>>(), ["queue.resume", "queue.drain"]);
}

async fn operators_change_waiting_jobs(harness: EngineHarness) {
    let admin = harness.admin();
    let later = JobRequest { delay: Some(DurationMs::from_secs(60)), ..job("encode") };
    let id = harness.enqueue(later).await.unwrap().id;
    assert_eq!(harness.engine.why(&admin, id).await.unwrap().reason.as_str(), "not_due");
    assert_eq!(harness.engine.run_job_now(&admin, id).await.unwrap(), JobStatus::Queued);
    assert_eq!(harness.engine.why(&admin, id).await.unwrap().reason.as_str(), "no_worker");
    harness.engine.reprioritize_job(&admin, id, Tier::High).await.unwrap();
    assert_eq!(harness.engine.job(&admin, id).await.unwrap().tier, Tier::High);
    harness.engine.set_queue_mode(&admin, QueueName::Node, QueueMode::Paused).await.unwrap();
    let paused = harness.engine.why(&admin, id).await.unwrap();
    assert_eq!(
        (paused.reason.as_str(), paused.detail.as_str()),
        ("queue_paused", "The queue workflow-node is paused.")
    );
    assert!(harness.poll(&["encode"], 1).await.unwrap().is_empty());
    harness.engine.set_queue_mode(&admin, QueueName::Node, QueueMode::Running).await.unwrap();
    assert_eq!(
        harness.engine.why(&admin, id).await.unwrap().reason.as_str(),
        "behind",
        "the poll showed a worker"
    );
    assert_eq!(harness.engine.cancel_job(&admin, id).await.unwrap(), JobStatus::Cancelled);
    let again = harness.engine.cancel_job(&admin, id).await;
    assert!(
        matches!(again, Err(EngineError::Conflict { code: ProblemCode::JobNotCancellable, .. })),
        "{again:?}"
    );
    assert_eq!(harness.engine.why(&admin, id).await.unwrap().reason.as_str(), "finished");
}

async fn a_cancelled_job_takes_the_lease_with_it(harness: EngineHarness) {
    let id = harness.enqueue(job("encode")).await.unwrap().id;
    let claimed = harness.poll(&["encode"], 1).await.unwrap().remove(0);
    harness.engine.cancel_job(&harness.admin(), id).await.unwrap();
    assert_eq!(harness.complete(&claimed, &json!(1)).await.unwrap(), LeaseAnswer::Cancelled);
    assert_eq!(harness.engine.job(&harness.admin(), id).await.unwrap().status, JobStatus::Cancelled);
}

on_both_databases!(
    a_draining_queue_takes_no_jobs_of_callers,
    operators_change_waiting_jobs,
    a_cancelled_job_takes_the_lease_with_it,
);
