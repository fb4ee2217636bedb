//! Retention of tenants, queues and payloads.

use domain::access::TenantScope;
use domain::failure::{DeadReason, JobError};
use domain::job::{Disposition, JobStatus};
use domain::queue::{QueueName, Tier};
use domain::retention::{KeptFor, RetentionSubject};
use domain::time::{DurationMs, Timestamp};
use domain::workflow::execution::ExecutionStatus;

use super::executions::{commit, owned};
use super::fixture::{T0, after_secs, claim_nodes, commit_one, complete, enqueue, job, jobs, lease, tenant};
use super::operations::keep_all;
use super::webhook_fixture::{accept, acceptance, read};
use crate::Store;
use crate::executions::{Appended, ExecutionCommit, InboxEntry, OwnerNext};
use crate::jobs::{JobRecord, NewJob, Settlement};
use crate::operations::Retention;
use crate::retention::{RetentionChange, RetentionOverride};

const ALL: TenantScope = TenantScope::All;

/// A time that is its own class.
fn secs(secs: i64) -> KeptFor {
    let kept = DurationMs::from_secs(secs);
    KeptFor { set: kept, class: kept }
}

async fn keep(store: &dyn Store, of: Option<&str>, subject: RetentionSubject, kept: Option<KeptFor>) {
    let of = of.map(tenant);
    let change = [RetentionChange { subject, kept }];
    store.change_retention(of.as_ref(), &change, &[], T0).await.expect("change works");
}

async fn prune(store: &dyn Store, retention: &Retention) -> u64 {
    store.prune(retention, 100).await.expect("prune works")
}

async fn shown(store: &dyn Store, new: &NewJob) -> Option<JobRecord> {
    store.job(&ALL, new.id).await.expect("read works")
}

/// Jobs of two tenants that completed at the beginning.
async fn completed(store: &dyn Store) -> [NewJob; 2] {
    let pair = [jobs(1, "long", Tier::Normal), jobs(1, "short", Tier::Normal)].map(|mut one| one.remove(0));
    enqueue(store, &pair).await;
    for job in claim_nodes(store, 10, T0).await {
        complete(store, &job, T0).await;
    }
    pair
}

/// Times are set, changed, listed and taken away again, of all and of tenants.
pub async fn retention_can_be_set_and_removed(store: &dyn Store) {
    let (completed, audit) = (RetentionSubject::Completed(QueueName::Node), RetentionSubject::Audit);
    let all = || async { store.retention_overrides().await.expect("read works") };
    assert_eq!(all().await, []);
    keep(store, Some("b"), completed, Some(secs(7))).await;
    keep(store, None, audit, Some(secs(8))).await;
    let rounded = KeptFor::of(DurationMs::from_secs(9));
    keep(store, Some("b"), completed, Some(rounded)).await;
    let expected = [
        RetentionOverride { tenant: None, subject: audit, kept: secs(8) },
        RetentionOverride { tenant: Some(tenant("b")), subject: completed, kept: rounded },
    ];
    assert_eq!(all().await, expected);
    keep(store, Some("b"), completed, None).await;
    keep(store, Some("b"), audit, None).await;
    assert_eq!(all().await, expected[..1]);
}

/// A tenant's own time counts for its jobs and for nobody else's, whether it is longer or shorter.
pub async fn i13_a_tenant_keeps_jobs_for_a_time_of_its_own(store: &dyn Store) {
    let [long, short] = completed(store).await;
    let subject = RetentionSubject::Completed(QueueName::Node);
    keep(store, Some("long"), subject, Some(secs(1_000))).await;
    let retention = |of_all: i64, now: i64| Retention {
        completed_before: after_secs(now).minus(DurationMs::from_secs(of_all)),
        now: after_secs(now),
        ..keep_all()
    };
    assert_eq!(prune(store, &retention(100, 99)).await, 0);
    assert_eq!(prune(store, &retention(100, 101)).await, 1);
    assert!(shown(store, &short).await.is_none() && shown(store, &long).await.is_some());
    keep(store, Some("long"), subject, Some(secs(10))).await;
    assert_eq!(prune(store, &retention(100_000, 9)).await, 0);
    assert_eq!(prune(store, &retention(100_000, 11)).await, 1, "a shorter one than that of all");
    assert!(shown(store, &long).await.is_none());
}

/// A queue has a time of its own.
pub async fn a_queue_keeps_jobs_for_a_time_of_its_own(store: &dyn Store) {
    let [long, _] = completed(store).await;
    let of = |queue| (RetentionSubject::Completed(queue), after_secs(5));
    let other = Retention { subjects: vec![of(QueueName::Webhook)], ..keep_all() };
    assert_eq!(prune(store, &other).await, 0);
    let own = Retention { subjects: vec![of(QueueName::Node)], ..keep_all() };
    assert_eq!(prune(store, &own).await, 2);
    assert!(shown(store, &long).await.is_none());
}

/// Executions, deliveries and dead letters are kept for their tenant's time too.
pub async fn i13_a_tenant_keeps_everything_for_a_time_of_its_own(store: &dyn Store) {
    let (execution, owner) = owned(store).await;
    let mut last = commit(execution.id, lease(&owner), ExecutionStatus::Completed);
    last.next = OwnerNext::Finish;
    commit_one(store, &last, after_secs(1)).await.expect("commit works");
    let delivery = acceptance(super::fixture::id(), &[]);
    let delivery_id = delivery.delivery.id;
    accept(store, std::slice::from_ref(&delivery), T0).await;
    store.cancel_job(&ALL, delivery.job.id, T0).await.expect("cancel works");
    let everything = Retention {
        executions_before: after_secs(99),
        deliveries_before: after_secs(99),
        now: after_secs(99),
        ..keep_all()
    };
    for subject in [RetentionSubject::Executions, RetentionSubject::Deliveries] {
        keep(store, Some("a"), subject, Some(secs(500))).await;
    }
    assert_eq!(prune(store, &everything).await, 0);
    let later = Retention { now: after_secs(600), ..everything };
    assert_eq!(prune(store, &later).await, 2);
    assert!(store.execution(&ALL, execution.id).await.expect("read works").is_none());
    assert!(store.delivery(&ALL, delivery_id).await.expect("read works").is_none());
}

/// A job's data and result go before the job, which says when they went.
pub async fn payloads_of_jobs_go_before_the_jobs(store: &dyn Store) {
    let large = NewJob { data: format!("\"{}\"", "x".repeat(20_000)), ..job() };
    let small = job();
    enqueue(store, &[large.clone(), small.clone()]).await;
    for job in claim_nodes(store, 10, T0).await {
        complete(store, &job, T0).await;
    }
    let drop = |before: i64| Retention {
        subjects: vec![(RetentionSubject::Payloads(QueueName::Node), after_secs(before))],
        now: after_secs(7),
        ..keep_all()
    };
    assert_eq!(prune(store, &drop(0)).await, 0);
    assert_eq!(prune(store, &drop(5)).await, 2);
    assert_eq!(prune(store, &drop(5)).await, 0, "each goes once");
    for new in [&large, &small] {
        let record = shown(store, new).await.expect("the job is there");
        assert_eq!(record.status, JobStatus::Completed);
        assert_eq!((record.data.as_deref(), record.result), (Some("null"), None));
        assert_eq!(record.payload_dropped_at, Some(after_secs(7)));
    }
    let again = NewJob { data: large.data.clone(), ..job() };
    enqueue(store, std::slice::from_ref(&again)).await;
    assert_eq!(shown(store, &again).await.expect("there").payload_dropped_at, None);
}

/// What may still be needed keeps its payload: a requeue sends it once more.
pub async fn i10_an_open_dead_letter_keeps_the_payload(store: &dyn Store) {
    let new = job();
    enqueue(store, std::slice::from_ref(&new)).await;
    let claimed = claim_nodes(store, 1, T0).await.remove(0);
    let error = JobError { message: "broken".into(), code: None, details: None };
    let disposition = Disposition::Die { reason: DeadReason::NonRetryable, error };
    let settlement = Settlement { lease: lease(&claimed), disposition };
    store.settle(&[settlement], T0).await.expect("settle works");
    let drop = Retention {
        subjects: vec![(RetentionSubject::Payloads(QueueName::Node), after_secs(5))],
        now: after_secs(7),
        ..keep_all()
    };
    assert_eq!(prune(store, &drop).await, 0);
    assert_eq!(shown(store, &new).await.expect("there").data.as_deref(), Some(new.data.as_str()));
}

/// An execution's input, output and snapshot go before it. It is not taken up again then.
pub async fn i08_payloads_of_executions_go_before_them(store: &dyn Store) {
    let (execution, owner) = owned(store).await;
    let mut last = ExecutionCommit {
        output: Some("[7]".into()),
        ..commit(execution.id, lease(&owner), ExecutionStatus::Failed)
    };
    last.next = OwnerNext::Finish;
    commit_one(store, &last, after_secs(1)).await.expect("commit works");
    keep(store, Some("a"), RetentionSubject::ExecutionPayloads, Some(secs(5))).await;
    let at = |now: i64| Retention { now: after_secs(now), ..keep_all() };
    assert_eq!(prune(store, &at(5)).await, 0);
    assert_eq!(prune(store, &at(8)).await, 1);
    let detail = store.execution_detail(&ALL, execution.id).await.expect("read works").expect("there");
    let record = detail.record;
    assert_eq!((record.input.as_str(), record.output, detail.state), ("null", None, None));
    assert_eq!(record.payload_dropped_at, Some(after_secs(8)));
    let (command, entry) = (super::fixture::id(), InboxEntry::Retry);
    let appended = store
        .append_audited_command(&ALL, execution.id, (command, &entry), &[], after_secs(9))
        .await
        .expect("append works");
    assert!(matches!(appended, Appended::At(_)), "{appended:?}");
    let record = store.execution(&ALL, execution.id).await.expect("read works").expect("there");
    assert_eq!(record.status, ExecutionStatus::Failed, "completed nodes would run again");
}

/// A delivery's body goes before it, once it was matched.
pub async fn bodies_of_deliveries_go_before_them(store: &dyn Store) {
    let delivery = acceptance(super::fixture::id(), &[]);
    let delivery_id = delivery.delivery.id;
    accept(store, std::slice::from_ref(&delivery), T0).await;
    let drop = Retention {
        subjects: vec![(RetentionSubject::DeliveryBodies, after_secs(5))],
        now: after_secs(7),
        ..keep_all()
    };
    assert_eq!(prune(store, &drop).await, 0, "its job needs it");
    store.cancel_job(&ALL, delivery.job.id, T0).await.expect("cancel works");
    assert_eq!(prune(store, &drop).await, 1);
    assert_eq!(store.delivery_body(&ALL, delivery_id).await.expect("read works"), None);
    let record = read(store, delivery_id).await;
    assert_eq!((record.body_bytes, record.payload_dropped_at), (0, Some(after_secs(7))));
}

/// What is behind is known: how long ago the next row should have gone.
pub async fn the_lag_of_retention_is_known(store: &dyn Store) {
    enqueue(store, &jobs(3, "a", Tier::Normal)).await;
    for (index, job) in claim_nodes(store, 10, T0).await.iter().enumerate() {
        complete(store, job, after_secs(index as i64)).await;
    }
    let retention = Retention { completed_before: after_secs(60), ..keep_all() };
    let lag = || store.retention_lag().iter().find(|lag| lag.kind == "jobs").map(|lag| lag.lag);
    assert_eq!(store.prune(&retention, 2).await.expect("prune works"), 2);
    assert_eq!(lag(), Some(DurationMs::from_secs(59)));
    assert_eq!(store.prune(&retention, 2).await.expect("prune works"), 1);
    assert_eq!(lag(), Some(DurationMs::ZERO));
    assert_eq!(
        store.prune(&Retention { completed_before: Timestamp(0), ..keep_all() }, 2).await.expect("works"),
        0
    );
}
