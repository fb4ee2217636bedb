//! When an expression fires in a time zone: the calendar's wall times turned into instants.
//!
//! Two kinds of schedules meet a change of the clock differently, see [`CronExpression::is_wildcard`]. One rule covers
//! gaps and repeated hours of fixed times: a wall time fires when the clock shows it, or has passed it, for the first
//! time. Several wall times that one jump of the clock passes are therefore one fire.

use super::calendar::Calendar;
use super::cron::CronExpression;
use super::zone::Zone;
use crate::time::{DurationMs, Timestamp};

/// How far the search looks: 29 February has a gap of eight years around 2100.
pub const HORIZON: DurationMs = DurationMs(12 * 366 * 86_400_000);
/// After the clock was set back, wall times that it had shown before are skipped one by one. Nowhere is that more than
/// the minutes of a day.
const SKIPPED_MAX: u32 = 1_500;

/// The first fire after an instant, always later than it. `None` when there is none within [`HORIZON`].
pub fn next_after(cron: &CronExpression, zone: &Zone, after: Timestamp) -> Option<Timestamp> {
    let after_s = after.0.div_euclid(1000);
    let found_s = if cron.is_wildcard() {
        follow_clock(cron.calendar(), zone, after_s)?
    } else {
        keep_times(cron.calendar(), zone, after_s)?
    };
    let found = Timestamp(found_s.checked_mul(1000)?);
    (found > after && found.since(after) <= HORIZON).then_some(found)
}

/// The fires after `from` up to and including `to`, oldest first, at most `max` of them.
pub fn fires_between(
    cron: &CronExpression,
    zone: &Zone,
    from: Timestamp,
    to: Timestamp,
    max: usize,
) -> Vec<Timestamp> {
    std::iter::successors(next_after(cron, zone, from), |last| next_after(cron, zone, *last))
        .take_while(|fire| *fire <= to)
        .take(max)
        .collect()
}

/// Every real minute whose wall time matches: between two changes of the clock, wall time and real time differ by a
/// constant, so each stretch is searched by itself.
fn follow_clock(calendar: &Calendar, zone: &Zone, after_s: i64) -> Option<i64> {
    let mut from_s = after_s.checked_add(1)?;
    let end_s = from_s.checked_add(HORIZON.0 / 1000)?;
    while from_s <= end_s {
        let offset_s = zone.offset_at(from_s)?;
        let found_s = calendar.next(from_s + offset_s)? - offset_s;
        match zone.change_after(from_s).filter(|change| change.at_s <= found_s) {
            Some(change) => from_s = change.at_s,
            None => return Some(found_s),
        }
    }
    None
}

/// Each wall time once: when the clock shows or passes it for the first time.
fn keep_times(calendar: &Calendar, zone: &Zone, after_s: i64) -> Option<i64> {
    let mut wall_s = after_s.checked_add(1)? + zone.offset_at(after_s)?;
    for _ in 0..SKIPPED_MAX {
        let match_s = calendar.next(wall_s)?;
        let found_s = zone.first_shown(match_s)?;
        if found_s > after_s {
            return Some(found_s);
        }
        wall_s = match_s + 60;
    }
    None
}
