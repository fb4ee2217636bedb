//! The cron expression: its grammar, its normal form, what is refused and why.
//!
//! Finding the instants at which an expression fires is the business of the modules beside this one.

mod expression;
mod fault;
mod fields;
mod hints;
mod names;
mod parse;
mod possible;
mod terms;
mod warnings;

pub use expression::{CronExpression, EXPRESSION_MAX_BYTES};
pub use fault::{CronFault, CronField};
pub use fields::{DayOfMonth, DayOfWeek, Fields};
pub(super) use names::{MONTHS, WEEKDAYS};
pub(super) use terms::bits;
pub use terms::{Term, Values};
