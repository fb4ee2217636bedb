//! What would be right instead of something refused.

use super::fault::CronField;

/// A range that wraps around, written with ranges that do not: `22-4` is `22-23,0-4`.
pub(super) fn unwrapped(field: CronField, from: u8, to: u8, step: Option<u8>) -> String {
    if let Some(step) = step {
        return stepped(field, from, to, step);
    }
    if field == CronField::DayOfWeek {
        if to == 0 {
            return span(from, 7);
        }
        if from == 7 {
            return span(0, to);
        }
    }
    format!("{},{}", span(from, field.max()), span(field.min(), to))
}

/// The single values of a range with a step that wraps around.
fn stepped(field: CronField, from: u8, to: u8, step: u8) -> String {
    let span = field.span();
    let values: Vec<String> = (from..=to.saturating_add(span))
        .step_by(usize::from(step.max(1)))
        .map(|value| if value > field.max() { value - span } else { value })
        .map(|value| value.to_string())
        .collect();
    values.join(",")
}

fn span(from: u8, to: u8) -> String {
    if from == to { from.to_string() } else { format!("{from}-{to}") }
}
