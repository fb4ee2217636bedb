//! What was measured, and what was let in since.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use domain::quota::fits;
use parking_lot::Mutex;
use store::usage::Measured;
use tokio::sync::Semaphore;

/// How long a figure is believed while there is room. Longer where it takes long to measure.
const BELIEVED: Duration = Duration::from_secs(10);
/// Measuring one figure may take this part of the time at most.
const SHARE: u32 = 50;
/// How long a figure is believed that refuses somebody.
const BELIEVED_FULL: Duration = Duration::from_secs(1);
/// The same part, where somebody is refused.
const SHARE_FULL: u32 = 5;
/// From so many figures on, those that are not believed any more are forgotten, each time there are twice as many as were left.
const SWEPT_FROM: usize = 10_000;

/// How many figures are measured at a time: each may read all that is open, on the connections that claims use.
const AT_A_TIME: usize = 3;

/// Figures as they were measured last.
pub(crate) struct Meter {
    figures: Mutex<Figures>,
    /// Whose turn it is to measure.
    pub(super) turns: Semaphore,
}

impl Default for Meter {
    fn default() -> Self {
        let figures = Figures { known: HashMap::new(), sweep_at: SWEPT_FROM };
        Self { figures: Mutex::new(figures), turns: Semaphore::new(AT_A_TIME) }
    }
}

struct Figures {
    known: HashMap<Measured, Figure>,
    /// How many there are when the old ones are looked for: that goes through all, and everybody waits.
    sweep_at: usize,
}

#[derive(Debug, Clone, Copy)]
struct Figure {
    used: u64,
    /// What this process let in since the measurement began.
    added: u64,
    measured_at: Instant,
    took: Duration,
    is_measuring: bool,
}

/// What to do with a request for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    /// There is room, and it is counted.
    Fits,
    /// There is room and it is counted; the figure is old.
    FitsForNow,
    /// There is none, of which so much is used.
    Full(u64),
    /// It was never measured.
    New,
    /// It has to be measured anew before somebody is refused.
    Unknown,
}

impl Figure {
    fn believed(&self) -> Duration {
        BELIEVED.max(self.took * SHARE)
    }

    fn believed_full(&self) -> Duration {
        BELIEVED_FULL.max(self.took * SHARE_FULL)
    }

    const fn now(&self) -> u64 {
        self.used.saturating_add(self.added)
    }
}

impl Meter {
    /// Whether `more` of something fits. What fits is counted as let in.
    pub(super) fn take(&self, what: &Measured, limit: u64, more: u64, now: Instant) -> Decision {
        let mut figures = self.figures.lock();
        let Some(figure) = figures.known.get_mut(what) else {
            return Decision::New;
        };
        let age = now.saturating_duration_since(figure.measured_at);
        if fits(limit, figure.now(), more) {
            figure.added = figure.added.saturating_add(more);
            let is_old = age > figure.believed() && !figure.is_measuring;
            return if is_old { Decision::FitsForNow } else { Decision::Fits };
        }
        if age <= figure.believed_full() || figure.is_measuring {
            return Decision::Full(figure.now());
        }
        Decision::Unknown
    }

    /// Counts no longer what was let in, and of which nothing came. What a measurement may have left out stays counted until
    /// the next one: a figure is rather too high than too low.
    pub(super) fn give_back(&self, what: &Measured, more: u64, asked_at: Instant) {
        if let Some(figure) = self.figures.lock().known.get_mut(what)
            && !figure.is_measuring
            && figure.measured_at <= asked_at
        {
            figure.added = figure.added.saturating_sub(more);
        }
    }

    /// Begins a measurement; `false` where one is under way. What is let in from here on is added to it.
    pub(super) fn begin(&self, what: &Measured, now: Instant) -> bool {
        let mut figures = self.figures.lock();
        let Figures { known, sweep_at } = &mut *figures;
        if known.len() >= *sweep_at {
            known.retain(|_, figure| {
                figure.is_measuring || now.saturating_duration_since(figure.measured_at) <= figure.believed()
            });
            *sweep_at = SWEPT_FROM.max(2 * known.len());
        }
        match known.get_mut(what) {
            Some(figure) if figure.is_measuring => false,
            Some(figure) => {
                // Until it is known, what was let in before counts on top of the old figure.
                (figure.used, figure.added) = (figure.now(), 0);
                figure.is_measuring = true;
                true
            }
            None => {
                let took = Duration::ZERO;
                let figure = Figure { used: 0, added: 0, measured_at: now, took, is_measuring: true };
                known.insert(what.clone(), figure);
                true
            }
        }
    }

    /// Ends a measurement; without a figure, the old one is believed once more.
    pub(super) fn end(&self, what: &Measured, used: Option<u64>, begun: Instant, now: Instant) {
        if let Some(figure) = self.figures.lock().known.get_mut(what) {
            figure.used = used.unwrap_or(figure.used);
            figure.measured_at = now;
            figure.took = now.saturating_duration_since(begun);
            figure.is_measuring = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHAT: Measured = Measured::AllDeliveries;

    fn measured(meter: &Meter, used: u64, at: Instant) {
        assert!(meter.begin(&WHAT, at));
        meter.end(&WHAT, Some(used), at, at);
    }

    #[test]
    fn what_is_let_in_counts_until_it_is_measured() {
        let (meter, start) = (Meter::default(), Instant::now());
        assert_eq!(meter.take(&WHAT, 10, 1, start), Decision::New);
        measured(&meter, 7, start);
        assert_eq!(meter.take(&WHAT, 10, 2, start), Decision::Fits);
        assert_eq!(meter.take(&WHAT, 10, 2, start), Decision::Full(9));
        assert_eq!(meter.take(&WHAT, 10, 1, start), Decision::Fits);
        let later = start + BELIEVED_FULL + Duration::from_millis(1);
        assert_eq!(meter.take(&WHAT, 10, 1, later), Decision::Unknown, "measured anew before it is refused");
        measured(&meter, 3, later);
        assert_eq!(meter.take(&WHAT, 10, 7, later), Decision::Fits);
    }

    #[test]
    fn what_came_to_nothing_is_given_back_unless_it_was_measured_since() {
        let (meter, start) = (Meter::default(), Instant::now());
        measured(&meter, 9, start);
        assert_eq!(meter.take(&WHAT, 10, 1, start), Decision::Fits);
        assert_eq!(meter.take(&WHAT, 10, 1, start), Decision::Full(10));
        meter.give_back(&WHAT, 1, start);
        assert_eq!(meter.take(&WHAT, 10, 1, start), Decision::Fits, "there is room for another");
        measured(&meter, 9, start + Duration::from_secs(1));
        assert_eq!(meter.take(&WHAT, 10, 1, start), Decision::Fits);
        meter.give_back(&WHAT, 1, start);
        assert_eq!(meter.take(&WHAT, 10, 1, start), Decision::Full(10), "that one was measured");
        meter.give_back(&WHAT, 100, start + Duration::from_secs(1));
        assert_eq!(meter.take(&WHAT, 10, 2, start), Decision::Full(9), "never less than was measured");
    }

    #[test]
    fn an_old_figure_is_used_while_it_is_measured() {
        let (meter, start) = (Meter::default(), Instant::now());
        measured(&meter, 1, start);
        let later = start + BELIEVED + Duration::from_millis(1);
        assert_eq!(meter.take(&WHAT, 10, 2, later), Decision::FitsForNow);
        assert!(meter.begin(&WHAT, later) && !meter.begin(&WHAT, later), "one at a time");
        assert_eq!(meter.take(&WHAT, 10, 2, later), Decision::Fits);
        assert_eq!(meter.take(&WHAT, 10, 8, later), Decision::Full(5));
        meter.end(&WHAT, None, later, later);
        assert_eq!(meter.take(&WHAT, 10, 5, later), Decision::Fits, "it could not be measured");
        assert_eq!(meter.take(&WHAT, 10, 1, later), Decision::Full(10));
    }

    #[test]
    fn old_figures_are_forgotten_when_there_are_twice_as_many() {
        let (meter, start) = (Meter::default(), Instant::now());
        let later = start + BELIEVED + Duration::from_millis(1);
        let kept_with = |first: usize, more: usize, at: Instant| {
            for number in first..first + more {
                let what = Measured::IdempotencyOwner(number.to_string());
                assert!(meter.begin(&what, at));
                meter.end(&what, Some(1), at, at);
            }
            meter.figures.lock().known.len()
        };
        let (half, twice) = (SWEPT_FROM + 1, 2 * SWEPT_FROM);
        assert_eq!(kept_with(0, half, start), half, "all are believed");
        assert_eq!(kept_with(half, twice - half, later), twice, "nobody looks for old ones yet");
        assert_eq!(kept_with(twice, 1, later), SWEPT_FROM);
    }

    #[test]
    fn what_takes_long_is_measured_seldom() {
        let (meter, start) = (Meter::default(), Instant::now());
        assert!(meter.begin(&WHAT, start));
        let end = start + Duration::from_secs(2);
        meter.end(&WHAT, Some(1), start, end);
        assert_eq!(meter.take(&WHAT, 10, 1, end + Duration::from_secs(99)), Decision::Fits);
        assert_eq!(meter.take(&WHAT, 10, 1, end + Duration::from_secs(101)), Decision::FitsForNow);
    }
}
