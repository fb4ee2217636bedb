//! Nodes that wait for events.

use std::sync::Arc;

use domain::id::{DeliveryId, ExecutionId};
use domain::names::{TenantName, WorkflowName};
use domain::time::DurationMs;
use domain::webhook::DeliveryStatus;
use domain::workflow::expression::EvaluationLimits;
use engine::{EventRequest, ExecutionRequest, Policy};
use serde_json::{Value, json};
use store::webhooks::WokenNode;
use testkit::{EngineHarness, eventually};

use super::harness::{delivery, event, send, work};
use crate::waiting::harness::{failure, is_parked, output, run, waits};

fn paid(more: &Value) -> Value {
    let mut node = json!({"id": "paid", "type": "WAIT_EVENT", "event": "order.paid"});
    node.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!([node])
}

async fn parked(harness: &EngineHarness, nodes: Value, input: Value) -> ExecutionId {
    let id = run(harness, nodes, &input).await;
    is_parked(harness, id).await;
    id
}

async fn an_event_wakes_all_that_match_and_no_others(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let nodes = paid(&json!({"match": {"body.order": "${input.order}"}}));
    let one = parked(&harness, nodes.clone(), json!({"order": 7})).await;
    let two = parked(&harness, nodes.clone(), json!({"order": 7})).await;
    let other = parked(&harness, nodes, json!({"order": 8})).await;
    assert_eq!(waits(&harness, one, "paid").await.reason, "event");
    let sent = send(&harness, event("order.paid", &json!({"order": 7, "sum": 12}))).await;
    work(&harness).await;
    let record = delivery(&harness, sent.delivery_id).await;
    assert_eq!(record.status, DeliveryStatus::Matched);
    let expected = json!({
        "event": "order.paid", "body": {"order": 7, "sum": 12},
        "deliveryId": sent.delivery_id, "receivedAt": record.received_at.to_string(),
    });
    for id in [one, two] {
        assert_eq!(output(&harness, id).await, json!({ "paid": expected }));
    }
    let mut woke = record.woke;
    woke.sort_by_key(|node| node.execution_id);
    let node = |id| WokenNode { execution_id: id, node_id: domain::names::NodeId::trusted("paid") };
    let mut both = [node(one), node(two)];
    both.sort_by_key(|node| node.execution_id);
    assert_eq!(woke, both);
    is_parked(&harness, other).await;
    send(&harness, event("order.paid", &json!({"order": 8}))).await;
    work(&harness).await;
    assert_eq!(output(&harness, other).await["paid"]["body"], json!({"order": 8}));
}

async fn the_first_of_several_events_counts(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let nodes = json!([{"id": "end", "type": "WAIT_EVENT", "event": ["order.shipped", "order.lost"]}]);
    let id = parked(&harness, nodes, json!({})).await;
    for name in ["order.paid", "order.lost", "order.shipped"] {
        send(&harness, event(name, &json!(null))).await;
        harness.clock.advance(DurationMs(1));
    }
    work(&harness).await;
    assert_eq!(output(&harness, id).await["end"]["event"], "order.lost");
}

async fn a_filter_sees_the_event_beside_the_execution(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let nodes = json!([
        {"id": "price", "type": "TRANSFORM", "output": "${input.price * 2}"},
        {"id": "paid", "type": "WAIT_EVENT", "dependsOn": ["price"], "event": "order.paid",
         "filter": "body.sum >= nodes.price.output && input.currency == body.currency"},
    ]);
    let id = parked(&harness, nodes, json!({"price": 50, "currency": "EUR"})).await;
    // Too little, nothing that could be compared, and enough.
    for body in
        [json!({"sum": 99, "currency": "EUR"}), json!({"sum": 500}), json!({"sum": 100, "currency": "EUR"})]
    {
        is_parked(&harness, id).await;
        send(&harness, event("order.paid", &body)).await;
        work(&harness).await;
    }
    assert_eq!(output(&harness, id).await["paid"]["body"]["sum"], 100);
}

/// How many nodes of each tenant wait with a filter that takes much.
const COSTLY: usize = 5;

/// A node of which each filter takes more than a fifth of what one event, and a tenant in one round of looking back, may take.
fn bounded(harness: &EngineHarness) -> EngineHarness {
    let evaluation = EvaluationLimits { execution_steps_max: 10_000, ..EvaluationLimits::default() };
    EngineHarness::with_policy(Arc::clone(&harness.store), Policy { evaluation, ..Policy::default() })
}

/// Executions of a tenant that wait with such filters, and for which nobody looks back any more.
async fn costly_waits(harness: &EngineHarness, tenant: &TenantName) -> Vec<ExecutionId> {
    let request = ExecutionRequest {
        tenant: Some(tenant.clone()),
        ..ExecutionRequest::new(WorkflowName::trusted("costly"), "{}")
    };
    let started = harness.engine.start_executions(&harness.admin(), vec![request; COSTLY]).await.unwrap();
    let ids: Vec<ExecutionId> = started.iter().map(|started| started.id).collect();
    for id in &ids {
        is_parked(harness, *id).await;
    }
    eventually("nobody looks back", || async { harness.store.look_backs_of(&ids).await.unwrap().is_empty() })
        .await;
    ids
}

async fn woken(harness: &EngineHarness, id: DeliveryId) -> usize {
    delivery(harness, id).await.woke.len()
}

async fn an_event_takes_a_bounded_part_of_many_filters_and_no_wait_is_lost(harness: EngineHarness) {
    let harness = bounded(&harness);
    let _pool = harness.run_executions(4);
    let nodes = paid(&json!({"filter": "body.items.all(n, n >= 0)"}));
    harness.register(&json!({"name": "costly", "version": 1, "nodes": nodes})).await.unwrap();
    let mut waiting = Vec::new();
    for tenant in ["greedy", "other"].map(TenantName::trusted) {
        let ids = costly_waits(&harness, &tenant).await;
        let data = json!({"items": (0..400).collect::<Vec<_>>()});
        let event = EventRequest { tenant: Some(tenant), ..event("order.paid", &data) };
        waiting.push((send(&harness, event).await.delivery_id, ids));
    }
    for matched in work(&harness).await {
        assert_eq!(matched.status, DeliveryStatus::Matched);
    }
    let mut before = Vec::new();
    for (sent, _) in &waiting {
        let count = woken(&harness, *sent).await;
        assert!((1..COSTLY).contains(&count), "{count} filters are checked at once");
        before.push(count);
    }
    harness.clock.advance(DurationMs::from_secs(3));
    harness.engine.wake_parked_tick().await.unwrap();
    for ((sent, _), before) in waiting.iter().zip(before) {
        assert!(woken(&harness, *sent).await > before, "each tenant has its part of a round");
    }
    for _ in 1..COSTLY {
        harness.engine.wake_parked_tick().await.unwrap();
    }
    for (sent, ids) in waiting {
        assert_eq!(woken(&harness, sent).await, COSTLY);
        for id in ids {
            assert_eq!(output(&harness, id).await["paid"]["deliveryId"], json!(sent));
        }
    }
}

/// Those that were left are looked for among all that came since, in the order in which they came.
async fn what_is_left_is_met_by_the_first_event_that_meets_it(harness: EngineHarness) {
    let harness = bounded(&harness);
    let _pool = harness.run_executions(4);
    let nodes = paid(&json!({"filter": "body.items.all(n, n >= 0) && body.sum > 1"}));
    harness.register(&json!({"name": "costly", "version": 1, "nodes": nodes})).await.unwrap();
    let ids = costly_waits(&harness, &TenantName::trusted("a")).await;
    let mut sent = Vec::new();
    for sum in [1, 2, 3] {
        let data = json!({"items": (0..400).collect::<Vec<_>>(), "sum": sum});
        let event = EventRequest { tenant: Some(TenantName::trusted("a")), ..event("order.paid", &data) };
        sent.push(send(&harness, event).await.delivery_id);
        harness.clock.advance(DurationMs(1));
    }
    // The first is checked against some, and none of those is left.
    let matched = harness.engine.match_delivery(sent[0], false, None).await.unwrap();
    assert_eq!(matched.status, DeliveryStatus::Unmatched);
    let left = harness.store.look_backs_of(&ids).await.unwrap().len();
    assert!((1..COSTLY).contains(&left), "{left} are left");
    harness.clock.advance(DurationMs::from_secs(3));
    for _ in 0..3 * COSTLY {
        harness.engine.wake_parked_tick().await.unwrap();
    }
    assert_eq!(woken(&harness, sent[0]).await, 0);
    assert_eq!(woken(&harness, sent[1]).await, left, "each of them is woken by the second");
}

async fn a_lookback_takes_the_newest_that_came_before(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    for (order, n) in [(7, 1), (7, 2), (8, 3)] {
        send(&harness, event("order.paid", &json!({"order": order, "n": n}))).await;
        harness.clock.advance(DurationMs::from_secs(10));
    }
    work(&harness).await;
    let nodes =
        |lookback: &str| paid(&json!({"match": {"body.order": "${input.order}"}, "lookback": lookback}));
    let id = run(&harness, nodes("1m"), &json!({"order": 7})).await;
    assert_eq!(output(&harness, id).await["paid"]["body"]["n"], 2);
    let definition = json!({"name": "short", "version": 1, "nodes": nodes("15s")});
    harness.register(&definition).await.unwrap();
    let late = harness.start("short", &json!({"order": 7})).await.unwrap();
    is_parked(&harness, late).await;
    send(&harness, event("order.paid", &json!({"order": 7, "n": 4}))).await;
    work(&harness).await;
    assert_eq!(output(&harness, late).await["paid"]["body"]["n"], 4, "the others came too early");
}

/// What is stored and not matched yet when the wait begins, and the other way round.
async fn i08_an_event_and_a_wait_that_cross_find_each_other(harness: EngineHarness) {
    let nodes = paid(&json!({"match": {"body.order": "${input.order}"}}));
    // The event comes while the owner is about to begin the wait: its clock says that it came after.
    let id = run(&harness, nodes.clone(), &json!({"order": 7})).await;
    let sent = send(&harness, event("order.paid", &json!({"order": 7}))).await;
    assert_eq!(work(&harness).await[0].status, DeliveryStatus::Unmatched, "nobody waits yet");
    let _pool = harness.run_executions(4);
    assert_eq!(output(&harness, id).await["paid"]["deliveryId"], json!(sent.delivery_id));
    let late = harness.start("flow", &json!({"order": 9})).await.unwrap();
    is_parked(&harness, late).await;
    let sent = send(&harness, event("order.paid", &json!({"order": 9}))).await;
    work(&harness).await;
    // Its owner may have found it by looking back, before the job or after it.
    assert_eq!(delivery(&harness, sent.delivery_id).await.status, DeliveryStatus::Matched);
    assert_eq!(output(&harness, late).await["paid"]["body"]["order"], 9);
}

async fn a_wait_for_an_event_times_out(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let id = parked(&harness, paid(&json!({"timeout": "1h"})), json!({})).await;
    harness.clock.advance(DurationMs::from_secs(3_600));
    assert_eq!(failure(&harness, id).await, "timeout");
    let sent = send(&harness, event("order.paid", &json!(1))).await;
    assert_eq!(work(&harness).await[0].status, DeliveryStatus::Unmatched);
    assert!(delivery(&harness, sent.delivery_id).await.woke.is_empty());
}

on_both_databases!(
    an_event_wakes_all_that_match_and_no_others,
    the_first_of_several_events_counts,
    a_filter_sees_the_event_beside_the_execution,
    an_event_takes_a_bounded_part_of_many_filters_and_no_wait_is_lost,
    what_is_left_is_met_by_the_first_event_that_meets_it,
    a_lookback_takes_the_newest_that_came_before,
    i08_an_event_and_a_wait_that_cross_find_each_other,
    a_wait_for_an_event_times_out,
);
