//! Answers on which two independent libraries agree.

use domain::schedule::{fires_between, next_after};
use domain::time::{DurationMs, Timestamp};

use crate::zones::{at, cron, zone};

#[test]
fn other_libraries_agree() {
    let mut count = 0;
    for line in include_str!("vectors.txt").lines().filter(|line| !line.starts_with('#')) {
        let [text, name, from, fires] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("not four columns: {line}")
        };
        let expected: Vec<Timestamp> = fires.split(' ').map(|fire| at(&fire.replace('Z', ":00Z"))).collect();
        let far = at(from).plus(DurationMs(50 * 366 * 86_400_000));
        assert_eq!(
            fires_between(&cron(text), &zone(name), at(from), far, expected.len()),
            expected,
            "{line}"
        );
        count += 1;
    }
    assert!(count > 200, "{count} vectors");
}

#[test]
fn a_fire_is_after_the_instant_given_to_the_millisecond() {
    let every_minute = cron("* * * * *");
    for (after, expected) in [
        ("2026-01-01T00:00:00.000Z", "2026-01-01T00:01:00Z"),
        ("2026-01-01T00:00:00.001Z", "2026-01-01T00:01:00Z"),
        ("2026-01-01T00:00:59.999Z", "2026-01-01T00:01:00Z"),
        ("2025-12-31T23:59:59.999Z", "2026-01-01T00:00:00Z"),
        ("1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z"),
    ] {
        assert_eq!(next_after(&every_minute, &zone("UTC"), at(after)), Some(at(expected)), "{after}");
    }
}

#[test]
fn the_last_fire_wanted_may_be_on_the_bound() {
    let (hourly, utc) = (cron("0 * * * *"), zone("UTC"));
    let list = |from: &str, to: &str, max| fires_between(&hourly, &utc, at(from), at(to), max).len();
    assert_eq!(list("2026-01-01T00:00:00Z", "2026-01-01T03:00:00Z", 100), 3);
    assert_eq!(list("2026-01-01T00:00:00Z", "2026-01-01T02:59:59.999Z", 100), 2);
    assert_eq!(list("2026-01-01T00:00:00Z", "2026-01-01T03:00:00Z", 2), 2);
    assert_eq!(list("2026-01-01T03:00:00Z", "2026-01-01T00:00:00Z", 100), 0);
}
