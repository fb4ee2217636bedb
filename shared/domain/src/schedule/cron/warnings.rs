//! What is legal but often not meant.

use super::fault::CronField;
use super::fields::{DayOfMonth, DayOfWeek, Fields};
use super::possible::{day_of_month_occurs, day_of_week_occurs};
use super::terms::{Term, Values};

/// One sentence for each doubt.
pub(super) fn of(fields: &Fields) -> Vec<String> {
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
            "a day field such as */2 is a restriction here; crond takes it for `*` and wants both to match"
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
                "{field}: */{step} starts anew with each {unit}, so that the last step before it is only {rest} long"
            ));
        }
    }
}
