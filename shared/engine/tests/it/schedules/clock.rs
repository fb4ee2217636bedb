//! Clocks: the minute's one job, clocks that jump, and time zone data that change.

use domain::access::TenantScope;
use domain::names::{JobType, WorkerId};
use domain::queue::QueueName;
use domain::schedule::{Misfire, Overlap, tzdb_version};
use domain::time::{DurationMs, Timestamp};
use engine::{JOB_TYPE_SCHEDULE_CHECK, PoolClaim};
use testkit::{EngineHarness, FixedClock};

use super::harness::{HOUR, MINUTE, after, create, minute, with_rules, words};

async fn a_minute_has_one_check_however_many_nodes_announce_it(harness: EngineHarness) {
    let other = harness.node(2);
    let minute = minute(1);
    let made = [
        harness.engine.announce_minute(minute).await.unwrap(),
        other.engine.announce_minute(minute).await.unwrap(),
        harness.engine.announce_minute(minute).await.unwrap(),
    ];
    assert_eq!(made, [true, false, false]);
    let claim = PoolClaim {
        queue: QueueName::Scheduled,
        jobs_max: 10,
        worker_id: WorkerId::trusted("scheduled-pool"),
        job_types: None,
    };
    let jobs = harness.engine.claim(claim).await.unwrap();
    assert_eq!(jobs.len(), 1);
    assert_eq!(jobs[0].job_type, JobType::trusted(JOB_TYPE_SCHEDULE_CHECK));
    harness.settle(&jobs[0], domain::job::Outcome::Completed(None)).await.unwrap();
    assert!(!other.engine.announce_minute(minute).await.unwrap(), "also once it is done");
}

async fn a_lost_check_is_announced_again(harness: EngineHarness) {
    create(&harness, with_rules("* * * * *", Misfire::Latest, Overlap::Allow)).await;
    harness.clock.advance(DurationMs(MINUTE.0 + 10_000));
    assert!(!harness.engine.announce_overdue().await.unwrap(), "the minute's own check comes first");
    harness.clock.advance(DurationMs(25_000));
    assert!(harness.engine.announce_overdue().await.unwrap());
    assert!(!harness.node(2).engine.announce_overdue().await.unwrap(), "one at a time");
}

async fn a_clock_that_goes_back_repeats_nothing(harness: EngineHarness) {
    let id = create(&harness, with_rules("*/30 * * * *", Misfire::All, Overlap::Allow)).await;
    for _ in 0..4 {
        after(&harness, DurationMs(30 * MINUTE.0)).await;
    }
    let fired = ["30 tick fired", "60 tick fired", "90 tick fired", "120 tick fired"];
    assert_eq!(words(&harness, id).await, fired);
    harness.clock.set(FixedClock::START);
    for _ in 0..4 {
        assert_eq!(after(&harness, DurationMs(30 * MINUTE.0)).await.executions, 0);
    }
    after(&harness, DurationMs(30 * MINUTE.0)).await;
    assert_eq!(words(&harness, id).await[4..], ["150 tick fired"]);
}

async fn an_edit_after_the_clock_went_back_repeats_nothing(harness: EngineHarness) {
    let request = with_rules("*/30 * * * *", Misfire::All, Overlap::Allow);
    let id = create(&harness, request.clone()).await;
    after(&harness, DurationMs(30 * MINUTE.0)).await;
    after(&harness, DurationMs(30 * MINUTE.0)).await;
    harness.clock.set(FixedClock::START);
    let view = harness.engine.replace_schedule(&harness.admin(), id, request).await.unwrap();
    assert_eq!(view.record.next_run_at, Some(minute(90)), "the cursor does not go back");
    assert_eq!(after(&harness, HOUR).await.executions, 0);
    assert_eq!(after(&harness, DurationMs(30 * MINUTE.0)).await.executions, 1);
}

async fn a_clock_that_jumps_ahead_follows_the_rules_for_missed_slots(harness: EngineHarness) {
    let id = create(&harness, with_rules("0 * * * *", Misfire::Latest, Overlap::Allow)).await;
    assert_eq!(after(&harness, DurationMs(2 * HOUR.0 + 2 * MINUTE.0)).await.executions, 1);
    assert_eq!(words(&harness, id).await, ["60 catchup skipped misfire", "120 catchup fired"]);
}

async fn new_time_zone_data_move_what_comes_and_nothing_else(harness: EngineHarness) {
    let id = create(&harness, with_rules("0 * * * *", Misfire::All, Overlap::Allow)).await;
    let present = harness.store.schedule(&TenantScope::All, id).await.unwrap().unwrap().record;
    let old = |version: i64, next: Timestamp| store::schedules::ScheduleRecord {
        version,
        tzdb_version: "1999a".to_owned(),
        next_run_at: Some(next),
        ..present.clone()
    };
    harness.clock.advance(DurationMs(10 * MINUTE.0));
    harness.store.replace_schedule(&TenantScope::All, &old(2, minute(45))).await.unwrap();
    assert!(!harness.engine.zones_tick().await.unwrap());
    let record = harness.engine.schedule(&harness.admin(), id).await.unwrap().record;
    assert_eq!((record.next_run_at, record.tzdb_version), (Some(minute(60)), tzdb_version()));
    // One that is due already stays due, and is decided by the new data.
    harness.clock.advance(DurationMs(65 * MINUTE.0));
    harness.store.replace_schedule(&TenantScope::All, &old(4, minute(70))).await.unwrap();
    assert!(!harness.engine.zones_tick().await.unwrap());
    harness.engine.check_schedules().await.unwrap();
    assert_eq!(words(&harness, id).await, ["60 catchup fired"]);
}

on_both_databases!(
    a_minute_has_one_check_however_many_nodes_announce_it,
    a_lost_check_is_announced_again,
    a_clock_that_goes_back_repeats_nothing,
    an_edit_after_the_clock_went_back_repeats_nothing,
    a_clock_that_jumps_ahead_follows_the_rules_for_missed_slots,
    new_time_zone_data_move_what_comes_and_nothing_else,
);
