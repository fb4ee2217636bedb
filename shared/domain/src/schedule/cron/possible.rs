//! Refuses expressions that never fire, such as `0 0 31 2 *`.
//!
//! The test needs no date: an expression is accepted when it fires at least once in any twelve years. The rarest one
//! that does is 29 February around a year like 2100.

use super::fault::{CronFault, CronField};
use super::fields::{DayOfMonth, DayOfWeek, Fields};
use super::names::MONTHS;
use super::terms::bits;

/// The longest that each month gets, January first.
const MONTH_DAYS_MAX: [u8; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// `Ok` when some day satisfies the day fields.
pub(super) fn check(fields: &Fields) -> Result<(), CronFault> {
    let (by_month, by_week) = (day_of_month_occurs(fields), day_of_week_occurs(fields));
    if fields.day_of_month.is_star() {
        if by_week { Ok(()) } else { Err(week_fault()) }
    } else if by_month || (by_week && !fields.day_of_week.is_star()) {
        Ok(())
    } else {
        Err(month_fault(fields))
    }
}

/// Whether a day of month that the expression names exists in one of its months.
pub(super) fn day_of_month_occurs(fields: &Fields) -> bool {
    let day_min = match &fields.day_of_month {
        DayOfMonth::Values(values) => values.mask(CronField::DayOfMonth).trailing_zeros() as u8,
        DayOfMonth::NearestWeekday(day) => *day,
        DayOfMonth::Last | DayOfMonth::LastWeekday => return true,
    };
    day_min <= longest(fields)
}

/// Whether a weekday that the expression names occurs in its months. Only February has years without a fifth one, and
/// a given weekday is its fifth once in 28 years: too rare to be meant.
pub(super) fn day_of_week_occurs(fields: &Fields) -> bool {
    !matches!(fields.day_of_week, DayOfWeek::Nth { nth: 5, .. }) || longest(fields) > 29
}

/// The length of the longest month of the expression.
fn longest(fields: &Fields) -> u8 {
    bits(fields.months()).map(|month| MONTH_DAYS_MAX[usize::from(month) - 1]).max().unwrap_or(31)
}

fn month_fault(fields: &Fields) -> CronFault {
    let names: Vec<&str> = bits(fields.months()).map(|month| MONTHS[usize::from(month) - 1]).collect();
    let message = format!(
        "day {} never occurs in {}: write a day up to {}, or L for the last day of the month",
        fields.day_of_month,
        names.join(" or "),
        longest(fields)
    );
    CronFault::at(CronField::DayOfMonth, message)
}

fn week_fault() -> CronFault {
    let message = "February has hardly ever a fifth such weekday: write 4, or L for the last one, such as 5L";
    CronFault::at(CronField::DayOfWeek, message)
}
