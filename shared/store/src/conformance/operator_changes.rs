//! What operators do to single jobs: cancel, run now, move to another tier, ask why.

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::job::{Disposition, JobStatus};
use domain::queue::{QueueName, Tier};

use super::fixture::{T0, after_secs, claim_nodes, enqueue, id, job, jobs, lease, status, tenant, token};
use crate::Store;
use crate::jobs::{JobChange, LeaseAnswer, LeaseExtension, LeaseRef, NewJob, Settlement};

const ALL: TenantScope = TenantScope::All;

fn changed(status: JobStatus) -> JobChange {
    JobChange::Changed { status, queue: QueueName::Node, execution_id: None }
}

/// Waiting jobs are cancelled, and never run.
pub async fn a_waiting_job_is_cancelled(store: &dyn Store) {
    let (queued, scheduled) = (job(), NewJob { run_at: after_secs(9), ..job() });
    enqueue(store, &[queued.clone(), scheduled.clone()]).await;
    for id in [queued.id, scheduled.id] {
        assert_eq!(
            store.cancel_job(&ALL, id, T0).await.expect("cancel works"),
            changed(JobStatus::Cancelled)
        );
        assert_eq!(status(store, id).await, JobStatus::Cancelled);
        let again = store.cancel_job(&ALL, id, T0).await.expect("cancel works");
        assert_eq!(again, JobChange::Refused(JobStatus::Cancelled));
    }
    store.promote_due(&[], after_secs(10), 10).await.expect("promote works");
    assert!(claim_nodes(store, 10, after_secs(10)).await.is_empty());
}

/// Cancelling a leased job takes its lease at once, the holder is answered so, and the job stays cancelled.
pub async fn cancelling_takes_the_lease(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let claimed = claim_nodes(store, 1, T0).await;
    let answer = store.cancel_job(&ALL, claimed[0].id, after_secs(1)).await.expect("cancel works");
    assert_eq!(answer, changed(JobStatus::Cancelled));
    let late = Settlement { lease: lease(&claimed[0]), disposition: Disposition::Complete(None) };
    assert_eq!(store.settle(&[late], after_secs(2)).await.expect("answers"), [LeaseAnswer::Cancelled]);
    let error = JobError::coded("boom", "boom");
    let failed = Settlement {
        lease: lease(&claimed[0]),
        disposition: Disposition::RetryAt { at: after_secs(2), error },
    };
    assert_eq!(store.settle(&[failed], after_secs(2)).await.expect("answers"), [LeaseAnswer::Cancelled]);
    let renewal = LeaseExtension { lease: lease(&claimed[0]), extend: None, progress: Some("1".to_owned()) };
    let foreign = LeaseExtension { lease: LeaseRef { token: token(), ..renewal.lease }, ..renewal.clone() };
    assert_eq!(
        store.extend_leases(&[foreign, renewal], after_secs(2)).await.expect("answers"),
        [LeaseAnswer::LeaseLost, LeaseAnswer::Cancelled]
    );
    assert_eq!(
        store.release(&[lease(&claimed[0])], after_secs(2)).await.expect("answers"),
        [LeaseAnswer::Cancelled]
    );
    assert_eq!(status(store, claimed[0].id).await, JobStatus::Cancelled);
}

/// Another tenant's job does not exist.
pub async fn i13_changes_stay_within_the_tenant(store: &dyn Store) {
    let new = job();
    enqueue(store, std::slice::from_ref(&new)).await;
    let other = TenantScope::One(tenant("b"));
    assert_eq!(store.cancel_job(&other, new.id, T0).await.expect("answers"), JobChange::NotFound);
    assert_eq!(store.run_job_now(&other, new.id, T0).await.expect("answers"), JobChange::NotFound);
    let moved = store.reprioritize_job(&other, new.id, Tier::High, T0).await.expect("answers");
    assert_eq!(moved, JobChange::NotFound);
    assert_eq!(store.cancel_job(&ALL, id(), T0).await.expect("answers"), JobChange::NotFound);
    assert_eq!(status(store, new.id).await, JobStatus::Queued);
}

/// A scheduled job can be run now; a leased one cannot.
pub async fn a_scheduled_job_can_run_now(store: &dyn Store) {
    let new = NewJob { run_at: after_secs(999), ..job() };
    enqueue(store, std::slice::from_ref(&new)).await;
    assert_eq!(store.run_job_now(&ALL, new.id, T0).await.expect("answers"), changed(JobStatus::Queued));
    assert_eq!(claim_nodes(store, 1, T0).await.len(), 1);
    let refused = store.run_job_now(&ALL, new.id, T0).await.expect("answers");
    assert_eq!(refused, JobChange::Refused(JobStatus::Processing));
}

/// A queued job moves to another tier and keeps its place among equals.
pub async fn i05_a_queued_job_changes_its_tier(store: &dyn Store) {
    let batch = jobs(3, "a", Tier::Low);
    enqueue(store, &batch).await;
    let answer = store.reprioritize_job(&ALL, batch[2].id, Tier::High, T0).await.expect("answers");
    assert_eq!(answer, changed(JobStatus::Queued));
    let order: Vec<_> = claim_nodes(store, 3, T0).await.iter().map(|job| job.id).collect();
    assert_eq!(order, [batch[2].id, batch[0].id, batch[1].id]);
    let refused = store.reprioritize_job(&ALL, batch[2].id, Tier::Low, T0).await.expect("answers");
    assert_eq!(refused, JobChange::Refused(JobStatus::Processing));
}

/// The store tells rank and holders of slots.
pub async fn why_facts_tell_rank_and_holders(store: &dyn Store) {
    let batch = jobs(4, "a", Tier::Normal);
    enqueue(store, &batch).await;
    let claimed = claim_nodes(store, 1, T0).await;
    let facts = store.wait_facts(batch[3].id).await.expect("read works").expect("the job waits");
    assert_eq!(facts.rank, 2);
    assert_eq!(facts.running_global, (1, vec![claimed[0].id]));
    assert_eq!(facts.running_tenant, (1, vec![claimed[0].id]));
    assert_eq!(facts.running_workflow.0, 0);
    assert_eq!(store.wait_facts(id()).await.expect("read works"), None);
}
