//! What executions wait for, over REST: signals, people, callbacks, children; and reruns.

use axum::body::Body;
use axum::http::Request;
use domain::access::Role;
use serde_json::{Value, json};

use crate::harness::{Client, Harness, send};

/// Waits in three ways at once.
fn waits() -> Value {
    json!({
        "name": "waits", "version": 1,
        "nodes": [
            {"id": "sign", "type": "USER_TASK", "group": "board", "input": {"sum": 7},
             "form": {"type": "object", "properties": {"ok": {"type": "boolean"}}}},
            {"id": "go", "type": "SIGNAL", "signal": "go", "timeout": "1h"},
            {"id": "hook", "type": "WAIT_WEBHOOK"},
        ],
    })
}

async fn started(harness: &Harness, client: &Client) -> String {
    client.post("/v1/workflows", &waits()).await.expect(201);
    let id =
        client.post("/v1/executions", &json!({"workflow": "waits"})).await.expect(202).str("id").to_owned();
    testkit::eventually("it is parked", || async {
        client.get(&format!("/v1/executions/{id}")).await.body["status"] == "WAITING"
    })
    .await;
    assert!(harness.engine.store.ping().await.is_ok());
    id
}

fn node<'n>(nodes: &'n Value, id: &str) -> &'n Value {
    nodes["items"].as_array().expect("a list").iter().find(|node| node["nodeId"] == id).expect(id)
}

#[tokio::test]
async fn nodes_say_what_they_wait_for() {
    let harness = Harness::start().await;
    let _pool = harness.engine.run_executions(4);
    let admin = harness.admin();
    let id = started(&harness, &admin).await;
    let nodes = admin.get(&format!("/v1/executions/{id}/nodes")).await.expect(200);
    assert_eq!(node(&nodes.body, "sign")["waitsFor"]["reason"], "user_task");
    let go = node(&nodes.body, "go");
    assert_eq!((&go["status"], &go["waitsFor"]["reason"]), (&json!("WAITING"), &json!("signal")));
    assert!(go["waitsFor"]["until"].is_string(), "{go}");
    let url = node(&nodes.body, "hook")["callbackUrl"].as_str().expect("an address");
    assert!(url.starts_with(&format!("/callbacks/{id}/hook/")), "{url}");
    let viewer = harness.client(Role::Viewer, None).await;
    let seen = viewer.get(&format!("/v1/executions/{id}/nodes")).await.expect(200);
    assert!(node(&seen.body, "hook").get("callbackUrl").is_none(), "an address is a permission");
    let why = admin.get(&format!("/v1/executions/{id}/why")).await.expect(200);
    assert_eq!((why.str("status"), why.str("reason")), ("WAITING", "waiting"));
    assert_eq!(why.body["waitsFor"].as_array().map(Vec::len), Some(3));
    assert_eq!(why.body["waitsFor"][1]["nodeId"], "go");
}

#[tokio::test]
async fn signals_carry_any_json_or_nothing() {
    let harness = Harness::start().await;
    let _pool = harness.engine.run_executions(4);
    let admin = harness.admin();
    let workflow = json!({"name": "two", "version": 1, "nodes": [
        {"id": "a", "type": "SIGNAL", "signal": "a b"}, {"id": "b", "type": "SIGNAL", "signal": "c"}]});
    admin.post("/v1/workflows", &workflow).await.expect(201);
    let id = admin.post("/v1/executions", &json!({"workflow": "two"})).await.expect(202).str("id").to_owned();
    let signal = format!("/v1/executions/{id}/signals");
    let wrong = admin.post(&format!("{signal}/c"), &json!({"data": 1})).await.problem(422, "invalid");
    assert_eq!(wrong.pointers(), ["/data"]);
    let sent = admin.post(&format!("{signal}/a%20b"), &json!({"payload": [1.5, null]})).await.expect(202);
    assert!(sent.body["commandPosition"].is_i64(), "{}", sent.text);
    admin.act(&format!("{signal}/c")).await.expect(202);
    let ended = admin.get(&format!("/v1/executions/{id}?wait=true&timeout=20s")).await.expect(200);
    assert_eq!(ended.body["output"], json!({"a": [1.5, null], "b": null}));
    admin.act(&format!("{signal}/c")).await.problem(409, "execution_finished");
    harness.client(Role::Viewer, None).await.act(&format!("{signal}/c")).await.problem(403, "forbidden");
    admin
        .act("/v1/executions/exe_00000000000000000000000000000001/signals/c")
        .await
        .problem(404, "not_found");
}

#[tokio::test]
async fn user_tasks_are_listed_shown_and_done() {
    let harness = Harness::start().await;
    let _pool = harness.engine.run_executions(4);
    let admin = harness.admin();
    let id = started(&harness, &admin).await;
    let list = admin.get("/v1/user-tasks?group=board&workflow=waits&tenant=default").await.expect(200);
    let task = &list.body["items"][0];
    assert_eq!(
        (&task["executionId"], &task["status"], &task["round"]),
        (&json!(id), &json!("open"), &json!(1))
    );
    assert_eq!(task["input"], json!({"sum": 7}));
    let shown = admin.get(&format!("/v1/user-tasks/{id}/sign")).await.expect(200);
    assert_eq!(shown.body, *task);
    for (filter, count) in [
        (format!("execution={id}"), 1),
        ("status=completed".to_owned(), 0),
        ("assignee=ada".to_owned(), 0),
        ("dueBefore=2030-01-01T00:00:00Z".to_owned(), 0),
        ("tenant=other".to_owned(), 0),
    ] {
        let list = admin.get(&format!("/v1/user-tasks?{filter}")).await.expect(200);
        assert_eq!(list.body["items"].as_array().map(Vec::len), Some(count), "{filter}");
    }
    for wrong in ["status=done", "cursor=x", "limit=0", "execution=x", "colour=red", "dueBefore=soon"] {
        admin.get(&format!("/v1/user-tasks?{wrong}")).await.problem(422, "invalid");
    }
    let other = harness.client(Role::Admin, Some("umbrella")).await;
    assert_eq!(other.get("/v1/user-tasks").await.expect(200).body["items"], json!([]));
    other.get(&format!("/v1/user-tasks/{id}/sign")).await.problem(404, "not_found");

    let complete = format!("/v1/executions/{id}/user-tasks/sign/complete");
    other.post(&complete, &json!({"output": {}})).await.problem(404, "not_found");
    let refused = admin.post(&complete, &json!({"output": {"ok": 1}})).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/output/ok"]);
    admin.post(&complete, &json!({"output": {"ok": true}})).await.expect(202);
    testkit::eventually("the task is done", || async {
        admin.get(&format!("/v1/user-tasks/{id}/sign")).await.body["status"] == "completed"
    })
    .await;
    admin.post(&complete, &json!({"output": {"ok": true}})).await.problem(409, "user_task_not_open");
}

#[tokio::test]
async fn tasks_are_paged_by_position() {
    let harness = Harness::start().await;
    let _pool = harness.engine.run_executions(4);
    let admin = harness.admin();
    let tasks: Vec<Value> =
        (0..3).map(|n| json!({"id": format!("t{n}"), "type": "USER_TASK", "group": "g"})).collect();
    admin.post("/v1/workflows", &json!({"name": "three", "version": 1, "nodes": tasks})).await.expect(201);
    admin.post("/v1/executions", &json!({"workflow": "three"})).await.expect(202);
    testkit::eventually("three tasks are open", || async {
        admin.get("/v1/user-tasks").await.body["items"].as_array().map(Vec::len) == Some(3)
    })
    .await;
    let first = admin.get("/v1/user-tasks?limit=2").await.expect(200);
    let cursor = first.str("nextCursor").to_owned();
    let second = admin.get(&format!("/v1/user-tasks?limit=2&cursor={cursor}")).await.expect(200);
    assert_eq!(second.body["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&second.body["items"][0]["nodeId"], &second.body["nextCursor"]),
        (&json!("t0"), &Value::Null)
    );
}

#[tokio::test]
async fn large_inputs_of_user_tasks_come_when_they_are_asked_for() {
    let harness = Harness::start().await;
    let _pool = harness.engine.run_executions(4);
    let (admin, viewer) = (harness.admin(), harness.client(Role::Viewer, None).await);
    let input = json!({"text": "x".repeat(5_000)});
    let nodes = json!([{"id": "read", "type": "USER_TASK", "group": "g", "input": input}]);
    admin.post("/v1/workflows", &json!({"name": "long", "version": 1, "nodes": nodes})).await.expect(201);
    admin.post("/v1/executions", &json!({"workflow": "long"})).await.expect(202);
    testkit::eventually("the task is open", || async {
        admin.get("/v1/user-tasks").await.body["items"].as_array().map(Vec::len) == Some(1)
    })
    .await;
    let list = admin.get("/v1/user-tasks").await.expect(200).body;
    assert!(list["items"][0].get("input").is_none(), "a list has no large input: {list}");
    let path = format!("/v1/user-tasks/{}/read", list["items"][0]["executionId"].as_str().expect("an id"));
    let whole = admin.get(&path).await.expect(200).body;
    assert_eq!((&whole["input"], whole.get("omitted")), (&input, None));
    let shown = admin.get(&format!("{path}?maxPayload=4096")).await.expect(200).body;
    let omitted = &shown["omitted"][0];
    assert_eq!((&shown["input"], &omitted["bytes"]), (&Value::Null, &json!(input.to_string().len())));
    assert_eq!(omitted["href"], format!("{path}/input"));
    assert_eq!(admin.get(&format!("{path}/input")).await.expect(200).body, input);
    let hidden = viewer.get(&format!("{path}?maxPayload=0")).await.expect(200).body;
    assert_eq!((&hidden["input"], hidden.get("omitted")), (&Value::Null, None));
    assert_eq!(viewer.get(&format!("{path}/input")).await.expect(200).body, Value::Null);
    admin.get(&format!("{path}?maxPayload=much")).await.problem(422, "invalid");
}

#[tokio::test]
async fn callbacks_need_their_address_and_nothing_else() {
    let harness = Harness::start().await;
    let _pool = harness.engine.run_executions(4);
    let admin = harness.admin();
    let id = started(&harness, &admin).await;
    let nodes = admin.get(&format!("/v1/executions/{id}/nodes")).await.expect(200);
    let url = node(&nodes.body, "hook")["callbackUrl"].as_str().expect("an address").to_owned();
    let call = async |path: &str, content_type: Option<&str>, body: &str| {
        let mut request = Request::post(path);
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        send(&harness.router, request.body(Body::from(body.to_owned())).expect("a request")).await
    };
    let wrong = format!("{}0", &url[..url.len() - 1]);
    let wrong = if wrong == url { format!("{}1", &url[..url.len() - 1]) } else { wrong };
    for path in [wrong, format!("/callbacks/{id}/hook/zz"), "/callbacks/x/hook/00".to_owned()] {
        call(&path, None, "{}").await.problem(404, "not_found");
    }
    call(&url, Some("application/json"), "{").await.problem(400, "malformed_json");
    let sent = call(&url, Some("application/json"), "{\"n\": 1}").await.expect(202);
    assert!(sent.body["commandPosition"].is_i64());
    testkit::eventually("the node is done", || async {
        let nodes = admin.get(&format!("/v1/executions/{id}/nodes")).await;
        let hook = node(&nodes.body, "hook").clone();
        hook["status"] == "COMPLETED" && hook.get("callbackUrl").is_none()
    })
    .await;
    let nodes = admin.get(&format!("/v1/executions/{id}/nodes")).await;
    let output = json!({"body": {"n": 1}, "headers": {"content-type": "application/json"}, "method": "POST"});
    assert_eq!(node(&nodes.body, "hook")["output"], output);
    call(&url, None, "late").await.problem(409, "node_settled");
}

#[tokio::test]
async fn children_and_items_are_shown() {
    let harness = Harness::start().await;
    let _pool = harness.engine.run_executions(8);
    let admin = harness.admin();
    let child = json!({"name": "child", "version": 1, "nodes": [{"id": "t", "type": "TRANSFORM", "output": "${input.n}"}]});
    let parent = json!({"name": "parent", "version": 1, "nodes": [{"id": "each", "type": "MAP", "items": [1, 2],
        "node": {"type": "WORKFLOW", "workflow": "child", "input": {"n": "${item}"}}}]});
    for workflow in [&child, &parent] {
        admin.post("/v1/workflows", workflow).await.expect(201);
    }
    let id =
        admin.post("/v1/executions", &json!({"workflow": "parent"})).await.expect(202).str("id").to_owned();
    let ended = admin.get(&format!("/v1/executions/{id}?wait=true&timeout=20s")).await.expect(200);
    assert_eq!(ended.body["output"], json!({"each": [{"t": 1}, {"t": 2}]}));
    assert!(ended.body.get("parent").is_none());
    let children = admin.get(&format!("/v1/executions?parent={id}")).await.expect(200);
    let items = children.body["items"].as_array().expect("a list");
    assert_eq!(items.len(), 2);
    let mut starters: Vec<&str> = items.iter().filter_map(|one| one["parent"]["nodeId"].as_str()).collect();
    starters.sort_unstable();
    assert_eq!(starters, ["each[0]", "each[1]"]);
    assert_eq!(items[0]["trigger"]["kind"], "parent");
    assert_eq!(items[0]["trigger"]["executionId"], json!(id));
    let nodes = admin.get(&format!("/v1/executions/{id}/nodes")).await.expect(200);
    assert_eq!(nodes.body["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(nodes.body["items"][0]["mapItems"], json!({"total": 2, "started": 2, "completed": 2}));
    let nodes = admin.get(&format!("/v1/executions/{id}/nodes?items=true")).await.expect(200);
    assert_eq!(node(&nodes.body, "each[1]")["output"], json!({"t": 2}));

    let items = |rest: &str| format!("/v1/executions/{id}/nodes/each/items?{rest}");
    let first = admin.get(&items("limit=1")).await.expect(200).body;
    let cursor = first["nextCursor"].as_str().expect("there is another one").to_owned();
    let second = admin.get(&items(&format!("limit=1&cursor={cursor}&maxPayload=3"))).await.expect(200).body;
    let (first, second) = (&first["items"][0], &second["items"][0]);
    let mut ids = [&first["nodeId"], &second["nodeId"]].map(|id| id.as_str().expect("text"));
    ids.sort_unstable();
    assert_eq!(ids, ["each[0]", "each[1]"]);
    assert_eq!((&first["type"], &first["status"]), (&json!("WORKFLOW"), &json!("COMPLETED")));
    let path = format!("/v1/executions/{id}/nodes/{}/output", second["nodeId"].as_str().expect("text"));
    assert_eq!((&second["output"], &second["omitted"][0]["href"]), (&Value::Null, &json!(path)), "{second}");
    for node in ["each", "each[1]", "each%5B0%5D"] {
        let shown = admin.get(&format!("/v1/executions/{id}/nodes/{node}")).await.expect(200);
        assert_eq!(shown.body["status"], "COMPLETED", "{node}");
    }
    for unknown in ["each[2]", "t", "t/items", "a[1]"] {
        admin.get(&format!("/v1/executions/{id}/nodes/{unknown}")).await.problem(404, "not_found");
    }
    admin.get(&items("cursor=first")).await.problem(422, "invalid");
}

#[tokio::test]
async fn ended_executions_run_again_from_a_node() {
    let harness = Harness::start().await;
    let _pool = harness.engine.run_executions(4);
    let admin = harness.admin();
    let workflow = json!({"name": "w", "version": 1, "nodes": [
        {"id": "a", "type": "TRANSFORM", "output": "${input.n}"},
        {"id": "b", "type": "TRANSFORM", "dependsOn": ["a"], "output": "${[nodes.a.output, input.n]}"}]});
    admin.post("/v1/workflows", &workflow).await.expect(201);
    let start = json!({"workflow": "w", "input": {"n": 1}});
    let id =
        admin.post("/v1/executions?wait=true&timeout=20s", &start).await.expect(200).str("id").to_owned();
    let rerun = format!("/v1/executions/{id}/rerun");
    for (body, pointer) in [
        (json!({}), "/fromNode"),
        (json!({"fromNode": "zz"}), "/fromNode"),
        (json!({"fromNode": "b", "from": 1}), "/from"),
    ] {
        assert_eq!(admin.post(&rerun, &body).await.problem(422, "invalid").pointers(), [pointer]);
    }
    let again = admin.post(&rerun, &json!({"fromNode": "b", "input": {"n": 2}})).await.expect(202);
    assert_ne!(again.str("id"), id);
    let ended =
        admin.get(&format!("/v1/executions/{}?wait=true&timeout=20s", again.str("id"))).await.expect(200);
    assert_eq!(ended.body["output"], json!({"b": [1, 2]}), "the result of a is taken over");
    assert_eq!(ended.body["trigger"], json!({"kind": "user", "rerunOf": id, "fromNode": "b"}));
}
