//! The calendar against another library, `cron`, which shares no code with ours. It counts Sunday as 1, wants both day
//! fields to match, and ends in the year 2100: the first two are translated here, and the dates are kept below.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use domain::schedule::{CronExpression, next_after};
use domain::time::Timestamp;

use crate::naive::Naive;
use crate::random::Random;
use crate::zones::{at, zone};

/// One schedule, or two when either day field is enough.
fn translate(text: &str) -> Vec<cron::Schedule> {
    let words: Vec<&str> = text.split(' ').collect();
    let weekdays: Vec<String> = Naive::new(text).weekdays().iter().map(|day| (day + 1).to_string()).collect();
    let schedule = |day: &str, weekday: &str| {
        let text = format!("0 {} {} {day} {} {weekday}", words[0], words[1], words[3]);
        cron::Schedule::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    match (words[2], words[4]) {
        (day, "*") => vec![schedule(day, "*")],
        ("*", _) => vec![schedule("*", &weekdays.join(","))],
        (day, _) => vec![schedule(day, "*"), schedule("*", &weekdays.join(","))],
    }
}

#[test]
fn another_library_agrees_in_utc() {
    let mut random = Random::new(4);
    let mut compared = 0;
    let start = at("2026-01-01T00:00:00Z").0;
    for _ in 0..1_500 {
        let text = random.plain();
        let Ok(ours) = CronExpression::parse(&text) else {
            continue;
        };
        let theirs = translate(&text);
        let mut at = Timestamp(start + random.between(0, 20 * 365 * 1440) * 60_000);
        for _ in 0..4 {
            let asked: DateTime<Utc> = DateTime::from_timestamp_millis(at.0).expect("in range");
            let expected =
                theirs.iter().filter_map(|schedule| schedule.after(&asked).next()).min().expect("fires");
            let found = next_after(&ours, &zone("UTC"), at).expect("fires");
            assert_eq!(found, Timestamp(expected.timestamp_millis()), "{text} after {at}");
            at = found;
        }
        compared += 1;
    }
    assert!(compared > 1_000, "{compared} expressions");
}
