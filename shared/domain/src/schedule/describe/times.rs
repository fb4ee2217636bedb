//! The times of day.

use super::words::{joined, runs, spans, stride};
use crate::schedule::cron::{Fields, bits};

/// So many times of day are named one by one.
const NAMED_MAX: usize = 6;

/// The part of the sentence that says at which times.
pub(super) enum Times {
    /// `At 02:30 and 14:30`: reads on with `every day`.
    Named(String),
    /// `Every 15 minutes from 09:00 to 17:59`: reads on with `, every day`.
    Within(String),
    /// `Every 15 minutes`: says enough by itself.
    Always(String),
}

/// How the part about the days begins when there is nothing else to say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NeedsDays {
    /// ` every day`
    Plain,
    /// `, every day`
    Comma,
    /// Nothing.
    No,
}

impl Times {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Named(text) | Self::Within(text) | Self::Always(text) => text,
        }
    }

    pub(super) fn needs_days(&self) -> NeedsDays {
        match self {
            Self::Named(_) => NeedsDays::Plain,
            Self::Within(_) => NeedsDays::Comma,
            Self::Always(_) => NeedsDays::No,
        }
    }
}

pub(super) fn of(fields: &Fields) -> Times {
    let minutes: Vec<u8> = bits(fields.minutes()).collect();
    let hours: Vec<u8> = bits(fields.hours()).collect();
    if hours.len() == 24 {
        return Times::Always(within_each_hour(&minutes));
    }
    if minutes.len() * hours.len() <= NAMED_MAX {
        let named: Vec<String> =
            hours.iter().flat_map(|hour| minutes.iter().map(move |minute| clock(*hour, *minute))).collect();
        return Times::Named(format!("At {}", joined(&named)));
    }
    if let ([minute], Some(step)) = (minutes.as_slice(), stride(&hours)) {
        let every = if step == 1 { "Every hour".to_owned() } else { format!("Every {step} hours") };
        let (first, last) = (hours[0], hours[hours.len() - 1]);
        return Times::Within(format!("{every} from {} to {}", clock(first, *minute), clock(last, *minute)));
    }
    let windows: Vec<String> = runs(&hours)
        .iter()
        .map(|(first, last)| format!("{} to {}", clock(*first, 0), clock(*last, 59)))
        .collect();
    Times::Within(format!("{} from {}", within_each_hour(&minutes), joined(&windows)))
}

/// Which minutes of each hour.
fn within_each_hour(minutes: &[u8]) -> String {
    match (minutes, stride(minutes)) {
        ([0], _) => "Every hour".into(),
        ([minute], _) => format!("At minute {minute} of every hour"),
        ([0, 30], _) => "Every 30 minutes".into(),
        (_, Some(1)) if minutes.len() == 60 => "Every minute".into(),
        (_, Some(step)) if minutes[0] == 0 && minutes.len() * usize::from(step) == 60 => {
            format!("Every {step} minutes")
        }
        _ => format!("At minutes {} of every hour", spans(minutes, |minute| minute.to_string())),
    }
}

fn clock(hour: u8, minute: u8) -> String {
    format!("{hour:02}:{minute:02}")
}
