//! What is read, as which values, and its normal form.

use domain::schedule::{CronExpression, CronField, DayOfMonth, DayOfWeek, Fields, Values};

fn parse(text: &str) -> CronExpression {
    CronExpression::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

fn values(fields: &Fields, field: CronField) -> Option<&Values> {
    match field {
        CronField::Minute => Some(&fields.minute),
        CronField::Hour => Some(&fields.hour),
        CronField::Month => Some(&fields.month),
        CronField::DayOfMonth => match &fields.day_of_month {
            DayOfMonth::Values(values) => Some(values),
            _ => None,
        },
        CronField::DayOfWeek => match &fields.day_of_week {
            DayOfWeek::Values(values) => Some(values),
            _ => None,
        },
    }
}

#[test]
fn expressions_have_one_normal_form() {
    for (text, normal) in [
        ("* * * * *", "* * * * *"),
        (" \t30\t2  * * *  ", "30 2 * * *"),
        ("05 002 * * *", "5 2 * * *"),
        ("0 0 ? * ?", "0 0 * * *"),
        ("0 0 * jan-MAR,Dec *", "0 0 * 1-3,12 *"),
        ("0 0 * * sun,MON-fri", "0 0 * * 0,1-5"),
        ("0 0 * * 7", "0 0 * * 0"),
        ("0 0 * * 5-7", "0 0 * * 5-7"),
        ("0 0 * * FRI-7", "0 0 * * 5-7"),
        ("5/15 1-5/2,*/6 * * *", "5/15 1-5/2,*/6 * * *"),
        ("0 0 l * *", "0 0 L * *"),
        ("0 0 lw * *", "0 0 LW * *"),
        ("0 0 015w * *", "0 0 15W * *"),
        ("0 0 * * fril", "0 0 * * 5L"),
        ("0 0 * * 7L", "0 0 * * 0L"),
        ("0 0 * * mon#2", "0 0 * * 1#2"),
        ("0 0 * * 7#5", "0 0 * * 0#5"),
        ("@yearly", "0 0 1 1 *"),
        ("@Annually", "0 0 1 1 *"),
        ("@monthly", "0 0 1 * *"),
        ("@weekly", "0 0 * * 0"),
        ("@daily", "0 0 * * *"),
        (" @MIDNIGHT ", "0 0 * * *"),
        ("@hourly", "0 * * * *"),
    ] {
        let expression = parse(text);
        assert_eq!(expression.to_string(), normal, "{text}");
        assert_eq!(parse(normal), expression, "{text}");
    }
}

#[test]
fn fields_stand_for_these_values() {
    use CronField::{DayOfMonth as Day, DayOfWeek as Week, Hour, Minute, Month};
    for (text, field, expected) in [
        ("5/15 * * * *", Minute, vec![5, 20, 35, 50]),
        ("*/25 * * * *", Minute, vec![0, 25, 50]),
        ("*/60 * * * *", Minute, vec![0]),
        ("10-20/5,50,50 * * * *", Minute, vec![10, 15, 20, 50]),
        ("0-0 * * * *", Minute, vec![0]),
        ("* 22-23,0-4 * * *", Hour, vec![0, 1, 2, 3, 4, 22, 23]),
        ("* 20/2 * * *", Hour, vec![20, 22]),
        ("* * */10 * *", Day, vec![1, 11, 21, 31]),
        ("* * 28/2 * *", Day, vec![28, 30]),
        ("* * * */4 *", Month, vec![1, 5, 9]),
        ("* * * oct-dec *", Month, vec![10, 11, 12]),
        ("* * * * 5-7", Week, vec![0, 5, 6]),
        ("* * * * 0-7", Week, vec![0, 1, 2, 3, 4, 5, 6]),
        ("* * * * 1-7/2", Week, vec![0, 1, 3, 5]),
        ("* * * * 1/2", Week, vec![1, 3, 5]),
        ("* * * * 7/3", Week, vec![0, 3, 6]),
        ("* * * * */5", Week, vec![0, 5]),
    ] {
        let expression = parse(text);
        let mask = values(expression.fields(), field).expect("plain values").mask(field);
        let listed: Vec<u8> = (0..64).filter(|bit| mask >> bit & 1 == 1).collect();
        assert_eq!(listed, expected, "{text}");
    }
}

#[test]
fn a_star_in_front_of_minute_or_hour_follows_the_clock() {
    for text in ["* * * * *", "*/15 2 * * *", "30 * * * *", "30 */2 * * *", "*/15 9-17 * * *", "30 *,2 * * *"]
    {
        assert!(parse(text).is_wildcard(), "{text}");
    }
    for text in ["30 2 * * *", "0-59 2 * * *", "0-59 0-23 * * *", "30 2,* * * *", "0 0/2 * * *"] {
        assert!(!parse(text).is_wildcard(), "{text}");
    }
}

#[test]
fn doubtful_expressions_are_accepted_with_a_warning() {
    for (text, part) in [
        ("0 0 13 * 5", "either one"),
        ("0 0 */2 * 1", "crond"),
        ("0 0 1-31 * 1", "either one"),
        ("0 0 31 2 1", "only day-of-week"),
        ("0 0 1 2 1#5", "only day-of-month"),
        ("0 0 31 * *", "write L"),
        ("0 0 30 * *", "write L"),
        ("0 0 29 2 *", "leap years"),
        ("*/7 * * * *", "only 4 long"),
        ("0 */5 * * *", "only 4 long"),
        ("0 0 * * 1/2", "1-7/2"),
    ] {
        let warnings = parse(text).warnings();
        assert!(warnings.iter().any(|warning| warning.contains(part)), "{text}: {warnings:?}");
    }
    for text in
        ["30 2 * * *", "*/15 * * * *", "0 0 1,31 * *", "0 0 31 1 *", "0 0 L * *", "0 0 ? * 1", "0 0 * * 1/4"]
    {
        assert_eq!(parse(text).warnings(), [""; 0], "{text}");
    }
}
