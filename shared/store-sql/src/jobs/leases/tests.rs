//! Steps of the clock that leases are judged by. The clock itself goes on; what the store remembers of it is changed instead.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::job::Disposition;
use domain::workflow::execution::ExecutionStatus;
use sea_orm::ConnectionTrait as _;
use store::Store as _;
use store::conformance::executions::commit;
use store::conformance::fixture::{LEASE, T0, claim, commit_one, execution, job, token, version};
use store::executions::{ExecutionCommit, ExecutionStore as _, OwnerNext};
use store::jobs::{ClaimedJob, GiveBack, JobStore as _, NewJob, Settlement};
use store::workflows::WorkflowStore as _;
use testkit::eventually;

use super::*;
use crate::options::{Pooler, StoreOptions, Synchronous, TimeSource};

const STEP: DurationMs = DurationMs::from_secs(20 * 60);

async fn databases() -> Vec<Arc<SqlStore>> {
    let mut stores = Vec::new();
    for url in ["sqlite::memory:".to_owned(), testkit::database::postgres_database().await] {
        let options = StoreOptions {
            url,
            connections_max: 2,
            synchronous: Synchronous::Normal,
            migrate: true,
            pooler: Pooler::Session,
            listen_url: None,
            schema: "public".to_owned(),
            statement_timeout: std::time::Duration::from_secs(10),
            limits: Vec::new(),
            lease_time: TimeSource::Database,
        };
        stores.push(SqlStore::connect(&options).await.expect("a new database can be opened"));
    }
    stores
}

async fn leased(store: &SqlStore) -> (ClaimedJob, Timestamp) {
    let now = store.database_now().await.expect("the database tells the time");
    store.enqueue(&[NewJob { run_at: now, ..job() }], now).await.expect("enqueue works");
    let mut claimed = store.claim(&claim(QueueName::Node, 1, now)).await.expect("claim works");
    (claimed.remove(0), now)
}

async fn change(store: &SqlStore, text: &str) {
    store.pool().write().execute_unprepared(text).await.expect("jobs can be changed");
}

#[tokio::test]
async fn a_clock_that_is_set_back_twenty_minutes_keeps_nobody_waiting() {
    for store in databases().await {
        let (leased, now) = leased(&store).await;
        // As if the clock had been twenty minutes ahead until now.
        change(&store, "UPDATE job SET lease_until = lease_until + 1200000, reap_at = reap_at + 1200000")
            .await;
        store.memory().clock.observe(Instant::now(), now.plus(STEP));
        assert_eq!(store.expired_leases(now, 10).await.expect("answers"), vec![], "nothing has ended");
        let record = store.job(&TenantScope::All, leased.id).await.expect("read works").expect("it is there");
        let latest = store.database_now().await.expect("the database tells the time").plus(LEASE);
        let until = record.lease_until.expect("it is leased");
        assert!(until <= latest, "the lease lasts until {until:?}, which is after {latest:?}");
        change(&store, "UPDATE job SET lease_until = 1, reap_at = 1").await;
        assert_eq!(store.expired_leases(now, 10).await.expect("answers").len(), 1, "leases end as before");
    }
}

#[tokio::test]
async fn nothing_is_reaped_for_one_lease_after_the_clock_was_set_forward() {
    for store in databases().await {
        let (leased, now) = leased(&store).await;
        store.memory().clock.observe(Instant::now(), now.minus(STEP));
        // It looks ended by the clock as it is now.
        change(&store, "UPDATE job SET lease_until = 1, reap_at = 1").await;
        for _ in 0..3 {
            assert_eq!(
                store.expired_leases(now, 10).await.expect("answers"),
                vec![],
                "it could not be renewed"
            );
        }
        // A shorter lease has had its time.
        change(&store, "UPDATE job SET lease_ms = 1").await;
        eventually("the lease is found", || async {
            let found = store.expired_leases(now, 10).await.expect("answers");
            found.iter().any(|found| found.leased.lease == leased.lease())
        })
        .await;
    }
}

static REMEMBERED: Sql = Sql::new(
    "remembered_instants",
    "SELECT count(*) AS number FROM job WHERE state <> 'processing' AND reap_at <> 0",
);

/// How many jobs that are not leased remember when a lease was to be looked at.
async fn remembered(store: &SqlStore) -> i64 {
    let row = REMEMBERED.first(store.pool().read(), vec![]).await.expect("jobs can be read");
    Row::new("job", &row.expect("a count answers")).long("number").expect("it is a number")
}

/// A version before this one leases a job without saying when it is to be looked at.
#[tokio::test]
async fn a_lease_of_a_former_version_is_not_looked_at_as_late_as_the_one_before() {
    for store in databases().await {
        let (first, now) = leased(&store).await;
        let answers = store.give_back(&[GiveBack::from(first.lease())], now).await.expect("answers");
        assert!(matches!(answers[..], [LeaseAnswer::Ok(())]), "{answers:?}");
        assert_eq!(remembered(&store).await, 0, "it was given back");
        let mut claimed = store.claim(&claim(QueueName::Node, 1, now)).await.expect("claim works");
        let again = Disposition::RetryAt { at: now, error: JobError::coded("x", "again") };
        let retry = Settlement { lease: claimed.remove(0).lease(), disposition: again };
        let answers = store.settle(&[retry], now).await.expect("settle works");
        assert!(matches!(answers[..], [LeaseAnswer::Ok(_)]), "{answers:?}");
        assert_eq!(remembered(&store).await, 0, "it is tried again");
        let former =
            "UPDATE job SET state = 'processing', worker_id = 'w', lease_token = id, lease_until = 1,
                      lease_ms = 1";
        change(&store, former).await;
        eventually("the short lease is found", || async {
            let found = store.expired_leases(now, 10).await.expect("answers");
            found.iter().any(|found| found.leased.lease.id == first.id)
        })
        .await;
    }
}

#[tokio::test]
async fn an_execution_that_nobody_owns_remembers_no_lease() {
    for store in databases().await {
        store.register_workflow(&version("w")).await.expect("register works");
        let new = execution("w");
        store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
        let mut owners = store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works");
        let step = commit(new.id, owners.remove(0).lease(), ExecutionStatus::Running);
        let park = ExecutionCommit { next: OwnerNext::Park { due_at: None }, ..step };
        let answer = commit_one(store.as_ref(), &park, T0).await.expect("commit works");
        assert!(matches!(&answer, LeaseAnswer::Ok(committed) if committed.parked), "{answer:?}");
        assert_eq!(remembered(&store).await, 0, "it is parked");
        let loaded = store.load_unowned(&[new.id]).await.expect("read works").remove(0);
        let lease = LeaseRef { id: new.job.id, token: token() };
        let step = ExecutionCommit {
            step: loaded.expect("nobody owns it").step,
            ..commit(new.id, lease, ExecutionStatus::Running)
        };
        let answers = store.commit_unowned(&[step], &[None], T0).await.expect("works");
        assert!(answers[0].is_some(), "nobody else has committed a step");
        assert_eq!(remembered(&store).await, 0, "it waits for a slot");
    }
}
