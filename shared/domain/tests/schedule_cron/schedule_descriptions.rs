//! Expressions in plain English.

use domain::schedule::{CronExpression, describe};

#[test]
fn expressions_read_aloud() {
    for (text, expected) in [
        ("* * * * *", "Every minute"),
        ("*/15 * * * *", "Every 15 minutes"),
        ("0,30 * * * *", "Every 30 minutes"),
        ("0 * * * *", "Every hour"),
        ("30 * * * *", "At minute 30 of every hour"),
        ("5/15 * * * *", "At minutes 5, 20, 35 and 50 of every hour"),
        ("10-20,40 * * * *", "At minutes 10 to 20 and 40 of every hour"),
        ("30 2 * * *", "At 02:30 every day"),
        ("0,30 2,14 * * *", "At 02:00, 02:30, 14:00 and 14:30 every day"),
        ("0 */6 * * *", "At 00:00, 06:00, 12:00 and 18:00 every day"),
        ("0 9-17 * * *", "Every hour from 09:00 to 17:00, every day"),
        ("15 */2 * * *", "Every 2 hours from 00:15 to 22:15, every day"),
        ("*/15 9-17 * * 1-5", "Every 15 minutes from 09:00 to 17:59, Monday to Friday"),
        ("*/10 9-11,14-16 * * *", "Every 10 minutes from 09:00 to 11:59 and 14:00 to 16:59, every day"),
        ("*/5 * * * 1-5", "Every 5 minutes, Monday to Friday"),
        ("*/5 * * 6-8 *", "Every 5 minutes in June to August"),
        ("0 9 * * 1-5", "At 09:00, Monday to Friday"),
        ("0 9 * * MON,WED,FRI", "At 09:00 every Monday, Wednesday and Friday"),
        ("0 9 * * 5-7", "At 09:00, Friday to Sunday"),
        ("0 9 * 6 0", "At 09:00 every Sunday in June"),
        ("0 0 1,15 * *", "At 00:00 on days 1 and 15 of every month"),
        ("0 0 1 1 *", "At 00:00 on day 1 of January"),
        ("0 0 1 * * ", "At 00:00 on day 1 of every month"),
        ("0 0 1-7 3,4,5,12 *", "At 00:00 on days 1 to 7 of March to May and December"),
        ("0 0 L * *", "At 00:00 on the last day of every month"),
        ("0 0 LW * *", "At 00:00 on the last weekday (Monday to Friday) of every month"),
        ("0 0 15W 6 *", "At 00:00 on the weekday (Monday to Friday) nearest to day 15 of June"),
        ("0 9 * * 5L", "At 09:00 on the last Friday of every month"),
        ("0 9 * 3-5 1#2", "At 09:00 on the second Monday of March to May"),
        ("*/5 * * * 1#1", "Every 5 minutes, on the first Monday of every month"),
        ("0 0 13 * 5", "At 00:00, on day 13 of every month and also every Friday"),
        ("0 * 13 * 5L", "Every hour, on day 13 of every month and also on the last Friday of every month"),
    ] {
        let expression = CronExpression::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        assert_eq!(describe(&expression), expected, "{text}");
    }
}
