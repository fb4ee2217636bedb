//! Limits on three server processes: the workers' own record of what they hold at once never exceeds one, and
//! neither does what the servers say, also while servers are killed.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{
    Client, Database, Level, PolledJob, Record, Report, Server, Worker, WorkerSetup, until,
};

const GLOBAL: usize = 7;
const TENANT: usize = 4;
const WORKFLOW: usize = 2;

const TENANTS: [&str; 3] = ["ada", "bob", "cyd"];
const WORKFLOWS: [&str; 4] = ["w-one", "w-two", "w-three", "w-four"];
const JOBS_EACH: usize = 30;
const EXECUTIONS_EACH: usize = 2;

/// The leases of jobs: one that nothing outlives, and one that outlives the wait of the first jobs and ends soon after its server
/// was killed. Workers do not renew them, and a job whose lease has ended is counted twice in their record.
const LONG: &str = "10m";
const SHORT: &str = "10s";

const DEADLINE: Duration = Duration::from_mins(1);

/// How long a handler works once all slots were seen in use.
const WORK: Duration = Duration::from_millis(15);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i03_limits_hold_on_three_nodes() {
    let (record, all) = limits_hold(0, LONG).await;
    assert_eq!(record.runs().len(), all, "no lease was lost");
    check_that_limits_were_reached(&record);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i03_limits_hold_while_nodes_are_killed() {
    let (record, _) = limits_hold(6, SHORT).await;
    check_that_limits_were_reached(&record);
}

/// Runs everything to its end over three nodes, of which one after the other is killed and started again, so many
/// times. Answers the workers' record and how many jobs there were.
async fn limits_hold(kills: usize, lease: &str) -> (Record, usize) {
    let database = Database::postgres().await;
    let settings = [
        ("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", lease),
        ("TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__LEASE", "2s"),
    ];
    let mut nodes = Vec::new();
    for _ in 0..3 {
        nodes.push(Server::start_with(&database, &settings).await);
    }
    let client = nodes[0].client();
    let limits = json!({
        "maxConcurrent": GLOBAL, "tenantMaxConcurrent": TENANT, "workflowMaxConcurrent": WORKFLOW,
    });
    let limits = json!({ "workflow-node": limits, "workflow-execution": limits });
    let answer = client.put("/v1/limits", &limits).await;
    assert_eq!(answer["workflow-node"]["tenantMaxConcurrent"], TENANT, "{answer}");
    enqueue_everything(&nodes).await;

    let record = Record::new();
    let start = |(number, node): (usize, &Server)| {
        let setup = patient_worker(&format!("worker-{number}"), &record);
        Worker::start(node.client(), setup, record.clone())
    };
    let workers: Vec<Worker> = nodes.iter().enumerate().map(start).collect();
    let all = TENANTS.len() * (JOBS_EACH + WORKFLOWS.len() * EXECUTIONS_EACH * 2);
    for kill in 0..kills {
        let goal = (kill + 1) * all / (kills + 2);
        until("some jobs are done", DEADLINE, || async { (record.ok_count() >= goal).then_some(()) }).await;
        let victim = &mut nodes[kill % 3];
        victim.kill_nine();
        victim.restart().await;
    }
    let client = nodes[0].client();
    until("all jobs are done", DEADLINE, || async {
        executions_are_within_limits(&client).await;
        let jobs = client.all("/v1/jobs?queue=workflow-node").await;
        let done = jobs.iter().filter(|job| job["status"] == "COMPLETED").count();
        (done == all).then_some(())
    })
    .await;
    for worker in workers {
        worker.stop().await;
    }
    check_limits(&record);
    until("all executions end", DEADLINE, || async {
        let executions = client.all("/v1/executions").await;
        executions.iter().all(|one| one["status"] == "COMPLETED").then_some(())
    })
    .await;
    for tier in queue_figures(&client).await {
        assert_eq!((&tier["queued"], &tier["processing"]), (&json!(0), &json!(0)), "a slot leaked: {tier}");
    }
    (record, all)
}

async fn enqueue_everything(nodes: &[Server]) {
    for (node, tenant) in nodes.iter().zip(TENANTS) {
        let client = node.client();
        let job = json!({"jobType": "alone", "data": {}, "tenant": tenant});
        client.post("/v1/jobs/batch", &json!({ "jobs": vec![job; JOBS_EACH] })).await;
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

fn check_limits(record: &Record) {
    for (level, peak) in record.peaks() {
        let limit = match level {
            Level::Global => GLOBAL,
            Level::Tenant(_) => TENANT,
            Level::Workflow(_) => WORKFLOW,
        };
        assert!(peak <= limit, "{level:?}: {peak} at once, {limit} allowed");
    }
}

/// Limits that nobody ever reaches hold, but prove nothing.
fn check_that_limits_were_reached(record: &Record) {
    let peaks = record.peaks();
    assert_eq!(peaks[&Level::Global], GLOBAL);
    let fullest = TENANTS.map(|name| peaks[&Level::Tenant(name.to_owned())]).into_iter().max();
    assert_eq!(fullest, Some(TENANT), "a tenant gets what its limit allows: {peaks:?}");
}

/// Slots of executions in use, as the server tells them. An execution that lost its owner to a kill is under way
/// without a slot until it is claimed again, so its status says nothing about slots.
async fn executions_are_within_limits(client: &Client) {
    let running = client.all("/v1/jobs?queue=workflow-execution&status=PROCESSING").await;
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
    queues.iter().flat_map(|queue| queue["tiers"].as_object().expect("tiers").values().cloned()).collect()
}
