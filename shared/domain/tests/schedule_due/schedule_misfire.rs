//! Downtime with each misfire policy.

use domain::schedule::DROPPED_RECORDED_MAX;
use domain::schedule::Misfire::{self, All, Latest, Skip};
use domain::time::DurationMs;

use crate::world::{World, at, dropped, hours, started};

#[track_caller]
fn check(cron: &str, misfire: Misfire, (cursor, now): (&str, &str), starts: &str, drops: &str) {
    let decision = World::new(cron, misfire).decide(at(cursor), at(now));
    assert_eq!(
        (started(&decision).as_str(), dropped(&decision).as_str()),
        (starts, drops),
        "{misfire:?} at {now}"
    );
}

#[test]
fn on_time_every_policy_does_the_same() {
    for misfire in [Skip, Latest, All] {
        let check = |span, starts| check("0 * * * *", misfire, span, starts, "");
        check(("10:00", "10:59:59.999"), "");
        check(("10:00", "11:00"), "tick 11:00");
        check(("10:00", "11:00:00.001"), "tick 11:00");
        check(("10:00", "11:01"), "tick 11:00");
        check(("11:00", "11:00:30"), "");
    }
}

#[test]
fn more_than_a_minute_late_is_missed() {
    let span = ("10:00", "11:01:00.001");
    check("0 * * * *", Skip, span, "", "11:00");
    check("0 * * * *", Latest, span, "catchup 11:00", "");
    check("0 * * * *", All, span, "catchup 11:00", "");
}

#[test]
fn downtime_of_hours() {
    let span = ("08:00", "12:30");
    check("0 * * * *", Skip, span, "", "09:00, 10:00, 11:00, 12:00");
    check("0 * * * *", Latest, span, "catchup 12:00", "09:00, 10:00, 11:00");
    check("0 * * * *", All, span, "catchup 09:00, catchup 10:00, catchup 11:00, catchup 12:00", "");
}

/// A slot that is due on time stands for those before it: `latest` starts one execution, not two.
#[test]
fn downtime_that_ends_with_a_tick() {
    let span = ("08:00", "12:00:10");
    check("0 * * * *", Skip, span, "tick 12:00", "09:00, 10:00, 11:00");
    check("0 * * * *", Latest, span, "tick 12:00", "09:00, 10:00, 11:00");
    check("0 * * * *", All, span, "catchup 09:00, catchup 10:00, catchup 11:00, tick 12:00", "");
}

#[test]
fn a_schedule_of_each_minute_has_two_slots_within_a_minute() {
    let span = ("11:56", "12:00");
    check("* * * * *", Skip, span, "tick 11:59, tick 12:00", "11:57, 11:58");
    check("* * * * *", All, span, "catchup 11:57, catchup 11:58, tick 11:59, tick 12:00", "");
}

#[test]
fn only_the_window_is_made_up_for() {
    for (misfire, window, starts, drops) in [
        (All, hours(2), "catchup 11:00, catchup 12:00", "09:00, 10:00"),
        (All, DurationMs(5_400_000), "catchup 11:00, catchup 12:00", "09:00, 10:00"),
        (All, DurationMs(5_399_999), "catchup 12:00", "09:00, 10:00, 11:00"),
        (Latest, hours(2), "catchup 12:00", "09:00, 10:00, 11:00"),
        (Latest, DurationMs::from_secs(600), "", "09:00, 10:00, 11:00, 12:00"),
        (All, DurationMs::ZERO, "", "09:00, 10:00, 11:00, 12:00"),
    ] {
        let mut world = World::new("0 * * * *", misfire);
        world.policy.catch_up_window = window;
        let decision = world.decide(at("08:00"), at("12:30"));
        assert_eq!(
            (started(&decision).as_str(), dropped(&decision).as_str()),
            (starts, drops),
            "{misfire:?} {window}"
        );
    }
}

#[test]
fn a_daily_job_is_made_up_for_within_a_day() {
    check("0 2 * * *", Latest, ("18 02:00", "20 01:30"), "catchup 02:00", "");
    check("0 2 * * *", Latest, ("18 02:00", "20 02:00:30"), "tick 02:00", "02:00");
    check("0 2 * * *", Latest, ("18 02:00", "20 09:00"), "catchup 02:00", "02:00");
}

/// Only as many as the bound, the newest; and a bound of nothing still starts what is on time.
#[test]
fn the_oldest_are_dropped_over_the_bound() {
    for (misfire, bound, starts, drops) in [
        (All, 2, "catchup 11:00, catchup 12:00, tick 13:00", "09:00, 10:00"),
        (All, 0, "tick 13:00", "09:00, 10:00, 11:00, 12:00"),
        (All, u32::MAX, "catchup 09:00, catchup 10:00, catchup 11:00, catchup 12:00, tick 13:00", ""),
        (Latest, 0, "tick 13:00", "09:00, 10:00, 11:00, 12:00"),
    ] {
        let mut world = World::new("0 * * * *", misfire);
        world.policy.catch_up_max = bound;
        let decision = world.decide(at("08:00"), at("13:00"));
        assert_eq!(
            (started(&decision).as_str(), dropped(&decision).as_str()),
            (starts, drops),
            "{misfire:?} {bound}"
        );
    }
}

#[test]
fn the_policy_without_settings_is_one_day_and_a_hundred() {
    let decision = World::new("*/5 * * * *", All).decide(at("10 00:00"), at("20 12:02"));
    assert_eq!(decision.slots.len(), 100);
    assert_eq!(decision.slots[99].nominal, at("12:00"));
    assert_eq!(decision.dropped.len(), DROPPED_RECORDED_MAX);
    assert!(decision.dropped.last() < Some(&decision.slots[0].nominal));
}

/// Years of a schedule of each minute: bounded work, the newest slots, and the cursor behind all of them.
#[test]
fn a_very_long_sleep_is_bounded() {
    for (cron, next) in [("* * * * *", "12:01"), ("* * 1-15 1 *", "")] {
        for misfire in [Skip, Latest, All] {
            let world = World::new(cron, misfire);
            let decision = world.decide(domain::time::Timestamp(0), at("12:00:30"));
            assert_eq!(decision.dropped.len(), DROPPED_RECORDED_MAX, "{cron}");
            assert!(decision.slots.len() <= 101);
            if !next.is_empty() {
                assert_eq!(decision.cursor, at("12:00"));
                assert_eq!(decision.next_run_at, Some(at(next)));
                assert_eq!(decision.slots.last().map(|slot| slot.nominal), Some(at("12:00")));
            }
            assert_eq!(started(&world.decide(decision.cursor, at("12:00:30"))), "");
        }
    }
}

/// After whatever was missed, the next slot is on time as ever.
#[test]
fn later_slots_do_not_suffer() {
    for misfire in [Skip, Latest, All] {
        let world = World::new("*/10 * * * *", misfire);
        let first = world.decide(at("01 00:00"), at("12:05"));
        assert_eq!(first.next_run_at, Some(at("12:10")));
        assert_eq!(started(&world.decide(first.cursor, at("12:10"))), "tick 12:10");
    }
}
