//! What belongs to one tenant does not exist for the keys of another, and roles end where they should.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Client, Database, Server, on_both_databases};

on_both_databases!(i13_tenants_do_not_see_each_other, roles_end_where_they_should);

async fn key(admin: &Client, role: &str, tenant: Option<&str>) -> Client {
    let mut body = json!({"name": format!("{role} of {tenant:?}"), "role": role});
    if let Some(tenant) = tenant {
        body["tenant"] = json!(tenant);
    }
    let made = admin.post("/v1/api-keys", &body).await;
    admin.with_key(made["key"].as_str())
}

/// What Zora made: ids by kind.
async fn zoras_things(zora: &Client) -> Things {
    let id = |value: &Value| value["id"].as_str().expect("an id").to_owned();
    let job =
        id(&zora.post("/v1/jobs", &json!({"jobType": "private", "data": {"canary": "zoras-data"}})).await);
    let doomed =
        id(&zora.post("/v1/jobs", &json!({"jobType": "doomed", "data": {"canary": "zoras-data"}})).await);
    let workflow = json!({"name": "zoras", "version": 1, "nodes": [
        {"id": "step", "type": "SERVICE_TASK", "jobType": "step", "input": {"canary": "zoras-data"}},
    ]});
    zora.post("/v1/workflows", &workflow).await;
    let execution = id(&zora.post("/v1/executions", &json!({"workflow": "zoras"})).await);
    let leased = zora.post("/v1/jobs/poll", &json!({"workerId": "w", "jobTypes": ["doomed"]})).await;
    let leased = &leased["jobs"][0];
    let failure = json!({"id": leased["id"], "leaseToken": leased["leaseToken"], "retryable": false,
                         "error": {"message": "zoras-data is broken"}});
    zora.post("/v1/jobs/fail", &json!({ "jobs": [failure] })).await;
    let letters = zora.all("/v1/dead-letters").await;
    assert_eq!((letters.len(), &letters[0]["jobId"]), (1, &json!(doomed)), "{letters:?}");
    BTreeMap::from([("job", job), ("doomed", doomed), ("execution", execution), ("letter", id(&letters[0]))])
}

async fn i13_tenants_do_not_see_each_other(database: Database) {
    let server = Server::start(&database).await;
    let admin = server.client();
    let (zora, bob) =
        (key(&admin, "operator", Some("zora")).await, key(&admin, "operator", Some("bob")).await);
    let things = zoras_things(&zora).await;
    nothing_can_be_read(&zora, &bob, &things).await;
    nothing_can_be_changed(&bob, &things).await;
    nothing_can_be_worked_on(&zora, &bob, &things["job"]).await;
    // The same idempotency key of two tenants is two keys.
    let body = json!({"jobType": "mine", "data": {}});
    let mut ids = Vec::new();
    for client in [&zora, &bob] {
        ids.push(
            client.call(Method::POST, "/v1/jobs").idempotent("shared").json(&body).done().await["id"].clone(),
        );
    }
    assert_ne!(ids[0], ids[1]);
}

type Things = BTreeMap<&'static str, String>;

async fn nothing_can_be_read(zora: &Client, bob: &Client, things: &Things) {
    let (job, execution, letter) = (&things["job"], &things["execution"], &things["letter"]);
    for path in [
        format!("/v1/jobs/{job}"),
        format!("/v1/jobs/{job}/why"),
        format!("/v1/executions/{execution}"),
        format!("/v1/executions/{execution}/nodes"),
        format!("/v1/executions/{execution}/events"),
        format!("/v1/dead-letters/{letter}"),
        "/v1/workflows/zoras".to_owned(),
        "/v1/workflows/zoras/versions/1".to_owned(),
    ] {
        assert!(zora.try_get(&path).await.is_success(), "{path}");
        bob.try_get(&path).await.problem(404);
    }
    let lists = [
        "jobs",
        "executions",
        "dead-letters",
        "dead-letters/groups",
        "workflows",
        "audit",
        "workers",
        "archive",
    ];
    for list in lists {
        let seen = bob.try_get(&format!("/v1/{list}")).await;
        assert!(!seen.text.contains("zora"), "{list} shows bob: {}", seen.text);
    }
    assert_eq!(bob.all("/v1/jobs?tenant=zora").await.len(), 0);
    let figures = bob.get("/v1/queues").await;
    for queue in figures["items"].as_array().expect("queues") {
        assert_eq!((&queue["queued"], &queue["deadLetters"]), (&json!(0), &json!(0)), "{queue}");
    }
}

async fn nothing_can_be_changed(bob: &Client, things: &Things) {
    let (job, execution, letter) = (&things["job"], &things["execution"], &things["letter"]);
    for path in [
        format!("/v1/jobs/{job}/cancel"),
        format!("/v1/jobs/{job}/retry"),
        format!("/v1/executions/{execution}/cancel"),
        format!("/v1/executions/{execution}/retry"),
        format!("/v1/dead-letters/{letter}/requeue"),
        "/v1/workflows/zoras/pause".to_owned(),
    ] {
        bob.try_post(&path, &json!({})).await.problem(404);
    }
    bob.try_post(&format!("/v1/dead-letters/{letter}/archive"), &json!({"reason": "not his"}))
        .await
        .problem(404);
    let count = bob.post("/v1/dead-letters/requeue", &json!({"all": true, "dryRun": true})).await;
    assert_eq!(count["count"], 0);
    bob.try_post("/v1/executions", &json!({"workflow": "zoras"})).await.problem(404);
    let for_ada = json!({"jobType": "x", "data": {}, "tenant": "zora"});
    bob.try_post("/v1/jobs", &for_ada).await.problem(403);
}

async fn nothing_can_be_worked_on(zora: &Client, bob: &Client, job: &str) {
    let polled = bob.post("/v1/jobs/poll", &json!({"workerId": "b", "jobTypes": ["private", "step"]})).await;
    assert_eq!(polled["jobs"], json!([]));
    let polled = zora.post("/v1/jobs/poll", &json!({"workerId": "a", "jobTypes": ["private"]})).await;
    let leased = &polled["jobs"][0];
    let stolen =
        json!({"jobs": [{"id": leased["id"], "leaseToken": leased["leaseToken"], "result": "bobs"}]});
    assert_eq!(bob.post("/v1/jobs/complete", &stolen).await["results"][0]["outcome"], "lease_lost");
    assert_eq!(zora.get(&format!("/v1/jobs/{job}")).await["status"], "PROCESSING");
}

async fn roles_end_where_they_should(database: Database) {
    let server = Server::start(&database).await;
    let admin = server.client();
    let job = json!({"jobType": "plain", "data": {}});
    let poll = json!({"workerId": "w", "jobTypes": ["plain"]});
    let workflow =
        json!({"name": "plain", "version": 1, "nodes": [{"id": "a", "type": "TRANSFORM", "output": 1}]});
    let limits = json!({"workflow-node": {"maxConcurrent": 10}});
    let new_key = json!({"name": "another", "role": "viewer"});
    // Reads, starts, works, operates, administers.
    for (role, may) in [
        ("viewer", [true, false, false, false, false]),
        ("worker", [false, false, true, false, false]),
        ("client", [true, true, false, false, false]),
        ("operator", [true, true, true, true, false]),
        ("admin", [true, true, true, true, true]),
    ] {
        let client = key(&admin, role, None).await;
        let answers = [
            client.try_get("/v1/jobs").await,
            client.try_post("/v1/jobs", &job).await,
            client.try_post("/v1/jobs/poll", &poll).await,
            client.call(Method::PUT, "/v1/limits").json(&limits).answer().await,
            client.try_post("/v1/api-keys", &new_key).await,
        ];
        for (answer, may) in answers.iter().zip(may) {
            if may {
                assert!(answer.is_success(), "{role}: {} {}", answer.status, answer.text);
            } else {
                assert_eq!(answer.problem(403)["code"], "forbidden", "{role}");
            }
        }
        let registers = client.try_post("/v1/workflows", &workflow).await;
        assert_eq!(registers.is_success(), may[3], "{role}: {}", registers.text);
    }
}
