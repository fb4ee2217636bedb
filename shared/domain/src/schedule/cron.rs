//! The cron expression: its grammar, its normal form, what is refused and why.
//!
//! Finding the instants at which an expression fires is the business of the modules beside this one.

mod fault;
mod fields;
mod parse;
mod terms;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use crate::schedule::calendar::Calendar;

pub use fault::{CronFault, CronField};
pub use fields::{DayOfMonth, DayOfWeek, Fields};
pub(super) use fields::{MONTHS, WEEKDAYS};
pub use parse::EXPRESSION_MAX_BYTES;
pub(super) use terms::bits;
pub use terms::{Term, Values};

// A checked expression together with the calendar that evaluates it.

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
        check(&fields)?;
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
        of(&self.fields)
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

// Refuses expressions that never fire, such as `0 0 31 2 *`.
//
// The test needs no date: an expression is accepted when it fires at least once in any twelve years. The rarest one
// that does is 29 February around a year like 2100.

/// The longest that each month gets, January first.
const MONTH_DAYS_MAX: [u8; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// `Ok` when some day satisfies the day fields.
fn check(fields: &Fields) -> Result<(), CronFault> {
    let (by_month, by_week) = (day_of_month_occurs(fields), day_of_week_occurs(fields));
    if fields.day_of_month.is_star() {
        if by_week { Ok(()) } else { Err(week_fault()) }
    } else if by_month || (by_week && !fields.day_of_week.is_star()) {
        Ok(())
    } else {
        Err(month_fault(fields))
    }
}

/// Whether a day of month that the expression names exists in one of its months.
fn day_of_month_occurs(fields: &Fields) -> bool {
    let day_min = match &fields.day_of_month {
        DayOfMonth::Values(values) => values.mask(CronField::DayOfMonth).trailing_zeros() as u8,
        DayOfMonth::NearestWeekday(day) => *day,
        DayOfMonth::Last | DayOfMonth::LastWeekday => return true,
    };
    day_min <= longest(fields)
}

/// Whether a weekday that the expression names occurs in its months. Only February has years without a fifth one, and
/// a given weekday is its fifth once in 28 years: too rare to be meant.
fn day_of_week_occurs(fields: &Fields) -> bool {
    !matches!(fields.day_of_week, DayOfWeek::Nth { nth: 5, .. }) || longest(fields) > 29
}

/// The length of the longest month of the expression.
fn longest(fields: &Fields) -> u8 {
    bits(fields.months()).map(|month| MONTH_DAYS_MAX[usize::from(month) - 1]).max().unwrap_or(31)
}

fn month_fault(fields: &Fields) -> CronFault {
    let names: Vec<&str> = bits(fields.months()).map(|month| MONTHS[usize::from(month) - 1]).collect();
    let message = format!(
        "day {} never occurs in {}: write a day up to {}, or L for the last day of the month",
        fields.day_of_month,
        names.join(" or "),
        longest(fields)
    );
    CronFault::at(CronField::DayOfMonth, message)
}

fn week_fault() -> CronFault {
    let message = "February has hardly ever a fifth such weekday: write 4, or L for the last one, such as 5L";
    CronFault::at(CronField::DayOfWeek, message)
}

// What is legal but often not meant.

/// One sentence for each doubt.
fn of(fields: &Fields) -> Vec<String> {
    let mut warnings = Vec::new();
    both_days(fields, &mut warnings);
    late_days(fields, &mut warnings);
    week_end(fields, &mut warnings);
    uneven_step(CronField::Minute, "hour", &fields.minute, &mut warnings);
    uneven_step(CronField::Hour, "day", &fields.hour, &mut warnings);
    warnings
}

fn both_days(fields: &Fields, warnings: &mut Vec<String>) {
    if fields.day_of_month.is_star() || fields.day_of_week.is_star() {
        return;
    }
    warnings.push(
        "day-of-month and day-of-week are both set: a day that satisfies either one fires, not only those that satisfy both"
            .into(),
    );
    let by_month = matches!(&fields.day_of_month, DayOfMonth::Values(values) if values.starts_with_star());
    let by_week = matches!(&fields.day_of_week, DayOfWeek::Values(values) if values.starts_with_star());
    if by_month || by_week {
        warnings.push(
            "a day field such as */2 is a restriction here; crond treats it as `*` and requires both to match"
                .into(),
        );
    }
    if !day_of_month_occurs(fields) {
        warnings.push(format!(
            "day {} never occurs in these months: only day-of-week counts",
            fields.day_of_month
        ));
    }
    if !day_of_week_occurs(fields) {
        warnings.push("February has hardly ever a fifth such weekday: only day-of-month counts".into());
    }
}

fn late_days(fields: &Fields, warnings: &mut Vec<String>) {
    let DayOfMonth::Values(values) = &fields.day_of_month else {
        return;
    };
    if values.is_star() || !fields.day_of_week.is_star() {
        return;
    }
    let first = values.mask(CronField::DayOfMonth).trailing_zeros();
    let months = fields.months();
    let lacks_31 = [4, 6, 9, 11].iter().any(|month| months >> month & 1 == 1);
    let lacks_30 = months >> 2 & 1 == 1;
    if first == 29 && months == 1 << 2 {
        warnings.push("29 February exists in leap years only: write L for the last day of February".into());
    } else if first > 28 && (lacks_30 || (first == 31 && lacks_31)) {
        warnings
            .push(format!("months without day {first} are left out: write L for the last day of each month"));
    }
}

/// `1/2` ends on Saturday; some other programs go on to the 7.
fn week_end(fields: &Fields, warnings: &mut Vec<String>) {
    let DayOfWeek::Values(values) = &fields.day_of_week else {
        return;
    };
    for term in values.terms() {
        if let Term::FromStep { from, step } = term
            && *from > 0
            && (7 - from).is_multiple_of(*step)
        {
            warnings.push(format!(
                "day-of-week: {term} ends on Saturday: write {from}-7/{step} to include Sunday"
            ));
        }
    }
}

/// `*/7` minutes fire at 56 and then at 0.
fn uneven_step(field: CronField, unit: &str, values: &Values, warnings: &mut Vec<String>) {
    for term in values.terms() {
        if let Term::AllStep { step } = term
            && !field.span().is_multiple_of(*step)
        {
            let rest = field.span() % step;
            warnings.push(format!(
                "{field}: */{step} starts again with each {unit}, so the last step before it is only {rest} long"
            ));
        }
    }
}
