//! Time goes forward across every change of the clock from 1970 to 2037.

use domain::schedule::next_after;
use domain::time::{DurationMs, Timestamp};

use crate::zones::{ZONES, changes, cron, zone};

const EXPRESSIONS: [&str; 6] =
    ["*/20 * * * *", "30 * * * *", "0,30 0-3 * * *", "30 2 * * *", "0 0 * * *", "15 1 * * 0"];
const STEPS_MAX: usize = 24;

#[test]
fn each_fire_is_later_than_the_last() {
    let mut count = 0;
    for name in ZONES {
        let zone = zone(name);
        for change_s in changes(name, "1970-01-01T00:00:00Z", "2038-01-01T00:00:00Z") {
            let change = Timestamp(change_s * 1000);
            for text in EXPRESSIONS {
                let cron = cron(text);
                let mut last = change.minus(DurationMs::from_secs(3 * 3600));
                for _ in 0..STEPS_MAX {
                    let next = next_after(&cron, &zone, last).expect("fires for ever");
                    assert!(next > last, "{text} {name}: {next} follows {last}");
                    last = next;
                    if last > change.plus(DurationMs::from_secs(3 * 3600)) {
                        break;
                    }
                }
            }
            count += 1;
        }
    }
    assert!(count > 2_500, "{count} changes");
}

/// Whatever instant one asks from, the answer is the first fire of the same sequence after it.
#[test]
fn the_answer_does_not_depend_on_where_one_asks() {
    for name in
        ["America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Pacific/Apia", "Antarctica/Troll"]
    {
        let zone = zone(name);
        for change_s in changes(name, "2005-01-01T00:00:00Z", "2013-01-01T00:00:00Z") {
            let start = Timestamp((change_s - 4 * 3600) * 1000);
            for text in EXPRESSIONS {
                let cron = cron(text);
                let fires: Vec<Timestamp> =
                    std::iter::successors(Some(start), |last| next_after(&cron, &zone, *last))
                        .skip(1)
                        .take(30)
                        .collect();
                for minutes in (0..480).step_by(17) {
                    let asked = start.plus(DurationMs(minutes * 60_000 + 30_500));
                    let Some(expected) = fires.iter().find(|fire| **fire > asked) else {
                        continue;
                    };
                    assert_eq!(
                        next_after(&cron, &zone, asked),
                        Some(*expected),
                        "{text} {name} after {asked}"
                    );
                }
            }
        }
    }
}
