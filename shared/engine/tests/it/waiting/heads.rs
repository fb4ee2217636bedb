//! What concerns one node of an execution reads none of the others: their outputs may be many megabytes, and very many calls may
//! come at once. Rows that nobody can read show it.

use std::sync::Arc;

use domain::names::NodeId;
use domain::workflow::execution::NodeStatus;
use serde_json::{Value, json};
use sqlx::Connection as _;
use testkit::database::TestStore;
use testkit::{EngineHarness, eventually};

use super::harness::{is_parked, statuses, waits};

#[tokio::test]
async fn are_all_that_is_read_on_a_sqlite_file() {
    are_all_that_is_read(testkit::database::sqlite_file().await).await;
}

#[tokio::test]
async fn are_all_that_is_read_on_postgres() {
    are_all_that_is_read(testkit::database::postgres().await).await;
}

/// Makes the results of all nodes unreadable.
async fn spoil_results(database: &TestStore) {
    let statement = "UPDATE node_result SET status = 'UNHEARD_OF'";
    if database.store.is_postgres() {
        let mut connection = sqlx::PgConnection::connect(&database.url).await.expect("the server answers");
        sqlx::query(statement).execute(&mut connection).await.expect("the statement is valid");
    } else {
        let mut connection = sqlx::SqliteConnection::connect(&database.url).await.expect("the file is there");
        sqlx::query(statement).execute(&mut connection).await.expect("the statement is valid");
    }
}

async fn are_all_that_is_read(database: TestStore) {
    let harness = EngineHarness::new(Arc::clone(&database.store) as _);
    let (engine, admin) = (&harness.engine, harness.admin());
    let pool = harness.run_executions(4);
    let nodes = json!([
        {"id": "ask", "type": "SERVICE_TASK", "jobType": "ask", "input": {"url": "${nodes.hook.callbackUrl}"}},
        {"id": "hook", "type": "WAIT_WEBHOOK", "dependsOn": ["ask"]},
        {"id": "sign", "type": "USER_TASK", "dependsOn": ["ask"], "group": "board"}
    ]);
    harness.register(&json!({"name": "waits", "version": 1, "nodes": nodes})).await.unwrap();
    let id = harness.start("waits", &json!({})).await.unwrap();
    let job = harness.take("ask").await;
    let data: Value = serde_json::from_str(&job.data).unwrap();
    let token = data["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    harness.complete(&job, &json!(null)).await.unwrap();
    waits(&harness, id, "hook").await;
    eventually("the result is stored", || async {
        statuses(&harness, id).await.contains(&("ask".to_owned(), NodeStatus::Completed))
    })
    .await;
    is_parked(&harness, id).await;
    drop(pool);
    spoil_results(&database).await;
    assert!(engine.execution_nodes(&admin, id).await.is_err(), "nobody can read them");

    assert_eq!(engine.why_execution(&admin, id).await.unwrap().waits_for.len(), 2);
    let (hook, sign) = (NodeId::trusted("hook"), NodeId::trusted("sign"));
    engine.callback(id, &hook, &token, "{}".into()).await.unwrap();
    engine.complete_user_task(&admin, id, &sign, None, "{}".into()).await.unwrap();
}
