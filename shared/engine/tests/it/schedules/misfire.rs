//! After a downtime: which of the missed slots run.

use domain::schedule::{Misfire, Overlap, SchedulePolicy};
use domain::time::DurationMs;
use engine::ScheduleRequest;
use testkit::EngineHarness;

use super::harness::{HOUR, MINUTE, after, create, minute, request, with_rules, words};

async fn skip_runs_no_missed_slot(harness: EngineHarness) {
    let id = create(&harness, with_rules("0 * * * *", Misfire::Skip, Overlap::Allow)).await;
    assert_eq!(after(&harness, DurationMs(3 * HOUR.0 + 5 * MINUTE.0)).await.executions, 0);
    let skipped =
        ["60 catchup skipped misfire", "120 catchup skipped misfire", "180 catchup skipped misfire"];
    assert_eq!(words(&harness, id).await, skipped);
    // What is past never holds up what comes.
    assert_eq!(after(&harness, DurationMs(55 * MINUTE.0)).await.executions, 1);
    assert_eq!(words(&harness, id).await[3], "240 tick fired");
}

async fn latest_runs_the_latest_missed_slot(harness: EngineHarness) {
    let id = create(&harness, with_rules("0 * * * *", Misfire::Latest, Overlap::Allow)).await;
    assert_eq!(after(&harness, DurationMs(3 * HOUR.0 + 5 * MINUTE.0)).await.executions, 1);
    let expected = ["60 catchup skipped misfire", "120 catchup skipped misfire", "180 catchup fired"];
    assert_eq!(words(&harness, id).await, expected);
}

async fn a_slot_within_a_minute_is_not_missed(harness: EngineHarness) {
    let id = create(&harness, with_rules("0 * * * *", Misfire::Skip, Overlap::Allow)).await;
    assert_eq!(after(&harness, DurationMs(HOUR.0 + 50_000)).await.executions, 1);
    assert_eq!(words(&harness, id).await, ["60 tick fired"]);
}

async fn all_runs_missed_slots_up_to_the_cap(harness: EngineHarness) {
    let mut request = with_rules("* * * * *", Misfire::All, Overlap::Allow);
    request.policy.catch_up_max = 3;
    let id = create(&harness, request).await;
    assert_eq!(after(&harness, DurationMs(6 * MINUTE.0)).await.executions, 5);
    let expected = [
        "1 catchup skipped catchup_cap",
        "2 catchup fired",
        "3 catchup fired",
        "4 catchup fired",
        "5 tick fired",
        "6 tick fired",
    ];
    assert_eq!(words(&harness, id).await, expected);
}

async fn slots_outside_the_window_are_dropped(harness: EngineHarness) {
    let mut request = with_rules("0 * * * *", Misfire::All, Overlap::Allow);
    request.policy.catch_up_window = DurationMs(90 * MINUTE.0);
    let id = create(&harness, request).await;
    assert_eq!(after(&harness, DurationMs(3 * HOUR.0 + 2 * MINUTE.0)).await.executions, 2);
    let expected = ["60 catchup skipped misfire", "120 catchup fired", "180 catchup fired"];
    assert_eq!(words(&harness, id).await, expected);
}

async fn bounds_are_kept(harness: EngineHarness) {
    let policy = SchedulePolicy {
        start_at: Some(minute(10)),
        end_at: Some(minute(20)),
        misfire: Misfire::All,
        overlap: Overlap::Allow,
        ..SchedulePolicy::default()
    };
    let request = ScheduleRequest { policy, ..request("*/5 * * * *") };
    let id = create(&harness, request).await;
    let next = harness.engine.schedule(&harness.admin(), id).await.unwrap().record.next_run_at;
    assert_eq!(next, Some(minute(10)), "the start is within the bounds");
    for _ in 0..6 {
        after(&harness, DurationMs(5 * MINUTE.0)).await;
    }
    let expected = ["10 tick fired", "15 tick fired", "20 tick fired"];
    assert_eq!(words(&harness, id).await, expected);
    let view = harness.engine.schedule(&harness.admin(), id).await.unwrap();
    assert_eq!(view.record.next_run_at, None);
    assert!(view.warnings.iter().any(|warning| warning.contains("endAt")), "{:?}", view.warnings);
}

on_both_databases!(
    skip_runs_no_missed_slot,
    latest_runs_the_latest_missed_slot,
    a_slot_within_a_minute_is_not_missed,
    all_runs_missed_slots_up_to_the_cap,
    slots_outside_the_window_are_dropped,
    bounds_are_kept,
);
