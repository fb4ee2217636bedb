//! What is refused, and where the fault points.

use serde_json::{Value, json};

use super::fixture::{Row, assert_fault, check, parse_json, rows, transform, workflow};
use crate::workflow::parse::parse_stored;

/// A field of the definition, its value, the fault's pointer and a part of its message.
const DEFINITION: &str = r#"
name     | "no spaces"              | /name         | workflow name
name     | 7                        | /name         | expected a string, found a number
version  | 0                        | /version      | whole number from 1
version  | 1.5                      | /version      | whole number from 1
version  | "1"                      | /version      | whole number from 1
version  | 4294967296               | /version      | whole number from 1
input    | "x"                      | /input        | expected an object
input    | {"type": "strin"}        | /input/type   | not a valid JSON Schema
input    | {"$ref": "https://x.example/a"} | /input | not a valid JSON Schema
limits   | {"maxConcurrent": 0}     | /limits/maxConcurrent | whole number from 1
limits   | {"maxconcurrent": 1}     | /limits/maxconcurrent | did you mean `maxConcurrent`?
timeout  | 30                       | /timeout      | expected a duration with a unit
timeout  | "0s"                     | /timeout      | longer than zero
expiresIn | "0s"                    | /expiresIn    | above zero
expiresIn | "4000d"                 | /expiresIn    | at most ten years
expiresIn | 7                       | /expiresIn    | expected a duration with a unit
retry    | {"maxRetries": 101}      | /retry/maxRetries | from 0 to 100
retry    | {"factor": 0.5}          | /retry/factor | number from 1
retry    | {"jitter": "yes"}        | /retry/jitter | true or false
retry    | {"initial": "5m", "max": "1s"} | /retry/max | shorter than the first
unique   | {"key": "a", "policy": "jon"} | /unique/policy | did you mean `join`?
unique   | {"policy": "join"}       | /unique       | `key` is required
unique   | {"key": "${nodes.a.output}"} | /unique/key | can only use `input`
attributes | []                     | /attributes   | expected an object
attributes | {"1x": {"type": "text"}} | /attributes/1x | attribute name
attributes | {"x": {"type": "txt"}} | /attributes/x/type | did you mean `text`?
attributes | {"x": {"value": 1}}    | /attributes/x | `type` is required
attributes | {"x": {"type": "text", "path": "input.x"}} | /attributes/x/path | unknown field
attributes | {"x": {"type": "text", "value": "${nodes.a.output}"}} | /attributes/x/value | can only use `input`
retryCount | 1                      | /retryCount   | unknown field
nodes    | []                       | /nodes        | at least one node
nodes    | {}                       | /nodes        | expected a list
nodes    | [1]                      | /nodes/0      | expected an object, found a number
output   | "${nodes.b.output}"      | /output       | there is no such node
output   | "a\u0000"                | /output       | NUL
outptu   | 1                        | /outptu       | did you mean `output`?
onFailure | {}                      | /onFailure    | expected a list
onFailure | [1]                     | /onFailure/0  | expected an object, found a number
onFailure | [{"id": "x"}]           | /onFailure/0  | `type` is required
onFailure | [{"id": "a", "type": "WAIT_WEBHOOK"}] | /onFailure/0/id | already the id of the node at /nodes/0
onFailure | [{"id": "x", "type": "WAIT_WEBHOOK", "dependsOn": ["a"]}] | /onFailure/0/dependsOn | over when `onFailure` starts
onFailure | [{"id": "x", "type": "WAIT_WEBHOOK", "dependsOn": ["x"]}] | /onFailure/0/dependsOn | waits for itself
onFailure | [{"id": "x", "type": "WAIT_WEBHOOK", "onError": {"goto": "a"}}] | /onFailure/0/onError/goto | over when `onFailure` starts
onFailure | [{"id": "x", "type": "WAIT_WEBHOOK", "compensate": {"type": "HTTP"}}] | /onFailure/0/compensate | never undone
onFailure | [{"id": "x", "type": "TRANSFORM", "output": "${error.mesage}"}] | /onFailure/0/output | no field `mesage`
a/b~     | 1                        | /a~1b~0       | unknown field
"#;

/// The same for a field of a SERVICE_TASK.
const NODE: &str = r#"
id         | "-a"                | /nodes/0/id          | expected a node id
id         | 1                   | /nodes/0/id          | expected a string
type       | "SERVICETASK"       | /nodes/0/type        | did you mean `SERVICE_TASK`?
jobType    | "trunkline:http"    | /nodes/0/jobType     | reserved
jobType    | "no spaces"         | /nodes/0/jobType     | expected a job type
jobtype    | "x"                 | /nodes/0/jobtype     | did you mean `jobType`?
depends_on | []                  | /nodes/0/depends_on  | did you mean `dependsOn`?
dependsOn  | "b"                 | /nodes/0/dependsOn   | expected a list
dependsOn  | [3]                 | /nodes/0/dependsOn/0 | expected the id of a node
dependsOn  | ["?"]               | /nodes/0/dependsOn/0 | expected a node id
dependsOn  | ["b"]               | /nodes/0/dependsOn   | there is no node `b`
dependsOn  | ["a"]               | /nodes/0/dependsOn   | waits for itself
when       | true                | /nodes/0/when        | expected a string, found a bool
when       | "input.a >"         | /nodes/0/when        | not a CEL expression
when       | "imput.a"           | /nodes/0/when        | unknown variable `imput`
input      | {"a": ["${input.x", 1]} | /nodes/0/input/a/0 | without a closing
input      | {"a/b": "${}"}      | /nodes/0/input/a~1b  | empty
input      | "${nodes.a.output}" | /nodes/0/input       | cannot read its own output
attributes | {"x": "${nodes.a.output}"} | /nodes/0/attributes/x | not among the `attributes`
attributes | {"x": "${nodes.b.output}"} | /nodes/0/attributes/x | there is no such node
input      | "${error.message}"  | /nodes/0/input       | unknown variable `error`
retryCount | -1                  | /nodes/0/retryCount  | from 0 to 100
retry      | 3                   | /nodes/0/retry       | expected an object
retry      | {"retries": 3}      | /nodes/0/retry/retries | unknown field
timeout    | "0ms"               | /nodes/0/timeout     | longer than zero
priority   | "urgent"            | /nodes/0/priority    | expected high, normal or low
priority   | "hig"               | /nodes/0/priority    | did you mean `high`?
input      | "${index}"          | /nodes/0/input       | only in the `node` of a MAP
rateKey    | 3                   | /nodes/0/rateKey     | expected a string, found a number
rateKey    | "${item}"           | /nodes/0/rateKey     | unknown variable `item`
concurencyKey | "a"              | /nodes/0/concurencyKey | did you mean `concurrencyKey`?
onError    | "ignore"            | /nodes/0/onError     | "fail" or "continue"
onError    | "contine"           | /nodes/0/onError     | did you mean `continue`?
onError    | 1                   | /nodes/0/onError     | "fail" or "continue"
onError    | {}                  | /nodes/0/onError     | `goto` is required
onError    | {"goto": 1}         | /nodes/0/onError/goto | expected a string
onError    | {"goto": "b"}       | /nodes/0/onError/goto | there is no node `b`
onError    | {"goto": "a"}       | /nodes/0/onError/goto | `a` leads to itself
onError    | {"goto": "b", "x": 1} | /nodes/0/onError/x | unknown field
request    | {}                  | /nodes/0/request     | a field of HTTP, not of SERVICE_TASK
compensate | 1                   | /nodes/0/compensate  | expected an object
compensate | {}                  | /nodes/0/compensate  | `type` is required
compensate | {"type": "TIMER"}   | /nodes/0/compensate/type | `compensate` cannot be a TIMER, only one of SERVICE_TASK, HTTP, TRANSFORM
compensate | {"type": "WORKFLOW"} | /nodes/0/compensate/type | cannot be a WORKFLOW
compensate | {"type": "HTPP"}    | /nodes/0/compensate/type | did you mean `HTTP`?
compensate | {"type": "SERVICE_TASK"} | /nodes/0/compensate | `jobType` is required
compensate | {"type": "TRANSFORM", "output": 1, "when": "true"} | /nodes/0/compensate/when | only the node around it
compensate | {"type": "TRANSFORM", "output": 1, "retryCount": 101} | /nodes/0/compensate/retryCount | from 0 to 100
compensate | {"type": "TRANSFORM", "output": "${item}"} | /nodes/0/compensate/output | unknown variable `item`
compensate | {"type": "TRANSFORM", "output": "${nodes.b.output}"} | /nodes/0/compensate/output | there is no such node
repeat     | 3                   | /nodes/0/repeat      | expected an object
repeat     | {}                  | /nodes/0/repeat      | `until` is required
repeat     | {"until": "true"}   | /nodes/0/repeat      | `max` is required
repeat     | {"until": "true", "max": 0} | /nodes/0/repeat/max | from 1 to 10000
repeat     | {"until": "true", "max": 10001} | /nodes/0/repeat/max | from 1 to 10000
repeat     | {"until": "true", "max": 2, "delay": "-1s"} | /nodes/0/repeat/delay | duration with a unit
repeat     | {"until": "true", "max": 2, "delay": "367d"} | /nodes/0/repeat/delay | at most a year
repeat     | {"until": "item", "max": 2} | /nodes/0/repeat/until | unknown variable `item`
repeat     | {"until": "error", "max": 2} | /nodes/0/repeat/until | only in `compensate` and `onFailure`
repeat     | {"until": "true", "maximum": 2} | /nodes/0/repeat/maximum | unknown field
"#;

/// The same for a field of an HTTP node's request.
const REQUEST: &str = r#"
method  | "get"             | /nodes/0/request/method      | did you mean `GET`?
method  | "${input.m}"      | /nodes/0/request/method      | expected one of GET
url     | "ftp://x"         | /nodes/0/request/url         | http://
url     | ""                | /nodes/0/request/url         | http://
url     | "file:///${input.a}" | /nodes/0/request/url      | http://
url     | 1                 | /nodes/0/request/url         | expected a string
headers | {"x": "${secrets.a + 'b'}"} | /nodes/0/request/headers/x | a secret is written as
body    | "${secrets.a}"      | /nodes/0/request/body | a secret is written as
url     | "https://x/${secrets.a}" | /nodes/0/request/url | a secret is written as
headers | {"a b": "x"}      | /nodes/0/request/headers/a b | name of an HTTP header
headers | {"a": 1}          | /nodes/0/request/headers/a   | expected a string
headers | []                | /nodes/0/request/headers     | expected an object
body    | {"x": "${x}"}     | /nodes/0/request/body/x      | unknown variable `x`
query   | {}                | /nodes/0/request/query       | unknown field
"#;

/// The same for `expect` of an HTTP node.
const EXPECT: &str = r#"
expect | []         | /nodes/0/expect   | at least one
expect | [200, 600] | /nodes/0/expect/1 | 100 to 599
expect | ["200"]    | /nodes/0/expect/0 | 100 to 599
expect | 200        | /nodes/0/expect   | expected a list
"#;

/// What the tables start from.
pub(super) fn good() -> Vec<Value> {
    vec![workflow(&[transform("a", &[], &json!(1))]), task(), http()]
}

/// What the tables refuse.
pub(super) fn bad() -> Vec<Row> {
    let [plain, task, http] = good().try_into().expect("three");
    let mut bad = rows(DEFINITION, "", &plain);
    bad.extend(rows(NODE, "/nodes/0", &task));
    bad.extend(rows(REQUEST, "/nodes/0/request", &http));
    bad.extend(rows(EXPECT, "/nodes/0", &http));
    bad
}

fn task() -> Value {
    workflow(&[json!({"id": "a", "type": "SERVICE_TASK", "jobType": "work"})])
}

fn http() -> Value {
    workflow(&[json!({"id": "a", "type": "HTTP", "request": {"url": "https://stock.example/"}})])
}

#[test]
fn what_the_tables_start_from_is_good() {
    for good in good() {
        assert!(parse_json(&good).is_ok(), "{good}");
    }
}

#[test]
fn faults_of_the_definition_are_found() {
    check(DEFINITION, "", &workflow(&[transform("a", &[], &json!(1))]));
    assert_fault(&json!([1]), "", "expected an object, found a list");
    for required in ["name", "version", "nodes"] {
        assert_fault(&json!({}), "", &format!("`{required}` is required"));
    }
}

#[test]
fn faults_of_a_node_are_found() {
    check(NODE, "/nodes/0", &task());
    for (node, required) in [
        (json!({"id": "a"}), "type"),
        (json!({"type": "HTTP"}), "id"),
        (json!({"type": "HTTP"}), "request"),
        (json!({"id": "a", "type": "TRANSFORM"}), "output"),
        (json!({"id": "a", "type": "SERVICE_TASK"}), "jobType"),
    ] {
        assert_fault(&workflow(&[node]), "/nodes/0", &format!("`{required}` is required"));
    }
    let mut long = task();
    long["nodes"][0]["when"] = json!(format!("input.a == '{}'", "x".repeat(5_000)));
    assert_fault(&long, "/nodes/0/when", "longer than 4096");
    let mut both = task();
    both["nodes"][0]["retryCount"] = json!(1);
    both["nodes"][0]["retry"] = json!({"maxRetries": 1});
    assert_fault(&both, "/nodes/0/retryCount", "give one of the two");
}

#[test]
fn expressions_are_counted() {
    let list = |count: usize| workflow(&[transform("a", &[], &json!(vec!["${input.a}"; count]))]);
    let most = parse_json(&list(10_000)).expect("the most");
    assert_eq!(most.definition.nodes.len(), 1);
    assert_fault(&list(10_001), "/nodes/0/output/10000", "expected at most 10000 expressions");
    // What was registered before there was this bound is read.
    let stored = most.canonical_json.replacen("\"${input.a}\"", "\"${input.a}${input.b}\"", 1);
    assert!(parse_stored(&stored).is_ok(), "{}", &stored[..200]);
}

#[test]
fn faults_of_a_request_are_found() {
    check(REQUEST, "/nodes/0/request", &http());
    check(EXPECT, "/nodes/0", &http());
    let without_url = workflow(&[json!({"id": "a", "type": "HTTP", "request": {}})]);
    assert_fault(&without_url, "/nodes/0/request", "`url` is required");
}

#[test]
fn all_faults_are_reported_at_once() {
    let definition = json!({
        "name": "?", "version": 0, "extra": 1,
        "nodes": [{"id": "a", "type": "HTTP", "request": {"method": "X", "url": "x"}, "timeout": "1"}, {"id": "a", "type": "SIGNALS"}],
        "output": "${nope}",
    });
    let faults = parse_json(&definition).expect_err("many");
    let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    for pointer in [
        "/name",
        "/version",
        "/extra",
        "/nodes/0/request/method",
        "/nodes/0/request/url",
        "/nodes/0/timeout",
        "/nodes/1/id",
        "/nodes/1/type",
        "/output",
    ] {
        assert!(pointers.contains(&pointer), "{pointer} in {pointers:?}");
    }
}
