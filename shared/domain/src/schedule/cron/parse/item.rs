//! Lists, ranges, steps and single values of one field.

use super::super::fault::{CronFault, CronField};
use super::super::hints::unwrapped;
use super::super::names::{short_of, value_of};
use super::super::terms::{Term, Values};

/// Reads `item,item,…`.
pub(super) fn list(field: CronField, text: &str) -> Result<Values, CronFault> {
    let terms = text.split(',').map(|item| term(field, item)).collect::<Result<Vec<_>, _>>()?;
    Values::new(terms).ok_or_else(|| empty_item(field))
}

/// Reads one number or name.
pub(super) fn one_value(field: CronField, text: &str) -> Result<u8, CronFault> {
    if text.is_empty() {
        return Err(CronFault::at(field, format!("a value is missing: write {}", expected(field))));
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        let number = text.parse::<u8>().ok();
        let in_range = number.filter(|number| (field.min()..=field.written_max()).contains(number));
        return in_range.ok_or_else(|| {
            CronFault::at(field, format!("{text} is out of range: write {}", expected(field)))
        });
    }
    value_of(field, text).ok_or_else(|| not_a_value(field, text))
}

fn term(field: CronField, item: &str) -> Result<Term, CronFault> {
    if item.is_empty() {
        return Err(empty_item(field));
    }
    if item.contains('?') {
        let message = match field {
            CronField::DayOfMonth | CronField::DayOfWeek => {
                "`?` stands alone: write `?` or `*`, or values without it"
            }
            _ => "`?` stands only in day-of-month and day-of-week: write `*`",
        };
        return Err(CronFault::at(field, message));
    }
    let (base, step) = match item.split_once('/') {
        Some((base, step)) => (base, Some(read_step(field, step)?)),
        None => (item, None),
    };
    if base == "*" {
        return Ok(step.map_or(Term::All, |step| Term::AllStep { step }));
    }
    if let Some((from, to)) = base.split_once('-') {
        return range(field, one_value(field, from)?, one_value(field, to)?, step);
    }
    let value = one_value(field, base)?;
    let value = if field == CronField::DayOfWeek { value % 7 } else { value };
    Ok(step.map_or(Term::Value(value), |step| Term::FromStep { from: value, step }))
}

fn range(field: CronField, from: u8, to: u8, step: Option<u8>) -> Result<Term, CronFault> {
    if from > to {
        let hint = unwrapped(field, from, to, step);
        return Err(CronFault::at(field, format!("a range may not wrap around: write {hint}")));
    }
    Ok(step.map_or(Term::Range { from, to }, |step| Term::RangeStep { from, to, step }))
}

fn read_step(field: CronField, text: &str) -> Result<u8, CronFault> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let step = if digits { text.parse::<u8>().ok() } else { None };
    step.filter(|step| (1..=field.span()).contains(step)).ok_or_else(|| {
        let message = format!("the step after `/` must be 1 to {}, such as */{}", field.span(), 2);
        CronFault::at(field, message)
    })
}

fn empty_item(field: CronField) -> CronFault {
    CronFault::at(field, "an item of the list is empty: write `1,2` without commas at the ends or in a row")
}

/// Says what would be right, as closely as the text allows to guess what was meant.
fn not_a_value(field: CronField, text: &str) -> CronFault {
    let is_name = |other: CronField| value_of(other, text).is_some();
    let expected = expected(field);
    let message = if let Some(short) = short_of(field, text) {
        format!("{text} is not read: write {short}")
    } else if text.contains('*') {
        format!("`*` stands alone or before a step: write `*`, `*/2` or {expected}")
    } else if is_name(CronField::Month) || is_name(CronField::DayOfWeek) {
        format!("{text} belongs in another field: write {expected}")
    } else if text.contains('#') {
        format!("# belongs in day-of-week: write {expected}")
    } else if text.ends_with(['W', 'w']) && field == CronField::DayOfWeek {
        "W belongs in day-of-month: write 15W there, or 1-5 here".into()
    } else if text.ends_with(['L', 'l', 'W', 'w']) {
        format!("L and W belong in the day fields: write {expected}")
    } else {
        format!("{text} is no value: write {expected}")
    };
    CronFault::at(field, message)
}

/// What a value of the field looks like.
fn expected(field: CronField) -> &'static str {
    match field {
        CronField::Minute => "0-59",
        CronField::Hour => "0-23",
        CronField::DayOfMonth => "1-31",
        CronField::Month => "1-12 or JAN-DEC",
        CronField::DayOfWeek => "0-7 or SUN-SAT (0 and 7 are Sunday)",
    }
}
