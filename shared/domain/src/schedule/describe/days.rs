//! The days and months.

use super::times::NeedsDays;
use super::words::spans;
use crate::schedule::cron::{CronField, DayOfMonth, DayOfWeek, Fields, MONTHS, WEEKDAYS, bits};

const NTH: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

/// The end of the sentence, with the space or comma that joins it to the times.
pub(super) fn of(fields: &Fields, needs: NeedsDays) -> String {
    let months = months(fields);
    let in_months = months.as_ref().map(|months| format!(" in {months}")).unwrap_or_default();
    let of_months = months.unwrap_or_else(|| "every month".into());
    let by_month = day_of_month(&fields.day_of_month).map(|days| format!("on {days} of {of_months}"));
    let by_week = day_of_week(&fields.day_of_week, &of_months, &in_months);
    match (by_month, by_week) {
        (None, None) => match needs {
            NeedsDays::Plain => format!(" every day{in_months}"),
            NeedsDays::Comma => format!(", every day{in_months}"),
            NeedsDays::No => in_months,
        },
        // `Monday to Friday` needs a comma; `every Monday` and `on day 1` read on.
        (Some(days), None) | (None, Some(days))
            if needs == NeedsDays::Plain && days.starts_with(['e', 'o']) =>
        {
            format!(" {days}")
        }
        (Some(days), None) | (None, Some(days)) => format!(", {days}"),
        (Some(by_month), Some(by_week)) => format!(", {by_month} and also {by_week}"),
    }
}

fn months(fields: &Fields) -> Option<String> {
    if fields.month.is_star() {
        return None;
    }
    let months: Vec<u8> = bits(fields.months()).collect();
    Some(spans(&months, |month| MONTHS[usize::from(month) - 1].to_owned()))
}

fn day_of_month(field: &DayOfMonth) -> Option<String> {
    Some(match field {
        DayOfMonth::Values(values) if values.is_star() => return None,
        DayOfMonth::Values(values) => {
            let days: Vec<u8> = bits(values.mask(CronField::DayOfMonth)).collect();
            let word = if days.len() == 1 { "day" } else { "days" };
            format!("{word} {}", spans(&days, |day| day.to_string()))
        }
        DayOfMonth::Last => "the last day".into(),
        DayOfMonth::LastWeekday => "the last weekday (Monday to Friday)".into(),
        DayOfMonth::NearestWeekday(day) => format!("the weekday (Monday to Friday) nearest to day {day}"),
    })
}

fn day_of_week(field: &DayOfWeek, of_months: &str, in_months: &str) -> Option<String> {
    Some(match field {
        DayOfWeek::Values(values) if values.is_star() => return None,
        DayOfWeek::Values(values) => {
            // The week begins on Monday here, so that Saturday and Sunday are neighbors.
            let mask = values.mask(CronField::DayOfWeek);
            let days: Vec<u8> = (1..=7).filter(|day| mask >> (day % 7) & 1 == 1).collect();
            let name = |day: u8| WEEKDAYS[usize::from(day % 7)].to_owned();
            match days.as_slice() {
                [_, _, _, ..] if spans(&days, name).contains(" to ") => {
                    format!("{}{in_months}", spans(&days, name))
                }
                _ => format!("every {}{in_months}", spans(&days, name)),
            }
        }
        DayOfWeek::Last(day) => format!("on the last {} of {of_months}", WEEKDAYS[usize::from(*day)]),
        DayOfWeek::Nth { weekday, nth } => {
            format!(
                "on the {} {} of {of_months}",
                NTH[usize::from(*nth) - 1],
                WEEKDAYS[usize::from(*weekday)]
            )
        }
    })
}
