//! Growing, jittered waits between tries of our own work. Jobs have their own backoff in the domain.

use std::time::Duration;

use domain::retry::Jitter;

/// Waits that double from `min` to `max`, each cut by up to a half.
#[derive(Debug, Clone)]
pub(crate) struct Backoff {
    min: Duration,
    max: Duration,
    next: Duration,
}

impl Backoff {
    pub(crate) const fn new(min: Duration, max: Duration) -> Self {
        Self { min, max, next: min }
    }

    /// The next wait.
    pub(crate) fn next(&mut self, jitter: Jitter) -> Duration {
        let wait = self.next;
        self.next = (wait * 2).min(self.max);
        jittered(wait, jitter)
    }

    /// Starts again with the shortest wait.
    pub(crate) const fn reset(&mut self) {
        self.next = self.min;
    }
}

/// A wait between half of `longest` and all of it.
pub(crate) fn jittered(longest: Duration, jitter: Jitter) -> Duration {
    longest.mul_f64(0.5 + 0.5 * jitter.0.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let mut backoff = Backoff::new(Duration::from_millis(100), Duration::from_millis(350));
        let waits: Vec<u128> = (0..4).map(|_| backoff.next(Jitter(1.0)).as_millis()).collect();
        assert_eq!(waits, [100, 200, 350, 350]);
        backoff.reset();
        assert_eq!(backoff.next(Jitter(0.0)).as_millis(), 50);
    }
}
