//! No accepted expression takes long, wherever its zone's clock is changed.

use std::hint::black_box;
use std::time::{Duration, Instant};

use domain::schedule::next_after;

use crate::zones::{at, cron, zone};

/// How long it may take to find the next fire of the rarest expressions, of usual ones, and to read one.
const RAREST: Duration = Duration::from_millis(5);
const USUAL: Duration = Duration::from_micros(100);
const READ: Duration = Duration::from_millis(1);

/// The best of a few runs, and of many where none of those took less than `bound`, so that a busy machine does not count.
fn best(bound: Duration, mut run: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    for runs in 1..=1_000 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
        if runs >= 20 && best < bound {
            break;
        }
    }
    best
}

#[test]
fn the_rarest_fires_are_found_within_five_milliseconds() {
    let from = ["2026-11-20T12:00:00Z", "2096-03-01T00:00:00Z", "1970-01-01T00:00:00Z"].map(at);
    for text in [
        "0 0 29 2 *",
        "* * 29 2 *",
        "59 23 29W 2 *",
        "*/59 */23 29 2 ?",
        "0 0 31 12 1#5",
        "* * * 12 5#5",
        "* 2 L 2 *",
    ] {
        let cron = cron(text);
        for name in ["UTC", "Europe/Berlin", "Africa/Casablanca", "Australia/Lord_Howe"] {
            let zone = zone(name);
            for from in from {
                let time = best(RAREST, || {
                    black_box(next_after(&cron, &zone, black_box(from)));
                });
                assert!(time < RAREST, "{text} {name} after {from}: {time:?}");
            }
        }
    }
}

/// 100,000 schedules that are due in the same minute take a few seconds of one core at most, even unoptimized.
#[test]
fn usual_fires_are_found_in_microseconds() {
    let from = at("2026-11-20T12:00:00Z");
    for text in ["* * * * *", "*/15 * * * *", "30 2 * * *", "0 9 * * 1-5", "0 0 1 * *"] {
        let (cron, zone) = (cron(text), zone("Europe/Berlin"));
        let time = best(USUAL, || {
            black_box(next_after(&cron, &zone, black_box(from)));
        });
        assert!(time < USUAL, "{text}: {time:?}");
    }
}

#[test]
fn the_longest_expressions_are_read_within_a_millisecond() {
    let list = (0..60).map(|minute| minute.to_string()).collect::<Vec<_>>().join(",");
    for text in [format!("{list} * * * *"), format!("{}5 * * * *", "0-59/1,".repeat(35)), "x".repeat(256)] {
        assert!(text.len() <= 256, "{}", text.len());
        let time = best(READ, || {
            let _ = black_box(domain::schedule::CronExpression::parse(black_box(&text)));
        });
        assert!(time < READ, "{text}: {time:?}");
    }
}
