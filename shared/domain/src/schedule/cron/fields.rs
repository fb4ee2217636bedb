//! The five fields of an expression, and their normal text form.

use std::fmt;

use super::fault::CronField;
use super::terms::Values;

/// The day-of-month field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DayOfMonth {
    /// Numbers; `?` is read as `*`.
    Values(Values),
    /// `L`: the last day of the month.
    Last,
    /// `LW`: the last day from Monday to Friday of the month.
    LastWeekday,
    /// `nW`: the day from Monday to Friday that is nearest to day n, within the same month. Months without day n
    /// have none.
    NearestWeekday(u8),
}

/// The day-of-week field. Sunday is 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DayOfWeek {
    /// Numbers; `?` is read as `*`.
    Values(Values),
    /// `nL`: the last such weekday of the month.
    Last(u8),
    /// `n#k`: the k-th such weekday of the month.
    Nth {
        /// 0 to 6.
        weekday: u8,
        /// 1 to 5.
        nth: u8,
    },
}

impl DayOfMonth {
    /// Whether any day of the month will do.
    pub fn is_star(&self) -> bool {
        matches!(self, Self::Values(values) if values.is_star())
    }
}

impl DayOfWeek {
    /// Whether any weekday will do.
    pub fn is_star(&self) -> bool {
        matches!(self, Self::Values(values) if values.is_star())
    }
}

/// The five fields. When both day fields are restricted, a day that satisfies either will do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fields {
    /// Minutes of the hour.
    pub minute: Values,
    /// Hours of the day.
    pub hour: Values,
    /// Days of the month.
    pub day_of_month: DayOfMonth,
    /// Months of the year.
    pub month: Values,
    /// Days of the week.
    pub day_of_week: DayOfWeek,
}

impl Fields {
    /// The minutes as bits.
    pub(in crate::schedule) fn minutes(&self) -> u64 {
        self.minute.mask(CronField::Minute)
    }

    /// The hours as bits.
    pub(in crate::schedule) fn hours(&self) -> u64 {
        self.hour.mask(CronField::Hour)
    }

    /// The months as bits 1 to 12.
    pub(in crate::schedule) fn months(&self) -> u64 {
        self.month.mask(CronField::Month)
    }
}

impl fmt::Display for DayOfMonth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Values(values) => write!(f, "{values}"),
            Self::Last => f.write_str("L"),
            Self::LastWeekday => f.write_str("LW"),
            Self::NearestWeekday(day) => write!(f, "{day}W"),
        }
    }
}

impl fmt::Display for DayOfWeek {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Values(values) => write!(f, "{values}"),
            Self::Last(weekday) => write!(f, "{weekday}L"),
            Self::Nth { weekday, nth } => write!(f, "{weekday}#{nth}"),
        }
    }
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {} {}", self.minute, self.hour, self.day_of_month, self.month, self.day_of_week)
    }
}

// The names of months and weekdays: three letters when read, whole words when printed for people.

/// The months, January first.
pub(in crate::schedule) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The weekdays, Sunday first.
pub(in crate::schedule) const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The value that the first three letters of a month or weekday stand for, in any case.
pub(super) fn value_of(field: CronField, name: &str) -> Option<u8> {
    let words: &[&str] = match field {
        CronField::Month => &MONTHS,
        CronField::DayOfWeek => &WEEKDAYS,
        CronField::Minute | CronField::Hour | CronField::DayOfMonth => return None,
    };
    let index = words.iter().position(|word| word[..3].eq_ignore_ascii_case(name))?;
    Some(index as u8 + field.min())
}

/// The three letters to write instead of a whole word, such as `MON` for `Monday`.
pub(super) fn short_of(field: CronField, word: &str) -> Option<String> {
    let head = word.get(..3)?;
    value_of(field, head).map(|_| head.to_ascii_uppercase())
}
