//! From text to fields: the whole, the aliases and the two day fields. Lists of values are read by [`parse`].

use super::fault::{CronFault, CronField, unwrapped};
use super::fields::{DayOfMonth, DayOfWeek, Fields, short_of, value_of};
use super::terms::{Term, Values};

/// The longest expression that is read, in bytes.
pub const EXPRESSION_MAX_BYTES: usize = 256;

const SHAPE: &str = "five fields (minute hour day-of-month month day-of-week), such as `30 2 * * *`";
const ALIASES: [(&str, &str); 7] = [
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

/// Reads an expression or an alias.
pub(super) fn fields(text: &str) -> Result<Fields, CronFault> {
    if text.len() > EXPRESSION_MAX_BYTES {
        return Err(CronFault::whole(format!("longer than {EXPRESSION_MAX_BYTES} characters: {SHAPE}")));
    }
    if !text.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte)) {
        return Err(CronFault::whole(format!("only plain ASCII characters on one line are read: {SHAPE}")));
    }
    let words: Vec<&str> = text.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
    match words[..] {
        [alias, ..] if alias.starts_with('@') => five(&expand(alias, words.len())?),
        _ => five(&words),
    }
}

/// The five words that an alias stands for.
fn expand(alias: &str, words: usize) -> Result<Vec<&'static str>, CronFault> {
    let lower = alias.to_ascii_lowercase();
    if lower == "@reboot" {
        let message = "@reboot is not supported: a schedule follows the clock, not the start of a server";
        return Err(CronFault::whole(message));
    }
    if lower.starts_with("@every") {
        let message = "@every is not supported: write a step, such as `*/15 * * * *` for every 15 minutes";
        return Err(CronFault::whole(message));
    }
    match ALIASES.iter().find(|(name, _)| *name == lower) {
        Some((_, meaning)) if words == 1 => Ok(meaning.split(' ').collect()),
        Some((name, _)) => Err(CronFault::whole(format!("{name} stands alone: write nothing after it"))),
        None => {
            let names: Vec<&str> = ALIASES.iter().map(|(name, _)| *name).collect();
            Err(CronFault::whole(format!("unknown alias: write one of {}, or {SHAPE}", names.join(", "))))
        }
    }
}

fn five(words: &[&str]) -> Result<Fields, CronFault> {
    match *words {
        [minute, hour, day_of_month, month, day_of_week] => Ok(Fields {
            minute: list(CronField::Minute, minute)?,
            hour: list(CronField::Hour, hour)?,
            day_of_month: read_day_of_month(day_of_month)?,
            month: list(CronField::Month, month)?,
            day_of_week: read_day_of_week(day_of_week)?,
        }),
        [] => Err(CronFault::whole(format!("empty: write {SHAPE}"))),
        [_, ref rest @ ..] if rest.len() == 5 => {
            let rest = rest.join(" ");
            Err(CronFault::whole(format!("seconds are not supported: write five fields, such as `{rest}`")))
        }
        [_, _, _, _, _, _, _] => {
            Err(CronFault::whole(format!("seconds are not supported, and neither are years: write {SHAPE}")))
        }
        ref some => Err(count_fault(some.len())),
    }
}

fn count_fault(count: usize) -> CronFault {
    match CronField::ALL.get(count) {
        Some(missing) => {
            let message = format!("missing: there are {count} fields instead of five; write `*` for any");
            CronFault::at(*missing, message)
        }
        None => CronFault::whole(format!("{count} fields: write {SHAPE}")),
    }
}

fn read_day_of_month(text: &str) -> Result<DayOfMonth, CronFault> {
    const FIELD: CronField = CronField::DayOfMonth;
    let upper = text.to_ascii_uppercase();
    if let Some(days) = upper.strip_suffix('W').filter(|days| days.bytes().all(|byte| byte.is_ascii_digit()))
    {
        if days.is_empty() {
            return Err(CronFault::at(
                FIELD,
                "W needs a day before it: write 15W, or LW for the last weekday",
            ));
        }
        return Ok(DayOfMonth::NearestWeekday(one_value(FIELD, days)?));
    }
    match upper.as_str() {
        "?" => return Ok(DayOfMonth::Values(Values::all())),
        "L" => return Ok(DayOfMonth::Last),
        "LW" => return Ok(DayOfMonth::LastWeekday),
        _ => {}
    }
    let message = if upper.starts_with("L-") {
        "L minus days is not supported: write L for the last day, or the day itself"
    } else if upper.contains('#') {
        "# belongs in day-of-week: write 5#2 there for the second Friday"
    } else if upper.contains(['L', 'W']) {
        "L, LW and nW stand alone: write one of L, LW or 15W, without lists, ranges or steps"
    } else {
        return list(FIELD, text).map(DayOfMonth::Values);
    };
    Err(CronFault::at(FIELD, message))
}

fn read_day_of_week(text: &str) -> Result<DayOfWeek, CronFault> {
    const FIELD: CronField = CronField::DayOfWeek;
    let upper = text.to_ascii_uppercase();
    if upper == "?" {
        return Ok(DayOfWeek::Values(Values::all()));
    }
    if !upper.contains(['L', '#']) {
        return list(FIELD, text).map(DayOfWeek::Values);
    }
    if upper.contains([',', '-', '/', '*']) {
        let message =
            "L and # take one weekday and stand alone: write 5L or 5#2, without lists, ranges or steps";
        return Err(CronFault::at(FIELD, message));
    }
    if let Some((weekday, nth)) = upper.split_once('#') {
        let weekday = one_value(FIELD, weekday)? % 7;
        return match nth {
            "1" | "2" | "3" | "4" | "5" => Ok(DayOfWeek::Nth { weekday, nth: nth.as_bytes()[0] - b'0' }),
            "L" => Err(CronFault::at(FIELD, format!("write {weekday}L for the last one of the month"))),
            _ => Err(CronFault::at(FIELD, "after # comes 1 to 5: write 5#2 for the second Friday")),
        };
    }
    match upper.strip_suffix('L') {
        Some("") => Err(CronFault::at(
            FIELD,
            "L needs a weekday before it: write 5L for the last Friday of the month",
        )),
        Some(weekday) => Ok(DayOfWeek::Last(one_value(FIELD, weekday)? % 7)),
        None => {
            Err(CronFault::at(FIELD, "L comes after the weekday: write 5L for the last Friday of the month"))
        }
    }
}

// Lists, ranges, steps and single values of one field.

/// Reads `item,item,…`.
fn list(field: CronField, text: &str) -> Result<Values, CronFault> {
    let terms = text.split(',').map(|item| term(field, item)).collect::<Result<Vec<_>, _>>()?;
    Values::new(terms).ok_or_else(|| empty_item(field))
}

/// Reads one number or name.
fn one_value(field: CronField, text: &str) -> Result<u8, CronFault> {
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
        format!("{text} is not a valid value: write {expected}")
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
