//! Our own rules where libraries differ: gaps, repeated hours, removed days, rare days.

use domain::schedule::{fires_between, next_after};
use domain::time::Timestamp;

use crate::zones::{at, cron, zone};

/// Zone, expression, span, and the fires expected in it as `day hour:minute` of UTC.
#[track_caller]
fn check(name: &str, text: &str, from: &str, to: &str, expected: &str) {
    let fires = fires_between(&cron(text), &zone(name), at(from), at(to), 200);
    let shown: Vec<String> = fires.iter().copied().map(short).collect();
    assert_eq!(shown.join(", "), expected, "{text} {name} after {from}");
}

fn short(fire: Timestamp) -> String {
    let text = fire.to_string();
    format!("{} {}", &text[8..10], &text[11..16])
}

/// New York, 8 March 2026: 02:00 to 02:59 (07:00 UTC) do not exist.
#[test]
fn new_york_loses_an_hour() {
    let check = |text, expected| {
        check("America/New_York", text, "2026-03-08T05:30:00Z", "2026-03-08T09:30:00Z", expected);
    };
    check("30 2 * * *", "08 07:00");
    check("0,30 2 * * *", "08 07:00");
    check("* 2 * * *", "");
    check("0-59 2 * * *", "08 07:00");
    check("30 2,3 * * *", "08 07:00, 08 07:30");
    check("0 2,3 * * *", "08 07:00");
    check("0 3 * * *", "08 07:00");
    check("30 1 * * *", "08 06:30");
    check("0 * * * *", "08 06:00, 08 07:00, 08 08:00, 08 09:00");
    check("30 * * * *", "08 06:30, 08 07:30, 08 08:30, 08 09:30");
    check("*/30 1-3 * * *", "08 06:00, 08 06:30, 08 07:00, 08 07:30");
    check("0 */2 * * *", "08 08:00");
}

/// New York, 1 November 2026: 01:00 to 01:59 happen at 05:00 and at 06:00 UTC.
#[test]
fn new_york_repeats_an_hour() {
    let check = |text, expected| {
        check("America/New_York", text, "2026-11-01T04:30:00Z", "2026-11-01T08:00:00Z", expected);
    };
    check("30 1 * * *", "01 05:30");
    check("0,30 1 * * *", "01 05:00, 01 05:30");
    check("30 1-2 * * *", "01 05:30, 01 07:30");
    check("*/30 1 * * *", "01 05:00, 01 05:30, 01 06:00, 01 06:30");
    check("*/15 1 * * *", "01 05:00, 01 05:15, 01 05:30, 01 05:45, 01 06:00, 01 06:15, 01 06:30, 01 06:45");
    check("0 * * * *", "01 05:00, 01 06:00, 01 07:00, 01 08:00");
    check("30 * * * *", "01 05:30, 01 06:30, 01 07:30");
    check("0 2 * * *", "01 07:00");
    check("0-59/30 1 * * *", "01 05:00, 01 05:30");
}

/// Asked in the second pass, a fixed time of the first pass is over, and that of the next hour is not.
#[test]
fn a_search_may_begin_inside_the_repeated_hour() {
    for (text, after, expected) in [
        ("30 1 * * *", "2026-11-01T05:29:59.999Z", "01 05:30"),
        ("30 1 * * *", "2026-11-01T05:30:00Z", "02 06:30"),
        ("30 1 * * *", "2026-11-01T06:15:00Z", "02 06:30"),
        ("30 1,2 * * *", "2026-11-01T06:15:00Z", "01 07:30"),
        ("*/30 1 * * *", "2026-11-01T06:15:00Z", "01 06:30"),
        ("*/30 1 * * *", "2026-11-01T05:45:00Z", "01 06:00"),
    ] {
        let fire = next_after(&cron(text), &zone("America/New_York"), at(after));
        assert_eq!(fire.map(short).as_deref(), Some(expected), "{text} after {after}");
    }
}

/// Lord Howe moves by half an hour: 5 April 2026 repeats 01:30 to 01:59, 4 October 2026 lacks 02:00 to 02:29.
#[test]
fn lord_howe_changes_by_half_an_hour() {
    let (from, to) = ("2026-04-04T13:55:00Z", "2026-04-04T16:00:00Z");
    check(
        "Australia/Lord_Howe",
        "*/20 * * * *",
        from,
        to,
        "04 14:00, 04 14:20, 04 14:40, 04 15:10, 04 15:30, 04 15:50",
    );
    check("Australia/Lord_Howe", "45 1 * * *", from, to, "04 14:45");
    check("Australia/Lord_Howe", "15 1 * * *", from, to, "04 14:15");
    let (from, to) = ("2026-10-03T14:55:00Z", "2026-10-03T16:35:00Z");
    check("Australia/Lord_Howe", "15 2 * * *", from, to, "03 15:30");
    check("Australia/Lord_Howe", "30 2 * * *", from, to, "03 15:30");
    check("Australia/Lord_Howe", "0,15,30,45 2 * * *", from, to, "03 15:30, 03 15:45");
    check("Australia/Lord_Howe", "*/20 * * * *", from, to, "03 15:10, 03 15:40, 03 16:00, 03 16:20");
    check("Australia/Lord_Howe", "0 12 * * *", "2026-10-03T14:55:00Z", "2026-10-04T02:00:00Z", "04 01:00");
}

/// Apia went over the day line: 30 December 2011 does not exist there; 31 December began at 10:00 UTC.
#[test]
fn apia_skips_a_day() {
    let check = |text, expected| {
        check("Pacific/Apia", text, "2011-12-29T11:00:00Z", "2011-12-31T11:00:00Z", expected);
    };
    check("0 0 * * *", "30 10:00, 31 10:00");
    check("30 2 * * *", "29 12:30, 30 10:00, 30 12:30");
    check("0 12 30 12 *", "30 10:00");
    check("*/30 0 30 12 *", "");
    check("0 12 30,31 12 *", "30 10:00, 30 22:00");
    check("0 */12 * * *", "29 22:00, 30 10:00, 30 22:00, 31 10:00");
}

/// Cairo, 24 April 2026: the day begins at 01:00. Berlin and London for daily jobs at the edges of the gap.
#[test]
fn a_job_at_the_edge_of_a_gap_fires_once() {
    check("Africa/Cairo", "0 0 * * *", "2026-04-23T12:00:00Z", "2026-04-24T12:00:00Z", "23 22:00");
    check("Africa/Cairo", "0 1 * * *", "2026-04-23T12:00:00Z", "2026-04-24T12:00:00Z", "23 22:00");
    check("Europe/London", "0 0 * * *", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", "29 00:00");
    check("Europe/Berlin", "59 1 * * *", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", "29 00:59");
    check("Europe/Berlin", "0 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", "29 01:00");
    check("Europe/Berlin", "0 3 * * *", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", "29 01:00");
    check("Europe/Berlin", "0 3 * * *", "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z", "25 02:00");
}

#[test]
fn either_day_field_is_enough() {
    let check = |text, expected| {
        check("UTC", text, "2026-02-01T12:00:00Z", "2026-02-15T12:00:00Z", expected);
    };
    check("0 0 13 * 5", "06 00:00, 13 00:00");
    check("0 0 10 * 5", "06 00:00, 10 00:00, 13 00:00");
    check("0 0 */5 * 1", "02 00:00, 06 00:00, 09 00:00, 11 00:00");
    check("0 0 ? * 1", "02 00:00, 09 00:00");
    check("0 0 10 * ?", "10 00:00");
    check("0 0 15W * 2", "03 00:00, 10 00:00");
    check("0 0 30 2 1", "02 00:00, 09 00:00");
}

#[test]
fn steps_begin_anew_with_each_month() {
    check(
        "UTC",
        "0 0 */10 * *",
        "2026-02-20T00:00:00Z",
        "2026-03-12T00:00:00Z",
        "21 00:00, 01 00:00, 11 00:00",
    );
    check(
        "UTC",
        "5/25 0 * * *",
        "2026-02-20T00:00:00Z",
        "2026-02-20T12:00:00Z",
        "20 00:05, 20 00:30, 20 00:55",
    );
    check("UTC", "0-0 0 * * *", "2026-02-20T12:00:00Z", "2026-02-21T12:00:00Z", "21 00:00");
}

#[test]
fn last_nearest_and_nth_days() {
    let check = |text, expected| {
        check("UTC", text, "2026-01-01T12:00:00Z", "2026-06-30T12:00:00Z", expected);
    };
    let shown = "31 00:00, 28 00:00, 31 00:00, 30 00:00, 31 00:00, 30 00:00";
    check("0 0 L * *", shown);
    check("0 0 LW * *", "30 00:00, 27 00:00, 31 00:00, 30 00:00, 29 00:00, 30 00:00");
    check("0 0 15W * *", "15 00:00, 16 00:00, 16 00:00, 15 00:00, 15 00:00, 15 00:00");
    check("0 0 1W * *", "02 00:00, 02 00:00, 01 00:00, 01 00:00, 01 00:00");
    check("0 0 31W * *", "30 00:00, 31 00:00, 29 00:00");
    check("0 0 * * 5L", "30 00:00, 27 00:00, 27 00:00, 24 00:00, 29 00:00, 26 00:00");
    check("0 0 * * 1#2", "12 00:00, 09 00:00, 09 00:00, 13 00:00, 11 00:00, 08 00:00");
    check("0 0 * * 7#5", "29 00:00, 31 00:00");
}

#[test]
fn the_leap_day_around_a_century_is_eight_years_away() {
    let leap_day = cron("0 0 29 2 *");
    for name in ["UTC", "America/New_York", "Pacific/Auckland"] {
        let zone = zone(name);
        let first = next_after(&leap_day, &zone, at("2093-01-01T00:00:00Z")).expect("2096");
        let second = next_after(&leap_day, &zone, first).expect("2104");
        let years = [first, second].map(|fire| fire.to_string()[..5].to_owned());
        assert_eq!(years, ["2096-", "2104-"], "{name}");
    }
    let minutes = cron("* * 29 2 *");
    let last = at("2096-02-29T23:59:00Z");
    assert_eq!(next_after(&minutes, &zone("UTC"), last), Some(at("2104-02-29T00:00:00Z")));
}
