//! Counting starts: how many more fit now, and when the next ones do.
//!
//! - A window is counted in sub-windows, fifty or more of a period. A start counts until the last instant of its
//!   sub-window is more than a period ago: for up to a sub-window longer than it has to, and never shorter. So no period
//!   has more starts than the rate says, and under load at least 98 % of them are used.
//! - A bucket is counted by what is missing in it, in units of which a start takes as many as the period has
//!   milliseconds, and a millisecond brings as many as the rate has starts. Nothing is ever rounded.
//!
//! Instants come from the store's clock. Where that goes back by a little, a count stays at the last instant that it saw: no start
//! is judged by an earlier one than the start before it. Where it was set back, all that counts is as if it had just been started.

use serde::{Deserialize, Serialize};

use super::Rate;
use crate::time::{DurationMs, Timestamp};

/// How many sub-windows a period has at least.
const PARTS: i64 = 50;

/// More sub-windows are not kept. There are more only after the period was changed; then the oldest are brought
/// together, as if all of their starts had been in the latest of them.
const PARTS_MAX: usize = 128;

/// A clock that is so far behind the last instant that a count saw was set back, in milliseconds. Rows say less that is later than
/// their claim, by nodes whose clocks are ahead.
const SET_BACK_MS: i64 = 60_000;

/// The starts of one subject, as far as its rate needs them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartCount {
    /// The last instant it saw.
    at: i64,
    counted: Counted,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Counted {
    /// The sub-windows that count, the oldest first: the last instant of each, and how many starts it has.
    Window(Vec<(i64, u32)>),
    /// What is missing in a bucket, and how many units a start takes.
    Bucket { missing: i64, unit: i64 },
}

impl StartCount {
    /// Nothing was started yet.
    pub fn new(rate: &Rate, now: Timestamp) -> Self {
        let counted = match *rate {
            Rate::Window { .. } => Counted::Window(Vec::new()),
            Rate::Bucket { per, .. } => Counted::Bucket { missing: 0, unit: per.0 },
        };
        Self { at: now.0, counted }
    }

    /// Goes on to `now` under a rate, which may be another one than before: what is known of earlier starts counts on.
    #[must_use]
    pub fn advanced(mut self, rate: &Rate, now: Timestamp) -> Self {
        if self.at.saturating_sub(now.0) > SET_BACK_MS {
            self = self.set_back(now);
        }
        let now = now.0.max(self.at);
        self.counted = match (*rate, self.counted) {
            (Rate::Window { per, .. }, Counted::Window(mut parts)) => {
                parts.retain(|&(last, _)| last >= now.saturating_sub(per.0));
                Counted::Window(parts)
            }
            // As if all that is missing in the bucket had been started just now.
            (Rate::Window { .. }, Counted::Bucket { missing, unit }) => {
                let starts = u32::try_from(ceil(missing, unit)).unwrap_or(u32::MAX);
                Counted::Window(if starts > 0 { vec![(now, starts)] } else { Vec::new() })
            }
            (Rate::Bucket { starts, per, .. }, Counted::Bucket { missing, unit }) => {
                let missing = if unit == per.0 { missing } else { ceil(missing, unit).saturating_mul(per.0) };
                let brought = (now - self.at).saturating_mul(i64::from(starts));
                Counted::Bucket { missing: missing.saturating_sub(brought).max(0), unit: per.0 }
            }
            (Rate::Bucket { per, .. }, Counted::Window(parts)) => {
                let counting = parts.iter().filter(|(last, _)| *last >= now.saturating_sub(per.0));
                let starts: i64 = counting.map(|&(_, starts)| i64::from(starts)).sum();
                Counted::Bucket { missing: starts.saturating_mul(per.0), unit: per.0 }
            }
        };
        self.at = now;
        self
    }

    /// As if all that counts had been started at this instant, to which the clock was set back. How much time has passed since the
    /// starts is not known: no period has too many, and none waits for longer than one.
    fn set_back(self, now: Timestamp) -> Self {
        let counted = match self.counted {
            Counted::Window(parts) => {
                let starts = sum(&parts);
                Counted::Window(if starts > 0 { vec![(now.0, starts)] } else { Vec::new() })
            }
            bucket @ Counted::Bucket { .. } => bucket,
        };
        Self { at: now.0, counted }
    }

    /// How many starts fit at the instant that it was advanced to.
    pub fn room(&self, rate: &Rate) -> u32 {
        match (*rate, &self.counted) {
            (Rate::Window { starts, .. }, Counted::Window(parts)) => starts.saturating_sub(sum(parts)),
            (Rate::Bucket { burst, per, .. }, Counted::Bucket { missing, .. }) => {
                let left = i64::from(burst).saturating_mul(per.0).saturating_sub(*missing).max(0);
                u32::try_from(left / per.0).unwrap_or(u32::MAX)
            }
            // It was not advanced under this rate.
            _ => 0,
        }
    }

    /// How many starts would fit if it was advanced to `now`.
    pub fn room_at(&self, rate: &Rate, now: Timestamp) -> u32 {
        match (*rate, &self.counted) {
            // Without a copy of the sub-windows.
            (Rate::Window { starts, per }, Counted::Window(parts)) => {
                let since = now.0.max(self.at).saturating_sub(per.0);
                let counting = parts.iter().filter(|(last, _)| *last >= since);
                starts.saturating_sub(counting.fold(0, |sum: u32, &(_, starts)| sum.saturating_add(starts)))
            }
            _ => self.clone().advanced(rate, now).room(rate),
        }
    }

    /// Counts starts. They began at the instant that it was advanced to, or up to `latest`, where the rows say so.
    pub fn record(&mut self, rate: &Rate, starts: u32, latest: Timestamp) {
        let latest = latest.0.max(self.at);
        match (*rate, &mut self.counted) {
            (Rate::Window { per, .. }, Counted::Window(parts)) => record_part(parts, per, latest, starts),
            (Rate::Bucket { per, .. }, Counted::Bucket { missing, .. }) => {
                *missing = missing.saturating_add(i64::from(starts).saturating_mul(per.0));
                // Until then nothing is brought, so that later starts do not come too close to these.
                self.at = latest;
            }
            _ => {}
        }
    }

    /// Makes it ready for starts whose number is known later and that begin at some instant from the one that it was
    /// advanced to until this one: as if they began when that leaves the least room.
    #[must_use]
    pub fn opened(mut self, rate: &Rate, until: Timestamp) -> Self {
        let until = until.0.max(self.at);
        match (*rate, &mut self.counted) {
            (Rate::Window { per, .. }, Counted::Window(parts)) => record_part(parts, per, until, 0),
            (Rate::Bucket { starts, .. }, Counted::Bucket { missing, .. }) => {
                // A bucket that is full before they begin is brought nothing in between.
                *missing = (until - self.at).saturating_mul(i64::from(starts)).max(*missing);
            }
            _ => {}
        }
        self
    }

    /// Counts starts for which it was [`opened`](Self::opened).
    pub fn add(&mut self, starts: u32) {
        match &mut self.counted {
            Counted::Window(parts) => {
                if let Some((_, counted)) = parts.last_mut() {
                    *counted = counted.saturating_add(starts);
                }
            }
            Counted::Bucket { missing, unit } => {
                *missing = missing.saturating_add(i64::from(starts).saturating_mul(*unit));
            }
        }
    }

    /// Its stored form around the number that [`add`](Self::add) raises; `None` where it was not opened.
    pub fn template(&self) -> Option<CountTemplate> {
        const MISSING: &str = "\"missing\":";
        let text = serde_json::to_string(self).ok()?;
        let (from, step) = match &self.counted {
            // The last number is that of the last sub-window.
            Counted::Window(_) => (text.rfind(',')? + 1, 1),
            Counted::Bucket { unit, .. } => (text.find(MISSING)? + MISSING.len(), *unit),
        };
        let digits = text[from..].bytes().take_while(u8::is_ascii_digit).count();
        let base = text[from..from + digits].parse().ok()?;
        Some(CountTemplate {
            head: text[..from].to_owned(),
            base,
            step,
            tail: text[from + digits..].to_owned(),
        })
    }

    /// The earliest instant at which a job can be started that has so many ahead of it under this rate. A lower bound:
    /// those ahead are taken to start as early as they can, and nobody else to start.
    pub fn free_at(&self, rate: &Rate, ahead: u64) -> Timestamp {
        let ahead = i64::try_from(ahead).unwrap_or(i64::MAX);
        match (*rate, &self.counted) {
            (Rate::Window { starts, per }, Counted::Window(parts)) => {
                // Whoever is a whole window of starts behind another one starts more than a period later.
                let (periods, ahead) = (ahead / i64::from(starts), ahead % i64::from(starts));
                let allowed = i64::from(starts) - ahead - 1;
                let mut counted: i64 = parts.iter().map(|&(_, starts)| i64::from(starts)).sum();
                let mut at = self.at;
                for &(last, starts) in parts {
                    if counted <= allowed {
                        break;
                    }
                    counted -= i64::from(starts);
                    at = at.max(last.saturating_add(per.0).saturating_add(1));
                }
                Timestamp(at.saturating_add(periods.saturating_mul(per.0.saturating_add(1))))
            }
            (Rate::Bucket { starts, per, burst }, Counted::Bucket { missing, .. }) => {
                let wanted = ahead.saturating_add(1).saturating_mul(per.0).saturating_add(*missing);
                let short = wanted.saturating_sub(i64::from(burst).saturating_mul(per.0)).max(0);
                Timestamp(self.at.saturating_add(ceil(short, i64::from(starts))))
            }
            _ => Timestamp(self.at),
        }
    }

    /// From when on it says nothing that a new count would not say.
    pub fn expires_at(&self, rate: &Rate) -> Timestamp {
        match (*rate, &self.counted) {
            (Rate::Window { per, .. }, Counted::Window(parts)) => {
                let last = parts.last().map_or(self.at, |(last, _)| (*last).max(self.at));
                Timestamp(last.saturating_add(per.0).saturating_add(1))
            }
            (Rate::Bucket { starts, .. }, Counted::Bucket { missing, .. }) => {
                Timestamp(self.at.saturating_add(ceil(*missing, i64::from(starts))))
            }
            _ => Timestamp(self.at),
        }
    }
}

/// The stored form of a count to which a statement adds what it starts: `head`, then `base` and `step` for each start,
/// then `tail`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountTemplate {
    /// The text before the number.
    pub head: String,
    /// The number without any start.
    pub base: i64,
    /// By how much each start raises it.
    pub step: i64,
    /// The text after the number.
    pub tail: String,
}

impl Rate {
    /// For how long it may be unknown when a start begins that is [counted](StartCount::opened) before: the longer, the
    /// fewer of all starts can be used, and with this at least nine of ten can.
    pub fn tolerance(&self) -> DurationMs {
        match *self {
            Self::Window { per, .. } => DurationMs(2 * per.0 / PARTS),
            Self::Bucket { starts, per, burst } => {
                DurationMs(i64::from(burst).saturating_mul(per.0) / (i64::from(starts) * 20))
            }
        }
    }
}

/// Counts starts of a window of which the last one begins at `latest`.
fn record_part(parts: &mut Vec<(i64, u32)>, per: DurationMs, latest: i64, starts: u32) {
    let width = (per.0 / PARTS).max(1);
    let end = latest.div_euclid(width).saturating_mul(width).saturating_add(width - 1);
    match parts.last_mut() {
        Some((last, counted)) if *last >= end => *counted = counted.saturating_add(starts),
        _ => parts.push((end, starts)),
    }
    while parts.len() > PARTS_MAX {
        let (_, oldest) = parts.remove(0);
        parts[0].1 = parts[0].1.saturating_add(oldest);
    }
}

fn sum(parts: &[(i64, u32)]) -> u32 {
    parts.iter().fold(0, |sum: u32, &(_, starts)| sum.saturating_add(starts))
}

/// Neither is negative, and the second is not zero: it is a period or a number of starts.
fn ceil(number: i64, by: i64) -> i64 {
    number.saturating_add(by - 1) / by.max(1)
}
