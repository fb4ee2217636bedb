//! What is refused: the field at fault, and what would be right.

use domain::error::Fault;
use domain::schedule::CronField::{DayOfMonth, DayOfWeek, Hour, Minute, Month};
use domain::schedule::{CronExpression, CronField, EXPRESSION_MAX_BYTES};

#[track_caller]
fn check(cases: &[(&str, Option<CronField>, &str)]) {
    for (text, field, hint) in cases {
        let fault = match CronExpression::parse(text) {
            Ok(read) => panic!("{text:?} was read as {read}"),
            Err(fault) => fault,
        };
        assert_eq!(fault.field, *field, "{text:?}: {fault}");
        assert!(fault.message.contains(hint), "{text:?}: {fault}");
        assert!(fault.message.len() < 400, "{text:?}: {fault}");
    }
}

#[test]
fn wrong_counts_of_fields() {
    check(&[
        ("", None, "five fields"),
        ("   ", None, "five fields"),
        ("*", Some(Hour), "five"),
        ("* * *", Some(Month), "there are 3 fields"),
        ("* * * *", Some(DayOfWeek), "there are 4 fields"),
        ("0 30 2 * * *", None, "seconds are not supported: write five fields, such as `30 2 * * *`"),
        ("0 0 12 * * ? 2026", None, "seconds are not supported, and neither are years"),
        ("* * * * * * * *", None, "8 fields"),
        ("* * * * *\n", None, "one line"),
        ("٥ * * * *", None, "ASCII"),
        ("* * * *\u{a0}*", None, "ASCII"),
    ]);
    let long = format!("{}0 * * * *", "0,".repeat(EXPRESSION_MAX_BYTES / 2));
    check(&[(&long, None, "256")]);
    let longest = format!("{}0 * * * *", " ".repeat(EXPRESSION_MAX_BYTES - 9));
    assert!(CronExpression::parse(&longest).is_ok());
}

#[test]
fn aliases_that_are_no_clock() {
    check(&[
        ("@reboot", None, "@reboot is not supported"),
        ("@REBOOT", None, "@reboot is not supported"),
        ("@every 5m", None, "@every is not supported"),
        ("@every_minute", None, "@every is not supported"),
        ("@fortnightly", None, "@weekly"),
        ("@", None, "@hourly"),
        ("@daily 5", None, "stands alone"),
    ]);
}

#[test]
fn ranges_that_wrap_around() {
    check(&[
        ("* 22-4 * * *", Some(Hour), "write 22-23,0-4"),
        ("* 23-0 * * *", Some(Hour), "write 23,0"),
        ("50-10 * * * *", Some(Minute), "write 50-59,0-10"),
        ("* 22-4/2 * * *", Some(Hour), "write 22,0,2,4"),
        ("* * 30-2 * *", Some(DayOfMonth), "write 30-31,1-2"),
        ("* * * NOV-FEB *", Some(Month), "write 11-12,1-2"),
        ("* * * * FRI-MON", Some(DayOfWeek), "write 5-6,0-1"),
        ("* * * * 6-0", Some(DayOfWeek), "write 6-7"),
        ("* * * * 7-2", Some(DayOfWeek), "write 0-2"),
        ("* * * * 6-3/2", Some(DayOfWeek), "write 6,1,3"),
    ]);
}

#[test]
fn values_out_of_range_and_no_values() {
    check(&[
        ("60 * * * *", Some(Minute), "0-59"),
        ("99999999999999999999 * * * *", Some(Minute), "0-59"),
        ("* 24 * * *", Some(Hour), "0-23"),
        ("* * 0 * *", Some(DayOfMonth), "1-31"),
        ("* * 32 * *", Some(DayOfMonth), "1-31"),
        ("* * * 0 *", Some(Month), "1-12 or JAN-DEC"),
        ("* * * 13 *", Some(Month), "1-12 or JAN-DEC"),
        ("* * * * 8", Some(DayOfWeek), "0-7 or SUN-SAT"),
        ("-5 * * * *", Some(Minute), "0-59"),
        ("5- * * * *", Some(Minute), "0-59"),
        ("1-2-3 * * * *", Some(Minute), "0-59"),
        ("+5 * * * *", Some(Minute), "0-59"),
        ("1.5 * * * *", Some(Minute), "0-59"),
        ("0x1 * * * *", Some(Minute), "0-59"),
        ("** * * * *", Some(Minute), "stands alone"),
        ("*5 * * * *", Some(Minute), "stands alone"),
        ("*-5 * * * *", Some(Minute), "stands alone"),
        (", * * * *", Some(Minute), "empty"),
        ("1,,2 * * * *", Some(Minute), "empty"),
        ("1,2, * * * *", Some(Minute), "empty"),
        ("* JAN * * *", Some(Hour), "another field"),
        ("* * * MON *", Some(Month), "another field"),
        ("* * * JANUARY *", Some(Month), "write JAN"),
        ("* * * * Tuesday", Some(DayOfWeek), "write TUE"),
        ("* * * * $(id)", Some(DayOfWeek), "SUN-SAT"),
    ]);
}

#[test]
fn steps() {
    check(&[
        ("*/0 * * * *", Some(Minute), "1 to 60"),
        ("*/61 * * * *", Some(Minute), "1 to 60"),
        ("*/999 * * * *", Some(Minute), "1 to 60"),
        ("* */25 * * *", Some(Hour), "1 to 24"),
        ("* * */32 * *", Some(DayOfMonth), "1 to 31"),
        ("* * * */13 *", Some(Month), "1 to 12"),
        ("* * * * */8", Some(DayOfWeek), "1 to 7"),
        ("*/ * * * *", Some(Minute), "1 to 60"),
        ("*/a * * * *", Some(Minute), "1 to 60"),
        ("*/2/3 * * * *", Some(Minute), "1 to 60"),
        ("/5 * * * *", Some(Minute), "missing"),
    ]);
}

#[test]
fn question_marks_and_letters() {
    check(&[
        ("? * * * *", Some(Minute), "write `*`"),
        ("* ? * * *", Some(Hour), "write `*`"),
        ("* * * ? *", Some(Month), "write `*`"),
        ("* * ?/2 * *", Some(DayOfMonth), "stands alone"),
        ("* * 1,? * *", Some(DayOfMonth), "stands alone"),
        ("* * * * ?,1", Some(DayOfWeek), "stands alone"),
        ("L * * * *", Some(Minute), "day fields"),
        ("* 5W * * *", Some(Hour), "day fields"),
        ("* * * 1#2 *", Some(Month), "day-of-week"),
        ("* * L-3 * *", Some(DayOfMonth), "L for the last day"),
        ("* * 1,L * *", Some(DayOfMonth), "stand alone"),
        ("* * L,15W * *", Some(DayOfMonth), "stand alone"),
        ("* * 1-15W * *", Some(DayOfMonth), "stand alone"),
        ("* * 5L * *", Some(DayOfMonth), "stand alone"),
        ("* * 5#2 * *", Some(DayOfMonth), "day-of-week"),
        ("* * W * *", Some(DayOfMonth), "15W"),
        ("* * 0W * *", Some(DayOfMonth), "1-31"),
        ("* * 32W * *", Some(DayOfMonth), "1-31"),
        ("* * * * L", Some(DayOfWeek), "5L"),
        ("* * * * L5", Some(DayOfWeek), "5L"),
        ("* * * * 8L", Some(DayOfWeek), "0-7"),
        ("* * * * 5L,1", Some(DayOfWeek), "stand alone"),
        ("* * * * 1-3#2", Some(DayOfWeek), "stand alone"),
        ("* * * * 1#2,3#2", Some(DayOfWeek), "stand alone"),
        ("* * * * 5#0", Some(DayOfWeek), "1 to 5"),
        ("* * * * 5#6", Some(DayOfWeek), "1 to 5"),
        ("* * * * #2", Some(DayOfWeek), "missing"),
        ("* * * * 5#L", Some(DayOfWeek), "5L"),
        ("* * * * 5W", Some(DayOfWeek), "day-of-month"),
        ("* * * * LW", Some(DayOfWeek), "5L"),
    ]);
}

#[test]
fn expressions_that_never_fire() {
    check(&[
        ("0 0 30 2 *", Some(DayOfMonth), "February"),
        ("0 0 31 2 *", Some(DayOfMonth), "write a day up to 29"),
        ("0 0 31 4,6,9,11 *", Some(DayOfMonth), "April or June or September or November"),
        ("0 0 30-31 2 *", Some(DayOfMonth), "February"),
        ("0 0 31W 4 *", Some(DayOfMonth), "April"),
        ("0 0 30W 2 *", Some(DayOfMonth), "February"),
        ("0 0 * 2 1#5", Some(DayOfWeek), "such as 5L"),
        ("0 0 30 2 1#5", Some(DayOfMonth), "February"),
    ]);
    for text in [
        "0 0 29 2 *",
        "0 0 29W 2 *",
        "0 0 31 2-3 *",
        "0 0 31 2 1",
        "0 0 31 2 5L",
        "0 0 * 2,3 1#5",
        "0 0 1 2 1#5",
    ] {
        assert!(CronExpression::parse(text).is_ok(), "{text}");
    }
}

#[test]
fn the_field_is_named_in_the_text_of_the_fault() {
    let fault = CronExpression::parse("* 22-4 * * *").expect_err("wraps around");
    assert_eq!(fault.to_string(), "hour: a range may not wrap around: write 22-23,0-4");
    let shown = Fault::from(fault).under("/cron").to_string();
    assert_eq!(shown, "/cron: hour: a range may not wrap around: write 22-23,0-4");
}
