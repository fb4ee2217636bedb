//! The checks over REST, for administrators.

use domain::access::Role;
use serde_json::{Value, json};

use crate::harness::Harness;

#[tokio::test]
async fn administrators_see_every_check() {
    let harness = Harness::start().await;
    let answer = harness.admin().get("/v1/doctor").await.expect(200).body;
    assert_eq!(answer["ok"], true, "{answer}");
    let checks = answer["checks"].as_array().expect("a list");
    let names: Vec<&str> = checks.iter().filter_map(|check| check["check"].as_str()).collect();
    let expected = [
        "schema",
        "pooler",
        "snapshots",
        "bloat",
        "clock",
        "leases",
        "parked",
        "disk",
        "certificates",
        "secrets",
        "keys",
        "dispatch",
    ];
    assert_eq!(names, expected);
    // Without keys in the settings secrets are sealed with one of the database.
    let secrets = checks.iter().find(|check| check["check"] == "secrets").expect("it is there");
    assert_eq!(secrets["status"], "warn");
    assert!(secrets["fix"].is_string());
    for (role, tenant) in [(Role::Operator, None), (Role::Admin, Some("acme"))] {
        harness.client(role, tenant).await.get("/v1/doctor").await.problem(403, "forbidden");
    }
}

#[tokio::test]
async fn a_lease_that_nobody_takes_back_fails() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.post("/v1/jobs", &json!({"jobType": "x", "data": 1})).await.expect(202);
    let taken = admin.take("x").await;
    harness.engine.clock.advance(domain::time::DurationMs::from_secs(3_600));
    let answer = admin.get("/v1/doctor").await.expect(200).body;
    assert_eq!(answer["ok"], false);
    let leases = answer["checks"].as_array().and_then(|all| all.iter().find(|one| one["check"] == "leases"));
    let leases: &Value = leases.expect("it is there");
    assert_eq!((&leases["status"], &leases["evidence"][0]["jobId"]), (&json!("fail"), &taken["id"]));
}
