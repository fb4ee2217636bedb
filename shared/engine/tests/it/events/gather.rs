//! Triggers that make one start of several events, or let starts wait their turn.

use domain::id::DeliveryId;
use domain::names::TenantName;
use domain::quota::QuotaKind;
use domain::rate::Rate;
use domain::time::DurationMs;
use domain::webhook::{BatchConfig, DebounceConfig, DeliveryStatus, ThrottleConfig};
use engine::{EngineError, QuotaEdit, TriggerRequest};
use serde_json::{Value, json};
use testkit::EngineHarness;

use super::harness::{delivery, event, input, register, send, trigger, work};

fn secs(number: i64) -> DurationMs {
    DurationMs::from_secs(number)
}

async fn result_of(harness: &EngineHarness, id: DeliveryId) -> String {
    let lines: Vec<Value> = serde_json::from_str(&delivery(harness, id).await.outcome.unwrap()).unwrap();
    lines[0]["result"].as_str().unwrap().to_owned()
}

/// How many executions there are.
async fn executions(harness: &EngineHarness) -> usize {
    harness.executions("").await.len()
}

/// All that upkeep finds to start.
async fn tick(harness: &EngineHarness) {
    while harness.engine.put_off_starts_tick().await.unwrap() {}
}

async fn a_debounce_starts_with_the_last_event_of_its_key(harness: EngineHarness) {
    register(&harness, "index").await;
    let request = TriggerRequest {
        debounce: Some(DebounceConfig { period: secs(10), key: Some("${body.page}".into()), timeout: None }),
        ..trigger("index", &["page.changed"], "index")
    };
    harness.engine.create_trigger(&harness.admin(), request).await.unwrap();
    let mut sent = Vec::new();
    for (page, n) in [("a", 1), ("b", 1), ("a", 2)] {
        sent.push(send(&harness, event("page.changed", &json!({"page": page, "n": n}))).await.delivery_id);
        work(&harness).await;
        harness.clock.advance(secs(4));
    }
    tick(&harness).await;
    assert_eq!(result_of(&harness, sent[0]).await, "debounced");
    let outcome = delivery(&harness, sent[2]).await.outcome.unwrap();
    let until = harness.engine.now().plus(secs(6));
    assert!(outcome.contains(&format!(r#""putOffUntil":{}"#, json!(until))), "{outcome}");
    assert_eq!(delivery(&harness, sent[0]).await.status, DeliveryStatus::Matched);
    harness.clock.advance(secs(6));
    tick(&harness).await;
    for id in &sent {
        assert_eq!(result_of(&harness, *id).await, "started");
    }
    let (first, last) = (delivery(&harness, sent[0]).await, delivery(&harness, sent[2]).await);
    assert_eq!(first.executions, last.executions);
    assert_eq!(input(&harness, last.executions[0]).await, json!({"page": "a", "n": 2}));
    let other = delivery(&harness, sent[1]).await.executions[0];
    assert_eq!(input(&harness, other).await, json!({"page": "b", "n": 1}));
    harness.clock.advance(secs(60));
    tick(&harness).await;
    assert_eq!(executions(&harness).await, 2, "one for each page");
}

async fn a_batch_has_its_events_in_scope(harness: EngineHarness) {
    register(&harness, "import").await;
    let request = TriggerRequest {
        batch: Some(BatchConfig { max_size: 3, timeout: secs(10), key: None }),
        input: Some(json!({"rows": "${batch.map(one, one.body.row)}", "count": "${size(batch)}"})),
        ..trigger("import", &["row.added"], "import")
    };
    harness.engine.create_trigger(&harness.admin(), request).await.unwrap();
    let mut sent = Vec::new();
    for row in 0..4 {
        sent.push(send(&harness, event("row.added", &json!({"row": row}))).await.delivery_id);
        work(&harness).await;
    }
    tick(&harness).await;
    let full = delivery(&harness, sent[0]).await.executions[0];
    assert_eq!(input(&harness, full).await, json!({"rows": [0, 1, 2], "count": 3}));
    assert_eq!(result_of(&harness, sent[3]).await, "batched");
    harness.clock.advance(secs(10));
    tick(&harness).await;
    let rest = delivery(&harness, sent[3]).await.executions[0];
    assert_eq!(input(&harness, rest).await, json!({"rows": [3], "count": 1}));
}

async fn throttled_starts_wait_and_a_replay_adds_none(harness: EngineHarness) {
    register(&harness, "call").await;
    let rate = Rate::parse("2/1m").unwrap();
    let request = TriggerRequest {
        throttle: Some(ThrottleConfig { rate, key: None }),
        ..trigger("call", &["a"], "call")
    };
    harness.engine.create_trigger(&harness.admin(), request).await.unwrap();
    let mut sent = Vec::new();
    for number in 0..3 {
        sent.push(send(&harness, event("a", &json!({"n": number}))).await.delivery_id);
    }
    work(&harness).await;
    tick(&harness).await;
    let mut results = Vec::new();
    for id in &sent {
        results.push(result_of(&harness, *id).await);
    }
    results.sort_unstable();
    assert_eq!(results, ["started", "started", "throttled"]);
    for id in &sent {
        harness.engine.replay_delivery(&harness.admin(), *id, false).await.unwrap();
    }
    work(&harness).await;
    harness.clock.advance(secs(62));
    tick(&harness).await;
    for id in &sent {
        assert_eq!(result_of(&harness, *id).await, "started");
    }
    assert_eq!(executions(&harness).await, 3, "the replays start nothing");
}

async fn what_cannot_start_parks_its_deliveries(harness: EngineHarness) {
    let nodes = json!([{"id": "echo", "type": "TRANSFORM", "output": 1}]);
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let definition = json!({"name": "strict", "version": 1, "input": schema, "nodes": nodes});
    harness.register(&definition).await.unwrap();
    let debounced = TriggerRequest {
        debounce: Some(DebounceConfig { period: secs(1), key: None, timeout: None }),
        ..trigger("debounced", &["a"], "strict")
    };
    let batched = TriggerRequest {
        batch: Some(BatchConfig { max_size: 2, timeout: secs(1), key: None }),
        input: Some(json!({"n": "${batch[0].body.n}"})),
        ..trigger("batched", &["b"], "strict")
    };
    for request in [debounced, batched] {
        harness.engine.create_trigger(&harness.admin(), request).await.unwrap();
    }
    // That a debounced start fails is known at once; of a batch, when it starts.
    let at_once = send(&harness, event("a", &json!({"n": "seven"}))).await.delivery_id;
    let later = send(&harness, event("b", &json!({"n": "seven"}))).await.delivery_id;
    work(&harness).await;
    assert_eq!(delivery(&harness, at_once).await.status, DeliveryStatus::Parked);
    assert_eq!(delivery(&harness, later).await.status, DeliveryStatus::Matched);
    harness.clock.advance(secs(1));
    tick(&harness).await;
    for id in [at_once, later] {
        let record = delivery(&harness, id).await;
        assert_eq!(
            (record.status, record.reason.as_deref()),
            (DeliveryStatus::Parked, Some("input_invalid"))
        );
        assert!(record.outcome.unwrap().contains(r#""result":"error""#), "of one of the two triggers");
    }
}

/// What waits to start has a quota. Beyond it, events that would wait are refused, deliveries are tried again, and what waits
/// already is found by a replay; other events are taken and start what they want.
async fn what_waits_to_start_has_a_quota(harness: EngineHarness) {
    register(&harness, "call").await;
    let (admin, tenant, kind) =
        (harness.admin(), TenantName::trusted("default"), QuotaKind::WaitingStartBytes);
    let throttled = TriggerRequest {
        throttle: Some(ThrottleConfig { rate: Rate::parse("1/1m").unwrap(), key: None }),
        ..trigger("call", &["a"], "call")
    };
    for request in [throttled, trigger("other", &["b"], "call")] {
        harness.engine.create_trigger(&admin, request).await.unwrap();
    }
    let first = send(&harness, event("a", &json!({"n": 1}))).await.delivery_id;
    let second = send(&harness, event("a", &json!({"n": 2}))).await.delivery_id;
    harness.engine.match_delivery(first, false, None).await.unwrap();
    let usage = harness.engine.tenant_usage(&admin, &tenant).await.unwrap();
    let used = usage.lines.iter().find(|line| line.kind == kind).map(|line| line.used).unwrap();
    assert!(used > 1_024, "{used}");
    let full = QuotaEdit { kind, quota: Some(Some(used)) };
    harness.engine.set_tenant_quotas(&admin, &tenant, &[full]).await.unwrap();
    let is_refused =
        |error: &EngineError| matches!(error, EngineError::QuotaExceeded { quota: "waitingStartBytes", .. });
    let refused = harness.engine.match_delivery(second, false, None).await;
    assert!(refused.as_ref().is_err_and(is_refused), "{refused:?}");
    let refused = harness.engine.send_events(&admin, vec![event("a", &json!({}))]).await;
    assert!(refused.as_ref().is_err_and(is_refused), "{refused:?}");
    let replay = harness.engine.replay_delivery(&admin, first, false).await.unwrap();
    harness.engine.match_delivery(replay, false, None).await.unwrap();
    assert_eq!(result_of(&harness, replay).await, "throttled");
    let other = send(&harness, event("b", &json!({}))).await.delivery_id;
    let matched = harness.engine.match_delivery(other, false, None).await.unwrap();
    assert_eq!(matched.executions.len(), 1);
    tick(&harness).await;
    assert_eq!(result_of(&harness, first).await, "started");
    testkit::eventually("what started makes room", || async {
        harness.engine.match_delivery(second, false, None).await.is_ok()
    })
    .await;
    assert_eq!(result_of(&harness, second).await, "throttled");
}

/// Three nodes match and tick at once, and one of them dies after it took what is due: each event is in one execution.
async fn i08_three_nodes_start_each_batch_once(harness: EngineHarness) {
    register(&harness, "import").await;
    let request = TriggerRequest {
        batch: Some(BatchConfig { max_size: 4, timeout: secs(10), key: Some("${body.shop}".into()) }),
        throttle: Some(ThrottleConfig { rate: Rate::parse("3/10s").unwrap(), key: None }),
        input: Some(json!({"rows": "${batch.map(one, one.body.row)}"})),
        ..trigger("import", &["row.added"], "import")
    };
    harness.engine.create_trigger(&harness.admin(), request).await.unwrap();
    let nodes = [harness.node(2), harness.node(3), harness.node(4)];
    let mut sent = Vec::new();
    for row in 0..42 {
        let data = json!({"row": row, "shop": row % 3});
        sent.push(send(&harness, event("row.added", &data)).await.delivery_id);
    }
    // Each delivery is matched by all three, as after a lost lease.
    for id in &sent {
        let [one, two, three] = nodes.each_ref().map(|node| node.engine.match_delivery(*id, false, None));
        let (one, two, three) = tokio::join!(one, two, three);
        assert!([one, two, three].iter().any(Result::is_ok));
    }
    for round in 0..60 {
        if round % 7 == 3 {
            // A node takes what is due, and is not heard of again.
            drop(harness.store.due_starts(harness.engine.now(), 10).await);
        }
        let [one, two, three] = nodes.each_ref().map(|node| node.engine.put_off_starts_tick());
        let (one, two, three) = tokio::join!(one, two, three);
        assert!([one, two, three].iter().any(Result::is_ok));
        harness.clock.advance(secs(5));
    }
    let mut rows = Vec::new();
    for execution in &harness.executions("").await {
        let Value::Array(some) = input(&harness, execution.id).await["rows"].clone() else {
            panic!("a list")
        };
        assert!((1..=4).contains(&some.len()));
        let shops: std::collections::BTreeSet<i64> =
            some.iter().map(|row| row.as_i64().unwrap() % 3).collect();
        assert_eq!(shops.len(), 1, "one key for each batch");
        rows.extend(some.iter().map(|row| row.as_i64().unwrap()));
    }
    rows.sort_unstable();
    assert_eq!(rows, (0..42).collect::<Vec<_>>(), "each event is in one execution");
    for id in &sent {
        assert_eq!(result_of(&harness, *id).await, "started");
    }
}

async fn what_is_wrong_with_a_trigger_shows_when_it_is_saved(harness: EngineHarness) {
    register(&harness, "log").await;
    let wrong = TriggerRequest {
        debounce: Some(DebounceConfig { period: secs(0), key: Some("${input.x}".into()), timeout: None }),
        batch: Some(BatchConfig { max_size: 1_001, timeout: secs(1), key: None }),
        input: Some(json!("${body.x}")),
        throttle: Some(ThrottleConfig { rate: Rate::parse("1/1s").unwrap(), key: Some("${batch}".into()) }),
        ..trigger("log", &["a"], "log")
    };
    let Err(EngineError::Invalid(faults)) = harness.engine.create_trigger(&harness.admin(), wrong).await
    else {
        panic!("it is refused");
    };
    let mut pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    pointers.sort_unstable();
    assert_eq!(
        pointers,
        ["/batch", "/batch/maxSize", "/debounce/key", "/debounce/period", "/input", "/throttle/key"]
    );
}

on_both_databases!(
    a_debounce_starts_with_the_last_event_of_its_key,
    a_batch_has_its_events_in_scope,
    throttled_starts_wait_and_a_replay_adds_none,
    what_cannot_start_parks_its_deliveries,
    what_waits_to_start_has_a_quota,
    i08_three_nodes_start_each_batch_once,
    what_is_wrong_with_a_trigger_shows_when_it_is_saved,
);
