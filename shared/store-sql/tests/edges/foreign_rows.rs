//! Rows that no version of Trunkline writes: the error names them. A database in memory cannot be written from
//! beside the store.

use domain::job::{Disposition, JobStatus};
use sqlx::Connection as _;
use store::StoreError;
use store::conformance::fixture::{T0, claim_nodes, enqueue, id, job, lease};
use store::executions::{ExecutionStore as _, InboxEntry};
use store::jobs::{JobChange, JobStore as _, LeaseAnswer, Settlement};
use testkit::database::TestStore;

use crate::fixture::{ALL, with_leased_node};

#[tokio::test]
async fn are_named_on_a_sqlite_file() {
    are_named(&testkit::database::sqlite_file().await).await;
}

#[tokio::test]
async fn are_named_on_postgres() {
    are_named(&testkit::database::postgres().await).await;
}

/// A repeated enqueue that meets the end of its job half-way can bring it back under its id: one statement looks for
/// the id in both tables as they were when it began. Such a job has to be able to leave again, by each of its ends.
#[tokio::test]
async fn a_job_that_ended_before_can_end_again_on_postgres() {
    let test = testkit::database::postgres().await;
    let store = &test.store;
    enqueue(store.as_ref(), &[job(), job()]).await;
    let leased = claim_nodes(store.as_ref(), 10, T0).await;
    tamper(
        &test,
        "INSERT INTO job_done (id, position, queue, lane, status, attempt, attempt_base, retries_max, run_at, queued_at,
           created_at, finished_at, tier, data)
         SELECT id, position, queue, lane, 'COMPLETED', attempt, attempt_base, retries_max, run_at, queued_at,
           created_at, 0, tier, data FROM job",
    )
    .await;
    let settled = store
        .settle(&[Settlement { lease: lease(&leased[0]), disposition: Disposition::Complete(None) }], T0)
        .await
        .expect("settle works");
    assert!(matches!(settled[0], LeaseAnswer::Ok(_)), "{settled:?}");
    let cancelled = store.cancel_job(&ALL, leased[1].id, T0).await.expect("cancel works");
    assert!(matches!(cancelled, JobChange::Changed { .. }), "{cancelled:?}");
    for job in &leased {
        let record = store.job(&ALL, job.id).await.expect("read works").expect("there");
        assert_eq!(record.status, JobStatus::Completed, "the first end stays");
    }
}

/// Runs a statement beside the store.
async fn tamper(test: &TestStore, statement: &'static str) {
    if test.store.is_postgres() {
        let mut connection = sqlx::PgConnection::connect(&test.url).await.expect("the server answers");
        sqlx::query(statement).execute(&mut connection).await.expect("the statement is valid");
    } else {
        let mut connection = sqlx::SqliteConnection::connect(&test.url).await.expect("the file is there");
        sqlx::query(statement).execute(&mut connection).await.expect("the statement is valid");
    }
}

async fn are_named(test: &TestStore) {
    let store = &test.store;
    let (new, ..) = with_leased_node(store).await;
    tamper(test, "UPDATE execution SET status = 'UNHEARD_OF'").await;
    match store.execution(&ALL, new.id).await {
        Err(StoreError::Corrupt { table, column, row }) => {
            assert_eq!((table, column, row), ("execution", "status", new.id.uuid().to_string()));
        }
        other => panic!("expected a fault that names the row, got {other:?}"),
    }
    tamper(test, "UPDATE execution SET status = 'RUNNING', error = 'no json'").await;
    match store.execution_detail(&ALL, new.id).await {
        Err(StoreError::Corrupt { column, .. }) => assert_eq!(column, "error"),
        other => panic!("expected a fault that names the row, got {other:?}"),
    }
    assert!(
        store
            .append_command(&ALL, id(), store::conformance::fixture::id(), &InboxEntry::Retry, T0)
            .await
            .is_ok(),
        "others are not concerned"
    );
}
