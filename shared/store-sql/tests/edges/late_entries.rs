//! Entries of an inbox whose transactions commit late: positions are taken before the commit, so that a reader that
//! remembered how far it had read would pass them over. Only PostgreSQL has several writers at once.

use domain::queue::QueueName;
use domain::workflow::execution::ExecutionStatus;
use sqlx::{Connection as _, PgConnection};
use store::StoreResult;
use store::conformance::fixture::{T0, claim, commit_one, execution, inbox, lease, version};
use store::executions::{
    Appended, CommandStatus, ExecutionCommit, ExecutionStore as _, InboxEntry, InboxResult, InboxRow,
    OwnerNext,
};
use store::jobs::{JobStore as _, LeaseAnswer};
use store::workflows::WorkflowStore as _;
use store_sql::SqlStore;

use crate::fixture::{ALL, commit, step};

/// Begins a transaction that appends a signal to the execution that has one.
async fn begin_appending(url: &str) -> (PgConnection, i64) {
    let mut connection = PgConnection::connect(url).await.expect("the server answers");
    sqlx::query("BEGIN").execute(&mut connection).await.expect("a transaction begins");
    let position = sqlx::query_scalar(
        "INSERT INTO inbox (execution_id, kind, entry, status, created_at)
         SELECT execution_id, 'signal', E'{\"name\":\"go\"}\\n1', 'pending', created_at FROM inbox ORDER BY position LIMIT 1
         RETURNING position",
    );
    let position = position.fetch_one(&mut connection).await.expect("the statement is valid");
    (connection, position)
}

async fn end(mut connection: PgConnection) {
    sqlx::query("COMMIT").execute(&mut connection).await.expect("it is committed");
}

fn applied(rows: &[InboxRow]) -> Vec<InboxResult> {
    rows.iter().map(|row| InboxResult { position: row.position, refused: None }).collect()
}

fn positions(rows: StoreResult<Vec<InboxRow>>) -> Vec<i64> {
    rows.expect("read works").iter().map(|row| row.position).collect()
}

async fn signal(store: &SqlStore, id: domain::id::ExecutionId) -> i64 {
    let entry = InboxEntry::Signal { name: "go".into(), payload: "1".into() };
    match store
        .append_command(&ALL, id, store::conformance::fixture::id(), &entry, T0)
        .await
        .expect("append works")
    {
        Appended::At(position) => position,
        Appended::NotFound | Appended::Full => panic!("the execution is there"),
    }
}

#[tokio::test]
async fn i08_an_entry_that_is_committed_late_is_not_passed_over() {
    let test = testkit::database::postgres().await;
    let store = &test.store;
    store.register_workflow(&version("w")).await.expect("register works");
    let new = execution("w");
    store.create_executions(std::slice::from_ref(&new), T0).await.expect("create works");
    let first = signal(store, new.id).await;
    let owner = store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works").remove(0);
    let keep = step(&new, lease(&owner), ExecutionStatus::Running);

    // One is under way with a position below that of an entry which is applied meanwhile.
    let (late, late_position) = begin_appending(&test.url).await;
    let second = signal(store, new.id).await;
    assert!(first < late_position && late_position < second, "{first} {late_position} {second}");
    let rows = inbox(store.as_ref(), new.id).await.expect("read works");
    assert_eq!(rows.iter().map(|row| row.position).collect::<Vec<_>>(), [first, second]);
    commit(store, &ExecutionCommit { inbox: applied(&rows), ..keep.clone() }).await;
    end(late).await;
    assert_eq!(positions(inbox(store.as_ref(), new.id).await), [late_position]);

    // It keeps the execution from being parked, as one in time would.
    let park = ExecutionCommit { next: OwnerNext::Park { due_at: None }, ..keep.clone() };
    let LeaseAnswer::Ok(done) = commit_one(store.as_ref(), &park, T0).await.expect("commit works") else {
        panic!("the lease holds");
    };
    assert!(!done.parked);
    let rows = inbox(store.as_ref(), new.id).await.expect("read works");

    // One that commits when it is parked is found by upkeep.
    let (late, late_position) = begin_appending(&test.url).await;
    commit(store, &ExecutionCommit { inbox: applied(&rows), ..park }).await;
    assert_eq!(store.wake_parked(10, T0).await.expect("works"), 0);
    end(late).await;
    assert_eq!(store.wake_parked(10, T0).await.expect("works"), 1);
    let owner = store.claim(&claim(QueueName::Execution, 1, T0)).await.expect("claim works").remove(0);
    let rows = inbox(store.as_ref(), new.id).await.expect("read works");
    assert_eq!(positions(Ok(rows.clone())), [late_position]);
    let last = step(&new, lease(&owner), ExecutionStatus::Completed);
    commit(store, &ExecutionCommit { inbox: applied(&rows), ..last }).await;
    let command = store.command(&ALL, late_position).await.expect("read works").expect("there");
    assert_eq!(command.status, CommandStatus::Applied);
}
