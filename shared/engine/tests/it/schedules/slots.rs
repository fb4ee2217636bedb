//! Each slot starts one execution, whoever checks, and a crowd of schedules is worked off in batches.

use std::collections::HashSet;

use domain::names::ScheduleName;
use domain::schedule::{Misfire, Overlap, jitter_of};
use domain::time::DurationMs;
use engine::ScheduleRequest;
use store::PageRequest;
use store::executions::ExecutionFilter;
use testkit::EngineBench;

use super::bench::{
    MINUTE, after, create, execution_at, history, minute, register, request, with_rules, words,
};

async fn i07_a_slot_starts_once_however_many_nodes_check(bench: EngineBench) {
    let id = create(&bench, with_rules("* * * * *", Misfire::All, Overlap::Allow)).await;
    let nodes = [bench.node(2), bench.node(3), bench.node(4)];
    for _ in 0..5 {
        bench.clock.advance(MINUTE);
        let checks = nodes.iter().map(|node| node.engine.check_schedules());
        let started: usize = futures::future::join_all(checks)
            .await
            .into_iter()
            .map(|checked| checked.unwrap().executions)
            .sum();
        assert_eq!(started, 1);
    }
    let expected: Vec<String> = (1..=5).map(|number| format!("{number} tick fired")).collect();
    assert_eq!(words(&bench, id).await, expected);
    let executions: HashSet<_> = history(&bench, id).await.iter().map(|run| run.execution_id).collect();
    assert_eq!(executions.len(), 5);
    let page = PageRequest { limit: 100, after: None };
    let stored =
        bench.engine.list_executions(&bench.admin(), &ExecutionFilter::default(), page).await.unwrap();
    assert_eq!(stored.items.len(), 5);
    assert_eq!(
        stored.items[0].id,
        execution_at(&bench, id, minute(5)).await,
        "lists show the latest slot first"
    );
}

async fn jitter_delays_the_start_and_not_the_slot(bench: EngineBench) {
    let mut request = request("* * * * *");
    request.policy.jitter = DurationMs::from_secs(50);
    let id = create(&bench, request).await;
    let delay = jitter_of(id.uuid(), DurationMs::from_secs(50));
    assert!(delay.0 > 0, "the seed of this test gives a delay");
    after(&bench, MINUTE).await;
    let execution = execution_at(&bench, id, minute(1)).await;
    let record = bench.engine.execution(&bench.admin(), execution).await.unwrap();
    let job = bench.engine.job(&bench.admin(), record.job_id).await.unwrap();
    assert_eq!(job.run_at, minute(1).plus(delay));
}

async fn a_crowd_is_worked_off_in_batches(bench: EngineBench) {
    register(&bench).await;
    for number in 0..450 {
        let request =
            ScheduleRequest { name: ScheduleName::trusted(format!("s{number}")), ..request("* * * * *") };
        bench.engine.create_schedule(&bench.admin(), request).await.unwrap();
    }
    let checked = after(&bench, MINUTE).await;
    assert_eq!((checked.schedules, checked.executions), (450, 450));
    assert_eq!(after(&bench, DurationMs(1)).await.schedules, 0);
}

on_both_databases!(
    i07_a_slot_starts_once_however_many_nodes_check,
    jitter_delays_the_start_and_not_the_slot,
    a_crowd_is_worked_off_in_batches,
);
