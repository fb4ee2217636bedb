//! One tenant sends what is meant to hurt; another one goes on. The process has a bound on its memory meanwhile.
//!
//! The bounds are generous, for a loaded machine: before there were any budgets each of these inputs took minutes, or all of
//! the memory, or ended the process.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Database, Server, key_of, longest_call, on_both_databases, until};

on_both_databases!(what_one_tenant_sends_holds_up_nobody_else, items_with_large_inputs_hold_up_nobody_else);

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
    let tags = "%TAG ! tag:example.com,2000:\n".repeat(30_000);
    let numbers: Vec<u32> = (0..440).collect();
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
        ("nesting", "/v1/jobs", JSON, format!("{{\"jobType\": \"x\", \"data\": {nested}}}").into_bytes()),
        ("body", "/v1/jobs", JSON, vec![b' '; 30 << 20]),
        (
            "expression",
            "/v1/executions",
            JSON,
            json_of(json!({"workflow": "hostile", "input": {"l": numbers, "text": "x".repeat(500_000)}})),
        ),
    ]
}

const JSON: &str = "application/json";

async fn what_one_tenant_sends_holds_up_nobody_else(database: Database) {
    let server = Server::start_bounded(&database, ADDRESS_SPACE_KIB).await;
    let admin = server.client();
    let (mallory, bob) = (key_of(&admin, "operator", "mallory").await, key_of(&admin, "client", "bob").await);
    let hostile = json!({"name": "hostile", "version": 1, "nodes": [
        {"id": "a", "type": "TRANSFORM", "output": "${size(input.l.map(a, input.l.map(b, [a, b, input.l])))}"},
        {"id": "b", "type": "TRANSFORM", "output": "${input.l.all(a, size(input.text + input.text) > 0)}"},
    ]});
    mallory.post("/v1/workflows", &hostile).await;
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
                    "expression" => answer.status == 202,
                    // Those that wait too long for their turn may come again.
                    "definitions" => [200, 503].contains(&answer.status),
                    _ => answer.status >= 400,
                };
                assert!(is_expected && answer.status != 500, "{name}: {}", answer.status);
            }
        }
    }
    until("the hostile executions have failed", DEADLINE, || async {
        let failed = mallory.all("/v1/executions?status=FAILED").await;
        (failed.len() == 2).then_some(())
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
