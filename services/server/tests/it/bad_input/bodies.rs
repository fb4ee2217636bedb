//! Bodies that are JSON but not what the call takes, and queries and paths that make no sense.

use reqwest::Method;
use serde_json::{Value, json};

use super::refusal::{counts, points_at, refused};
use crate::harness::{Client, Database, Server, on_both_databases};

on_both_databases!(bad_input_is_a_pointed_4xx_and_stores_nothing, batches_are_all_or_nothing_unless_partial,);

/// A call, where its fault is, and its body.
const BAD_BODIES: &str = r#"
    /v1/jobs            /jobTpye            {"jobType": "a", "data": {}, "jobTpye": "b"}
    /v1/jobs            /jobType            {"data": {}}
    /v1/jobs            /jobType            {"jobType": 7, "data": {}}
    /v1/jobs            /jobType            {"jobType": "", "data": {}}
    /v1/jobs            /jobType            {"jobType": null, "data": {}}
    /v1/jobs            /jobType            {"jobType": "a\u0000b", "data": {}}
    /v1/jobs            /data               {"jobType": "a", "data": {"deep": ["\u0000"]}}
    /v1/jobs            /data               {"jobType": "a", "data": {"\u0000": 1}}
    /v1/jobs            /delay              {"jobType": "a", "data": {}, "delay": 30}
    /v1/jobs            /delay              {"jobType": "a", "data": {}, "delay": "30"}
    /v1/jobs            /delay              {"jobType": "a", "data": {}, "delay": "-5s"}
    /v1/jobs            /timeout            {"jobType": "a", "data": {}, "timeout": "soon"}
    /v1/jobs            /runAt              {"jobType": "a", "data": {}, "runAt": "tomorrow"}
    /v1/jobs            /priority           {"jobType": "a", "data": {}, "priority": "urgent"}
    /v1/jobs            /maxRetries         {"jobType": "a", "data": {}, "maxRetries": -1}
    /v1/jobs            /maxRetries         {"jobType": "a", "data": {}, "maxRetries": 1.5}
    /v1/jobs            /maxRetries         {"jobType": "a", "data": {}, "maxRetries": 99999999999}
    /v1/jobs            /backoff/initial    {"jobType": "a", "data": {}, "backoff": {"initial": 1}}
    /v1/jobs            /backoff            {"jobType": "a", "data": {}, "backoff": {"factor": -2.0}}
    /v1/jobs            /tenant             {"jobType": "a", "data": {}, "tenant": "no such name!"}
    /v1/jobs            /tags/0             {"jobType": "a", "data": {}, "tags": [7]}
    /v1/jobs            /uniqueKey          {"jobType": "a", "data": {}, "uniqueKey": ""}
    /v1/jobs            -                   []
    /v1/jobs            -                   "job"
    /v1/jobs            -                   null
    /v1/jobs/batch      /jobs/1/jobType     {"jobs": [{"jobType": "a", "data": {}}, {"jobType": 1, "data": {}}]}
    /v1/jobs/batch      /jobs               {"jobs": {}}
    /v1/jobs/batch      /jobs               {}
    /v1/jobs/poll       /jobTypes           {"workerId": "w", "jobTypes": []}
    /v1/jobs/poll       /maxJobs            {"workerId": "w", "jobTypes": ["a"], "maxJobs": 0}
    /v1/jobs/poll       /wait               {"workerId": "w", "jobTypes": ["a"], "wait": 5}
    /v1/jobs/poll       /lease              {"workerId": "w", "jobTypes": ["a"], "lease": "1000d"}
    /v1/jobs/complete   /jobs/0/id          {"jobs": [{"id": "job_1", "leaseToken": "x"}]}
    /v1/executions      /workflow           {"workflow": "../etc"}
    /v1/executions      /version            {"workflow": "a", "version": "one"}
    /v1/executions      /inputs             {"workflow": "a", "inputs": {}}
    /v1/dead-letters/requeue  /filter       {"filter": {}}
    /v1/dead-letters/archive  /reason       {"all": true}
    /v1/api-keys        /role               {"name": "a", "role": "king"}
    /v1/tenants         /name               {"name": "a b"}
"#;

async fn bad_input_is_a_pointed_4xx_and_stores_nothing(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let (before, limits) = (counts(&client).await, client.get("/v1/limits").await);
    for line in BAD_BODIES.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (path, rest) = line.split_once(' ').expect("a line has three parts");
        let (pointer, body) = rest.trim_start().split_once(' ').expect("a line has three parts");
        let call = client.call(Method::POST, path).bytes(body.trim().as_bytes().to_vec(), "application/json");
        let problem = refused(line, &call.answer().await);
        if pointer != "-" {
            points_at(line, &problem, pointer);
        }
    }
    too_much(&client).await;
    bad_limits(&client).await;
    bad_addresses(&client).await;
    assert_eq!(counts(&client).await, before, "nothing was stored");
    assert_eq!(client.get("/v1/limits").await, limits, "no limit was changed");
}

async fn too_much(client: &Client) {
    let good = json!({"jobType": "a", "data": {}});
    let long = json!({"jobType": "x".repeat(100_000), "data": {}});
    let many_tags: Vec<String> = (0..10_000).map(|n| format!("tag-{n}")).collect();
    let tagged = json!({"jobType": "a", "data": {}, "tags": many_tags});
    for (path, body, pointer) in [
        ("/v1/jobs", long, "/jobType"),
        ("/v1/jobs", tagged, "/tags"),
        ("/v1/jobs/batch", json!({ "jobs": vec![good; 10_001] }), "/jobs"),
    ] {
        let problem = refused(pointer, &client.try_post(path, &body).await);
        points_at(path, &problem, pointer);
    }
}

async fn bad_limits(client: &Client) {
    for (body, pointer) in [
        (json!({"workflow-node": {"maxConcurrent": -1}}), "/workflow-node/maxConcurrent"),
        (json!({"workflow-node": {"maxConcurent": 1}}), "/workflow-node/maxConcurent"),
        (json!({"workflow-nodes": {"maxConcurrent": 1}}), "/workflow-nodes"),
    ] {
        let answer = client.call(Method::PUT, "/v1/limits").json(&body).answer().await;
        points_at("limits", &refused("limits", &answer), pointer);
    }
}

async fn bad_addresses(client: &Client) {
    let queries = [
        "/v1/jobs?stauts=QUEUED",
        "/v1/jobs?status=ASLEEP",
        "/v1/jobs?limit=0",
        "/v1/jobs?limit=501",
        "/v1/jobs?limit=many",
        "/v1/jobs?cursor=%00",
        "/v1/jobs?tenant=a%20b",
        "/v1/executions?workflow=%F0%28",
    ];
    for path in queries {
        refused(path, &client.try_get(path).await);
    }
    for path in [
        "/v1/jobs/job_0193456789ab7def8123456789abcdef",
        "/v1/jobs/exe_0193456789ab7def8123456789abcdef",
        "/v1/jobs/%00",
        "/v1/queues/no-such-queue",
        "/v1/nothing",
    ] {
        client.try_get(path).await.problem(404);
    }
    client.call(Method::PATCH, "/v1/jobs").json(&json!({})).answer().await.problem(405);
}

async fn batches_are_all_or_nothing_unless_partial(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let good = json!({"jobType": "good", "data": {}});
    let bad = json!({"jobType": "bad", "data": {}, "priority": "urgent"});
    let jobs = json!([good, bad, good]);
    let problem = client.try_post("/v1/jobs/batch", &json!({ "jobs": jobs })).await.problem(422);
    points_at("a batch", &problem, "/jobs/1/priority");
    assert_eq!(client.all("/v1/jobs?queue=workflow-node").await.len(), 0);
    let answer = client.post("/v1/jobs/batch", &json!({ "jobs": jobs, "partial": true })).await;
    let results: &Vec<Value> = answer["results"].as_array().expect("results");
    assert!(results[0]["id"].is_string() && results[2]["id"].is_string(), "{answer}");
    assert_eq!(results[1]["error"]["status"], 422, "{answer}");
    assert_eq!(client.all("/v1/jobs?queue=workflow-node").await.len(), 2);
}
