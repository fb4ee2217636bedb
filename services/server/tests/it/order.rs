//! The order in which jobs are handed out: by tier, within a tier round-robin over tenants, within a lane as they came.

use serde_json::{Value, json};

use crate::harness::{Client, Database, Server, on_both_databases};

on_both_databases!(
    i04_i05_tiers_come_first_and_lanes_keep_their_order,
    a_noisy_tenant_does_not_starve_a_quiet_one,
);

async fn enqueue(client: &Client, tenant: &str, priority: &str, count: usize) {
    let job = |n| json!({"jobType": "ordered", "data": n, "tenant": tenant, "priority": priority});
    let jobs: Vec<Value> = (0..count).map(job).collect();
    client.post("/v1/jobs/batch", &json!({ "jobs": jobs })).await;
}

/// Priority is not in the answer of a poll: it is read from the job.
async fn handed_out(client: &Client, count: usize) -> Vec<(String, String, Value)> {
    let poll = json!({"workerId": "w", "jobTypes": ["ordered"], "maxJobs": count});
    let polled = client.post("/v1/jobs/poll", &poll).await;
    let mut order = Vec::new();
    for leased in polled["jobs"].as_array().expect("jobs") {
        let job = client.get(&format!("/v1/jobs/{}", leased["id"].as_str().expect("an id"))).await;
        let text = |field: &str| job[field].as_str().expect("text").to_owned();
        order.push((text("priority"), text("tenant"), job["data"].clone()));
    }
    order
}

async fn i04_i05_tiers_come_first_and_lanes_keep_their_order(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    for priority in ["low", "normal", "high"] {
        enqueue(&client, "ada", priority, 4).await;
    }
    let mut order = Vec::new();
    // Polls of different sizes: the order does not depend on how much is taken at once.
    for count in [1, 5, 2, 4] {
        order.extend(handed_out(&client, count).await);
    }
    let mut expected = Vec::new();
    for priority in ["high", "normal", "low"] {
        expected.extend((0..4).map(|n| (priority.to_owned(), "ada".to_owned(), json!(n))));
    }
    assert_eq!(order, expected);
}

async fn a_noisy_tenant_does_not_starve_a_quiet_one(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    enqueue(&client, "noisy", "normal", 500).await;
    enqueue(&client, "quiet", "normal", 3).await;
    enqueue(&client, "silent", "normal", 1).await;
    let order = handed_out(&client, 10).await;
    let of = |name: &str| order.iter().filter(|(_, tenant, _)| tenant == name).count();
    assert_eq!((of("quiet"), of("silent"), of("noisy")), (3, 1, 6), "{order:?}");
    let first_three: Vec<&str> = order[..3].iter().map(|(_, tenant, _)| tenant.as_str()).collect();
    assert!(first_three.contains(&"quiet") && first_three.contains(&"silent"), "{order:?}");
}
