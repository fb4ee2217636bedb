//! Several server processes on one PostgreSQL database: limits hold over all of them, and roles can be split.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{
    Client, Database, Level, PolledJob, Record, Report, Server, Target, Worker, WorkerSetup, until, within,
};

const GLOBAL: usize = 7;
const TENANT: usize = 4;
const WORKFLOW: usize = 2;

const TENANTS: [&str; 3] = ["ada", "bob", "cyd"];
const WORKFLOWS: [&str; 4] = ["w-one", "w-two", "w-three", "w-four"];
const JOBS_EACH: usize = 30;
const EXECUTIONS_EACH: usize = 2;

const DEADLINE: Duration = Duration::from_secs(60);

/// How long a handler works once all slots were seen in use.
const WORK: Duration = Duration::from_millis(15);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i03_limits_hold_on_three_nodes() {
    let database = Database::postgres().await;
    let nodes = [
        Server::start(&database).await,
        Server::start(&database).await,
        Server::start(&database).await,
    ];
    let client = nodes[0].client();
    let limits = json!({
        "maxConcurrent": GLOBAL, "tenantMaxConcurrent": TENANT, "workflowMaxConcurrent": WORKFLOW,
    });
    let answer = client
        .put(
            "/v1/limits",
            &json!({ "workflow-node": limits, "workflow-execution": limits }),
        )
        .await;
    assert_eq!(answer["workflow-node"]["tenantMaxConcurrent"], TENANT, "{answer}");
    enqueue_everything(&nodes).await;

    let record = Record::new();
    let workers: Vec<Worker> = nodes
        .iter()
        .enumerate()
        .map(|(number, node)| {
            let setup = patient_worker(&format!("worker-{number}"), &record);
            Worker::start(node.client(), setup, record.clone())
        })
        .collect();
    let all = TENANTS.len() * (JOBS_EACH + WORKFLOWS.len() * EXECUTIONS_EACH * 2);
    until("all jobs are done", DEADLINE, || async {
        executions_are_within_limits(&client).await;
        (record.ok_count() == all).then_some(())
    })
    .await;
    for worker in workers {
        worker.stop().await;
    }
    check_peaks(&record);
    until("all executions end", DEADLINE, || async {
        let open = client
            .all("/v1/executions")
            .await
            .iter()
            .filter(|one| one["status"] != "COMPLETED")
            .count();
        (open == 0).then_some(())
    })
    .await;
    assert_eq!(record.runs().len(), all, "no lease was lost");
    for tier in queue_figures(&client).await {
        assert_eq!(
            (&tier["queued"], &tier["processing"]),
            (&json!(0), &json!(0)),
            "a slot leaked: {tier}"
        );
    }
}

async fn enqueue_everything(nodes: &[Server]) {
    for (node, tenant) in nodes.iter().zip(TENANTS) {
        let client = node.client();
        let job = json!({"jobType": "alone", "data": {}, "tenant": tenant});
        client
            .post("/v1/jobs/batch", &json!({ "jobs": vec![job; JOBS_EACH] }))
            .await;
    }
    let client = nodes[0].client();
    for name in WORKFLOWS {
        let workflow = json!({"name": name, "version": 1, "nodes": [
            {"id": "left", "type": "SERVICE_TASK", "jobType": "side"},
            {"id": "right", "type": "SERVICE_TASK", "jobType": "side"},
        ]});
        client.post("/v1/workflows", &workflow).await;
        for tenant in TENANTS {
            let execution = json!({"workflow": name, "tenant": tenant});
            let executions = json!({ "executions": vec![execution; EXECUTIONS_EACH] });
            client.post("/v1/executions/batch", &executions).await;
        }
    }
}

/// A worker that holds its first jobs until every slot was in use at once, which the limits must allow.
fn patient_worker(name: &str, record: &Record) -> WorkerSetup {
    let record = Arc::new(record.clone());
    let handler = move |job: PolledJob| {
        let record = Arc::clone(&record);
        async move {
            until("all slots are in use", DEADLINE, || async {
                (record.peaks().get(&Level::Global).copied() >= Some(GLOBAL)).then_some(())
            })
            .await;
            // The handler's work; nothing waits for it to be over by itself.
            let _ = tokio::time::timeout(WORK, std::future::pending::<()>()).await;
            Report::Complete(job.data)
        }
    };
    WorkerSetup::new(name, &["alone", "side"], handler).jobs_max(GLOBAL + 3)
}

fn check_peaks(record: &Record) {
    let peaks = record.peaks();
    for (level, peak) in &peaks {
        let limit = match level {
            Level::Global => GLOBAL,
            Level::Tenant(_) => TENANT,
            Level::Workflow(_) => WORKFLOW,
        };
        assert!(*peak <= limit, "{level:?}: {peak} at once, {limit} allowed");
    }
    assert_eq!(peaks[&Level::Global], GLOBAL);
    let fullest = TENANTS
        .map(|name| peaks[&Level::Tenant(name.to_owned())])
        .into_iter()
        .max();
    assert_eq!(
        fullest,
        Some(TENANT),
        "a tenant gets what its limit allows: {peaks:?}"
    );
}

/// Executions under way, as the server tells them.
async fn executions_are_within_limits(client: &Client) {
    let running = client.all("/v1/executions?status=RUNNING").await;
    assert!(running.len() <= GLOBAL, "{} executions at once", running.len());
    let count = |field: &str, name: &str| running.iter().filter(|one| one[field] == name).count();
    for tenant in TENANTS {
        assert!(count("tenant", tenant) <= TENANT, "{tenant}: {running:?}");
    }
    for workflow in WORKFLOWS {
        assert!(count("workflow", workflow) <= WORKFLOW, "{workflow}: {running:?}");
    }
}

async fn queue_figures(client: &Client) -> Vec<Value> {
    let queues = client.get("/v1/queues").await;
    let queues = queues["items"].as_array().expect("a list").clone();
    assert_eq!(queues.len(), 4, "{queues:?}");
    queues
        .iter()
        .flat_map(|queue| queue["tiers"].as_object().expect("tiers").values().cloned())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn roles_split_over_nodes_run_a_workflow_together() {
    let database = Database::postgres().await;
    let target = Target::open().await;
    let allow = target.allow();
    let api = Server::start_with(&database, &[("TRUNKLINE_ROLES", "api")]).await;
    let _execution = Server::start_with(&database, &[("TRUNKLINE_ROLES", "scheduler,execution")]).await;
    let node_roles = [
        ("TRUNKLINE_ROLES", "node"),
        ("TRUNKLINE_EGRESS__ALLOW", allow.as_str()),
    ];
    let node = Server::start_with(&database, &node_roles).await;
    let client = api.client();
    let request = json!({"method": "GET", "url": format!("{}/${{input.thing}}", target.url())});
    let workflow = json!({"name": "split", "version": 1, "nodes": [
        {"id": "ask", "type": "HTTP", "request": request},
        {"id": "work", "type": "SERVICE_TASK", "jobType": "side", "dependsOn": ["ask"],
         "input": {"status": "${nodes.ask.output.status}"}},
    ], "output": {"status": "${nodes.work.output.status}"}});
    client.post("/v1/workflows", &workflow).await;
    let worker = Worker::start(
        client.clone(),
        WorkerSetup::echo("worker", &["side"]),
        Record::new(),
    );
    let body = json!({"workflow": "split", "input": {"thing": "stock"}});
    let ended = client.post("/v1/executions?wait=true&timeout=30s", &body);
    let ended = within("the execution ends", DEADLINE, ended).await;
    assert_eq!(
        (&ended["status"], &ended["output"]["status"]),
        (&json!("COMPLETED"), &json!(200)),
        "{ended}"
    );
    assert_eq!(target.calls(), 1);
    worker.stop().await;
    // A node without the role answers for its health only.
    let refused = Client::new(&node.url(), None)
        .call(reqwest::Method::GET, "/readyz")
        .send()
        .await;
    assert!(
        refused.is_err(),
        "a node without the api role does not serve REST: {refused:?}"
    );
}
