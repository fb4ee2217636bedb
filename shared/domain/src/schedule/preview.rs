//! What a person sees before saving a schedule: a description, the next fires, and what the clock changes do to them.

mod changes;

use self::changes::notes;
use super::cron::CronExpression;
use super::describe::describe;
use super::recurrence::Recurrence;
use super::zone::Zone;
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
    /// What happens at changes of the clock, such as `29 March 02:30 does not exist: runs at 03:00`. The warnings of
    /// the expression itself are not among them.
    pub notes: Vec<String>,
}

/// Shows the first `count` fires after `from`, at most [`PREVIEW_MAX`].
pub fn preview(cron: &CronExpression, zone: &Zone, from: Timestamp, count: usize) -> Preview {
    preview_by(Recurrence::Cron(cron, zone), from, count)
}

/// The same for any schedule. Changes of the clock are nothing to an interval.
pub fn preview_by(recurrence: Recurrence<'_>, from: Timestamp, count: usize) -> Preview {
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
