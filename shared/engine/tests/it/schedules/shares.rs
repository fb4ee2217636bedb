//! What the schedules of one tenant take keeps no other tenant's from firing, and nothing of it is lost. What a check may take is
//! counted: nothing here depends on how long anything takes.

use std::sync::Arc;

use domain::id::ScheduleId;
use domain::names::{ScheduleName, TenantName, WorkflowName};
use domain::schedule::{CheckBounds, Misfire, Overlap};
use engine::{Policy, ScheduleRequest, SealingKeys};
use serde_json::json;
use testkit::EngineHarness;

use super::harness::{MINUTE, after, minute, register, request, with_rules, words};

/// Enough to look up small workflows, and for the check of one costly input, which uses up all of it.
const ONE_CHECK: CheckBounds =
    CheckBounds { window: 2_000, looks_per_tenant: 10_000, left_per_tenant: 1_000, left_max: 5_000 };

/// Another node of the same deployment, whose checks have other bounds. Its clock shows what that of the first shows now.
fn bounded(harness: &EngineHarness, schedule_checks: CheckBounds) -> EngineHarness {
    let policy = Policy { schedule_checks, ..Policy::default() };
    let node = EngineHarness::with_policy(Arc::clone(&harness.store), policy).node(2);
    node.clock.set(harness.engine.now());
    node
}

fn tenant(name: &str) -> TenantName {
    TenantName::trusted(name)
}

/// Registers `sum`, which looks at each number of its input.
async fn register_costly(harness: &EngineHarness) {
    let numbers = json!({"type": "array", "items": {"type": "integer"}});
    let definition = json!({
        "name": "sum", "version": 1,
        "input": {"type": "object", "properties": {"of": numbers}},
        "nodes": [{"id": "add", "type": "TRANSFORM", "output": {"n": 1}}],
        "output": "${nodes.add.output}"
    });
    harness.register(&definition).await.unwrap();
}

/// A schedule whose input takes 20,000 looks and more, and is no other's.
fn costly(of: &str, number: usize) -> ScheduleRequest {
    let mut numbers = vec![0; 20_000];
    numbers[0] = number;
    ScheduleRequest {
        name: ScheduleName::trusted(format!("costly-{number}")),
        workflow: WorkflowName::trusted("sum"),
        tenant: Some(tenant(of)),
        input: json!({"of": numbers}).to_string(),
        ..with_rules("* * * * *", Misfire::Skip, Overlap::Allow)
    }
}

/// One whose input takes next to none.
fn light(of: &str, number: usize) -> ScheduleRequest {
    let name = ScheduleName::trusted(format!("light-{number}"));
    let tenant = Some(tenant(of));
    ScheduleRequest { name, tenant, ..with_rules("* * * * *", Misfire::Skip, Overlap::Allow) }
}

async fn create(harness: &EngineHarness, request: ScheduleRequest) -> ScheduleId {
    harness.engine.create_schedule(&harness.admin(), request).await.unwrap().record.id
}

async fn costly_inputs_keep_no_other_tenant_from_its_turn(harness: EngineHarness) {
    register(&harness).await;
    register_costly(&harness).await;
    let node = bounded(&harness, ONE_CHECK);
    let mut greedy = Vec::new();
    for number in 0..4 {
        greedy.push(create(&node, costly("greedy", number)).await);
    }
    let mut others = vec![create(&node, costly("other", 100)).await];
    for number in 0..3 {
        others.push(create(&node, light("other", number)).await);
        greedy.push(create(&node, light("greedy", number)).await);
    }
    let checked = after(&node, MINUTE).await;
    assert_eq!((checked.executions, checked.put_off), (8, 3), "one costly input of each, and what is light");
    for &id in &others {
        assert_eq!(words(&node, id).await, ["1 tick fired"]);
    }
    for left in [2, 1, 0] {
        let checked = node.engine.check_schedules().await.unwrap();
        assert_eq!((checked.executions, checked.put_off), (1, left), "each check takes one more");
    }
    assert_eq!(node.engine.check_schedules().await.unwrap().executions, 0);
    for &id in &greedy {
        assert_eq!(words(&node, id).await, ["1 tick fired"], "late, and once");
    }
    let checked = after(&node, MINUTE).await;
    assert_eq!((checked.executions, checked.put_off), (11, 0), "what was checked is not checked again");
}

/// A schedule that had to wait for its tenant's share is not one that missed its slot.
async fn what_is_put_off_for_long_is_not_missed(harness: EngineHarness) {
    register_costly(&harness).await;
    let node = bounded(&harness, ONE_CHECK);
    let mut ids = Vec::new();
    for number in 0..2 {
        let mut request = costly("greedy", number);
        request.policy.end_at = Some(minute(1));
        ids.push(create(&node, request).await);
    }
    assert_eq!(after(&node, MINUTE).await.put_off, 1);
    for _ in 0..4 {
        node.clock.advance(MINUTE);
    }
    let checked = node.engine.check_schedules().await.unwrap();
    assert_eq!((checked.executions, checked.put_off), (1, 0));
    for id in ids {
        assert_eq!(words(&node, id).await, ["1 tick fired"]);
    }
}

/// What stays due of one tenant is more than a check carries along, and comes before all that is due of the others.
async fn what_stays_due_of_one_tenant_keeps_no_other_from_its_turn(harness: EngineHarness) {
    const KEY: &str = "2026a:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const STAY: usize = 60;
    register(&harness).await;
    let acme = tenant("acme");
    let keys = || SealingKeys::parse([KEY]).unwrap();
    let with = harness.node_with_keys(3, keys());
    with.engine.create_tenant(&with.admin(), &acme).await.unwrap();
    with.engine.set_tenant_encryption(&with.admin(), &acme, true).await.unwrap();
    let named = |name: String| ScheduleRequest { name: ScheduleName::trusted(name), ..request("* * * * *") };
    for number in 0..STAY {
        let request = named(format!("stays-{number}"));
        create(&with, ScheduleRequest { tenant: Some(acme.clone()), ..request }).await;
    }
    harness.clock.advance(MINUTE);
    let mut others = Vec::new();
    for number in 0..3 {
        others.push(create(&with, named(format!("fires-{number}"))).await);
    }
    harness.clock.advance(MINUTE);
    let bounds = CheckBounds { window: 10, left_per_tenant: 15, left_max: 20, ..CheckBounds::default() };
    let without = bounded(&harness, bounds);
    assert_eq!(without.engine.check_schedules().await.unwrap().executions, 3);
    for id in others {
        assert_eq!(words(&with, id).await, ["2 tick fired"]);
    }
    let with = harness.node_with_keys(4, keys());
    let checked = with.engine.check_schedules().await.unwrap();
    assert_eq!(checked.executions, STAY, "each had its turn in the end");
}

on_both_databases!(
    costly_inputs_keep_no_other_tenant_from_its_turn,
    what_is_put_off_for_long_is_not_missed,
    what_stays_due_of_one_tenant_keeps_no_other_from_its_turn,
);
