//! What a relay says of its work to those who look at the deployment.

use std::time::Instant;

use domain::dispatch::{HeldType, PublishFault, RelayFigures, per_second};
use domain::time::Timestamp;
use metrics::gauge;
use telemetry::names;

use crate::sending::{Sending, Tally};

/// What was said last.
#[derive(Debug)]
pub(super) struct Progress {
    said_at: Instant,
    said: Tally,
    last_error: Option<PublishFault>,
}

impl Default for Progress {
    fn default() -> Self {
        Self { said_at: Instant::now(), said: Tally::default(), last_error: None }
    }
}

impl Progress {
    /// The figures of now, with the types of which no offers are made; the rate is that since they were asked for before.
    pub(super) fn figures(&mut self, sending: &Sending, held: Vec<HeldType>, now: Timestamp) -> RelayFigures {
        let tally = sending.tally();
        if tally.errors > self.said.errors {
            let reason = tally.last_error.unwrap_or_default().to_owned();
            self.last_error = Some(PublishFault { reason, at: now });
        }
        let figures = RelayFigures {
            published: tally.published,
            errors: tally.errors,
            unacknowledged: sending.len() as u64,
            published_per_second: per_second(tally.published - self.said.published, self.said_at.elapsed()),
            last_error: self.last_error.clone(),
            held,
        };
        (self.said, self.said_at) = (tally, Instant::now());
        gauge!(names::DISPATCH_UNACKNOWLEDGED).set(figures.unacknowledged as f64);
        gauge!(names::DISPATCH_HELD_TYPES).set(figures.held.len() as f64);
        figures
    }
}
