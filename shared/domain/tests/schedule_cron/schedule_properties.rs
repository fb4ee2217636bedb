//! Properties of the text form: it prints what it reads, and nothing makes it panic.

use domain::schedule::{CronExpression, Zone, describe, next_after};
use domain::time::Timestamp;
use proptest::prelude::*;

fn value(min: u8, max: u8) -> impl Strategy<Value = String> {
    (min..=max, 0..2_u8).prop_map(|(value, zeros)| format!("{}{value}", "0".repeat(zeros.into())))
}

fn item(min: u8, max: u8) -> impl Strategy<Value = String> {
    let range = (min..=max, min..=max).prop_map(|(a, b)| format!("{}-{}", a.min(b), a.max(b)));
    let step = 1..=(max - min).max(1);
    prop_oneof![
        4 => value(min, max),
        3 => range.clone(),
        2 => (range, step.clone()).prop_map(|(range, step)| format!("{range}/{step}")),
        1 => (value(min, max), step.clone()).prop_map(|(value, step)| format!("{value}/{step}")),
        1 => step.prop_map(|step| format!("*/{step}")),
        1 => Just("*".to_owned()),
    ]
}

fn field(min: u8, max: u8) -> impl Strategy<Value = String> {
    prop_oneof![
        2 => Just("*".to_owned()),
        3 => prop::collection::vec(item(min, max), 1..4).prop_map(|items| items.join(",")),
    ]
}

fn day_of_month() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => field(1, 31),
        1 => prop::sample::select(vec!["?", "L", "l", "LW", "lw"]).prop_map(str::to_owned),
        1 => (1..=31_u8).prop_map(|day| format!("{day}W")),
    ]
}

fn day_of_week() -> impl Strategy<Value = String> {
    let weekday = prop::sample::select(vec!["0", "1", "5", "7", "sun", "TUE", "Fri", "SAT"]);
    prop_oneof![
        6 => field(0, 7),
        1 => prop::sample::select(vec!["?", "MON-FRI", "sat,sun", "MON/2", "THU-7"]).prop_map(str::to_owned),
        1 => weekday.clone().prop_map(|day| format!("{day}L")),
        1 => (weekday, 1..=5_u8).prop_map(|(day, nth)| format!("{day}#{nth}")),
    ]
}

fn months() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => field(1, 12),
        1 => prop::sample::select(vec!["JAN", "feb-Apr", "OCT-12,1", "jul/2"]).prop_map(str::to_owned),
    ]
}

fn expression() -> impl Strategy<Value = String> {
    (field(0, 59), field(0, 23), day_of_month(), months(), day_of_week())
        .prop_map(|(minute, hour, day, month, weekday)| format!("{minute} {hour}\t{day} {month}  {weekday}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2 * ProptestConfig::default().cases, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_prints_and_reads_again_as_the_same(text in expression()) {
        match CronExpression::parse(&text) {
            Ok(read) => {
                let again = CronExpression::parse(&read.to_string());
                prop_assert_eq!(again.as_ref(), Ok(&read));
                prop_assert_eq!(again.map(|again| again.to_string()), Ok(read.to_string()));
                prop_assert!(!describe(&read).contains("  "));
                let fire = next_after(&read, &Zone::default(), Timestamp(1_790_000_000_000));
                prop_assert!(fire.is_some(), "{} is accepted but does not fire within the horizon", read);
            }
            // Valid by construction: only days that never occur are refused.
            Err(fault) => prop_assert!(
                fault.message.contains("never occurs") || fault.message.contains("February"), "{}: {}", text, fault
            ),
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>()) {
        let _ = CronExpression::parse(&text);
        let _ = Zone::parse(&text);
    }

    #[test]
    fn no_text_like_an_expression_makes_anything_panic(text in "[-0-9*/,?LW#@ a-zJMS\t]{0,40}") {
        if let Ok(read) = CronExpression::parse(&text) {
            let _ = (describe(&read), read.warnings(), next_after(&read, &Zone::default(), Timestamp(0)));
        }
    }

    #[test]
    fn no_instant_makes_the_search_panic(text in expression(), ms in any::<i64>()) {
        if let Ok(read) = CronExpression::parse(&text) {
            let zone = Zone::parse("Europe/Berlin").expect("a zone");
            if let Some(fire) = next_after(&read, &zone, Timestamp(ms)) {
                prop_assert!(fire > Timestamp(ms));
            }
        }
    }
}
