//! What a person sees before saving a schedule: a description, the next fires, and what the clock changes do to them.

use jiff::civil::DateTime;
use jiff::tz::Offset;

use super::cron::CronExpression;
use super::describe::describe;
use super::interval::Recurrence;
use super::zone::Zone;
use crate::schedule::cron::MONTHS;
use crate::schedule::describe::joined;
use crate::schedule::zone::Change;
use crate::time::{DurationMs, Timestamp};

/// The most fires that a preview shows.
pub const PREVIEW_MAX: usize = 1_000;
/// Changes of the clock are looked for this far ahead, and further when the fires shown reach further.
const NOTES_SPAN: DurationMs = DurationMs(366 * 86_400_000);

/// What a person sees before saving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The expression in plain English.
    pub description: String,
    /// The next fires.
    pub next: Vec<Timestamp>,
    /// What happens at changes of the clock, such as `29 March 2026 02:30 does not exist: runs at 03:00`. The warnings of
    /// the expression itself are not among them.
    pub notes: Vec<String>,
}

/// Shows the first `count` fires after `from`, at most [`PREVIEW_MAX`]. Changes of the clock are nothing to an interval.
pub fn preview(recurrence: Recurrence<'_>, from: Timestamp, count: usize) -> Preview {
    let next: Vec<Timestamp> = recurrence.after(from).take(count.min(PREVIEW_MAX)).collect();
    let shown_until = next.last().copied().unwrap_or(from);
    let until = shown_until.max(from.plus(NOTES_SPAN));
    match recurrence {
        Recurrence::Cron(cron, zone) => {
            Preview { description: describe(cron), notes: notes(cron, zone, from, until), next }
        }
        Recurrence::Interval(interval) => {
            Preview { description: interval.describe(), notes: Vec::new(), next }
        }
    }
}

// Notes about the changes of the clock: wall times that do not exist or happen twice.

/// So many notes are enough for anybody.
const NOTES_MAX: usize = 12;
/// So many changes of the clock are looked at.
const CHANGES_MAX: usize = 200;
/// So many wall times are named one by one.
const NAMED_MAX: usize = 4;

/// A note for each change of the clock after `from` and up to `until` that touches a wall time of the expression.
fn notes(cron: &CronExpression, zone: &Zone, from: Timestamp, until: Timestamp) -> Vec<String> {
    let from_s = from.0.div_euclid(1000);
    std::iter::successors(zone.change_after(from_s), |change| zone.change_after(change.at_s))
        .take(CHANGES_MAX)
        .take_while(|change| change.at_s <= until.0.div_euclid(1000))
        .filter_map(|change| note(cron, change))
        .take(NOTES_MAX)
        .collect()
}

fn note(cron: &CronExpression, change: Change) -> Option<String> {
    let (before_s, after_s) = (change.at_s + change.before_s, change.at_s + change.after_s);
    let times = matches(cron, before_s.min(after_s), before_s.max(after_s));
    let first = *times.first()?;
    let (date, many) = (date(first), times.len() > 1);
    let times = named(&times);
    Some(if before_s < after_s {
        let exist = if many { "do not exist" } else { "does not exist" };
        let instead = if cron.is_wildcard() {
            "does not run then".to_owned()
        } else {
            let wall = civil(change.minute_after()? + change.after_s);
            let day =
                if wall.date() == first.date() { String::new() } else { format!("{} ", self::date(wall)) };
            format!("{} at {day}{}", if many { "runs once" } else { "runs" }, clock(wall))
        };
        format!("{date} {times} {exist}: {instead}")
    } else {
        let happen = if many { "happen twice" } else { "happens twice" };
        let choice = if cron.is_wildcard() { "runs both times" } else { "runs at the first" };
        format!("{date} {times} {happen}: {choice}")
    })
}

/// The wall times of the expression from `from_s` up to, not including, `to_s`.
fn matches(cron: &CronExpression, from_s: i64, to_s: i64) -> Vec<DateTime> {
    std::iter::successors(cron.calendar().next(from_s), |last| cron.calendar().next(last + 60))
        .take_while(|wall_s| *wall_s < to_s)
        .map(civil)
        .collect()
}

/// `02:00`, `02:00 and 02:30`, or `02:00 to 02:55` when there are many.
fn named(times: &[DateTime]) -> String {
    match times {
        [first, .., last] if times.len() > NAMED_MAX => format!("{} to {}", clock(*first), clock(*last)),
        _ => joined(&times.iter().map(|time| clock(*time)).collect::<Vec<_>>()),
    }
}

fn civil(wall_s: i64) -> DateTime {
    Offset::UTC.to_datetime(jiff::Timestamp::from_second(wall_s).unwrap_or_default())
}

fn date(wall: DateTime) -> String {
    format!("{} {} {}", wall.day(), MONTHS[wall.month() as usize - 1], wall.year())
}

fn clock(wall: DateTime) -> String {
    format!("{:02}:{:02}", wall.hour(), wall.minute())
}
