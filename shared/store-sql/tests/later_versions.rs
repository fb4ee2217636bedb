//! Rows that a later version wrote while nodes of this one go on: nothing of it ends an execution.

use domain::id::ExecutionId;
use domain::workflow::execution::ExecutionStatus;
use serde_json::json;
use sqlx::Connection as _;
use store::executions::{CommandStatus, ExecutionStore as _};
use testkit::database::TestStore;
use testkit::{EngineHarness, OwnerEnd};

/// Runs a statement with the id of an execution beside the store.
async fn tamper(test: &TestStore, statement: &'static str, id: ExecutionId) {
    if test.store.is_postgres() {
        let mut connection = sqlx::PgConnection::connect(&test.url).await.expect("the server answers");
        let query = sqlx::query(statement).bind(id.uuid());
        query.execute(&mut connection).await.expect("the statement is valid");
    } else {
        let mut connection = sqlx::SqliteConnection::connect(&test.url).await.expect("the file is there");
        let query = sqlx::query(statement).bind(id.uuid());
        query.execute(&mut connection).await.expect("the statement is valid");
    }
}

/// A started execution that waits for its signal.
async fn waiting(harness: &EngineHarness) -> ExecutionId {
    let wait =
        json!({"name": "wait", "version": 1, "nodes": [{"id": "go", "type": "SIGNAL", "signal": "go"}]});
    harness.register(&wait).await.expect("registered");
    let id = harness.start("wait", &json!({})).await.expect("started");
    let owned = harness.own_next().await;
    assert!(matches!(owned.end.await.expect("it does not panic"), OwnerEnd::Parked));
    id
}

async fn signal(harness: &EngineHarness, id: ExecutionId) -> i64 {
    let name = domain::names::CallerKey::trusted("go");
    harness.engine.signal_execution(&harness.admin(), id, &name, "1".to_owned()).await.expect("taken")
}

/// Nobody here can go on: the execution is given back as it is, for a node that can.
async fn is_given_back(harness: &EngineHarness, id: ExecutionId) {
    let owned = harness.own_next().await;
    let end = owned.end.await.expect("it does not panic");
    assert!(matches!(&end, OwnerEnd::Failed(error) if error.is_retryable()), "{end:?}");
    harness.engine.release(vec![owned.lease]).await.expect("given back");
    let record = harness.engine.execution(&harness.admin(), id).await.expect("there");
    assert!(!record.status.is_terminal(), "{}", record.status.as_str());
}

async fn ends(harness: &EngineHarness, id: ExecutionId) {
    let owned = harness.own_next().await;
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Completed);
    assert!(matches!(owned.end.await.expect("it does not panic"), OwnerEnd::Finished));
}

async fn unknown_entries_wait_for_a_node_that_knows_them(test: TestStore) {
    let harness = EngineHarness::new(test.store.clone());
    let id = waiting(&harness).await;
    tamper(
        &test,
        "INSERT INTO inbox (execution_id, kind, entry, status, created_at) VALUES ($1, 'from_later', '{}', 'pending', 0)",
        id,
    )
    .await;
    let position = signal(&harness, id).await;
    is_given_back(&harness, id).await;
    // The node of the later version has applied it.
    tamper(&test, "DELETE FROM inbox WHERE execution_id = $1 AND kind = 'from_later'", id).await;
    ends(&harness, id).await;
    let status = test.store.command(&domain::access::TenantScope::All, position).await;
    assert_eq!(status.expect("read works").expect("there").status, CommandStatus::Applied);
}

async fn unknown_fields_are_passed_over(test: TestStore) {
    let harness = EngineHarness::new(test.store.clone());
    let id = waiting(&harness).await;
    signal(&harness, id).await;
    tamper(
        &test,
        "UPDATE inbox SET entry = replace(entry, '{\"name\"', '{\"laterField\":1,\"name\"') WHERE execution_id = $1",
        id,
    )
    .await;
    let definition =
        "UPDATE workflow SET content = replace(content, '\"id\":\"go\"', '\"id\":\"go\",\"laterField\":{}')
        WHERE EXISTS (SELECT 1 FROM execution WHERE id = $1)";
    tamper(&test, definition, id).await;
    ends(&harness, id).await;
}

/// A state in a later form.
async fn later_states_wait_for_a_node_that_knows_them(test: TestStore) {
    let harness = EngineHarness::new(test.store.clone());
    let id = waiting(&harness).await;
    // A map of one field: format 99.
    let state = if test.store.is_postgres() {
        "UPDATE execution SET state = '\\x81a6666f726d617463' WHERE id = $1"
    } else {
        "UPDATE execution SET state = x'81a6666f726d617463' WHERE id = $1"
    };
    tamper(&test, state, id).await;
    signal(&harness, id).await;
    is_given_back(&harness, id).await;
}

macro_rules! on_files_and_postgres {
    ($($case:ident,)*) => {
        mod sqlite_file {
            $(#[tokio::test] async fn $case() { super::$case(testkit::database::sqlite_file().await).await; })*
        }
        mod postgres {
            $(#[tokio::test] async fn $case() { super::$case(testkit::database::postgres().await).await; })*
        }
    };
}

on_files_and_postgres! {
    later_states_wait_for_a_node_that_knows_them,
    unknown_entries_wait_for_a_node_that_knows_them,
    unknown_fields_are_passed_over,
}
