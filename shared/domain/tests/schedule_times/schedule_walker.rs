//! The evaluator against a walk through every minute, around all changes of the clock of two years in twenty zones and
//! through random days.

use domain::schedule::fires_between;
use domain::time::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use crate::naive::Naive;
use crate::random::Random;
use crate::zones::{at, changes, cron, tz, zone};

const ZONES: [&str; 20] = [
    "UTC",
    "Africa/Cairo",
    "Africa/Casablanca",
    "America/Asuncion",
    "America/Havana",
    "America/New_York",
    "America/Nuuk",
    "America/Santiago",
    "America/St_Johns",
    "Antarctica/Troll",
    "Asia/Beirut",
    "Asia/Gaza",
    "Asia/Jerusalem",
    "Asia/Kathmandu",
    "Atlantic/Azores",
    "Australia/Lord_Howe",
    "Europe/Berlin",
    "Europe/London",
    "Pacific/Auckland",
    "Pacific/Chatham",
];
/// Before and after a change of the clock.
const REACH_S: i64 = 27 * 3600;
/// The walk starts so much earlier, to know what the clock has shown already.
const RUN_UP_S: i64 = 30 * 3600;
const FIXED: [&str; 8] = [
    "* * * * *",
    "*/20 * * * *",
    "30 * * * *",
    "30 2 * * *",
    "0,30 0-3 * * *",
    "0-59 1-2 * * *",
    "0 0 * * *",
    "59 23 L * 0",
];

/// The minutes of real time from `from_s` to `to_s` with the wall times they show, as seconds.
fn minutes(name: &str, from_s: i64, to_s: i64) -> Vec<(i64, i64)> {
    let tz = tz(name);
    let walls = (from_s..=to_s).step_by(60).map(|at_s| {
        let instant = jiff::Timestamp::from_second(at_s).expect("in range");
        (at_s, at_s + i64::from(tz.to_offset(instant).seconds()))
    });
    walls.collect()
}

fn civil(wall_s: i64) -> DateTime {
    Offset::UTC.to_datetime(jiff::Timestamp::from_second(wall_s).expect("in range"))
}

/// A schedule that follows the clock fires when the wall time matches. One with fixed times fires when the clock reaches
/// or jumps over a matching wall time for the first time.
fn walk(naive: &Naive, minutes: &[(i64, i64)], from_s: i64) -> Vec<Timestamp> {
    let mut fires = Vec::new();
    let mut shown_s = minutes[0].1;
    for &(at_s, wall_s) in &minutes[1..] {
        let fires_now = if naive.is_wildcard {
            naive.matches(civil(wall_s))
        } else {
            (shown_s + 60..=wall_s).step_by(60).any(|passed_s| naive.matches(civil(passed_s)))
        };
        shown_s = shown_s.max(wall_s);
        if fires_now && at_s > from_s {
            fires.push(Timestamp(at_s * 1000));
        }
    }
    fires
}

fn compare(name: &str, text: &str, minutes: &[(i64, i64)], from_s: i64) -> usize {
    let expected = walk(&Naive::new(text), minutes, from_s);
    let to_s = minutes[minutes.len() - 1].0;
    let (from, to) = (Timestamp(from_s * 1000), Timestamp(to_s * 1000));
    let found = fires_between(&cron(text), &zone(name), from, to, usize::MAX);
    assert_eq!(found, expected, "{text} in {name} from {from} to {to}");
    found.len()
}

#[test]
fn every_minute_around_every_change_of_the_clock() {
    let mut random = Random::new(1);
    let (mut windows, mut fires) = (0, 0);
    for name in ZONES {
        for change_s in changes(name, "2026-01-01T00:00:00Z", "2028-01-01T00:00:00Z") {
            let change_s = change_s - change_s % 60;
            let walked = minutes(name, change_s - REACH_S - RUN_UP_S, change_s + REACH_S);
            for text in FIXED.map(str::to_owned).into_iter().chain((0..8).map(|_| random.nightly())) {
                fires += compare(name, &text, &walked, change_s - REACH_S);
            }
            windows += 1;
        }
    }
    assert!(windows >= 60 && fires > 10_000, "{windows} windows, {fires} fires");
}

/// Single changes with a long way or an odd one: the day line, seconds in the offset, a change of rules.
#[test]
fn every_minute_around_changes_of_the_past() {
    let mut random = Random::new(2);
    for (name, from, to) in [
        ("Pacific/Apia", "2011-12-01T00:00:00Z", "2012-02-01T00:00:00Z"),
        ("Pacific/Kwajalein", "1993-08-01T00:00:00Z", "1993-09-01T00:00:00Z"),
        ("Pacific/Kiritimati", "1994-12-01T00:00:00Z", "1995-02-01T00:00:00Z"),
        ("Asia/Pyongyang", "2015-08-01T00:00:00Z", "2018-06-01T00:00:00Z"),
        ("America/Caracas", "2007-12-01T00:00:00Z", "2016-06-01T00:00:00Z"),
        ("Antarctica/Casey", "2018-01-01T00:00:00Z", "2023-12-01T00:00:00Z"),
        ("Africa/Casablanca", "2012-06-01T00:00:00Z", "2012-10-01T00:00:00Z"),
    ] {
        let found = changes(name, from, to);
        assert!(!found.is_empty(), "{name}");
        for change_s in found {
            let walked = minutes(name, change_s - REACH_S - RUN_UP_S, change_s + REACH_S);
            for text in FIXED.map(str::to_owned).into_iter().chain((0..8).map(|_| random.nightly())) {
                compare(name, &text, &walked, change_s - REACH_S);
            }
        }
    }
}

#[test]
fn every_minute_of_random_days() {
    let mut random = Random::new(3);
    let start_s = at("2026-01-01T00:00:00Z").0 / 1000;
    for name in ZONES {
        for _ in 0..2 {
            let from_s = start_s + random.between(0, 2 * 365) * 86_400 + random.between(0, 1439) * 60;
            let walked = minutes(name, from_s - RUN_UP_S, from_s + 4 * 86_400);
            for _ in 0..6 {
                let text = random.plain();
                if domain::schedule::CronExpression::parse(&text).is_ok() {
                    compare(name, &text, &walked, from_s);
                }
            }
        }
    }
}
