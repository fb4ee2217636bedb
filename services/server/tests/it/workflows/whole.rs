//! One workflow with almost every type of node in it, along each of its ways: by courier, by post, and not at all.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{
    Client, Database, PolledJob, Record, Report, Server, Target, Worker, WorkerSetup, on_both_databases,
    until,
};

const DEADLINE: Duration = Duration::from_secs(40);

on_both_databases!(an_order_goes_along_each_of_its_ways);

/// The order says to the handlers how they end.
async fn an_order_goes_along_each_of_its_ways(database: Database) {
    let stock = Target::open().await;
    let server = Server::start_with(&database, &[("TRUNKLINE_EGRESS__ALLOW", &stock.allow())]).await;
    let client = server.client();
    client.post("/v1/workflows", &courier_booking()).await;
    client.post("/v1/workflows", &order_fulfilment(&stock.url())).await;
    let record = Record::new();
    let setup = WorkerSetup::new("shop", &["charge-card", "refund-card", "notify", "tell-ops", "book"], work);
    let worker = Worker::start(client.clone(), setup, record.clone());
    let orders = ["express-1", "plain-2", "broken-3"];
    let goes = orders.map(|order| goes(&client, order));
    let [express, plain, broken] = futures::future::join_all(goes).await.try_into().expect("three");
    worker.stop().await;
    assert_eq!(stock.calls(), 3, "each looked at the stock once");

    assert_eq!((&express.0["status"], &plain.0["status"]), (&json!("COMPLETED"), &json!("COMPLETED")));
    assert_eq!(express.0["output"], json!({"charge": "ch-express-1"}));
    assert_eq!(
        statuses(&express.1),
        ORDER.map(|node| (node, if node == "post" { "SKIPPED" } else { "COMPLETED" }))
    );
    let by_post = |node| (node, if node == "courier" { "SKIPPED" } else { "COMPLETED" });
    assert_eq!(statuses(&plain.1), ORDER.map(by_post));
    let node = |nodes: &[Value], id: &str| nodes.iter().find(|node| node["nodeId"] == id).expect(id).clone();
    assert_eq!(node(&express.1, "courier")["output"], json!({"booked": "express-1"}));
    let notices = node(&express.1, "notify");
    assert_eq!(notices["output"], json!(["0: pen", "1: ink"]), "{notices}");
    assert_eq!(notices["mapItems"], json!({"total": 2, "started": 2, "completed": 2}));
    assert_eq!(node(&plain.1, "stock")["output"]["body"], json!({"fine": true}));

    assert_eq!(broken.0["status"], "FAILED", "{}", broken.0);
    assert_eq!(broken.0["error"]["node"], "notify", "{}", broken.0);
    let runs = record.runs();
    let notified = runs.iter().filter(|run| run.job.job_type == "tell-ops").collect::<Vec<_>>();
    assert_eq!((notified.len(), &notified[0].job.data), (1, &json!({"error": "no such line"})));
    let refunds = runs.iter().filter(|run| run.job.job_type == "refund-card").collect::<Vec<_>>();
    assert_eq!((refunds.len(), &refunds[0].job.data), (1, &json!({"charge": "ch-broken-3"})));
    assert_eq!(refunds[0].job.node_id.as_deref(), Some("charge:compensate"));
    assert_eq!(node(&broken.1, "charge:compensate")["status"], "COMPLETED");
    assert_eq!(node(&broken.1, "tell")["status"], "COMPLETED");
}

/// The main nodes in their order.
const ORDER: [&str; 9] = ["stock", "charge", "approve", "paid", "cool", "notify", "route", "courier", "post"];

fn statuses(nodes: &[Value]) -> [(&str, &str); 9] {
    ORDER.map(|id| {
        let node = nodes.iter().find(|node| node["nodeId"] == id).expect(id);
        (id, node["status"].as_str().expect("a status"))
    })
}

/// Runs one order to its end; answers the execution and its nodes.
async fn goes(client: &Client, order: &str) -> (Value, Vec<Value>) {
    let input = json!({"orderId": order, "express": order.starts_with("express")});
    let created =
        client.post("/v1/executions", &json!({"workflow": "order-fulfilment", "input": input})).await;
    let path = format!("/v1/executions/{}", created["id"].as_str().expect("an id"));
    let task = format!("{path}/user-tasks/approve/complete");
    until("the approval", DEADLINE, || async {
        let answer = client.try_post(&task, &json!({"output": {"ok": true}})).await;
        assert!(answer.is_success() || answer.status == 404, "{}", answer.text);
        answer.is_success().then_some(())
    })
    .await;
    client.post(&format!("{path}/signals/payment-received"), &json!({"payload": {"amount": 1200}})).await;
    let ended = until("the order's end", DEADLINE, || async {
        let execution = client.get(&format!("{path}?wait=true&timeout=5s")).await;
        let is_over = ["COMPLETED", "FAILED"].contains(&execution["status"].as_str().expect("a status"));
        is_over.then_some(execution)
    })
    .await;
    let nodes = client.get(&format!("{path}/nodes")).await;
    (ended, nodes["items"].as_array().expect("a list").clone())
}

async fn work(job: PolledJob) -> Report {
    let order = job.data["order"].as_str().unwrap_or_default();
    Report::Complete(match job.job_type.as_str() {
        "charge-card" => {
            let lines = if order.starts_with("broken") { json!(["gone"]) } else { json!(["pen", "ink"]) };
            json!({"id": format!("ch-{order}"), "total": 1200, "lines": lines})
        }
        "notify" => match job.data["line"].as_str().expect("a line") {
            "gone" => return Report::Fail { message: "no such line".to_owned(), retryable: false },
            line => json!(format!("{}: {line}", job.data["index"])),
        },
        "book" => json!({"booked": order}),
        _ => Value::Null,
    })
}

fn courier_booking() -> Value {
    json!({
        "name": "courier-booking", "version": 1,
        "nodes": [{"id": "book", "type": "SERVICE_TASK", "jobType": "book", "input": {"order": "${input.order}"}}],
        "output": "${nodes.book.output}",
    })
}

/// The example of the format, with a shorter wait and a stock that is there.
fn order_fulfilment(stock: &str) -> Value {
    json!({
        "name": "order-fulfilment", "version": 3,
        "input": {"type": "object", "required": ["orderId"], "properties": {"orderId": {"type": "string"}}},
        "limits": {"maxConcurrent": 5},
        "timeout": "1h",
        "retry": {"maxRetries": 3, "initial": "1s", "factor": 2, "max": "5m", "jitter": true},
        "nodes": [
            {"id": "stock", "type": "HTTP", "timeout": "10s", "request": {
                "method": "GET", "url": format!("{stock}/items/${{input.orderId}}"),
                "headers": {"accept": "application/json"}}},
            {"id": "charge", "type": "SERVICE_TASK", "jobType": "charge-card", "dependsOn": ["stock"],
             "input": {"order": "${input.orderId}", "total": "${nodes.stock.output.body.total}"}, "retryCount": 3,
             "compensate": {"type": "SERVICE_TASK", "jobType": "refund-card",
                            "input": {"charge": "${nodes.charge.output.id}"}}},
            {"id": "approve", "type": "USER_TASK", "dependsOn": ["charge"],
             "when": "nodes.charge.output.total > 1000", "group": "finance",
             "form": {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}},
             "timeout": "3d"},
            {"id": "paid", "type": "SIGNAL", "dependsOn": ["approve"], "signal": "payment-received",
             "timeout": "24h"},
            {"id": "cool", "type": "TIMER", "dependsOn": ["paid"], "duration": "1s"},
            {"id": "notify", "type": "MAP", "dependsOn": ["cool"], "items": "${nodes.charge.output.lines}",
             "concurrency": 10, "node": {"type": "SERVICE_TASK", "jobType": "notify",
                                         "input": {"line": "${item}", "index": "${index}"}}},
            {"id": "route", "type": "SWITCH", "dependsOn": ["notify"],
             "cases": [{"when": "input.express", "goto": "courier"}], "default": "post"},
            {"id": "courier", "type": "WORKFLOW", "dependsOn": ["route"], "workflow": "courier-booking",
             "input": {"order": "${input.orderId}"}},
            {"id": "post", "type": "TRANSFORM", "dependsOn": ["route"], "output": {"carrier": "post"}},
        ],
        "output": {"charge": "${nodes.charge.output.id}"},
        "onFailure": [{"id": "tell", "type": "SERVICE_TASK", "jobType": "tell-ops",
                       "input": {"error": "${error.message}"}}],
    })
}
