//! Triggers: what they take, what they make of it, and what is wrong with them.

use serde_json::{Value, json};

use super::*;
use crate::id::Id;
use crate::time::Timestamp;
use crate::webhook::REDACTED;
use crate::workflow::expression::{Allowance, EvaluationLimits};

fn config(fields: Value) -> TriggerConfig {
    let mut all = json!({ "id": "t", "workflow": "deploy" });
    let Value::Object(fields) = fields else { panic!("not an object") };
    all.as_object_mut().expect("an object").extend(fields);
    serde_json::from_value(all).expect("a trigger")
}

fn compiled(fields: Value) -> Trigger {
    super::Trigger::compile(&config(fields)).expect("no faults")
}

fn faults(fields: Value) -> Vec<String> {
    let found = super::Trigger::compile(&config(fields)).expect_err("faults");
    found.into_iter().map(|fault| fault.to_string()).collect()
}

fn event_of(body: &[u8], headers: &[(&str, &str)], event_type: Option<&str>) -> DeliveryEvent {
    let headers: Vec<(String, String)> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    DeliveryEvent::new(&EventSource {
        id: Id::from_uuid(uuid::Uuid::from_u128(1)),
        webhook: Some("repo"),
        received_at: Timestamp(1_795_176_000_000),
        event_type,
        query: Some("a=1&b=2&b=3&token=[redacted]"),
        headers: &headers,
        body,
    })
}

fn push(body: &Value) -> DeliveryEvent {
    event_of(body.to_string().as_bytes(), &[], Some("push"))
}

#[test]
fn patterns_stand_for_event_types() {
    let table = [
        ("push", Some("push"), true),
        ("push", Some("Push"), false),
        ("push", Some("pushed"), false),
        ("order.*", Some("order.opened"), true),
        ("order.*", Some("order."), true),
        ("order.*", Some("order"), false),
        ("*.opened", Some("pull.opened.opened"), true),
        ("a*b*c", Some("abbbc"), true),
        ("a*b*c", Some("abbb"), false),
        ("**", Some(""), true),
        ("*", None, true),
        ("push*", None, false),
        ("é*", Some("éa"), true),
    ];
    for (pattern, event_type, expected) in table {
        let pattern = super::EventPattern::parse(pattern).expect("a pattern");
        assert_eq!(pattern.matches(event_type), expected, "{pattern} {event_type:?}");
    }
    let (stars, text) = ("a*".repeat(60), "a".repeat(200_000));
    assert!(!super::EventPattern::parse(&format!("{stars}b")).expect("a pattern").matches(Some(&text)));
    assert!(super::EventPattern::parse("").is_err() && super::EventPattern::parse("a\n").is_err());
}

#[test]
fn a_delivery_is_seen_by_its_parts() {
    let headers = [("X-Event", " push "), ("x-event", "second"), ("Authorization", REDACTED)];
    let event = event_of(br#"{"n":1}"#, &headers, Some("push"));
    let decide = |filter: &str| compiled(json!({ "filter": filter })).decide(&event);
    for filter in [
        "body.n == 1",
        "headers['x-event'] == 'push'",
        "!has(headers.authorization)",
        "event == 'push'",
        "query.a == '1' && query.b == ['2', '3'] && !has(query.token)",
        "delivery.webhook == 'repo' && delivery.id.startsWith('dlv_')",
        "delivery.receivedAt == '2026-11-20T12:00:00.000Z'",
        "['push', 'pull'].exists(body, body == event)",
    ] {
        assert_eq!(decide(filter), Ok(Some(json!({"n": 1}))), "{filter}");
    }
    assert_eq!(decide("body.n == 2"), Ok(None));
    assert!(matches!(decide("body.missing == 2"), Err(TriggerError::Filter(_))));
    assert!(matches!(decide("body.n"), Err(TriggerError::Filter(_))));
}

#[test]
fn bodies_are_read_by_what_they_are() {
    let form = ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8");
    let json_type = ("Content-Type", "application/json");
    let check = |body: &[u8], header: Option<(&str, &str)>, expected: Value| {
        let headers: Vec<_> = header.into_iter().collect();
        assert_eq!(*event_of(body, &headers, None).body(), expected, "{body:?}");
    };
    check(b"", None, Value::Null);
    check(b"[1]", None, json!([1]));
    check(b"[1]", Some(form), json!([1]));
    check(b"a=1&b=x%20y&b=", Some(form), json!({"a": "1", "b": ["x y", ""]}));
    check(b"a=1", None, json!("a=1"));
    check(b"{broken", Some(json_type), json!("{broken"));
    check("grüße".as_bytes(), None, json!("grüße"));
    check(b"\xff\xfe", None, json!({"base64": "//4="}));
    check(b"a\0b", None, json!({"base64": "YQBi"}));
}

#[test]
fn the_input_is_the_body_or_what_the_trigger_makes_of_it() {
    let whole = compiled(json!({}));
    assert_eq!(whole.decide(&push(&json!({"a": 1}))), Ok(Some(json!({"a": 1}))));
    assert_eq!(whole.decide(&push(&json!([1]))), Ok(Some(json!({"body": [1]}))));
    assert_eq!(whole.decide(&event_of(b"", &[], None)), Ok(Some(json!({"body": null}))));
    let made =
        compiled(json!({ "input": {"n": "${body.a}", "text": "n is ${body.a + 1}", "gone": "${body.x.y}"} }));
    let expected = json!({"n": 1, "text": "n is 2", "gone": null});
    assert_eq!(made.decide(&push(&json!({"a": 1}))), Ok(Some(expected)));
    assert!(matches!(made.decide(&push(&json!({"a": "x"}))), Err(TriggerError::Input(_))));
    assert_eq!(whole.decide(&event_of(b"a\0b", &[], None)), Ok(Some(json!({"base64": "YQBi"}))));
    assert!(matches!(whole.decide(&event_of(b"\"a\\u0000\"", &[], None)), Err(TriggerError::Input(_))));
    assert_eq!(compiled(json!({ "input": null })).decide(&push(&json!({}))), Ok(Some(Value::Null)));
}

#[test]
fn endless_work_is_stopped() {
    let many: Vec<u32> = (0..20_000).collect();
    let endless = compiled(json!({ "filter": "body.all(a, body.all(b, a + b >= 0))" }));
    assert!(matches!(endless.decide(&push(&json!(many))), Err(TriggerError::Filter(_))));
}

#[test]
fn the_triggers_of_a_delivery_have_one_allowance_together() {
    let trigger = compiled(json!({ "filter": "body.all(a, a >= 0)" }));
    let many: Vec<u32> = (0..2_000).collect();
    let limits = EvaluationLimits { execution_steps_max: 100_000, ..EvaluationLimits::default() };
    let event = push(&json!(many)).within(Allowance::metered(limits));
    let decided: Vec<bool> = (0..100).map(|_| trigger.decide(&event).is_ok()).collect();
    assert!(decided[0] && !decided[99], "{decided:?}");
    let unmetered = push(&json!(many));
    assert!((0..100).all(|_| trigger.decide(&unmetered).is_ok()), "each is within its own bounds");
}

#[test]
fn faults_have_places() {
    assert_eq!(
        faults(json!({ "id": "-", "version": 0, "events": ["ok", ""], "filter": "body ==", "input": {"a": ["${input.x}"]} }))
            .iter()
            .map(|fault| fault.split(':').next().unwrap_or_default())
            .collect::<Vec<_>>(),
        ["/id", "/version", "/events/1", "/filter", "/input/a/0"]
    );
    let unknown = faults(json!({ "filter": "input.a == nodes.x && execution.id == 'x' && item" }));
    assert_eq!(unknown.len(), 4, "{unknown:?}");
    assert!(unknown[0].contains("in scope are body, headers, event, query and delivery"), "{unknown:?}");
    assert!(faults(json!({ "input": "${open" }))[0].starts_with("/input"));
}

#[test]
fn what_a_workflow_sees_is_as_it_was() {
    use crate::workflow::expression::{EXPRESSION_BYTES_MAX, Expression};
    let fault = Expression::compile("body.a == 1", EXPRESSION_BYTES_MAX).expect_err("not in scope");
    assert!(fault[0].to_string().contains("in scope are input, nodes and execution"), "{fault:?}");
}

#[test]
fn triggers_get_ids() {
    let mut triggers: Vec<TriggerConfig> =
        [json!({"id": null}), json!({"id": null}), json!({"id": "deploy-2"})]
            .into_iter()
            .map(config)
            .collect();
    fill_ids(&mut triggers);
    let ids: Vec<_> = triggers.iter().map(|trigger| trigger.id.clone().unwrap_or_default()).collect();
    assert_eq!(ids, ["deploy", "deploy-3", "deploy-2"]);
}

#[test]
fn keys_say_which_events_belong_together() {
    let debounced = compiled(json!({
        "debounce": {"period": "10s", "key": "${body.page}"}, "throttle": {"rate": "10/1m", "key": "${body.n}-x"}
    }));
    let keys = debounced.keys(&push(&json!({"page": {"id": 7}, "n": 1}))).expect("it has them");
    assert_eq!((keys.gather.as_str(), keys.throttle.as_str()), (r#"{"id":7}"#, "1-x"));
    let all = compiled(json!({"throttle": {"rate": {"starts": 1, "per": "1s", "burst": 2}}}));
    let keys = all.keys(&push(&json!(1))).expect("it has them");
    assert_eq!((keys.gather.as_str(), keys.throttle.as_str()), ("", ""));
    let long = debounced.keys(&push(&json!({"page": "x".repeat(501), "n": 1})));
    assert_eq!(long.map_err(|error| error.code()), Err("key_failed"));
    let missing = debounced.keys(&push(&json!({"n": 1}))).expect("it has them");
    assert_eq!(missing.gather, "null", "those without the field belong together");
}

#[test]
fn the_input_of_a_batch_sees_its_events() {
    let events = [push(&json!({"row": 1})), push(&json!({"row": 2}))];
    let plain = compiled(json!({"batch": {"maxSize": 2, "timeout": "1s"}}));
    let entries: Vec<Value> =
        events.iter().map(|event| plain.decide(event).expect("decided").expect("wanted")).collect();
    assert_eq!(entries[0]["event"], "push");
    assert_eq!(entries[1]["body"], json!({"row": 2}));
    assert_eq!(entries[0]["delivery"]["id"], events[0].value()["delivery"]["id"]);
    assert_eq!(plain.batch_input(&entries, Allowance::default()), Ok(json!({"batch": entries.clone()})));
    let mapped = compiled(json!({
        "batch": {"maxSize": 2, "timeout": "1s"}, "input": {"rows": "${batch.map(one, one.body.row)}"}
    }));
    assert_eq!(mapped.batch_input(&entries, Allowance::default()), Ok(json!({"rows": [1, 2]})));
    for wrong in ["${body.row}", "${input.x}", "${event}"] {
        let found = faults(json!({"batch": {"maxSize": 2, "timeout": "1s"}, "input": wrong}));
        assert!(found[0].contains("in scope is batch"), "{found:?}");
    }
    assert!(faults(json!({"filter": "size(batch) > 1"}))[0].contains("unknown variable `batch`"));
}

#[test]
fn what_is_wrong_with_debounce_and_batch_has_its_place() {
    for (fields, pointer) in [
        (json!({"debounce": {"period": "0s"}}), "/debounce/period"),
        (json!({"debounce": {"period": "31d"}}), "/debounce/period"),
        (json!({"debounce": {"period": "1s", "timeout": "0s"}}), "/debounce/timeout"),
        (json!({"debounce": {"period": "1s", "key": "${nodes.x}"}}), "/debounce/key"),
        (json!({"batch": {"maxSize": 0, "timeout": "1s"}}), "/batch/maxSize"),
        (json!({"batch": {"maxSize": 1001, "timeout": "1s"}}), "/batch/maxSize"),
        (json!({"batch": {"maxSize": 1, "timeout": "1s"}, "debounce": {"period": "1s"}}), "/batch"),
        (json!({"throttle": {"rate": "1/1s", "key": "${"}}), "/throttle/key"),
    ] {
        let found = super::Trigger::compile(&config(fields.clone())).expect_err("faults");
        assert_eq!(found[0].pointer, pointer, "{fields}");
    }
}
