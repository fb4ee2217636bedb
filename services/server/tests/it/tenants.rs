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

/// What Ada made: ids by kind.
async fn adas_things(ada: &Client) -> Things {
    let id = |value: &Value| value["id"].as_str().expect("an id").to_owned();
    let job = id(&ada
        .post(
            "/v1/jobs",
            &json!({"jobType": "private", "data": {"canary": "adas-data"}}),
        )
        .await);
    let doomed = id(&ada
        .post(
            "/v1/jobs",
            &json!({"jobType": "doomed", "data": {"canary": "adas-data"}}),
        )
        .await);
    let workflow = json!({"name": "adas", "version": 1, "nodes": [
        {"id": "step", "type": "SERVICE_TASK", "jobType": "step", "input": {"canary": "adas-data"}},
    ]});
    ada.post("/v1/workflows", &workflow).await;
    let execution = id(&ada.post("/v1/executions", &json!({"workflow": "adas"})).await);
    let leased = ada
        .post("/v1/jobs/poll", &json!({"workerId": "w", "jobTypes": ["doomed"]}))
        .await;
    let leased = &leased["jobs"][0];
    let failure = json!({"id": leased["id"], "leaseToken": leased["leaseToken"], "retryable": false,
                         "error": {"message": "adas-data is broken"}});
    ada.post("/v1/jobs/fail", &json!({ "jobs": [failure] })).await;
    let letters = ada.all("/v1/dead-letters").await;
    assert_eq!(
        (letters.len(), &letters[0]["jobId"]),
        (1, &json!(doomed)),
        "{letters:?}"
    );
    BTreeMap::from([
        ("job", job),
        ("doomed", doomed),
        ("execution", execution),
        ("letter", id(&letters[0])),
    ])
}

async fn i13_tenants_do_not_see_each_other(database: Database) {
    let server = Server::start(&database).await;
    let admin = server.client();
    let (ada, bob) = (
        key(&admin, "operator", Some("ada")).await,
        key(&admin, "operator", Some("bob")).await,
    );
    let things = adas_things(&ada).await;
    nothing_can_be_read(&ada, &bob, &things).await;
    nothing_can_be_changed(&bob, &things).await;
    nothing_can_be_worked_on(&ada, &bob, &things["job"]).await;
    // The same idempotency key of two tenants is two keys.
    let body = json!({"jobType": "mine", "data": {}});
    let mut ids = Vec::new();
    for client in [&ada, &bob] {
        ids.push(
            client
                .call(Method::POST, "/v1/jobs")
                .idempotent("shared")
                .json(&body)
                .done()
                .await["id"]
                .clone(),
        );
    }
    assert_ne!(ids[0], ids[1]);
}

type Things = BTreeMap<&'static str, String>;

async fn nothing_can_be_read(ada: &Client, bob: &Client, things: &Things) {
    let (job, execution, letter) = (&things["job"], &things["execution"], &things["letter"]);
    for path in [
        format!("/v1/jobs/{job}"),
        format!("/v1/jobs/{job}/why"),
        format!("/v1/executions/{execution}"),
        format!("/v1/executions/{execution}/nodes"),
        format!("/v1/executions/{execution}/events"),
        format!("/v1/dead-letters/{letter}"),
        "/v1/workflows/adas".to_owned(),
        "/v1/workflows/adas/versions/1".to_owned(),
    ] {
        assert!(ada.try_get(&path).await.is_success(), "{path}");
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
        assert!(!seen.text.contains("ada"), "{list} shows bob: {}", seen.text);
    }
    assert_eq!(bob.all("/v1/jobs?tenant=ada").await.len(), 0);
    let figures = bob.get("/v1/queues").await;
    for queue in figures["items"].as_array().expect("queues") {
        assert_eq!(
            (&queue["queued"], &queue["deadLetters"]),
            (&json!(0), &json!(0)),
            "{queue}"
        );
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
        "/v1/workflows/adas/pause".to_owned(),
    ] {
        bob.try_post(&path, &json!({})).await.problem(404);
    }
    bob.try_post(
        &format!("/v1/dead-letters/{letter}/archive"),
        &json!({"reason": "not his"}),
    )
    .await
    .problem(404);
    let count = bob
        .post("/v1/dead-letters/requeue", &json!({"all": true, "dryRun": true}))
        .await;
    assert_eq!(count["count"], 0);
    bob.try_post("/v1/executions", &json!({"workflow": "adas"}))
        .await
        .problem(404);
    let for_ada = json!({"jobType": "x", "data": {}, "tenant": "ada"});
    bob.try_post("/v1/jobs", &for_ada).await.problem(403);
}

async fn nothing_can_be_worked_on(ada: &Client, bob: &Client, job: &str) {
    let polled = bob
        .post(
            "/v1/jobs/poll",
            &json!({"workerId": "b", "jobTypes": ["private", "step"]}),
        )
        .await;
    assert_eq!(polled["jobs"], json!([]));
    let polled = ada
        .post(
            "/v1/jobs/poll",
            &json!({"workerId": "a", "jobTypes": ["private"]}),
        )
        .await;
    let leased = &polled["jobs"][0];
    let stolen =
        json!({"jobs": [{"id": leased["id"], "leaseToken": leased["leaseToken"], "result": "bobs"}]});
    assert_eq!(
        bob.post("/v1/jobs/complete", &stolen).await["results"][0]["outcome"],
        "lease_lost"
    );
    assert_eq!(ada.get(&format!("/v1/jobs/{job}")).await["status"], "PROCESSING");
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
            client
                .call(Method::PUT, "/v1/limits")
                .json(&limits)
                .answer()
                .await,
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
