//! From text to fields: the whole, the aliases and the two day fields. Lists of values are read by [`item`].

mod item;

use item::{list, one_value};

use super::expression::EXPRESSION_MAX_BYTES;
use super::fault::{CronFault, CronField};
use super::fields::{DayOfMonth, DayOfWeek, Fields};
use super::terms::Values;

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
