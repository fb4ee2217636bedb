//! What waits for a job that somebody else holds, and what it holds meanwhile.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::job::{Disposition, JobStatus};
use domain::names::CallerKey;
use domain::queue::{QueueName, Tier};
use domain::time::DurationMs;
use store::conformance::fixture::{T0, after_secs, claim_nodes, enqueue, id, job, status};
use store::jobs::{JobStore as _, LeaseAnswer, LeaseRef, NewJob, Settlement};
use store_sql::SqlStore;

use crate::fixture::{Holder, at_once, store};

fn again(lease: LeaseRef) -> Settlement {
    let error = JobError::coded("again", "once more");
    Settlement { lease, disposition: Disposition::RetryAt { at: T0, error } }
}

fn keyed() -> NewJob {
    NewJob { concurrency_key: Some(CallerKey::trusted("key")), ..job() }
}

/// What is done to a job that is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    CancelQueued,
    CancelLeased,
    Reprioritize,
    Retry,
    Release,
    RunNow,
}

impl Change {
    async fn carry_out(self, store: Arc<SqlStore>, lease: LeaseRef) {
        let all = TenantScope::All;
        match self {
            Self::CancelQueued | Self::CancelLeased => {
                store.cancel_job(&all, lease.id, T0).await.expect("cancel works");
            }
            Self::Reprioritize => {
                store.reprioritize_job(&all, lease.id, Tier::High, T0).await.expect("it moves");
            }
            Self::Retry => drop(store.settle(&[again(lease)], T0).await.expect("settle works")),
            Self::Release => drop(store.release(&[lease], T0).await.expect("release works")),
            Self::RunNow => drop(store.run_job_now(&all, lease.id, T0).await.expect("it runs")),
        }
    }

    fn is_of_leased(self) -> bool {
        matches!(self, Self::CancelLeased | Self::Retry | Self::Release)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_for_a_job_holds_no_claim_row() {
    let store = store().await;
    for change in [
        Change::CancelQueued,
        Change::CancelLeased,
        Change::Reprioritize,
        Change::Retry,
        Change::Release,
        Change::RunNow,
    ] {
        let run_at = if change == Change::RunNow { after_secs(60) } else { T0 };
        // The first holds the key, so that its end makes the second claimable.
        let jobs = [NewJob { run_at, ..keyed() }, NewJob { id: id(), ..keyed() }];
        enqueue(&*store.store, &jobs).await;
        let mut lease = LeaseRef { id: jobs[0].id, token: store::conformance::fixture::token() };
        if change.is_of_leased() {
            lease = claim_nodes(&*store.store, 1, T0).await.remove(0).lease();
        }
        let mut holder = Holder::of(&store, &[jobs[0].id]).await;
        let changing = tokio::spawn(change.carry_out(Arc::clone(&store.store), lease));
        assert!(!holder.waiters_hold_the_claim().await, "{change:?} waits with the row of its queue");
        // Meanwhile others are served.
        enqueue(&*store.store, &[job()]).await;
        let other = at_once("a claim", claim_nodes(&*store.store, 1, T0)).await;
        assert_eq!(other.len(), 1, "{change:?}");
        holder.let_go().await;
        changing.await.expect("it is carried out");
        for job in jobs {
            store.cancel_job(&TenantScope::All, job.id, T0).await.expect("cancel works");
        }
    }
}

#[tokio::test]
async fn a_claim_leaves_out_a_job_that_is_held() {
    let store = store().await;
    let jobs = [job(), job(), NewJob { tenant: domain::names::TenantName::trusted("b"), ..job() }];
    enqueue(&*store.store, &jobs).await;
    let holder = Holder::of(&store, &[jobs[0].id]).await;
    let claimed = at_once("a claim", claim_nodes(&*store.store, 3, T0)).await;
    let mut ids: Vec<_> = claimed.iter().map(|job| job.id).collect();
    ids.sort_unstable();
    assert_eq!(ids, [jobs[1].id, jobs[2].id]);
    holder.let_go().await;
    // Another node does not know that this one left it out.
    let rest = claim_nodes(&*store.another().await, 3, T0).await;
    assert_eq!(rest.iter().map(|job| job.id).collect::<Vec<_>>(), [jobs[0].id]);
}

#[tokio::test]
async fn upkeep_leaves_out_jobs_that_are_held() {
    let store = store().await;
    let late = NewJob { run_at: after_secs(1), ..job() };
    let jobs = [job(), job(), late.clone(), NewJob { id: id(), ..late.clone() }];
    enqueue(&*store.store, &jobs).await;
    let claimed = claim_nodes(&*store.store, 2, T0).await;
    let aged = NewJob { tier: Tier::Low, ..job() };
    enqueue(&*store.store, std::slice::from_ref(&aged)).await;
    let holder = Holder::of(&store, &[claimed[0].id, late.id, aged.id]).await;
    let now = after_secs(3_600);
    let batch: Vec<Settlement> = claimed.iter().map(|job| again(job.lease())).collect();
    let reaped = at_once("reaping", store.reap(&batch, now)).await.expect("reap works");
    assert_eq!(reaped[0], LeaseAnswer::LeaseLost, "somebody else has it");
    assert!(matches!(reaped[1], LeaseAnswer::Ok(_)), "{reaped:?}");
    let ages = [(QueueName::Node, DurationMs::from_secs(60))];
    at_once("promotion", store.promote_due(&ages, now, 100)).await.expect("promotion works");
    assert_eq!(status(&*store.store, jobs[3].id).await, JobStatus::Queued);
    assert_eq!(status(&*store.store, late.id).await, JobStatus::Scheduled);
    holder.let_go().await;
    let reaped = store.reap(&batch[..1], now).await.expect("reap works");
    assert!(matches!(reaped[0], LeaseAnswer::Ok(_)), "{reaped:?}");
}
