//! `/v1/audit`: found, exported, and checked as a chain.

use domain::access::Role;
use domain::audit::{ChainCheck, Link, from_hex, seal_of};
use serde_json::{Map, Value, json};

use crate::harness::Harness;

async fn sealed(harness: &Harness) {
    harness.engine.engine.flush_audit().await;
    while harness.engine.engine.seal_audit_tick().await.expect("rows are sealed") {}
}

fn rows(export: &str) -> Vec<Map<String, Value>> {
    export.lines().map(|line| serde_json::from_str(line).expect("a row")).collect()
}

#[tokio::test]
async fn an_export_is_a_chain_that_anybody_can_check() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.act("/v1/queues/workflow-node/pause").await.expect(200);
    admin.put("/v1/limits", &json!({"workflow-node": {"maxConcurrent": 7}})).await.expect(200);
    admin.post("/v1/jobs", &json!({"jobType": "mail", "data": {"n": 1}})).await.expect(202);
    sealed(&harness).await;
    let export = admin.get("/v1/audit/export").await.expect(200);
    assert_eq!(export.header("content-type"), Some("application/x-ndjson"));
    let rows = rows(&export.text);
    let mut check = ChainCheck::behind(Link::START);
    for row in &rows {
        check.take(&seal_of(row).expect("it is sealed"), Some(row));
    }
    assert_eq!((check.first_bad(), check.rows() as usize), (None, rows.len()));
    let verified = admin.get("/v1/audit/verify").await.expect(200);
    assert_eq!((&verified.body["ok"], verified.body["rows"].as_u64()), (&json!(true), Some(check.rows())));
    let head = verified.body["head"]["hash"].as_str().and_then(from_hex).expect("a hash");
    check.expect_hash(&head);
    assert_eq!(check.first_bad(), None);
    let part = admin.get("/v1/audit/verify?from=2&to=3").await.expect(200);
    assert_eq!(
        (&part.body["ok"], &part.body["rows"], &part.body["last"]["seq"]),
        (&json!(true), &json!(2), &json!(3))
    );
    let listed = admin.get("/v1/audit?limit=1").await.expect(200);
    assert_eq!(listed.body["items"][0]["hash"], rows.last().expect("rows")["hash"]);

    let acme = harness.client(Role::Operator, Some("acme")).await;
    acme.get("/v1/audit/verify").await.problem(403, "forbidden");
    acme.act("/v1/workflows/none/pause").await.problem(404, "not_found");
    sealed(&harness).await;
    let own = acme.get("/v1/audit/export").await.expect(200);
    assert!(self::rows(&own.text).iter().all(|row| row["tenant"] == "acme"), "{}", own.text);
}

/// As the console's page of a workflow asks for them.
#[tokio::test]
async fn entries_about_a_workflow_are_found_with_those_about_its_versions() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    for (name, version) in [("hello", 1), ("hello", 2), ("hello-again", 1)] {
        let nodes = json!([{"id": "one", "type": "SERVICE_TASK", "jobType": "one"}]);
        let workflow = json!({"name": name, "version": version, "nodes": nodes});
        admin.post("/v1/workflows", &workflow).await.expect(201);
    }
    admin.act("/v1/workflows/hello/pause").await.expect(200);
    harness.engine.engine.flush_audit().await;
    let query = "action:workflow.*,attributes.*%20subject:hello,hello@*";
    let found = admin.get(&format!("/v1/audit?q={query}")).await.expect(200);
    let items = found.body["items"].as_array().expect("a list");
    let mut subjects: Vec<&str> = items.iter().filter_map(|line| line["subject"].as_str()).collect();
    subjects.sort_unstable();
    assert_eq!(subjects, ["hello", "hello@1", "hello@2"], "{}", found.text);
}

/// The one entry with an action.
async fn entry(harness: &Harness, action: &str) -> Value {
    let found = harness.admin().get(&format!("/v1/audit?action={action}")).await.expect(200);
    match found.body["items"].as_array().map(Vec::as_slice) {
        Some([line]) => line.clone(),
        _ => panic!("{action}: {}", found.text),
    }
}

#[tokio::test]
async fn entries_show_what_was_changed() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    crate::workflows::register(&admin, "greeter").await;
    let mut schedule =
        json!({"name": "nightly", "workflow": "greeter", "cron": "0 2 * * *", "input": {"who": "Ada"}});
    let made = admin.post("/v1/schedules", &schedule).await.expect(201);
    let path = format!("/v1/schedules/{}", made.str("id"));
    (schedule["cron"], schedule["input"]) = (json!("0 3 * * *"), json!({"who": "Grace"}));
    admin.put(&path, &schedule).await.expect(200);
    admin.act(&format!("{path}/pause")).await.expect(200);
    admin.delete(&path).await.expect(204);
    let created = entry(&harness, "schedule.create").await;
    assert_eq!((&created["before"], &created["after"]["name"]), (&Value::Null, &json!("nightly")));
    let edited = entry(&harness, "schedule.edit").await;
    assert_eq!(
        (&edited["before"]["cron"], &edited["after"]["cron"]),
        (&json!("0 2 * * *"), &json!("0 3 * * *"))
    );
    assert_eq!(edited["after"]["input"]["bytes"], 15, "a payload by its length and digest: {edited}");
    assert!(edited["after"]["input"]["sha256"].is_string() && !edited.to_string().contains("Grace"));
    assert_eq!(edited["after"].as_object().map(Map::len), Some(2), "only what differs: {edited}");
    assert_eq!(entry(&harness, "schedule.pause").await["after"], json!({"paused": true}));
    assert_eq!(entry(&harness, "schedule.delete").await["after"], Value::Null);

    let hook = json!({
        "name": "in", "provider": "hmac", "secrets": ["a-secret-of-some-length"], "triggers": [],
        "scheme": {"header": "X-Sig"},
    });
    let made = admin.post("/v1/webhooks", &hook).await.expect(201);
    let mut changed = hook.clone();
    (changed["secrets"], changed["name"]) = (json!(["another-secret-of-some-length"]), json!("out"));
    admin.put(&format!("/v1/webhooks/{}", made.str("id")), &changed).await.expect(200);
    let edited = entry(&harness, "webhook.edit").await;
    assert_eq!(
        (&edited["before"]["name"], &edited["after"]),
        (&json!("in"), &json!({"name": "out", "secrets": "***"}))
    );

    let route = json!({"type": "slack", "url": "https://chat.example/T0/very-secret"});
    admin.put("/v1/alerts/routes/chat", &route).await.expect(200);
    let put = entry(&harness, "alert_route.put").await;
    assert_eq!(put["after"]["url"]["host"], "https://chat.example", "{put}");
    assert!(!put.to_string().contains("very-secret"));
    admin.put("/v1/alerts/rules/depth", &json!({"metric": "depth", "above": 5})).await.expect(200);
    let put = entry(&harness, "alert_rule.put").await;
    assert_eq!((&put["before"]["above"], &put["after"]["above"]), (&json!(100_000.0), &json!(5.0)));
    let attribute = json!({"region": {"type": "text"}});
    admin.put("/v1/job-types/pay/attributes", &attribute).await.expect(200);
    let declared = entry(&harness, "attributes.declare").await;
    assert_eq!(
        (&declared["before"]["region"], &declared["after"]["region"]["type"]),
        (&Value::Null, &json!("text"))
    );
}

#[tokio::test]
async fn entries_about_a_bulk_operation_are_found_by_it() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let begun = admin.post("/v1/jobs/cancel", &json!({"filter": {"jobType": "none"}})).await.expect(202);
    let id = begun.str("id");
    let found = admin.get(&format!("/v1/audit?batch={id}")).await.expect(200);
    let [line] = found.body["items"].as_array().expect("a list").as_slice() else {
        panic!("one entry: {}", found.text)
    };
    assert_eq!((&line["action"], &line["batch"]), (&json!("jobs.cancel"), &json!(id)));
    let others = admin.get("/v1/audit?batch=bat_00000000000000000000000000000001").await.expect(200);
    assert_eq!(others.body["items"], json!([]));
}

#[tokio::test]
async fn entries_are_found_by_what_they_hold() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.act("/v1/queues/workflow-node/pause").await.expect(200);
    let viewer = harness.client(Role::Viewer, Some("acme")).await;
    for _ in 0..5 {
        viewer.act("/v1/queues/workflow-node/pause").await.problem(403, "forbidden");
    }
    harness.engine.engine.flush_audit().await;
    let refused = admin.get("/v1/audit?outcome=refused&tenant=acme").await.expect(200);
    let [line] = refused.body["items"].as_array().expect("a list").as_slice() else {
        panic!("one line for all of them: {}", refused.text)
    };
    assert_eq!(
        (&line["action"], &line["subject"]),
        (&json!("auth.refused"), &json!("POST /v1/queues/{queue}/pause"))
    );
    assert_eq!((&line["detail"]["count"], &line["door"]), (&json!(5), &json!("rest")));
    let paused =
        admin.get("/v1/audit?action=queue.pause,queue.resume&door=rest&outcome=done").await.expect(200);
    assert_eq!(paused.body["items"].as_array().map(Vec::len), Some(1), "{}", paused.text);
    let counted = admin.get("/v1/audit?q=action:queue.*%20-outcome:refused&order=asc&count=true").await;
    assert_eq!(counted.expect(200).body["count"], json!({"value": 1, "exact": true}));
    let request = paused.body["items"][0]["requestId"].as_str().expect("an id").to_owned();
    let same = admin.get(&format!("/v1/audit?requestId={request}")).await.expect(200);
    assert_eq!(same.body["items"].as_array().map(Vec::len), Some(1));
    for (query, pointer) in [
        ("outcome=maybe", "/outcome"),
        ("door=window", "/door"),
        ("actor=", "/actor"),
        ("from=yesterday", "/from"),
        ("color=red", "/color"),
    ] {
        let answer = admin.get(&format!("/v1/audit?{query}")).await.problem(422, "invalid");
        assert!(
            answer.pointers().iter().any(|found| found.starts_with(pointer) || pointer == "/color"),
            "{query}: {}",
            answer.text
        );
    }
    admin.get("/v1/audit/export?limit=5").await.problem(422, "invalid");
    viewer.get("/v1/audit/export").await.problem(403, "forbidden");
}
