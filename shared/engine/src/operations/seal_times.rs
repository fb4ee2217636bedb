//! When the sealing of this process last did what it does seldom.

use std::time::{Duration, Instant};

use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;

/// How far back rows without a seal are looked for each time. Gathered lines are at most a minute old when they are written.
pub(crate) const LATEST: DurationMs = DurationMs::from_secs(90);

/// How far back they are looked for once in a while: what was committed late.
pub(crate) const RECENT: DurationMs = DurationMs::from_secs(10 * 60);

pub(crate) const RECENT_EVERY: Duration = Duration::from_mins(1);

/// How often they are looked for in all of the log: what a process wrote that stood still, or an older version. It is gone
/// through in parts, one each time.
pub(crate) const ALL_EVERY: Duration = Duration::from_mins(10);

/// When the sealing of this process last did what it does seldom.
#[derive(Debug, Default)]
pub(crate) struct SealTimes(pub(super) Mutex<Times>);

#[derive(Debug, Default)]
pub(crate) struct Times {
    /// When nothing was left that is recent.
    recent_at: Option<Instant>,
    /// Where the next part of the log begins, while it is gone through.
    part: Option<Timestamp>,
    /// When it was gone through.
    all_at: Option<Instant>,
    pub(super) logged_at: Option<Instant>,
}

impl Times {
    fn is_due(last: Option<Instant>, every: Duration, now: Instant) -> bool {
        last.is_none_or(|at| now.saturating_duration_since(at) >= every)
    }

    /// How far back to look this time.
    pub(super) fn look_back(&self, now: Instant) -> DurationMs {
        if Self::is_due(self.recent_at, RECENT_EVERY, now) { RECENT } else { LATEST }
    }

    /// Nothing is left as far back as that.
    pub(super) fn looked_back(&mut self, look_back: DurationMs, now: Instant) {
        if look_back == RECENT {
            self.recent_at = Some(now);
        }
    }

    /// The part of the log that is next, if it is to be gone through.
    pub(super) fn next_part(&self, now: Instant) -> Option<Timestamp> {
        self.part.or_else(|| Self::is_due(self.all_at, ALL_EVERY, now).then_some(Timestamp(0)))
    }

    /// A part was gone through, and the next begins there; `None` at the end.
    pub(super) fn gone_through(&mut self, next: Option<Timestamp>, now: Instant) {
        self.part = next;
        if next.is_none() {
            self.all_at = Some(now);
        }
    }
}
