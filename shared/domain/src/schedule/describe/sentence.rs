//! The sentence: times first, then days.

use super::{days, times};
use crate::schedule::cron::CronExpression;

/// Says when the expression fires. The time zone is not part of it.
pub fn describe(cron: &CronExpression) -> String {
    let times = times::of(cron.fields());
    let days = days::of(cron.fields(), times.needs_days());
    format!("{}{days}", times.text())
}
