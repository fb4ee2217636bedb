//! Triggers of events: which events they take, and what they start.

use domain::names::TenantName;
use domain::problem::ProblemCode;
use domain::queue::Tier;
use domain::quota::QuotaKind;
use domain::search::{Search, SearchList, Term, TermValue};
use domain::webhook::DeliveryStatus;
use engine::{EngineError, ListRequest, QuotaEdit, TriggerRequest};
use serde_json::json;
use store::search::SearchPage;
use testkit::EngineHarness;

use super::harness::{delivery, event, input, register, send, trigger, work};

async fn triggers_choose_events_and_make_inputs(harness: EngineHarness) {
    register(&harness, "ship").await;
    register(&harness, "log").await;
    let admin = harness.admin();
    let ship = TriggerRequest {
        filter: Some("body.total > 100 && delivery.source == 'event'".to_owned()),
        input: Some(json!({"order": "${body.id}", "by": "${event}"})),
        priority: Some(Tier::Low),
        ..trigger("ship", &["order.paid"], "ship")
    };
    let ship = harness.engine.create_trigger(&admin, ship).await.unwrap();
    harness.engine.create_trigger(&admin, trigger("log", &["order.*", "user.*"], "log")).await.unwrap();
    let paid = send(&harness, event("order.paid", &json!({"id": 7, "total": 101}))).await;
    let cheap = send(&harness, event("order.paid", &json!({"id": 8, "total": 1}))).await;
    let other = send(&harness, event("stock.low", &json!(1))).await;
    let matched = work(&harness).await;
    let started: Vec<usize> = matched.iter().map(|matched| matched.executions.len()).collect();
    assert_eq!(started, [2, 1, 0]);
    let record = delivery(&harness, paid.delivery_id).await;
    let of_ship = |line: &serde_json::Value| line["triggerId"] == ship.id.to_string();
    let lines: Vec<serde_json::Value> = serde_json::from_str(&record.outcome.unwrap()).unwrap();
    let line = lines.iter().find(|line| of_ship(line)).unwrap();
    let id = line["executionId"].as_str().and_then(domain::id::ExecutionId::parse).unwrap();
    assert_eq!(input(&harness, id).await, json!({"order": 7, "by": "order.paid"}));
    let execution = harness.engine.execution(&admin, id).await.unwrap();
    assert_eq!((execution.trigger.kind.as_str(), execution.tier), ("event", Tier::Low));
    let logged = delivery(&harness, cheap.delivery_id).await.executions[0];
    assert_eq!(input(&harness, logged).await, json!({"id": 8, "total": 1}), "the body is the input");
    assert_eq!(delivery(&harness, other.delivery_id).await.status, DeliveryStatus::Unmatched);
}

async fn what_a_delivery_started_is_found_by_it(harness: EngineHarness) {
    register(&harness, "log").await;
    let admin = harness.admin();
    harness.engine.create_trigger(&admin, trigger("log", &["order.*"], "log")).await.unwrap();
    let paid = send(&harness, event("order.paid", &json!({"id": 7}))).await;
    send(&harness, event("order.sent", &json!({"id": 8}))).await;
    assert_eq!(work(&harness).await.len(), 2);
    let started = delivery(&harness, paid.delivery_id).await.executions;
    assert_eq!(started.len(), 1);
    let of = |list| {
        let terms = vec![Term::is("deliveryId", TermValue::Id(paid.delivery_id.uuid()))];
        let page = SearchPage { limit: 10, after: None };
        ListRequest { search: Search { terms, ..Search::all(list) }, page, counts: false }
    };
    let executions = harness.engine.search_executions(&admin, &of(SearchList::Executions)).await.unwrap();
    let found: Vec<_> = executions.items.iter().map(|execution| execution.id).collect();
    assert_eq!(found, started);
    let jobs = harness.engine.search_jobs(&admin, &of(SearchList::Jobs)).await.unwrap();
    let found: Vec<_> = jobs.items.iter().map(|job| job.execution_id).collect();
    assert_eq!(found, [Some(started[0])], "that of the execution");
}

async fn paused_and_removed_triggers_start_nothing(harness: EngineHarness) {
    register(&harness, "log").await;
    let admin = harness.admin();
    let made = harness.engine.create_trigger(&admin, trigger("log", &["a"], "log")).await.unwrap();
    let started = async || {
        send(&harness, event("a", &json!({}))).await;
        work(&harness).await[0].executions.len()
    };
    assert_eq!(started().await, 1);
    let paused = TriggerRequest { is_paused: Some(true), ..trigger("log", &["a"], "log") };
    let updated = harness.engine.update_trigger(&admin, made.id, paused, Some(1)).await.unwrap();
    assert!(updated.is_paused && updated.version == 2);
    assert_eq!(started().await, 0);
    let again = TriggerRequest { is_paused: Some(false), ..trigger("log", &["a"], "log") };
    let stale = harness.engine.update_trigger(&admin, made.id, again.clone(), Some(1)).await;
    assert!(
        matches!(stale, Err(EngineError::Conflict { code: ProblemCode::TriggerVersionConflict, .. })),
        "{stale:?}"
    );
    harness.engine.update_trigger(&admin, made.id, again, None).await.unwrap();
    assert_eq!(started().await, 1);
    harness.engine.delete_trigger(&admin, made.id).await.unwrap();
    assert_eq!(started().await, 0);
}

async fn faults_of_a_trigger_show_when_it_is_saved(harness: EngineHarness) {
    register(&harness, "log").await;
    let admin = harness.admin();
    let wrong = TriggerRequest {
        filter: Some("input.a == 1".to_owned()),
        version: Some(9),
        ..trigger("x", &[""], "log")
    };
    let refused = harness.engine.create_trigger(&admin, wrong).await;
    let Err(EngineError::Invalid(faults)) = refused else { panic!("it is refused: {refused:?}") };
    let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(pointers, ["/events/0", "/filter", "/version"]);
    let refused = harness.engine.create_trigger(&admin, trigger("x", &[], "none")).await;
    let Err(EngineError::Invalid(faults)) = refused else { panic!("it is refused: {refused:?}") };
    assert_eq!(faults[0].pointer, "/events");
    let large = TriggerRequest { input: Some(json!("x".repeat(64 * 1024))), ..trigger("x", &["a"], "log") };
    let refused = harness.engine.create_trigger(&admin, large).await;
    let Err(EngineError::Invalid(faults)) = refused else { panic!("it is refused: {refused:?}") };
    assert_eq!(faults[0].pointer, "/input", "{faults:?}");
    harness.engine.create_trigger(&admin, trigger("x", &["a"], "log")).await.unwrap();
    let twice = harness.engine.create_trigger(&admin, trigger("x", &["a"], "log")).await;
    assert!(
        matches!(twice, Err(EngineError::Conflict { code: ProblemCode::TriggerNameTaken, .. })),
        "{twice:?}"
    );
}

/// Inputs of 900 KB each: to have those of all triggers of a tenant at once would take gigabytes.
async fn a_large_event_starts_all_that_its_triggers_want(harness: EngineHarness) {
    register(&harness, "log").await;
    let admin = harness.admin();
    for number in 0..12 {
        let filter = Some(format!("body.from <= {number}"));
        let request = TriggerRequest { filter, ..trigger(&format!("t{number}"), &["a"], "log") };
        harness.engine.create_trigger(&admin, request).await.unwrap();
    }
    let sent = send(&harness, event("a", &json!({"from": 1, "text": "x".repeat(900_000)}))).await;
    let matched = work(&harness).await;
    assert_eq!((matched.len(), matched[0].executions.len()), (1, 11));
    let record = delivery(&harness, sent.delivery_id).await;
    let lines: Vec<serde_json::Value> = serde_json::from_str(&record.outcome.unwrap()).unwrap();
    let started = lines.iter().filter(|line| line["result"] == "started").count();
    assert_eq!((lines.len(), started, &lines[0]["result"]), (12, 11, &json!("no_match")));
}

/// Whoever may have no more executions gets none by events either: a delivery is tried again, and starts them when there is room.
async fn events_start_no_more_than_a_tenant_may_have(harness: EngineHarness) {
    let nodes = json!([{"id": "go", "type": "SIGNAL", "signal": "go"}]);
    harness.register(&json!({"name": "wait", "version": 1, "nodes": nodes})).await.unwrap();
    let (admin, tenant) = (harness.admin(), TenantName::trusted("default"));
    for name in ["one", "two"] {
        harness.engine.create_trigger(&admin, trigger(name, &["a"], "wait")).await.unwrap();
    }
    let set = |quota| {
        let edit = QuotaEdit { kind: QuotaKind::OpenExecutions, quota: Some(quota) };
        let (engine, admin, tenant) = (&harness.engine, &admin, &tenant);
        async move { engine.set_tenant_quotas(admin, tenant, &[edit]).await.unwrap() }
    };
    set(Some(1)).await;
    let sent = send(&harness, event("a", &json!({}))).await;
    let refused = harness.engine.match_delivery(sent.delivery_id, false, None).await;
    assert!(
        matches!(refused, Err(EngineError::QuotaExceeded { quota: "openExecutions", .. })),
        "{refused:?}"
    );
    assert!(delivery(&harness, sent.delivery_id).await.executions.is_empty());
    set(None).await;
    let matched = harness.engine.match_delivery(sent.delivery_id, false, None).await.unwrap();
    assert_eq!(matched.executions.len(), 2);
}

/// An event that joins an open execution starts none, and so needs no room.
async fn an_event_joins_an_open_execution_at_the_quota(harness: EngineHarness) {
    let nodes = json!([{"id": "go", "type": "SIGNAL", "signal": "go"}]);
    let unique = json!({"key": "${input.order}", "policy": "join"});
    let definition = json!({"name": "wait", "version": 1, "unique": unique, "nodes": nodes});
    harness.register(&definition).await.unwrap();
    let (admin, tenant) = (harness.admin(), TenantName::trusted("default"));
    harness.engine.create_trigger(&admin, trigger("one", &["a"], "wait")).await.unwrap();
    let edit = QuotaEdit { kind: QuotaKind::OpenExecutions, quota: Some(Some(1)) };
    harness.engine.set_tenant_quotas(&admin, &tenant, &[edit]).await.unwrap();
    for expected in ["started", "joined"] {
        let sent = send(&harness, event("a", &json!({"order": 7}))).await;
        harness.engine.match_delivery(sent.delivery_id, false, None).await.unwrap();
        let record = delivery(&harness, sent.delivery_id).await;
        let lines: Vec<serde_json::Value> = serde_json::from_str(&record.outcome.unwrap()).unwrap();
        assert_eq!(lines[0]["result"], expected);
    }
    let sent = send(&harness, event("a", &json!({"order": 8}))).await;
    let refused = harness.engine.match_delivery(sent.delivery_id, false, None).await;
    assert!(
        matches!(refused, Err(EngineError::QuotaExceeded { quota: "openExecutions", .. })),
        "{refused:?}"
    );
}

async fn the_triggers_of_a_tenant_are_bounded_in_bytes(harness: EngineHarness) {
    register(&harness, "log").await;
    let admin = harness.admin();
    let large = |number: usize, is_paused| TriggerRequest {
        input: Some(json!("x".repeat(60_000))),
        is_paused: Some(is_paused),
        ..trigger(&format!("t{number}"), &["a"], "log")
    };
    for number in 0..34 {
        harness.engine.create_trigger(&admin, large(number, false)).await.unwrap();
    }
    let refused = harness.engine.create_trigger(&admin, large(34, false)).await;
    assert!(
        matches!(refused, Err(EngineError::Conflict { code: ProblemCode::TooManyTriggers, .. })),
        "{refused:?}"
    );
    let paused = harness.engine.create_trigger(&admin, large(34, true)).await.unwrap();
    let refused = harness.engine.update_trigger(&admin, paused.id, large(34, false), None).await;
    assert!(
        matches!(refused, Err(EngineError::Conflict { code: ProblemCode::TooManyTriggers, .. })),
        "{refused:?}"
    );
    harness.engine.create_trigger(&admin, trigger("small", &["a"], "log")).await.unwrap();
    let other = TriggerRequest { tenant: Some(TenantName::trusted("other")), ..large(34, false) };
    harness.engine.create_trigger(&admin, other).await.unwrap();
}

async fn i07_an_event_that_is_replayed_starts_what_had_not_started(harness: EngineHarness) {
    register(&harness, "log").await;
    let admin = harness.admin();
    let sent = send(&harness, event("a", &json!({}))).await;
    assert!(work(&harness).await[0].executions.is_empty(), "there is no trigger yet");
    harness.engine.create_trigger(&admin, trigger("log", &["a"], "log")).await.unwrap();
    for expected in [1, 0] {
        harness.engine.replay_delivery(&admin, sent.delivery_id, false).await.unwrap();
        assert_eq!(work(&harness).await[0].executions.len(), expected);
    }
}

on_both_databases!(
    triggers_choose_events_and_make_inputs,
    what_a_delivery_started_is_found_by_it,
    paused_and_removed_triggers_start_nothing,
    faults_of_a_trigger_show_when_it_is_saved,
    a_large_event_starts_all_that_its_triggers_want,
    the_triggers_of_a_tenant_are_bounded_in_bytes,
    events_start_no_more_than_a_tenant_may_have,
    an_event_joins_an_open_execution_at_the_quota,
    i07_an_event_that_is_replayed_starts_what_had_not_started,
);
