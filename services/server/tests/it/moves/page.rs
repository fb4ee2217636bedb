//! The commands of docs/move.md, and the copy of one execution.

use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Executor as _};

use super::helpers::{DEADLINE, poll};
use crate::harness::{Client, Database, Server, bash, blocks_of_sh, repository, trunkline, until};

/// The only block of `sh` between two markers of the page.
fn block(name: &str) -> String {
    let page = std::fs::read_to_string(repository().join("docs/move.md")).expect("there is docs/move.md");
    let (begin, end) = (format!("<!-- move-{name}:begin -->"), format!("<!-- move-{name}:end -->"));
    let blocks = blocks_of_sh(&page, &begin, &end);
    assert_eq!(blocks.len(), 1, "{name}: {blocks:?}");
    blocks.concat()
}

/// An execution that waits for one job of a worker, below another one.
async fn waiting_execution(client: &Client) -> String {
    let child = json!({ "name": "child", "version": 1, "nodes": [{ "id": "a", "type": "SERVICE_TASK", "jobType": "greet" }] });
    let parent = json!({ "name": "parent", "version": 1, "nodes": [
        { "id": "w", "type": "WORKFLOW", "workflow": "child" }
    ] });
    for workflow in [child, parent] {
        client.post("/v1/workflows", &workflow).await;
    }
    let id = client.post("/v1/executions", &json!({ "workflow": "parent" })).await["id"].clone();
    let id = id.as_str().expect("an id").to_owned();
    until("its child has enqueued a job", DEADLINE, || async {
        (!client.all("/v1/jobs?jobType=greet").await.is_empty()).then_some(())
    })
    .await;
    id
}

/// Every command of the page, one after the other; the copy of an execution has all that belongs to it and runs nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_commands_of_the_page_work() {
    let (old, new) = (Database::sqlite(), Database::postgres().await);
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let mut server = Server::start(&old).await;
    let execution = waiting_execution(&server.client()).await;
    server.client().post("/v1/jobs", &json!({ "jobType": "other" })).await;
    let run = async |server: &Server, name: &str, from: &Database, to: &Database| {
        let variables =
            [("NEW_DATABASE_URL", &*to.url), ("DATABASE_URL", &*from.url), ("EXECUTION_ID", &*execution)];
        bash(server, directory.path(), &block(name), &variables, DEADLINE).await
    };
    assert!(run(&server, "live", &old, &new).await.contains("moved to postgres://"));
    // The server is in use.
    assert!(run(&server, "only", &new, &old).await.contains("are paused"));
    let copy = Database::at(&directory.path().join("copy/trunkline.db"));
    let again = ["move", "--database-url", &new.url, "--only", &execution, "--to", &copy.url];
    assert!(trunkline(&server, &again).exits(1).stderr.contains("is there already"));
    // Killed before its end, it leaves a part, which the same command replaces.
    let options = SqliteConnectOptions::new().filename(copy.file());
    let mut part = options.connect().await.expect("it can be opened");
    part.execute("UPDATE store_state SET state = 'receiving'").await.expect("it is a store");
    part.close().await.expect("it closes");
    assert!(run(&server, "only", &new, &old).await.contains("are paused"));
    let laptop = Server::start(&copy).await;
    let shown = laptop.client().get(&format!("/v1/executions/{execution}")).await;
    assert_eq!((&shown["workflow"], &shown["id"]), (&json!("parent"), &json!(execution)), "{shown}");
    let executions = laptop.client().all("/v1/executions").await;
    assert_eq!(executions.len(), 2, "its child came along: {executions:?}");
    assert!(poll(&laptop).await.is_empty(), "the queues are paused");
    let jobs: Vec<Value> = laptop.client().all("/v1/jobs").await;
    assert!(jobs.iter().all(|job| job["jobType"] != "other"), "it does not belong to it: {jobs:?}");
    for queue in ["workflow-node", "workflow-execution"] {
        laptop.client().call(reqwest::Method::POST, &format!("/v1/queues/{queue}/resume")).done().await;
    }
    let polled = until("it goes on there", DEADLINE, || async {
        Some(poll(&laptop).await).filter(|polled| !polled.is_empty())
    })
    .await;
    assert_eq!(polled.len(), 1, "{polled:?}");
    let missing = ["move", "--database-url", &new.url, "--only", "exe_0", "--to", "sqlite://x.db"];
    assert!(trunkline(&server, &missing).exits(1).stderr.contains("not the id of an execution"));

    assert!(server.terminate(DEADLINE).await.success());
    let back = Database::at(&directory.path().join("back.db"));
    assert!(run(&server, "offline", &new, &back).await.contains("moved from postgres://"));
    server.restart_with(&[("DATABASE_URL", &back.url)]).await;
    assert_eq!(server.client().all("/v1/executions").await.len(), 2);
    assert_eq!(poll(&server).await.len(), 1);
}
