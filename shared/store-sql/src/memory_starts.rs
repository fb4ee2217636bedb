//! What a node remembers of counted starts from one claim of a queue to the next, and by which clock they were counted.
//!
//! It holds as long as the [counts of leases](crate::memory_counts) do that it is kept with: claims alone count starts, and each
//! moves the epoch.

use std::time::{Duration, Instant};

use domain::claim::StartRooms;
use domain::rate::{RateSubject, StartCount};
use domain::time::{DurationMs, Timestamp};

/// So many subjects are remembered; where more are counted, those of the last claims.
const SUBJECTS_MAX: usize = 5_000;

/// For so long what the clock of the database said is carried on, unless it said something later since.
const CLOCK_KEPT_FOR: Duration = Duration::from_secs(1);

/// How far clocks may drift apart meanwhile, and what is lost by rounding.
const CLOCK_MARGIN: DurationMs = DurationMs(1);

/// Counted starts as of the epoch that they are kept with.
#[derive(Debug)]
pub(crate) struct StartMemory {
    /// The counts, and what they leave to the claim under way.
    pub(crate) rooms: StartRooms,
    clock: Option<ClockReading>,
}

/// What the clock of the database said.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClockReading {
    clock: Timestamp,
    /// When that was known here.
    at: Instant,
}

impl ClockReading {
    /// What was just read.
    pub(crate) fn new(clock: Timestamp) -> Self {
        Self { clock, at: Instant::now() }
    }

    /// The clock of the database by now, or a little earlier, as long as nobody sets it.
    fn carried_on(self) -> Timestamp {
        self.clock.plus(DurationMs(self.at.elapsed().as_millis() as i64))
    }
}

impl Default for StartMemory {
    fn default() -> Self {
        Self { rooms: StartRooms::remembering(), clock: None }
    }
}

impl StartMemory {
    /// Adds what was counted.
    pub(crate) fn remember(&mut self, counts: impl ExactSizeIterator<Item = (RateSubject, StartCount)>) {
        if self.rooms.remembered_len() + counts.len() > SUBJECTS_MAX {
            self.rooms = StartRooms::remembering();
        }
        for (subject, count) in counts {
            self.rooms.remember(subject, count);
        }
    }

    /// Takes in what the clock of the database said. The reading that reached this process fastest is the closest to it.
    pub(crate) fn see(&mut self, reading: ClockReading) {
        let is_closer = |known: &ClockReading| {
            known.at.elapsed() < CLOCK_KEPT_FOR && known.carried_on() >= reading.carried_on()
        };
        if !self.clock.as_ref().is_some_and(is_closer) {
            self.clock = Some(reading);
        }
    }

    /// Says that the clock is not what it was taken for.
    pub(crate) fn forget_clock(&mut self) {
        self.clock = None;
    }

    /// An instant that the clock of the database has reached by now, a little earlier than it.
    pub(crate) fn earliest_now(&self) -> Option<Timestamp> {
        self.clock.map(|reading| reading.carried_on().plus(DurationMs(-CLOCK_MARGIN.0)))
    }
}
