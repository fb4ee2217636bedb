//! One tenant sends what is meant to hurt; another one goes on. The process has a bound on its memory meanwhile.
//!
//! The bounds are generous, for a loaded machine: before there were any budgets each of these inputs took minutes, or all of
//! the memory, or ended the process.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Client, Database, Server, key_of, longest_call, on_both_databases, until};

on_both_databases!(
    what_one_tenant_sends_holds_up_nobody_else,
    items_with_large_inputs_hold_up_nobody_else,
    full_inboxes_hold_up_nobody_else,
);

/// Address space of the process, in KiB: 12 GiB, of which an allocator reserves some without using it.
const ADDRESS_SPACE_KIB: u64 = 12 << 20;
/// What the process may have used at most, in KiB: 2 GiB.
const RESIDENT_MAX_KIB: u64 = 2 << 20;
/// How long a call of the other tenant may take.
const CALL_MAX: Duration = Duration::from_secs(15);
/// How long an attack may take to be answered.
const DEADLINE: Duration = Duration::from_mins(3);

/// Two references to the next schema, so many times in a row.
fn doubling_schema() -> Value {
    let mut definitions = serde_json::Map::new();
    for place in 0..26 {
        let next = json!({"$ref": format!("#/$defs/d{}", place + 1)});
        definitions.insert(format!("d{place}"), json!({"allOf": [next, next]}));
    }
    definitions.insert("d26".to_owned(), json!({"type": "object"}));
    json!({"$ref": "#/$defs/d0", "$defs": definitions})
}

fn definition(name: &str, fields: &Value) -> Value {
    let mut definition =
        json!({"name": name, "version": 1, "nodes": [{"id": "a", "type": "TRANSFORM", "output": 1}]});
    for (field, value) in fields.as_object().expect("fields") {
        definition[field] = value.clone();
    }
    definition
}

fn patterns() -> Value {
    let property = |number: usize| {
        (format!("p{number}"), json!({"type": "string", "pattern": format!("\\pL{{100}}{number}")}))
    };
    let properties: serde_json::Map<String, Value> = (0..800).map(property).collect();
    json!({"type": "object", "properties": properties})
}

/// As large as a definition may be, and valid.
fn large_definition() -> Value {
    let node =
        |number: usize| json!({"id": format!("n{number}"), "type": "TRANSFORM", "output": "x".repeat(1_000)});
    json!({"name": "large", "version": 1, "nodes": (0..900).map(node).collect::<Vec<_>>()})
}

/// What the hostile tenant sends: a name, the path, the type and the bytes.
fn attacks() -> Vec<(&'static str, &'static str, &'static str, Vec<u8>)> {
    let json_of = |value: Value| value.to_string().into_bytes();
    let start = |workflow: &str| json_of(json!({"workflow": workflow, "input": hostile_input()}));
    let tags = "%TAG ! tag:example.com,2000:\n".repeat(30_000);
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    vec![
        (
            "schema",
            "/v1/workflows",
            JSON,
            json_of(definition("doubling", &json!({"input": doubling_schema()}))),
        ),
        (
            "patterns",
            "/v1/workflows?validate=true",
            JSON,
            json_of(definition("patterns", &json!({"input": patterns()}))),
        ),
        (
            "yaml",
            "/v1/workflows?validate=true",
            "application/yaml",
            format!("{tags}---\nname: x\n").into_bytes(),
        ),
        ("definitions", "/v1/workflows?validate=true", JSON, json_of(large_definition())),
        ("heartbeats", "/v1/jobs/heartbeat", JSON, list_of("jobs", "{}")),
        ("failures", "/v1/jobs/fail", JSON, failure()),
        ("batch", "/v1/jobs/batch", JSON, list_of("jobs", "0")),
        ("nesting", "/v1/jobs", JSON, format!("{{\"jobType\": \"x\", \"data\": {nested}}}").into_bytes()),
        ("body", "/v1/jobs", JSON, vec![b' '; 30 << 20]),
        ("expression", "/v1/executions", JSON, start("hostile")),
        ("matches", "/v1/executions", JSON, start("matches")),
        ("compiles", "/v1/executions", JSON, start("compiles")),
    ]
}

const JSON: &str = "application/json";

/// As long as a body may be: a list of as little as possible, of which each takes a hundred times as much in memory.
fn list_of(field: &str, item: &str) -> Vec<u8> {
    let count = (31 << 20) / (item.len() + 1);
    format!("{{\"{field}\": [{}{item}]}}", format!("{item},").repeat(count)).into_bytes()
}

/// Details as long as a body may be, which take sixteen times as much as values.
fn failure() -> Vec<u8> {
    let id =
        r#""id": "job_0193456789ab7def8123456789abcdef", "leaseToken": "0193456789ab7def8123456789abcdef""#;
    let details = format!("[{}0]", "0,".repeat(15 << 20));
    format!(r#"{{"jobs": [{{{id}, "error": {{"message": "m", "details": {details}}}}}]}}"#).into_bytes()
}

/// What is started, each twice: lists in lists, one pattern on a long text again and again, and a pattern of its own for each pair
/// of two lists. To carry out any of it would take minutes or gigabytes.
fn hostile_workflows() -> [Value; 3] {
    let transform = |id: &str, output: &str| json!({"id": id, "type": "TRANSFORM", "output": output});
    let workflow = |name: &str, nodes: &[Value]| json!({"name": name, "version": 1, "nodes": nodes});
    let lists = [
        transform("a", "${size(input.l.map(a, input.l.map(b, [a, b, input.l])))}"),
        transform("b", "${input.l.all(a, size(input.text + input.text) > 0)}"),
    ];
    let matches = [transform("a", "${input.l.all(a, !input.text.matches(input.slow))}")];
    let compiles = [transform(
        "a",
        "${input.l.all(a, input.l.all(b, !\"x\".matches(input.large + string(a * 1000 + b))))}",
    )];
    [workflow("hostile", &lists), workflow("matches", &matches), workflow("compiles", &compiles)]
}

fn hostile_input() -> Value {
    let numbers: Vec<u32> = (0..440).collect();
    json!({"l": numbers, "text": "x".repeat(500_000), "slow": "(?:x?){50}[0-9]", "large": "\\pL{10}"})
}

async fn what_one_tenant_sends_holds_up_nobody_else(database: Database) {
    let server = Server::start_bounded(&database, ADDRESS_SPACE_KIB).await;
    let admin = server.client();
    let (mallory, bob) = (key_of(&admin, "operator", "mallory").await, key_of(&admin, "client", "bob").await);
    for workflow in hostile_workflows() {
        mallory.post("/v1/workflows", &workflow).await;
    }
    for (name, path, content_type, body) in attacks() {
        let attack = || {
            let call = mallory.call(Method::POST, path).bytes(body.clone(), content_type);
            tokio::spawn(async move { tokio::time::timeout(DEADLINE, call.send()).await })
        };
        let count = if name == "definitions" { 6 } else { 2 };
        let under_way: Vec<_> = (0..count).map(|_| attack()).collect();
        let longest = longest_call(&bob).await;
        assert!(longest < CALL_MAX, "{name}: another tenant waited {longest:?}");
        for answer in under_way {
            // A body beyond its bound is answered, or its connection is closed: either ends it.
            let answer = answer.await.expect("not cancelled").unwrap_or_else(|_| panic!("{name}: no answer"));
            if let Ok(answer) = answer {
                let is_expected = match name {
                    "expression" | "matches" | "compiles" => answer.status == 202,
                    // Those that wait too long for their turn may come again.
                    "definitions" => [200, 503].contains(&answer.status),
                    // A report whose error is too large is rejected alone.
                    "failures" => [200, 422, 503].contains(&answer.status),
                    _ => answer.status >= 400,
                };
                assert!(is_expected && answer.status != 500, "{name}: {}", answer.status);
            }
        }
    }
    until("the hostile executions have failed", DEADLINE, || async {
        let failed = mallory.all("/v1/executions?status=FAILED").await;
        (failed.len() == 2 * hostile_workflows().len()).then_some(())
    })
    .await;
    assert!(longest_call(&bob).await < CALL_MAX);
    let used = server.resident_max_kib();
    assert!(used < RESIDENT_MAX_KIB, "the process used {used} KiB");
}

/// Ten thousand items with inputs of 200 KB each: to start all of them in one step, or to read them for one list, would take
/// gigabytes.
async fn items_with_large_inputs_hold_up_nobody_else(database: Database) {
    let server = Server::start_bounded(&database, ADDRESS_SPACE_KIB).await;
    let admin = server.client();
    let (mallory, bob) = (key_of(&admin, "operator", "mallory").await, key_of(&admin, "client", "bob").await);
    let wide = json!({"name": "wide", "version": 1, "nodes": [{
        "id": "each", "type": "MAP", "items": "${input.list}", "concurrency": 10_000,
        "node": {"type": "SERVICE_TASK", "jobType": "nobodys", "input": {"text": "${input.text}"}}
    }]});
    mallory.post("/v1/workflows", &wide).await;
    let input = json!({"list": vec![0; 10_000], "text": "x".repeat(200_000)});
    let started = mallory.post("/v1/executions", &json!({"workflow": "wide", "input": input})).await;
    let path = format!("/v1/executions/{}", started["id"].as_str().expect("an id"));
    // Several steps of it, and others go on between them.
    until("some of the items are started", DEADLINE, || async {
        let nodes = mallory.get(&format!("{path}/nodes")).await;
        (nodes["items"][0]["mapItems"]["started"].as_u64() >= Some(200)).then_some(())
    })
    .await;
    let lists: Vec<_> = (0..8)
        .map(|_| {
            let call = mallory.call(Method::GET, "/v1/jobs?jobType=nobodys&limit=500");
            tokio::spawn(async move { tokio::time::timeout(DEADLINE, call.send()).await })
        })
        .collect();
    let longest = longest_call(&bob).await;
    assert!(longest < CALL_MAX, "another tenant waited {longest:?}");
    for list in lists {
        let answer = list.await.expect("not cancelled").expect("in time").expect("an answer");
        assert!([200, 503].contains(&answer.status), "{}", answer.status);
    }
    mallory.post(&format!("{path}/cancel"), &json!({})).await;
    let used = server.resident_max_kib();
    assert!(used < RESIDENT_MAX_KIB, "the process used {used} KiB");
}

/// Executions whose inboxes fill before anything reads them, the signals of each, and the bytes of one.
const INBOXES: usize = 8;
const SIGNALS: usize = 40;
const SIGNAL_BYTES: usize = 900_000;

/// Executions with inboxes that are full of large signals are taken up at once. Each look takes a part, what an execution keeps for
/// nodes that do not wait yet has a bound, and what is beyond it is refused.
async fn full_inboxes_hold_up_nobody_else(database: Database) {
    let server = Server::start_bounded(&database, ADDRESS_SPACE_KIB).await;
    let admin = server.client();
    let (mallory, bob) = (key_of(&admin, "operator", "mallory").await, key_of(&admin, "client", "bob").await);
    let waits = json!({"name": "waits", "version": 1, "nodes": [
        {"id": "a", "type": "SIGNAL", "signal": "never"},
    ]});
    mallory.post("/v1/workflows", &waits).await;
    // While the workflow is paused nobody reads the inboxes of what has not started.
    mallory.post("/v1/workflows/waits/pause", &json!({})).await;
    let mut filling = Vec::with_capacity(INBOXES);
    for _ in 0..INBOXES {
        let started = mallory.post("/v1/executions", &json!({"workflow": "waits"})).await;
        let path = format!("/v1/executions/{}/signals/other", started["id"].as_str().expect("an id"));
        filling.push(tokio::spawn(fill(mallory.clone(), path)));
    }
    let longest = longest_call(&bob).await;
    assert!(longest < CALL_MAX, "another tenant waited {longest:?} while the inboxes filled");
    let mut last = Vec::with_capacity(INBOXES);
    for filled in filling {
        last.push(filled.await.expect("the inbox takes them"));
    }
    mallory.call(Method::POST, "/v1/workflows/waits/resume").done().await;
    let longest = longest_call(&bob).await;
    assert!(longest < CALL_MAX, "another tenant waited {longest:?} while the inboxes were read");
    for position in last {
        let command = until("the last signal is decided", DEADLINE, || async {
            let command = mallory.get(&format!("/v1/commands/{position}")).await;
            (command["status"] != "pending").then_some(command)
        })
        .await;
        assert_eq!(command["status"], "refused", "{command}");
    }
    let used = server.resident_max_kib();
    assert!(used < RESIDENT_MAX_KIB, "the process used {used} KiB");
}

/// Sends signals to one execution, one after the other; answers the position of the last.
async fn fill(client: Client, path: String) -> i64 {
    let signal = json!({"payload": "x".repeat(SIGNAL_BYTES)});
    let mut position = 0;
    for _ in 0..SIGNALS {
        position = until("a signal is stored", DEADLINE, || async {
            let answer = client.try_post(&path, &signal).await;
            // Whoever finds no room for a body may come again.
            assert!([202, 429, 503].contains(&answer.status), "{}: {}", answer.status, answer.text);
            (answer.status == 202).then(|| answer.json()["commandPosition"].as_i64().expect("a position"))
        })
        .await;
    }
    position
}
