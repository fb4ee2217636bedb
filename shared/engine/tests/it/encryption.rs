//! Payloads of a tenant that are sealed at rest: turned on and off, keys that rotate, and keys that are missing.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::access::Role;
use domain::id::Id;
use domain::job::JobStatus;
use domain::names::{EventName, TenantName, WorkflowName};
use domain::time::{DurationMs, Timestamp};
use domain::workflow::execution::ExecutionStatus;
use engine::{CompleteItem, EngineError, EventRequest, ExecutionRequest, JobRequest, OwnerEnd, SealingKeys};
use serde_json::json;
use store::jobs::ClaimedJob;
use store::operations::ServerRecord;
use store::{Closed, StoreError};
use testkit::EngineHarness;

const FIRST: &str = "2026a:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const SECOND: &str = "2026b:HxwdGhsYGRYXFBUSExARDg8MDQoLCAkGBwQFAgMAAQE=";

fn keys(texts: &[&str]) -> SealingKeys {
    SealingKeys::parse(texts.iter().copied()).unwrap()
}

fn tenant() -> TenantName {
    TenantName::trusted("default")
}

fn code<T: std::fmt::Debug>(answer: Result<T, EngineError>) -> &'static str {
    answer.unwrap_err().code()
}

fn job() -> JobRequest {
    JobRequest::new(domain::names::JobType::trusted("encode"), "{\"n\":1}")
}

/// Has the tenant made, as its first use would.
async fn known(harness: &EngineHarness) {
    harness.engine.create_tenant(&harness.admin(), &tenant()).await.unwrap();
}

async fn encryption_is_turned_on_and_off(harness: EngineHarness) {
    let admin = harness.admin();
    assert_eq!(
        code(harness.engine.set_tenant_encryption(&admin, &tenant(), true).await),
        "encryption_needs_keys"
    );
    let node = harness.node_with_keys(2, keys(&[FIRST]));
    assert_eq!(code(node.engine.set_tenant_encryption(&admin, &tenant(), true).await), "not_found");
    known(&node).await;
    for role in [Role::Operator, Role::Client, Role::Viewer] {
        let other = node.bound("default", role);
        assert!(node.engine.set_tenant_encryption(&other, &tenant(), true).await.is_err(), "{role:?}");
    }
    assert_eq!(code(node.engine.rotate_payload_key(&admin, &tenant()).await), "encryption_disabled");
    let on = node.engine.set_tenant_encryption(&admin, &tenant(), true).await.unwrap();
    assert!(on.is_enabled && on.keys.len() == 1);
    assert!(on.keys[0].seals && on.keys[0].is_usable && on.keys[0].sealed_with == "2026a");
    assert_eq!(node.engine.set_tenant_encryption(&admin, &tenant(), true).await.unwrap(), on);
    let id = node.enqueue(job()).await.unwrap().id;
    let claimed = node.poll(&["encode"], 1).await.unwrap().remove(0);
    assert_eq!((claimed.id, claimed.data.as_str()), (id, "{\"n\":1}"));
    node.complete(&claimed, &json!({"sum": 3})).await.unwrap();
    harness.clock.advance(DurationMs::from_secs(1));
    let rotated = node.engine.rotate_payload_key(&admin, &tenant()).await.unwrap();
    assert_eq!(rotated.keys.iter().filter(|key| key.seals).count(), 1);
    assert_eq!((rotated.keys.len(), rotated.keys[1].id), (2, on.keys[0].id));
    let off = node.engine.set_tenant_encryption(&admin, &tenant(), false).await.unwrap();
    assert!(!off.is_enabled && off.keys.len() == 2, "what was sealed can still be read");
    let shown = node.engine.job(&admin, id).await.unwrap();
    assert_eq!((shown.data.as_deref(), shown.result.as_deref()), (Some("{\"n\":1}"), Some("{\"sum\":3}")));
    let actions: Vec<String> = node.audit(&admin).await.into_iter().map(|line| line.action).collect();
    for (action, times) in [("encryption.set", 2), ("encryption.rotate", 1)] {
        assert_eq!(actions.iter().filter(|one| *one == action).count(), times, "{actions:?}");
    }
}

async fn a_key_of_the_settings_can_be_replaced(harness: EngineHarness) {
    let admin = harness.admin();
    let first = harness.node_with_keys(2, keys(&[FIRST]));
    known(&first).await;
    first.engine.set_tenant_encryption(&admin, &tenant(), true).await.unwrap();
    let id = first.enqueue(job()).await.unwrap().id;
    let second = harness.node_with_keys(3, keys(&[SECOND, FIRST]));
    assert!(second.engine.job(&admin, id).await.is_ok(), "earlier keys open");
    assert!(!second.engine.reseal_tick().await.unwrap());
    let view = second.engine.tenant_encryption(&admin, &tenant()).await.unwrap();
    assert_eq!(view.keys[0].sealed_with, "2026b");
    // The first key can go now.
    let third = harness.node_with_keys(4, keys(&[SECOND]));
    assert_eq!(third.engine.job(&admin, id).await.unwrap().data.as_deref(), Some("{\"n\":1}"));
    // A node that was not given the key says so, and loses nothing.
    let without = harness.node_with_keys(5, keys(&[FIRST]));
    let refused = without.engine.job(&admin, id).await.unwrap_err();
    assert_eq!(refused.code(), "payload_key_missing");
    assert!(refused.is_retryable());
    assert_eq!(code(without.enqueue(job()).await), "payload_key_missing");
    assert!(without.poll(&["encode"], 1).await.unwrap().is_empty());
    let checks = without.engine.doctor(&admin).await.unwrap();
    let secrets = checks.iter().find(|check| check.check == "secrets").expect("it is checked");
    assert!(secrets.detail.contains("2026b"), "{secrets:?}");
}

async fn an_execution_waits_for_its_key(harness: EngineHarness) {
    let admin = harness.admin();
    let with = harness.node_with_keys(2, keys(&[FIRST]));
    known(&with).await;
    with.engine.set_tenant_encryption(&admin, &tenant(), true).await.unwrap();
    let definition = json!({"name": "flow", "version": 1, "output": "${nodes.b.output}", "nodes": [
        {"id": "a", "type": "SERVICE_TASK", "jobType": "encode", "input": {"n": "${input.n}"}},
        {"id": "b", "type": "TRANSFORM", "dependsOn": ["a"], "output": {"got": "${nodes.a.output.sum}"}},
    ]});
    with.register(&definition).await.unwrap();
    let id = with.start("flow", &json!({"n": 7})).await.unwrap();
    // This node takes it up and cannot open it.
    let without = harness.node(3);
    let owned = without.own_next().await;
    let end = owned.end.await.unwrap();
    let OwnerEnd::Failed(error) = end else { panic!("{end:?}") };
    assert_eq!(error.code(), "payload_key_missing");
    without.engine.release(vec![owned.lease]).await.unwrap();
    // One that has the key goes on, and the execution is none the worse.
    let with = harness.node_with_keys(4, keys(&[FIRST]));
    let _pool = with.run_executions(1);
    let claimed = with.take("encode").await;
    assert_eq!(claimed.data, "{\"n\":7}");
    with.complete(&claimed, &json!({"sum": 10})).await.unwrap();
    let record = with.ended(id).await;
    assert_eq!((record.status, record.output.as_deref()), (ExecutionStatus::Completed, Some("{\"got\":10}")));
    assert!(Arc::ptr_eq(&with.store, &harness.store));
}

/// Whatever comes first: once it was turned off, no rotation turns it on again.
async fn a_rotation_beside_the_end_does_not_turn_it_on_again(harness: EngineHarness) {
    let admin = harness.admin();
    let node = harness.node_with_keys(2, keys(&[FIRST]));
    known(&node).await;
    for _ in 0..5 {
        node.engine.set_tenant_encryption(&admin, &tenant(), true).await.unwrap();
        let of = tenant();
        let rotations = (0..6).map(|_| node.engine.rotate_payload_key(&admin, &of));
        let (rotated, ended) = tokio::join!(
            futures::future::join_all(rotations),
            node.engine.set_tenant_encryption(&admin, &of, false),
        );
        ended.unwrap();
        for refused in rotated.into_iter().filter_map(Result::err) {
            assert_eq!(refused.code(), "encryption_disabled", "{refused}");
        }
        let view = node.engine.tenant_encryption(&admin, &tenant()).await.unwrap();
        assert!(!view.is_enabled && view.keys.iter().all(|key| !key.seals), "{view:?}");
    }
}

/// A server that began before the database could hold keys passes ciphertext to workers: it has to end first.
async fn older_servers_have_to_end_first(harness: EngineHarness) {
    let admin = harness.admin();
    let node = harness.node_with_keys(2, keys(&[FIRST]));
    known(&node).await;
    let old = ServerRecord {
        id: Id::from_uuid(uuid::Uuid::from_u128(7)),
        version: "0.0.1".to_owned(),
        roles: Vec::new(),
        started_at: Timestamp(0),
        last_seen_at: node.engine.now(),
        clock_offset_ms: 0,
    };
    harness.store.record_server(&old, Timestamp(0)).await.unwrap();
    let refused = node.engine.set_tenant_encryption(&admin, &tenant(), true).await.unwrap_err();
    assert_eq!(refused.code(), "older_servers");
    assert!(refused.to_string().contains("earlier version"), "{refused}");
    assert!(!node.engine.tenant_encryption(&admin, &tenant()).await.unwrap().is_enabled);
    harness.store.remove_server(old.id).await.unwrap();
    assert!(node.engine.set_tenant_encryption(&admin, &tenant(), true).await.unwrap().is_enabled);
}

/// Of a batch of reports those of other tenants are written, whatever key one of them lacks.
async fn a_report_without_its_key_keeps_no_other_back(harness: EngineHarness) {
    let admin = harness.admin();
    let with = harness.node_with_keys(2, keys(&[FIRST]));
    known(&with).await;
    with.engine.set_tenant_encryption(&admin, &tenant(), true).await.unwrap();
    let plain = || JobRequest { tenant: Some(TenantName::trusted("plain")), ..job() };
    let requests = vec![plain(), job(), plain(), plain()];
    let ids = with.engine.enqueue(&admin, requests).await.unwrap();
    let claimed = with.poll(&["encode"], 4).await.unwrap();
    assert_eq!(claimed.len(), 4);
    let without = harness.node(3);
    let report = |job: &ClaimedJob| CompleteItem {
        lease: job.lease(),
        result: Some("{}".to_owned()),
        attributes: BTreeMap::new(),
    };
    let reports: Vec<CompleteItem> = claimed.iter().map(report).collect();
    assert_eq!(code(without.engine.complete(&admin, reports.clone()).await), "payload_key_missing");
    let status = async |node: &EngineHarness, index: usize| {
        node.engine.job(&admin, ids[index].id).await.unwrap().status
    };
    for index in [0, 2, 3] {
        assert_eq!(status(&without, index).await, JobStatus::Completed, "{index}");
    }
    // Whoever repeats the call where the key is has written all.
    let with = harness.node_with_keys(4, keys(&[FIRST]));
    assert_eq!(status(&with, 1).await, JobStatus::Processing);
    let answers = with.engine.complete(&admin, reports).await.unwrap();
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(status(&with, 1).await, JobStatus::Completed);
}

#[test]
fn a_tenant_that_is_being_erased_is_said_to_be() {
    let error = EngineError::Store(StoreError::Sealed { table: "job", why: Closed::Erasing });
    assert_eq!(error.code(), "tenant_erasing");
    assert!(error.public_message().contains("being erased"), "{}", error.public_message());
    assert!(error.is_for_another_process() && error.is_retryable(), "leases are given back");
}

/// Nodes wait for events that came before, sealed with two keys. A process that has one of them looks for the nodes that it
/// can look for, whatever the others wait for.
async fn an_event_that_cannot_be_opened_keeps_nobody_from_theirs(harness: EngineHarness) {
    Box::pin(looks_behind(harness, 1)).await;
}

/// As many as one step of upkeep takes: the node behind them has its turn, and no event that it waits for is left out where
/// the step ends within them.
async fn many_events_that_cannot_be_opened_keep_nobody_from_theirs(harness: EngineHarness) {
    Box::pin(looks_behind(harness, 99)).await;
}

/// So many nodes before the last one cannot be looked for.
async fn looks_behind(harness: EngineHarness, closed: usize) {
    let admin = harness.admin();
    let acme = TenantName::trusted("acme");
    let own = tenant();
    for (seed, of, key) in [(2, &acme, SECOND), (3, &own, FIRST)] {
        let with = harness.node_with_keys(seed, keys(&[key]));
        with.engine.create_tenant(&admin, of).await.unwrap();
        with.engine.set_tenant_encryption(&admin, of, true).await.unwrap();
        let event = EventRequest {
            name: EventName::trusted("order.paid"),
            id: None,
            data: json!({"order": 7}).to_string(),
            tenant: Some(of.clone()),
            traceparent: None,
        };
        with.engine.send_events(&admin, vec![event]).await.unwrap();
        // What comes from now on is plain again.
        with.engine.set_tenant_encryption(&admin, of, false).await.unwrap();
    }
    harness.clock.advance(DurationMs::from_secs(1));
    let without = harness.node(4);
    let mut waiting = Vec::new();
    for (of, workflow, events, count) in [
        (&acme, "paid", json!("order.paid"), closed),
        (&own, "lost-or-paid", json!(["order.lost", "order.paid"]), 1),
    ] {
        let definition = json!({"name": workflow, "version": 1, "nodes": [
            {"id": "event", "type": "WAIT_EVENT", "event": events, "match": {"body.order": "${input.order}"},
             "lookback": "1m"},
        ]});
        harness.register(&definition).await.unwrap();
        let request = ExecutionRequest {
            tenant: Some(of.clone()),
            ..ExecutionRequest::new(WorkflowName::trusted(workflow), json!({"order": 7}).to_string())
        };
        let started = without.engine.start_executions(&admin, vec![request; count]).await.unwrap();
        let pool = without.run_executions(8);
        for execution in &started {
            without.reaches(execution.id, ExecutionStatus::Waiting).await;
        }
        drop(pool);
        waiting.push(started[0].id);
        harness.clock.advance(DurationMs(1));
    }
    harness.clock.advance(DurationMs::from_secs(3));
    let with = harness.node_with_keys(5, keys(&[FIRST]));
    for _ in 0..2 {
        with.engine.wake_parked_tick().await.unwrap();
    }
    let _pool = with.run_executions(1);
    assert_eq!(with.ended(waiting[1]).await.status, ExecutionStatus::Completed);
    let other = with.engine.execution(&admin, waiting[0]).await.unwrap();
    assert_eq!(other.status, ExecutionStatus::Waiting, "it waits for a process that has the key");
    let with = harness.node_with_keys(6, keys(&[SECOND]));
    with.engine.wake_parked_tick().await.unwrap();
    let _pool = with.run_executions(1);
    assert_eq!(with.ended(waiting[0]).await.status, ExecutionStatus::Completed);
}

on_both_databases!(
    an_event_that_cannot_be_opened_keeps_nobody_from_theirs,
    many_events_that_cannot_be_opened_keep_nobody_from_theirs,
    encryption_is_turned_on_and_off,
    a_key_of_the_settings_can_be_replaced,
    an_execution_waits_for_its_key,
    a_rotation_beside_the_end_does_not_turn_it_on_again,
    older_servers_have_to_end_first,
    a_report_without_its_key_keeps_no_other_back,
);
