//! A checked expression together with the calendar that evaluates it.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use super::fault::CronFault;
use super::fields::Fields;
use super::{parse, possible, warnings};
use crate::schedule::calendar::Calendar;

/// The longest expression that is read, in bytes.
pub const EXPRESSION_MAX_BYTES: usize = 256;

/// A cron expression of five fields that fires at least once in any twelve years.
///
/// Prints as its normal form: numbers instead of names, single spaces, aliases written out. Reading that form gives
/// the same expression again.
#[derive(Clone)]
pub struct CronExpression {
    fields: Fields,
    calendar: Calendar,
}

impl CronExpression {
    /// Reads and checks an expression; the fault names the field and says what would be right.
    ///
    /// Five fields (minute, hour, day-of-month, month, day-of-week) separated by spaces or tabs. Each is `*` or a list
    /// of values, ranges `a-b` and steps `*/n`, `a-b/n`, `a/n` (from a to the end). Months and weekdays may be the
    /// first three letters of their English names; 0 and 7 are Sunday. The day fields may be `?`, which is `*`.
    /// Day-of-month may be `L`, `LW` or `nW`; day-of-week may be `nL` or `n#k`. Aliases: `@yearly`, `@annually`,
    /// `@monthly`, `@weekly`, `@daily`, `@midnight`, `@hourly`.
    pub fn parse(text: &str) -> Result<Self, CronFault> {
        let fields = parse::fields(text)?;
        possible::check(&fields)?;
        let calendar =
            Calendar::new(&fields).map_err(|_| CronFault::whole("the calendar does not understand this"))?;
        Ok(Self { fields, calendar })
    }

    /// The five fields.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Whether the minute or the hour field begins with `*`.
    ///
    /// Such a schedule follows the clock: it fires at every real minute whose wall time matches, in both passes of a
    /// repeated hour, and not inside a gap. Any other has fixed times: one inside a gap moves to the gap's end, and
    /// one that occurs twice fires at the first occurrence.
    pub fn is_wildcard(&self) -> bool {
        self.fields.minute.starts_with_star() || self.fields.hour.starts_with_star()
    }

    /// What is legal but often not meant, in sentences.
    pub fn warnings(&self) -> Vec<String> {
        warnings::of(&self.fields)
    }

    /// What finds the matching wall times.
    pub(in crate::schedule) fn calendar(&self) -> &Calendar {
        &self.calendar
    }
}

impl PartialEq for CronExpression {
    fn eq(&self, other: &Self) -> bool {
        self.fields == other.fields
    }
}
impl Eq for CronExpression {}
impl Hash for CronExpression {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.fields.hash(state);
    }
}
impl fmt::Display for CronExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.fields)
    }
}
impl fmt::Debug for CronExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CronExpression({})", self.fields)
    }
}
impl FromStr for CronExpression {
    type Err = CronFault;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}
