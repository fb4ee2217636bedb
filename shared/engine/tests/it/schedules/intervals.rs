//! Schedules that fire every so often.

use domain::names::{ScheduleName, WorkflowName};
use domain::schedule::{Misfire, Overlap, SchedulePolicy};
use domain::time::DurationMs;
use engine::{EngineError, IntervalRequest, ScheduleRequest};
use testkit::{EngineHarness, FixedClock};

use super::harness::{HOUR, after, create, history, minute, request};

fn every(secs: i64) -> ScheduleRequest {
    let policy =
        SchedulePolicy { misfire: Misfire::Latest, overlap: Overlap::Allow, ..SchedulePolicy::default() };
    let (name, workflow) = (ScheduleName::trusted("often"), WorkflowName::trusted("report"));
    ScheduleRequest { policy, ..ScheduleRequest::every(name, workflow, DurationMs::from_secs(secs)) }
}

async fn seconds(harness: &EngineHarness, id: domain::id::ScheduleId) -> Vec<(i64, String)> {
    let runs = history(harness, id).await;
    runs.into_iter().map(|run| ((run.nominal.0 - FixedClock::START.0) / 1_000, run.status)).collect()
}

async fn it_fires_between_the_minutes(harness: EngineHarness) {
    let id = create(&harness, every(90)).await;
    let shown = harness.engine.schedule(&harness.admin(), id).await.unwrap();
    assert_eq!(shown.record.next_run_at, Some(FixedClock::START.plus(DurationMs::from_secs(90))));
    assert!(shown.description.starts_with("Every 1m30s"), "{}", shown.description);
    assert!(!harness.engine.announce_intervals().await.unwrap(), "nothing is due yet");
    harness.clock.advance(DurationMs::from_secs(90));
    assert!(harness.engine.announce_intervals().await.unwrap(), "a check is announced");
    assert!(!harness.engine.announce_intervals().await.unwrap(), "and no other beside it");
    assert_eq!(harness.engine.check_schedules().await.unwrap().executions, 1);
    assert_eq!(after(&harness, DurationMs::from_secs(89)).await.executions, 0);
    assert_eq!(after(&harness, DurationMs::from_secs(1)).await.executions, 1);
    // After a downtime only the latest runs, and the grid stays.
    assert_eq!(after(&harness, DurationMs::from_secs(3 * 90 + 80)).await.executions, 1);
    let fired: Vec<i64> = seconds(&harness, id)
        .await
        .into_iter()
        .filter_map(|(at, status)| (status == "fired").then_some(at))
        .collect();
    assert_eq!(fired, [90, 180, 450]);
}

async fn two_checks_start_a_slot_once(harness: EngineHarness) {
    let id = create(&harness, every(10)).await;
    let other = harness.node(2);
    harness.clock.advance(DurationMs::from_secs(10));
    other.clock.set(harness.engine.now());
    let (one, two) = tokio::join!(harness.engine.check_schedules(), other.engine.check_schedules());
    assert_eq!(one.unwrap().executions + two.unwrap().executions, 1);
    assert_eq!(seconds(&harness, id).await, [(10, "fired".to_owned())]);
}

async fn the_anchor_is_the_first_slot_and_backfills_follow_the_grid(harness: EngineHarness) {
    let anchor = Some(FixedClock::START.minus(HOUR));
    let interval = Some(IntervalRequest { every: DurationMs::from_secs(900), anchor });
    let id = create(&harness, ScheduleRequest { interval, ..every(900) }).await;
    harness.clock.advance(DurationMs::from_secs(1));
    let done = harness.engine.backfill_schedule(&harness.admin(), id, minute(-120), minute(0)).await.unwrap();
    assert_eq!(
        (done.slots, done.started),
        (5, 5),
        "the anchor, four quarters of an hour after it, and none before"
    );
    let preview = harness.engine.preview_schedule(&harness.admin(), id, 2).await.unwrap();
    assert_eq!(preview.next, [minute(15), minute(30)]);
}

async fn an_edit_changes_between_interval_and_expression(harness: EngineHarness) {
    let id = create(&harness, every(90)).await;
    let edited = harness.engine.replace_schedule(&harness.admin(), id, request("0 * * * *")).await.unwrap();
    assert_eq!((edited.record.interval, edited.record.cron.as_str()), (None, "0 * * * *"));
    harness.clock.advance(DurationMs::from_secs(100));
    let back = harness.engine.replace_schedule(&harness.admin(), id, every(90)).await.unwrap();
    let interval = back.record.interval.unwrap();
    assert_eq!(interval.anchor, FixedClock::START, "counted from the creation, not from the edit");
    assert_eq!(back.record.next_run_at, Some(FixedClock::START.plus(DurationMs::from_secs(180))));
    let refused = harness.engine.replace_schedule(&harness.admin(), id, every(9)).await;
    let Err(EngineError::Invalid(faults)) = refused else { panic!("{refused:?}") };
    assert_eq!(faults[0].pointer, "/every");
}

on_both_databases!(
    it_fires_between_the_minutes,
    two_checks_start_a_slot_once,
    the_anchor_is_the_first_slot_and_backfills_follow_the_grid,
    an_edit_changes_between_interval_and_expression,
);
