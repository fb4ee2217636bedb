//! Zones with their changes of the clock, and short forms for the tests.

use domain::schedule::{CronExpression, Zone};
use domain::time::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// Zones with changes of every kind: half hours, midnight, the day line, two a year and more, none.
pub(crate) const ZONES: [&str; 40] = [
    "UTC",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Africa/El_Aaiun",
    "Africa/Johannesburg",
    "Africa/Monrovia",
    "America/Argentina/Buenos_Aires",
    "America/Asuncion",
    "America/Caracas",
    "America/Havana",
    "America/Los_Angeles",
    "America/New_York",
    "America/Nuuk",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/Scoresbysund",
    "America/St_Johns",
    "Antarctica/Casey",
    "Antarctica/Troll",
    "Asia/Amman",
    "Asia/Gaza",
    "Asia/Jerusalem",
    "Asia/Kathmandu",
    "Asia/Kolkata",
    "Asia/Pyongyang",
    "Asia/Tehran",
    "Asia/Tokyo",
    "Atlantic/Azores",
    "Australia/Lord_Howe",
    "Australia/Sydney",
    "Europe/Berlin",
    "Europe/Dublin",
    "Europe/Istanbul",
    "Europe/London",
    "Europe/Moscow",
    "Pacific/Apia",
    "Pacific/Auckland",
    "Pacific/Chatham",
    "Pacific/Kiritimati",
    "Pacific/Kwajalein",
];

pub(crate) fn cron(text: &str) -> CronExpression {
    CronExpression::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

pub(crate) fn zone(name: &str) -> Zone {
    Zone::parse(name).unwrap_or_else(|fault| panic!("{name}: {fault}"))
}

pub(crate) fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap_or_else(|| panic!("{text} is no instant"))
}

/// The same zone for independent arithmetic.
pub(crate) fn tz(name: &str) -> TimeZone {
    TimeZoneDatabase::bundled().get(name).expect("a zone")
}

/// The changes of the clock from one instant to another, in seconds.
pub(crate) fn changes(name: &str, from: &str, to: &str) -> Vec<i64> {
    let (from, to) = (at(from).0 / 1000, at(to).0 / 1000);
    let start = jiff::Timestamp::from_second(from).expect("in range");
    let tz = tz(name);
    tz.following(start).map(|change| change.timestamp().as_second()).take_while(|at| *at < to).collect()
}
