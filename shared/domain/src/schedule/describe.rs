//! An expression in plain English: `At 02:30 every day`, `Every 15 minutes from 09:00 to 17:59, Monday to Friday`.

use crate::schedule::cron::{
    CronExpression, CronField, DayOfMonth, DayOfWeek, Fields, MONTHS, WEEKDAYS, bits,
};

// Lists of numbers and names as people write them.

/// `1`, `1 and 2`, `1, 2 and 3`.
pub(in crate::schedule) fn joined(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [head @ .., last] => format!("{} and {last}", head.join(", ")),
    }
}

/// Runs of consecutive values, as first and last. Expects ascending values.
fn runs(values: &[u8]) -> Vec<(u8, u8)> {
    let mut runs: Vec<(u8, u8)> = Vec::new();
    for &value in values {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == value => *last = value,
            _ => runs.push((value, value)),
        }
    }
    runs
}

/// The values in words, with three or more in a row as `a to b`.
fn spans(values: &[u8], name: impl Fn(u8) -> String) -> String {
    let mut parts = Vec::new();
    for (first, last) in runs(values) {
        if last - first >= 2 {
            parts.push(format!("{} to {}", name(first), name(last)));
        } else {
            parts.extend((first..=last).map(&name));
        }
    }
    joined(&parts)
}

/// The distance between neighbors when it is the same for all, and there are at least three values.
fn stride(values: &[u8]) -> Option<u8> {
    let step = match values {
        [first, second, _, ..] => second - first,
        _ => return None,
    };
    values.windows(2).all(|pair| pair[1] - pair[0] == step).then_some(step)
}

// The times of day.

/// So many times of day are named one by one.
const NAMED_MAX: usize = 6;

/// The part of the sentence that says at which times.
enum Times {
    /// `At 02:30 and 14:30`: reads on with `every day`.
    Named(String),
    /// `Every 15 minutes from 09:00 to 17:59`: reads on with `, every day`.
    Within(String),
    /// `Every 15 minutes`: says enough by itself.
    Always(String),
}

/// How the part about the days begins when there is nothing else to say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NeedsDays {
    /// ` every day`
    Plain,
    /// `, every day`
    Comma,
    /// Nothing.
    No,
}

impl Times {
    fn text(&self) -> &str {
        match self {
            Self::Named(text) | Self::Within(text) | Self::Always(text) => text,
        }
    }

    fn needs_days(&self) -> NeedsDays {
        match self {
            Self::Named(_) => NeedsDays::Plain,
            Self::Within(_) => NeedsDays::Comma,
            Self::Always(_) => NeedsDays::No,
        }
    }
}

fn times_of(fields: &Fields) -> Times {
    let minutes: Vec<u8> = bits(fields.minutes()).collect();
    let hours: Vec<u8> = bits(fields.hours()).collect();
    if hours.len() == 24 {
        return Times::Always(within_each_hour(&minutes));
    }
    if minutes.len() * hours.len() <= NAMED_MAX {
        let named: Vec<String> =
            hours.iter().flat_map(|hour| minutes.iter().map(move |minute| clock(*hour, *minute))).collect();
        return Times::Named(format!("At {}", joined(&named)));
    }
    if let ([minute], Some(step)) = (minutes.as_slice(), stride(&hours)) {
        let every = if step == 1 { "Every hour".to_owned() } else { format!("Every {step} hours") };
        let (first, last) = (hours[0], hours[hours.len() - 1]);
        return Times::Within(format!("{every} from {} to {}", clock(first, *minute), clock(last, *minute)));
    }
    let windows: Vec<String> = runs(&hours)
        .iter()
        .map(|(first, last)| format!("{} to {}", clock(*first, 0), clock(*last, 59)))
        .collect();
    Times::Within(format!("{} from {}", within_each_hour(&minutes), joined(&windows)))
}

/// Which minutes of each hour.
fn within_each_hour(minutes: &[u8]) -> String {
    match (minutes, stride(minutes)) {
        ([0], _) => "Every hour".into(),
        ([minute], _) => format!("At minute {minute} of every hour"),
        ([0, 30], _) => "Every 30 minutes".into(),
        (_, Some(1)) if minutes.len() == 60 => "Every minute".into(),
        (_, Some(step)) if minutes[0] == 0 && minutes.len() * usize::from(step) == 60 => {
            format!("Every {step} minutes")
        }
        _ => format!("At minutes {} of every hour", spans(minutes, |minute| minute.to_string())),
    }
}

fn clock(hour: u8, minute: u8) -> String {
    format!("{hour:02}:{minute:02}")
}

// The days and months.

const NTH: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

/// The end of the sentence, with the space or comma that joins it to the times.
fn days_of(fields: &Fields, needs: NeedsDays) -> String {
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

// The sentence: times first, then days.

/// Says when the expression fires. The time zone is not part of it.
pub fn describe(cron: &CronExpression) -> String {
    let times = times_of(cron.fields());
    let days = days_of(cron.fields(), times.needs_days());
    format!("{}{days}", times.text())
}
