//! A tenant is erased: refused while it works, cancelled where asked, and nothing of it is left.

use domain::access::Role;
use serde_json::json;
use testkit::eventually;

use crate::harness::Harness;

#[tokio::test]
async fn a_tenant_is_erased_and_its_name_is_free_again() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let (acme, other) = (
        harness.client(Role::Client, Some("acme")).await,
        harness.client(Role::Client, Some("umbrella")).await,
    );
    let job = json!({"jobType": "x", "data": {"secret": "of acme"}});
    let mine = acme.post("/v1/jobs", &job).await.expect(202).body;
    let theirs = other.post("/v1/jobs", &job).await.expect(202).body;
    let path = "/v1/tenants/acme/erase";
    admin.post(path, &json!({})).await.problem(422, "invalid");
    admin.post(path, &json!({"confirm": "Acme"})).await.problem(422, "invalid");
    admin.post(path, &json!({"confirm": "acme"})).await.problem(409, "tenant_in_use");
    admin.post("/v1/tenants/nobody/erase", &json!({"confirm": "nobody"})).await.problem(404, "not_found");
    acme.post(path, &json!({"confirm": "acme"})).await.problem(403, "forbidden");

    let batch = admin.post(path, &json!({"confirm": "acme", "cancelOpen": true})).await.expect(202).body;
    assert_eq!((&batch["kind"], &batch["status"]), (&json!("tenants.erase"), &json!("running")));
    let again = admin.post(path, &json!({"confirm": "acme", "cancelOpen": true})).await.expect(202).body;
    assert_eq!(again["id"], batch["id"], "one at a time");
    acme.get("/v1/jobs").await.problem(401, "unauthenticated");
    let named = json!({"jobType": "x", "data": 1, "tenant": "acme"});
    admin.post("/v1/jobs", &named).await.problem(409, "tenant_erasing");
    let batch_path = format!("/v1/batches/{}", batch["id"].as_str().expect("an id"));
    admin.act(&format!("{batch_path}/abort")).await.problem(409, "batch_not_abortable");
    let job_path = |job: &serde_json::Value| format!("/v1/jobs/{}", job["id"].as_str().expect("an id"));
    eventually("the job is gone", || async { admin.get(&job_path(&mine)).await.status == 404 }).await;
    admin.get(&job_path(&theirs)).await.expect(200);
    admin.post("/v1/jobs", &named).await.problem(409, "tenant_erasing");
    // Other nodes have heard of it by then.
    harness.engine.clock.advance(domain::time::DurationMs::from_secs(11));
    eventually("the erasure ends", || async { admin.get(&batch_path).await.body["status"] == "completed" })
        .await;
    let tenants = admin.get("/v1/tenants").await.expect(200).body;
    let names: Vec<&str> =
        tenants["items"].as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert!(!names.contains(&"acme") && names.contains(&"umbrella"), "{names:?}");
    let lines = admin.get("/v1/audit?tenant=acme&action=tenant.erase,tenant.erased").await.expect(200).body;
    assert_eq!(lines["items"].as_array().map(Vec::len), Some(2), "{lines}");
    admin.post("/v1/jobs", &named).await.expect(202);
}
