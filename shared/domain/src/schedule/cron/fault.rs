//! What is wrong with an expression, and in which of its fields.

use std::fmt;

use crate::error::Fault;

/// One of the five fields of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CronField {
    /// 0 to 59.
    Minute,
    /// 0 to 23.
    Hour,
    /// 1 to 31.
    DayOfMonth,
    /// 1 to 12, or JAN to DEC.
    Month,
    /// 0 to 7, or SUN to SAT; 0 and 7 are Sunday.
    DayOfWeek,
}

impl CronField {
    /// All fields in the order in which they are written.
    pub const ALL: [Self; 5] = [Self::Minute, Self::Hour, Self::DayOfMonth, Self::Month, Self::DayOfWeek];

    /// The name that messages use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::DayOfMonth => "day-of-month",
            Self::Month => "month",
            Self::DayOfWeek => "day-of-week",
        }
    }

    /// The lowest value, and where `*` begins.
    pub const fn min(self) -> u8 {
        match self {
            Self::Minute | Self::Hour | Self::DayOfWeek => 0,
            Self::DayOfMonth | Self::Month => 1,
        }
    }

    /// The highest value of `*`. Sunday counts once, as 0.
    pub const fn max(self) -> u8 {
        match self {
            Self::Minute => 59,
            Self::Hour => 23,
            Self::DayOfMonth => 31,
            Self::Month => 12,
            Self::DayOfWeek => 6,
        }
    }

    /// The highest number that may be written: Sunday may be a 7.
    pub const fn written_max(self) -> u8 {
        match self {
            Self::DayOfWeek => 7,
            other => other.max(),
        }
    }

    /// How many values `*` stands for; a step may not be longer.
    pub const fn span(self) -> u8 {
        self.max() - self.min() + 1
    }
}

impl fmt::Display for CronField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why an expression was refused, with what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CronFault {
    /// The field at fault; `None` when it is the expression as a whole.
    pub field: Option<CronField>,
    /// What is wrong and what would be right, in a sentence.
    pub message: String,
}

impl CronFault {
    /// A fault in one field.
    pub(super) fn at(field: CronField, message: impl Into<String>) -> Self {
        Self { field: Some(field), message: message.into() }
    }

    /// A fault of the whole expression.
    pub(super) fn whole(message: impl Into<String>) -> Self {
        Self { field: None, message: message.into() }
    }
}

impl fmt::Display for CronFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field {
            Some(field) => write!(f, "{field}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for CronFault {}

/// The expression is one JSON string, so the pointer is empty and the message names the field.
impl From<CronFault> for Fault {
    fn from(fault: CronFault) -> Self {
        Self::new("", fault.to_string())
    }
}

// What would be right instead of something refused.

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
