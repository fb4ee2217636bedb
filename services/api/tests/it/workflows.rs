//! `/v1/workflows`.

use api::ApiOptions;
use domain::access::Role;
use domain::time::DurationMs;
use engine::WorkbenchPolicy;
use serde_json::{Value, json};

use crate::harness::{Client, Harness};

/// A workflow of one node, with a limit and a required input.
pub(crate) fn definition(name: &str, version: u32) -> Value {
    json!({
        "name": name, "version": version,
        "input": {"type": "object", "required": ["who"], "properties": {"who": {"type": "string"}}},
        "limits": {"maxConcurrent": 4},
        "nodes": [{"id": "greet", "type": "SERVICE_TASK", "jobType": "greet", "input": {"who": "${input.who}"}}],
        "output": {"greeting": "${nodes.greet.output.text}"},
    })
}

pub(crate) async fn register(client: &Client, name: &str) {
    client.post("/v1/workflows", &definition(name, 1)).await.expect(201);
}

#[tokio::test]
async fn versions_never_change() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let first = admin.post("/v1/workflows", &definition("w", 1)).await.expect(201);
    assert_eq!((first.str("name"), first.body["version"].as_u64()), ("w", Some(1)));
    assert_eq!(first.str("contentHash").len(), 64);
    let same = admin.post("/v1/workflows", &definition("w", 1)).await.expect(200);
    assert_eq!(same.body["contentHash"], first.body["contentHash"]);
    let mut other = definition("w", 1);
    other["timeout"] = json!("1h");
    admin.post("/v1/workflows", &other).await.problem(409, "workflow_version_conflict");
    other["version"] = json!(2);
    admin.post("/v1/workflows", &other).await.expect(201);

    let latest = admin.get("/v1/workflows/w").await.expect(200);
    assert_eq!(latest.body["version"], 2);
    assert_eq!(latest.body["definition"]["timeout"], "1h");
    let versions = admin.get("/v1/workflows/w/versions").await.expect(200);
    let numbers: Vec<u64> = versions.body["items"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|v| v["version"].as_u64())
        .collect();
    assert_eq!(numbers, [2, 1]);
    let page = admin.get("/v1/workflows/w/versions?limit=1").await.expect(200);
    assert_eq!(page.body["nextCursor"], "2");
    let page = admin.get("/v1/workflows/w/versions?limit=1&cursor=2").await.expect(200);
    assert_eq!(
        (page.body["items"][0]["version"].as_u64(), page.body["nextCursor"].clone()),
        (Some(1), Value::Null)
    );
    assert_eq!(admin.get("/v1/workflows/w/versions/1").await.expect(200).body["version"], 1);
    for missing in [
        "/v1/workflows/w/versions/3",
        "/v1/workflows/w/versions/x",
        "/v1/workflows/none",
        "/v1/workflows/none/versions",
    ] {
        admin.get(missing).await.problem(404, "not_found");
    }
}

/// Whoever works for no tenant looks at a tenant's own workflow in its name, and sees the shared one without.
#[tokio::test]
async fn workflows_of_a_tenant_are_listed_with_their_versions_in_its_name() {
    let harness = Harness::start().await;
    let (admin, acme) = (harness.admin(), harness.client(Role::Operator, Some("acme")).await);
    register(&admin, "shared").await;
    register(&admin, "both").await;
    for version in [1, 2] {
        acme.post("/v1/workflows", &definition("both", version)).await.expect(201);
    }
    register(&acme, "own").await;
    let names = async |client: &Client, path: &str| -> Vec<String> {
        let list = client.get(path).await.expect(200);
        let of = |item: &Value| format!("{} {} {}", item["name"], item["version"], item["tenant"]);
        list.body["items"].as_array().expect("a list").iter().map(of).collect()
    };
    let shared = [r#""both" 1 null"#, r#""shared" 1 null"#];
    let seen = [r#""both" 2 "acme""#, r#""own" 1 "acme""#, r#""shared" 1 null"#];
    assert_eq!(names(&admin, "/v1/workflows").await, shared);
    assert_eq!(names(&admin, "/v1/workflows?tenant=acme").await, seen);
    assert_eq!(names(&acme, "/v1/workflows").await, seen);
    assert_eq!(names(&admin, "/v1/workflows/both/versions").await, [shared[0]]);
    let own = names(&admin, "/v1/workflows/both/versions?tenant=acme").await;
    assert_eq!(own, [seen[0], r#""both" 1 "acme""#]);
    admin.get("/v1/workflows/own/versions").await.problem(404, "not_found");
    acme.get("/v1/workflows/both/versions?tenant=globex").await.problem(404, "not_found");
}

#[tokio::test]
async fn yaml_says_the_same() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let json = admin.post("/v1/workflows", &definition("y", 1)).await.expect(201);
    let yaml = r"
name: y
version: 1
input: {type: object, required: [who], properties: {who: {type: string}}}
limits: {maxConcurrent: 4}
nodes:
  - {id: greet, type: SERVICE_TASK, jobType: greet, input: {who: '${input.who}'}}
output: {greeting: '${nodes.greet.output.text}'}
";
    let mut request = admin.request("POST", "/v1/workflows", yaml);
    request.headers_mut().insert("content-type", "application/yaml".parse().expect("a header"));
    let same = admin.send(request).await.expect(200);
    assert_eq!(same.body["contentHash"], json.body["contentHash"]);
}

#[tokio::test]
async fn definitions_can_be_checked_only() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let checked = admin.post("/v1/workflows?validate=true", &definition("v", 1)).await.expect(200);
    assert_eq!(checked.body["valid"], true);
    assert_eq!(checked.body["name"], "v");
    admin.get("/v1/workflows/v").await.problem(404, "not_found");
    let mut cyclic = definition("v", 1);
    cyclic["nodes"][0]["dependsOn"] = json!(["greet"]);
    for uri in ["/v1/workflows?validate=true", "/v1/workflows"] {
        let refused = admin.post(uri, &cyclic).await.problem(422, "invalid");
        assert!(!refused.pointers().is_empty(), "{}", refused.text);
    }
}

#[tokio::test]
async fn checking_a_definition_needs_the_right_to_register() {
    let harness = Harness::start().await;
    for role in [Role::Viewer, Role::Client, Role::Worker] {
        let client = harness.client(role, Some("acme")).await;
        let refused = client.post("/v1/workflows?validate=true", &definition("v", 1)).await;
        refused.problem(403, "forbidden");
    }
    let operator = harness.client(Role::Operator, Some("acme")).await;
    operator.post("/v1/workflows?validate=true", &definition("v", 1)).await.expect(200);
}

/// What is large is read on threads of its own, of which each tenant has a share: where it gets none it is not read, and everybody
/// else is answered meanwhile.
#[tokio::test]
async fn large_definitions_hold_up_nobody_else() {
    let workbench = WorkbenchPolicy { threads: 0, threads_per_tenant: 0, deadline: DurationMs(1) };
    let harness = Harness::with_policy(ApiOptions::default(), |policy| policy.workbench = workbench).await;
    let nodes: Vec<Value> = (0..900)
        .map(|n| json!({"id": format!("n{n}"), "type": "TRANSFORM", "output": "x".repeat(1_000)}))
        .collect();
    let large = json!({"name": "large", "version": 1, "nodes": nodes});
    harness.admin().post("/v1/workflows", &large).await.problem(503, "unavailable");
    harness.admin().post("/v1/jobs", &json!({"jobType": "small"})).await.expect(202);
}

/// What was made to fill the memory is refused with its place, whichever way it is written.
#[tokio::test]
async fn definitions_that_ask_for_too_much_are_refused() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let mut definitions = json!({});
    for place in 0..26 {
        let next = json!({"$ref": format!("#/$defs/d{}", place + 1)});
        definitions[format!("d{place}")] = json!({"allOf": [next, next]});
    }
    definitions["d26"] = json!({"type": "object"});
    let mut chain = definition("h", 1);
    chain["input"] = json!({"$ref": "#/$defs/d0", "$defs": definitions});
    let refused = admin.post("/v1/workflows", &chain).await.problem(422, "invalid");
    assert!(refused.pointers()[0].starts_with("/input/$defs/"), "{}", refused.text);
    let patterns: Vec<Value> = (0..800).map(|n| json!({"pattern": format!("\\p{{L}}{{100}}{n}")})).collect();
    chain["input"] = json!({ "allOf": patterns });
    let refused = admin.post("/v1/workflows?validate=true", &chain).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/input/allOf/0/pattern"]);
    let tags = (0..45_000).map(|n| format!("%TAG !t{n}! tag:x:")).collect::<Vec<_>>().join("\n");
    let mut request = admin.request("POST", "/v1/workflows", tags);
    request.headers_mut().insert("content-type", "application/yaml".parse().expect("a header"));
    let refused = admin.send(request).await.problem(422, "invalid");
    assert!(refused.text.contains("directives"), "{}", refused.text);
}

#[tokio::test]
async fn workflows_are_listed_and_paused() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    for name in ["b", "a", "c"] {
        register(&admin, name).await;
    }
    let first = admin.get("/v1/workflows?limit=2").await.expect(200);
    let names = |page: &Value| -> Vec<String> {
        let items = page["items"].as_array().expect("a list");
        items.iter().filter_map(|workflow| workflow["name"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(names(&first.body), ["a", "b"]);
    assert!(first.body["items"][0].get("definition").is_none());
    let cursor = first.str("nextCursor").to_owned();
    let second = admin.get(&format!("/v1/workflows?limit=2&cursor={cursor}")).await.expect(200);
    assert_eq!(names(&second.body), ["c"]);
    assert_eq!(second.body["nextCursor"], Value::Null);

    assert_eq!(
        admin.act("/v1/workflows/a/pause").await.expect(200).body,
        json!({"name": "a", "paused": true, "newRuns": "queue"})
    );
    assert_eq!(admin.get("/v1/workflows/a").await.body["paused"], true);
    let refuse = json!({"newRuns": "refuse"});
    assert_eq!(admin.post("/v1/workflows/a/pause", &refuse).await.expect(200).body["newRuns"], "refuse");
    assert_eq!(admin.get("/v1/workflows/a").await.body["newRuns"], "refuse");
    let start = json!({"workflow": "a", "input": {"who": "Ada"}});
    admin.post("/v1/executions", &start).await.problem(409, "workflow_paused");
    let wrong =
        admin.post("/v1/workflows/a/pause", &json!({"newRuns": "drop"})).await.problem(422, "invalid");
    assert_eq!(wrong.pointers(), ["/newRuns"]);
    admin.act("/v1/workflows/a/resume").await.expect(200);
    let resumed = admin.get("/v1/workflows/a").await;
    assert_eq!((&resumed.body["paused"], resumed.body.get("newRuns")), (&json!(false), None));
    admin.act("/v1/workflows/none/pause").await.problem(404, "not_found");
}

#[tokio::test]
async fn every_fault_of_a_definition_is_reported_with_a_suggestion() {
    let harness = Harness::start().await;
    let nodes: Vec<Value> = (0..150).map(|n| json!({"id": format!("n{n}"), "type": "TIMERR"})).collect();
    let bad = json!({"name": "bad", "version": 1, "nodes": nodes, "outptu": 1});
    let refused = harness.admin().post("/v1/workflows?validate=true", &bad).await.problem(422, "invalid");
    assert!(refused.pointers().contains(&"/outptu") && refused.pointers().contains(&"/nodes/149/type"));
    assert!(refused.text.contains("did you mean `TIMER`?"), "{}", refused.text);
}

#[tokio::test]
async fn workflows_are_drawn() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    register(&admin, "drawn").await;
    for path in ["/v1/workflows/drawn/graph", "/v1/workflows/drawn/versions/1/graph"] {
        let chart = admin.get(path).await.expect(200);
        assert_eq!(chart.header("content-type"), Some("text/plain; charset=utf-8"));
        assert!(
            chart.text.contains("flowchart TD") && chart.text.contains("SERVICE_TASK greet"),
            "{}",
            chart.text
        );
    }
    admin.get("/v1/workflows/drawn/versions/2/graph").await.problem(404, "not_found");
}

#[tokio::test]
async fn the_schema_is_published_for_editors() {
    let harness = Harness::start().await;
    let schema = crate::harness::send(&harness.router, crate::harness::bare("GET", "/schemas/workflow.json"))
        .await
        .expect(200);
    assert_eq!(schema.header("content-type"), Some("application/schema+json"));
    assert!(schema.str("$id").starts_with("urn:") && schema.body["$defs"]["node"].is_object());
    assert!(schema.header("cache-control").is_some_and(|value| value.starts_with("public, max-age=")));
    let etag = schema.header("etag").expect("a tag").to_owned();
    let mut again = crate::harness::bare("GET", "/schemas/workflow.json");
    again.headers_mut().insert("if-none-match", etag.parse().expect("a header"));
    assert_eq!(crate::harness::send(&harness.router, again).await.expect(304).text, "");
    assert_eq!(harness.admin().get("/v1/workflows/schema").await.expect(200).body, schema.body);
}

#[tokio::test]
async fn a_definition_is_simulated_without_a_trace() {
    let harness = Harness::start().await;
    let viewer = harness.client(Role::Viewer, None).await;
    let client = harness.client(Role::Client, None).await;
    let run = |results: Value| json!({"definition": definition("w", 1), "input": {"who": "Ada"}, "results": results});

    let waiting = client.post("/v1/workflows/simulate", &run(json!({}))).await.expect(200);
    assert_eq!(waiting.str("status"), "RUNNING");
    assert_eq!(waiting.body["waitingFor"], json!([{"nodeId": "greet", "awaits": "result"}]));
    assert_eq!(waiting.body["nodes"][0]["input"], json!({"who": "Ada"}));

    let results = json!({"greet": [{"output": {"text": "Hello, Ada"}}]});
    let done = client.post("/v1/workflows/simulate", &run(results)).await.expect(200);
    assert_eq!(done.body["output"], json!({"greeting": "Hello, Ada"}));
    let failed =
        client.post("/v1/workflows/simulate", &run(json!({"greet": [{"error": "no"}]}))).await.expect(200);
    assert_eq!((failed.str("status"), failed.body["error"]["message"].as_str()), ("FAILED", Some("no")));

    // Keys of viewers show no payloads unless they are allowed to.
    viewer.post("/v1/workflows/simulate", &run(json!({}))).await.problem(403, "forbidden");
    let executions = client.get("/v1/executions").await.expect(200);
    assert_eq!(executions.body["items"], json!([]));
    assert_eq!(client.get("/v1/workflows").await.expect(200).body["items"], json!([]));
}

#[tokio::test]
async fn a_registered_workflow_and_yaml_are_simulated_and_faults_have_pointers() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    register(&admin, "w").await;
    let by_name = json!({"workflow": "w", "input": {"who": "Ada"}});
    assert_eq!(admin.post("/v1/workflows/simulate", &by_name).await.expect(200).str("status"), "RUNNING");
    let yaml = "name: y\nversion: 1\nnodes:\n  - {id: pause, type: TIMER, duration: 2h}\n";
    let start = "2026-11-20T12:00:00.000Z";
    let timer = json!({"definition": yaml, "now": start});
    let timer = admin.post("/v1/workflows/simulate", &timer).await.expect(200);
    assert_eq!((timer.str("status"), timer.str("now")), ("COMPLETED", "2026-11-20T14:00:00.000Z"));

    let yaml_of_wait = "name: e\nversion: 1\nnodes:\n  - {id: paid, type: WAIT_EVENT, event: order.paid, match: {body.id: 7}}\n";
    let events =
        json!([{"name": "order.paid", "data": {"id": 8}}, {"name": "order.paid", "data": {"id": 7}}]);
    let woken = json!({"definition": yaml_of_wait, "events": events});
    let woken = admin.post("/v1/workflows/simulate", &woken).await.expect(200);
    assert_eq!(woken.str("status"), "COMPLETED");
    assert_eq!(woken.body["nodes"][0]["output"]["body"], json!({"id": 7}));

    for (body, pointer) in [
        (json!({}), "/definition"),
        (json!({"workflow": "w", "definition": yaml}), "/definition"),
        (json!({"definition": {"name": "w", "version": 1, "nodes": []}}), "/definition/nodes"),
        (json!({"workflow": "w"}), "/input"),
        (json!({"workflow": "w", "input": {"who": "a"}, "results": {"none": []}}), "/results/none"),
        (json!({"workflow": "w", "results": {"greet": [{"output": 1, "error": "a"}]}}), "/results/greet/0"),
    ] {
        let problem = admin.post("/v1/workflows/simulate", &body).await.problem(422, "invalid");
        assert_eq!(problem.pointers(), [pointer], "{body}");
    }
    let missing = json!({"workflow": "none"});
    admin.post("/v1/workflows/simulate", &missing).await.problem(404, "not_found");
}

#[tokio::test]
async fn source_places_stand_beside_a_version() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    register(&admin, "w").await;
    let (shown, path) = ("/v1/workflows/w/versions/1", "/v1/workflows/w/versions/1/source");
    let before = admin.get(shown).await.expect(200);
    assert!(before.body.get("source").is_none());
    let places =
        |line: u32| json!({"nodes": {"greet": {"file": "flows/greet.py", "line": line, "column": 9}}});
    for line in [7, 12] {
        admin.put(path, &places(line)).await.expect(204);
    }
    for read in [shown, "/v1/workflows/w"] {
        let after = admin.get(read).await.expect(200);
        assert_eq!(after.body["source"], places(12)["nodes"]);
        assert_eq!(after.body["contentHash"], before.body["contentHash"]);
        assert_eq!(after.body["definition"], before.body["definition"]);
    }
    let list = admin.get("/v1/workflows").await.expect(200);
    assert!(!list.text.contains("greet.py"), "{}", list.text);
    admin.put("/v1/workflows/w/versions/2/source", &places(1)).await.problem(404, "not_found");
    for (bad, pointer) in [
        (json!({}), "/nodes"),
        (places(0), "/nodes/greet/line"),
        (json!({"nodes": {"greet": {"file": "", "line": 1}}}), "/nodes/greet/file"),
    ] {
        assert_eq!(admin.put(path, &bad).await.problem(422, "invalid").pointers(), [pointer]);
    }
    // A key of a tenant has no say in what all of them share, and a client's none at all.
    let acme = harness.client(Role::Operator, Some("acme")).await;
    acme.put(path, &places(1)).await.problem(404, "not_found");
    assert_eq!(acme.get(shown).await.expect(200).body["source"], places(12)["nodes"]);
    harness.client(Role::Client, None).await.put(path, &places(1)).await.problem(403, "forbidden");
}
