//! What is refused of the types that wait, repeat, choose or start others. The columns are those of `refused`.

use serde_json::{Value, json};

use super::fixture::{Row, assert_fault, check, parse_json, rows, transform, workflow};

const TIMER: &str = r#"
duration | 600                     | /nodes/0/duration | expected a duration with a unit
duration | "600"                   | /nodes/0/duration | expected a duration with a unit
duration | "0s"                    | /nodes/0/duration | longer than zero
duration | "400d"                  | /nodes/0/duration | at most a year
duration | "${input.wait"          | /nodes/0/duration | without a closing
duration | "${item}"               | /nodes/0/duration | unknown variable `item`
until    | "2027-01-01T00:00:00Z"  | /nodes/0/until    | not both
seconds  | 3                       | /nodes/0/seconds  | unknown field
signal   | "x"                     | /nodes/0/signal   | a field of SIGNAL, not of TIMER
"#;

const UNTIL: &str = r#"
until | 1893456000         | /nodes/0/until | expected a string
until | "tomorrow"         | /nodes/0/until | expected an instant as RFC 3339
until | "2027-02-30T00:00:00Z" | /nodes/0/until | expected an instant
until | "${nodes.x.output}" | /nodes/0/until | there is no such node
"#;

const SIGNAL: &str = r#"
signal  | 1                | /nodes/0/signal  | expected a string
signal  | ""               | /nodes/0/signal  | 1 to 200 printable
signal  | "paid-${input.orderId}" | /nodes/0/signal | plain text, without expressions
signal  | "${"             | /nodes/0/signal  | plain text
timeout | "0s"             | /nodes/0/timeout | longer than zero
payload | {}               | /nodes/0/payload | unknown field
"#;

const USER_TASK: &str = r#"
group      | 1                    | /nodes/0/group      | expected a string
group      | " "                  | /nodes/0/group      | `group` is empty
group      | "${nodes.x.output}"  | /nodes/0/group      | there is no such node
assignee   | {}                   | /nodes/0/assignee   | expected a string
assigne    | "x"                  | /nodes/0/assigne    | did you mean `assignee`?
form       | true                 | /nodes/0/form       | expected an object
form       | {"type": "objec"}    | /nodes/0/form/type  | not a valid JSON Schema
form       | {"$ref": "https://x.example"} | /nodes/0/form | not a valid JSON Schema
dueIn      | 3                    | /nodes/0/dueIn      | duration with a unit
dueIn      | "9y"                 | /nodes/0/dueIn      | duration with a unit
input      | "${index}"           | /nodes/0/input      | unknown variable `index`
escalation | "1h"                 | /nodes/0/escalation | expected an object
escalation | {}                   | /nodes/0/escalation | `after` is required
escalation | {"after": "1"}       | /nodes/0/escalation/after | duration with a unit
escalation | {"after": "3d"}      | /nodes/0/escalation/after | over by its `timeout`
escalation | {"after": "1h", "group": ""} | /nodes/0/escalation/group | `group` is empty
escalation | {"after": "1h", "to": "x"} | /nodes/0/escalation/to | unknown field
"#;

const MAP: &str = r#"
items       | 3                     | /nodes/0/items       | expected a list or one expression that gives one, found a number
items       | "a,b"                 | /nodes/0/items       | expected a list or one expression
items       | {"a": "${input.a}"}   | /nodes/0/items       | expected a list or one expression
items       | "x${input.a}"         | /nodes/0/items       | makes text, not a list
items       | "${item}"             | /nodes/0/items       | unknown variable `item`
items       | ["${nope}"]           | /nodes/0/items/0     | unknown variable `nope`
concurrency | 0                     | /nodes/0/concurrency | from 1 to 10000
concurrency | 10001                 | /nodes/0/concurrency | from 1 to 10000
onItemError | "ignore"              | /nodes/0/onItemError | expected "fail" or "collect"
onItemError | "colect"              | /nodes/0/onItemError | did you mean `collect`?
onItemError | {"goto": "b"}         | /nodes/0/onItemError | expected a string
when        | "item > 3"            | /nodes/0/when        | unknown variable `item`
node        | []                    | /nodes/0/node        | expected an object
node        | {}                    | /nodes/0/node        | `type` is required
node        | {"type": "MAP"}       | /nodes/0/node/type   | the `node` of a MAP cannot be a MAP, only one of SERVICE_TASK, HTTP, TRANSFORM, WORKFLOW
node        | {"type": "SWITCH"}    | /nodes/0/node/type   | cannot be a SWITCH
node        | {"type": "TIMER"}     | /nodes/0/node/type   | cannot be a TIMER
node        | {"type": "SERVICE"}   | /nodes/0/node/type   | unknown node type `SERVICE`
node        | {"type": "TRANSFORM"} | /nodes/0/node        | `output` is required
node        | {"type": "TRANSFORM", "output": "${itm}"} | /nodes/0/node/output | unknown variable `itm`
node        | {"type": "TRANSFORM", "output": 1, "id": "x"} | /nodes/0/node/id | only the node around it
node        | {"type": "TRANSFORM", "output": 1, "compensate": {}} | /nodes/0/node/compensate | only the node around it
node        | {"type": "HTTP", "request": {"url": "x"}} | /nodes/0/node/request/url | http://
node        | {"type": "TRANSFORM", "output": "${nodes.a.output}"} | /nodes/0/node/output | cannot read its own output
node        | {"type": "TRANSFORM", "output": "${error.code}"} | /nodes/0/node/output | only in `compensate`
"#;

const WORKFLOW: &str = r#"
workflow | 1               | /nodes/0/workflow | expected a string
workflow | "${input.name}" | /nodes/0/workflow | expected a workflow name
version  | 0               | /nodes/0/version  | whole number from 1
version  | "latest"        | /nodes/0/version  | whole number from 1
input    | "${x}"          | /nodes/0/input    | unknown variable `x`
name     | "x"             | /nodes/0/name     | unknown field
"#;

const SWITCH: &str = r#"
cases   | {}                                  | /nodes/0/cases   | expected a list
cases   | []                                  | /nodes/0/cases   | at least one case
cases   | ["b"]                               | /nodes/0/cases/0 | expected an object
cases   | [{"when": "true"}]                  | /nodes/0/cases/0 | `goto` is required
cases   | [{"goto": "b"}]                     | /nodes/0/cases/0 | `when` is required
cases   | [{"when": "1 +", "goto": "b"}]      | /nodes/0/cases/0/when | not a CEL expression
cases   | [{"when": true, "goto": "b"}]       | /nodes/0/cases/0/when | expected a string
cases   | [{"when": "input.x", "goto": "?"}]  | /nodes/0/cases/0/goto | expected a node id
cases   | [{"when": "input.x", "goto": "bb"}] | /nodes/0/cases/0/goto | did you mean `b`?
cases   | [{"when": "input.x", "goto": "a"}]  | /nodes/0/cases/0/goto | `a` leads to itself
cases   | [{"when": "input.x", "goto": "b", "then": 1}] | /nodes/0/cases/0/then | unknown field
cases   | [{"when": "input.x", "goto": "b"}, {"when": " input.x", "goto": "c"}] | /nodes/0/cases/1/when | case 0 has the same condition
cases   | [{"when": "nodes.b.output", "goto": "b"}] | /nodes/0/cases/0/when | it comes after `a`
default | "d"                                 | /nodes/0/default | there is no node `d`
default | {"goto": "b"}                       | /nodes/0/default | expected a string
repeat  | {"until": "true", "max": 2}         | /nodes/0/repeat  | chooses once
"#;

const WAIT_WEBHOOK: &str = r#"
url     | "https://x.example" | /nodes/0/url     | unknown field
timeout | "soon"              | /nodes/0/timeout | duration with a unit
"#;

fn one(node: Value) -> Value {
    let one = json!(1);
    workflow(&[node, transform("b", &[], &one), transform("c", &[], &one)])
}

/// Each table with a definition that is good.
fn tables() -> [(&'static str, Value); 8] {
    let item = json!({"type": "TRANSFORM", "output": "${item}"});
    let switch =
        json!({"id": "a", "type": "SWITCH", "cases": [{"when": "input.x", "goto": "b"}], "default": "c"});
    [
        (TIMER, one(json!({"id": "a", "type": "TIMER", "duration": "10m"}))),
        (UNTIL, one(json!({"id": "a", "type": "TIMER", "until": "2027-01-01T00:00:00+01:00"}))),
        (SIGNAL, one(json!({"id": "a", "type": "SIGNAL", "signal": "paid"}))),
        (USER_TASK, one(json!({"id": "a", "type": "USER_TASK", "group": "finance", "timeout": "2d"}))),
        (MAP, one(json!({"id": "a", "type": "MAP", "items": [1, 2], "node": item}))),
        (WORKFLOW, one(json!({"id": "a", "type": "WORKFLOW", "workflow": "courier"}))),
        (SWITCH, one(switch)),
        (WAIT_WEBHOOK, one(json!({"id": "a", "type": "WAIT_WEBHOOK"}))),
    ]
}

/// What the tables start from.
pub(super) fn good() -> Vec<Value> {
    tables().into_iter().map(|(_, good)| good).collect()
}

/// What the tables refuse.
pub(super) fn bad() -> Vec<Row> {
    tables().iter().flat_map(|(table, good)| rows(table, "/nodes/0", good)).collect()
}

#[test]
fn faults_of_each_type_are_found() {
    for (table, good) in tables() {
        assert!(parse_json(&good).is_ok(), "{good}");
        check(table, "/nodes/0", &good);
    }
}

#[test]
fn what_a_type_needs_is_asked_for() {
    let table = [
        (json!({"id": "a", "type": "TIMER"}), "`duration` or `until`"),
        (json!({"id": "a", "type": "SIGNAL"}), "`signal` is required"),
        (json!({"id": "a", "type": "USER_TASK"}), "`assignee` or `group`"),
        (json!({"id": "a", "type": "MAP", "items": []}), "`node` is required"),
        (json!({"id": "a", "type": "MAP", "node": {}}), "`items` is required"),
        (json!({"id": "a", "type": "WORKFLOW"}), "`workflow` is required"),
        (json!({"id": "a", "type": "SWITCH"}), "`cases` is required"),
    ];
    for (node, part) in table {
        assert_fault(&one(node), "/nodes/0", part);
    }
}

#[test]
fn lists_of_items_are_bounded() {
    let map = |count: usize, last: &str| {
        let mut items = vec![json!(0); count - 1];
        items.push(json!(last));
        one(json!({"id": "a", "type": "MAP", "items": items, "node": {"type": "TRANSFORM", "output": 1}}))
    };
    assert!(parse_json(&map(10_000, "${input.x}")).is_ok());
    assert_fault(&map(10_001, "x"), "/nodes/0/items", "at most 10000 items");
    assert_fault(&map(10_001, "${input.x}"), "/nodes/0/items", "at most 10000 items");
}
