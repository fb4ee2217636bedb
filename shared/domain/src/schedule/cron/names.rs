//! The names of months and weekdays: three letters when read, whole words when printed for people.

use super::fault::CronField;

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
