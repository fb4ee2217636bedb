//! Each slot starts one execution, whoever checks, and a crowd of schedules is worked off in batches.

use std::collections::HashSet;

use domain::names::{ScheduleName, TenantName};
use domain::schedule::{Misfire, Overlap, jitter_of};
use domain::time::DurationMs;
use engine::{ScheduleRequest, SealingKeys};
use testkit::EngineHarness;

use super::harness::{
    MINUTE, after, create, execution_at, history, minute, register, request, with_rules, words,
};

async fn i07_a_slot_starts_once_however_many_nodes_check(harness: EngineHarness) {
    let id = create(&harness, with_rules("* * * * *", Misfire::All, Overlap::Allow)).await;
    let nodes = [harness.node(2), harness.node(3), harness.node(4)];
    for _ in 0..5 {
        harness.clock.advance(MINUTE);
        let checks = nodes.iter().map(|node| node.engine.check_schedules());
        let started: usize = futures::future::join_all(checks)
            .await
            .into_iter()
            .map(|checked| checked.unwrap().executions)
            .sum();
        assert_eq!(started, 1);
    }
    let expected: Vec<String> = (1..=5).map(|number| format!("{number} tick fired")).collect();
    assert_eq!(words(&harness, id).await, expected);
    let executions: HashSet<_> = history(&harness, id).await.iter().map(|run| run.execution_id).collect();
    assert_eq!(executions.len(), 5);
    let stored = harness.executions("").await;
    assert_eq!(stored.len(), 5);
    assert_eq!(stored[0].id, execution_at(&harness, id, minute(5)).await, "lists show the latest slot first");
}

async fn jitter_delays_the_start_and_not_the_slot(harness: EngineHarness) {
    let mut request = request("* * * * *");
    request.policy.jitter = DurationMs::from_secs(50);
    let id = create(&harness, request).await;
    let delay = jitter_of(id.uuid(), DurationMs::from_secs(50));
    assert!(delay.0 > 0, "the seed of this test gives a delay");
    after(&harness, MINUTE).await;
    let execution = execution_at(&harness, id, minute(1)).await;
    let record = harness.engine.execution(&harness.admin(), execution).await.unwrap();
    let job = harness.engine.job(&harness.admin(), record.job_id).await.unwrap();
    assert_eq!(job.run_at, minute(1).plus(delay));
}

async fn a_crowd_is_worked_off_in_batches(harness: EngineHarness) {
    register(&harness).await;
    for number in 0..450 {
        let request =
            ScheduleRequest { name: ScheduleName::trusted(format!("s{number}")), ..request("* * * * *") };
        harness.engine.create_schedule(&harness.admin(), request).await.unwrap();
    }
    let checked = after(&harness, MINUTE).await;
    assert_eq!((checked.schedules, checked.executions), (450, 450));
    assert_eq!(after(&harness, DurationMs(1)).await.schedules, 0);
}

/// More schedules than a batch takes start executions whose payloads cannot be sealed here. They stay due, and those behind
/// them fire.
async fn many_schedules_without_their_key_keep_nobody_from_theirs(harness: EngineHarness) {
    const KEY: &str = "2026a:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    register(&harness).await;
    let acme = TenantName::trusted("acme");
    let keys = || SealingKeys::parse([KEY]).unwrap();
    let with = harness.node_with_keys(2, keys());
    let admin = with.admin();
    with.engine.create_tenant(&admin, &acme).await.unwrap();
    with.engine.set_tenant_encryption(&admin, &acme, true).await.unwrap();
    for number in 0..203 {
        let request = ScheduleRequest {
            name: ScheduleName::trusted(format!("s{number}")),
            tenant: (number < 200).then(|| acme.clone()),
            ..request("* * * * *")
        };
        with.engine.create_schedule(&admin, request).await.unwrap();
    }
    let without = harness.node(3);
    assert_eq!(after(&without, MINUTE).await.executions, 3);
    assert_eq!(without.engine.check_schedules().await.unwrap().executions, 0);
    let with = harness.node_with_keys(4, keys());
    assert_eq!(with.engine.check_schedules().await.unwrap().executions, 200, "they are still due");
}

/// A check serves all tenants, so it waits for nothing that calls of one of them wait for.
async fn schedules_fire_where_calls_are_turned_away(harness: EngineHarness) {
    let mut large = request("* * * * *");
    large.input = format!(r#"{{"of": "{}"}}"#, "x".repeat(300_000));
    let id = create(&harness, large).await;
    let impatient = crate::impatient(&harness);
    assert_eq!(after(&impatient, MINUTE).await.executions, 1);
    assert_eq!(words(&harness, id).await, ["1 tick fired"]);
}

on_both_databases!(
    i07_a_slot_starts_once_however_many_nodes_check,
    jitter_delays_the_start_and_not_the_slot,
    a_crowd_is_worked_off_in_batches,
    many_schedules_without_their_key_keep_nobody_from_theirs,
    schedules_fire_where_calls_are_turned_away,
);
