//! A second reading of expressions, as plain as possible: every rule is looked up again for every minute.

use jiff::civil::{DateTime, Weekday};

/// Values of the fields, and what day fields say literally.
pub(crate) struct Naive {
    minutes: Vec<bool>,
    hours: Vec<bool>,
    months: Vec<bool>,
    day: String,
    days: Vec<bool>,
    weekday: String,
    weekdays: Vec<bool>,
    /// Whether the minute or hour field begins with a star.
    pub(crate) is_wildcard: bool,
}

impl Naive {
    pub(crate) fn new(text: &str) -> Self {
        let words: Vec<&str> = text.split(' ').collect();
        let set = |text: &str, min: usize, max: usize| -> Vec<bool> {
            let mut set = vec![false; max + 1];
            for item in text.split(',').filter(|item| !item.contains(['L', 'W', '#'])) {
                let (base, step) = item.split_once('/').unwrap_or((item, "1"));
                let (from, to) = match base.split_once('-') {
                    Some((from, to)) => (from.parse().expect("from"), to.parse().expect("to")),
                    None if base == "*" => (min, max),
                    None => (base.parse().expect("value"), base.parse().expect("value")),
                };
                (from..=to).step_by(step.parse().expect("step")).for_each(|value| set[value] = true);
            }
            set
        };
        let mut weekdays = set(words[4], 0, 7);
        weekdays[0] |= words[4] != "*" && !words[4].starts_with("*/") && weekdays[7];
        if words[4].contains("*/") {
            // A star counts Sunday once, as 0.
            let with_six: Vec<String> =
                words[4].split(',').map(|item| item.replacen('*', "0-6", 1)).collect();
            weekdays = set(&with_six.join(","), 0, 7);
            weekdays[0] |= weekdays[7];
        }
        Self {
            minutes: set(words[0], 0, 59),
            hours: set(words[1], 0, 23),
            months: set(words[3], 1, 12),
            day: words[2].to_owned(),
            days: set(words[2], 1, 31),
            weekday: words[4].to_owned(),
            weekdays,
            is_wildcard: words[0].starts_with('*') || words[1].starts_with('*'),
        }
    }

    pub(crate) fn matches(&self, wall: DateTime) -> bool {
        self.minutes[wall.minute() as usize]
            && self.hours[wall.hour() as usize]
            && self.months[wall.month() as usize]
            && match (self.day.as_str(), self.weekday.as_str()) {
                ("*", "*") => true,
                ("*", _) => self.weekday_matches(wall),
                (_, "*") => self.day_matches(wall),
                _ => self.day_matches(wall) || self.weekday_matches(wall),
            }
    }

    /// The days of the week as they are listed, Sunday as 0.
    pub(crate) fn weekdays(&self) -> Vec<usize> {
        (0..7).filter(|day| self.weekdays[*day]).collect()
    }

    fn day_matches(&self, wall: DateTime) -> bool {
        let (date, length) = (wall.date(), wall.date().days_in_month());
        let is_workday = |day: i8| {
            let weekday = date.with().day(day).build().expect("a day of the month").weekday();
            !matches!(weekday, Weekday::Saturday | Weekday::Sunday)
        };
        match self.day.as_str() {
            "L" => date.day() == length,
            "LW" => (1..=length).rfind(|day| is_workday(*day)) == Some(date.day()),
            text if text.ends_with('W') => {
                let wanted: i8 = text[..text.len() - 1].parse().expect("a day");
                let near = [0, -1, 1, -2, 2].map(|shift| wanted + shift);
                let found = near.into_iter().find(|day| (1..=length).contains(day) && is_workday(*day));
                wanted <= length && found == Some(date.day())
            }
            _ => self.days[date.day() as usize],
        }
    }

    fn weekday_matches(&self, wall: DateTime) -> bool {
        let date = wall.date();
        let weekday = date.weekday().to_sunday_zero_offset();
        if let Some(wanted) = self.weekday.strip_suffix('L') {
            return wanted == weekday.to_string() && date.day() + 7 > date.days_in_month();
        }
        if let Some((wanted, nth)) = self.weekday.split_once('#') {
            return wanted == weekday.to_string() && nth == ((date.day() - 1) / 7 + 1).to_string();
        }
        self.weekdays[weekday as usize]
    }
}
