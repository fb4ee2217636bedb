//! The calendar: which wall times satisfy an expression, without any time zone.
//!
//! The one file that names croner. It evaluates plain civil time, where every day has 24 hours; gaps and repeated hours
//! are the business of `next`. Wall times are counted in seconds as if the wall clock showed UTC.

use croner::Cron;
use croner::errors::CronError;
use croner::parser::{CronParser, Seconds, Year};
use jiff::Timestamp;
use jiff::tz::Offset;

use super::cron::{CronField, DayOfMonth, DayOfWeek, Fields, Values, bits};

/// The years in which schedules fire. A bounded range makes reading a pattern five times cheaper than `*`.
const YEARS: &str = "1900-2499";

/// An expression compiled for the search.
#[derive(Debug, Clone)]
pub(super) struct Calendar {
    cron: Cron,
}

impl Calendar {
    /// Compiles the fields. Fails only if croner and our grammar disagree.
    pub(super) fn new(fields: &Fields) -> Result<Self, CronError> {
        let parser = CronParser::builder().seconds(Seconds::Required).year(Year::Required).build();
        parser.parse(&pattern(fields)).map(|cron| Self { cron })
    }

    /// The first matching wall time that is not before `from_s`; always a whole minute.
    pub(super) fn next(&self, from_s: i64) -> Option<i64> {
        let from = Offset::UTC.to_datetime(Timestamp::from_second(from_s).ok()?);
        let found = self.cron.find_next_occurrence(&from, true).ok()?;
        Offset::UTC.to_timestamp(found).ok().map(Timestamp::as_second)
    }
}

/// The fields with all lists, ranges and steps counted out, so that their meaning is decided in one place. Only a day
/// field that is `*` stays `*`: any other counts as restricted.
fn pattern(fields: &Fields) -> String {
    let day_of_month = match &fields.day_of_month {
        DayOfMonth::Values(values) => numbers(values, CronField::DayOfMonth),
        special => special.to_string(),
    };
    let day_of_week = match &fields.day_of_week {
        DayOfWeek::Values(values) => numbers(values, CronField::DayOfWeek),
        special => special.to_string(),
    };
    let [minute, hour, month] = [
        numbers(&fields.minute, CronField::Minute),
        numbers(&fields.hour, CronField::Hour),
        numbers(&fields.month, CronField::Month),
    ];
    format!("0 {minute} {hour} {day_of_month} {month} {day_of_week} {YEARS}")
}

fn numbers(values: &Values, field: CronField) -> String {
    if values.is_star() {
        return "*".into();
    }
    let numbers: Vec<String> = bits(values.mask(field)).map(|value| value.to_string()).collect();
    numbers.join(",")
}
