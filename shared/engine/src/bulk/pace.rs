//! When the next object may be changed.

use std::time::Duration;

use tokio::time::Instant;

/// How much of what was missed is caught up at most.
const CATCH_UP: Duration = Duration::from_millis(200);

/// A pace: so many in a second, evenly.
#[derive(Debug)]
pub(super) struct Pacer {
    step: Option<Duration>,
    next_at: Instant,
}

impl Pacer {
    /// Begins now: nothing is caught up that another process missed.
    pub(super) fn new(rate_per_second: Option<u32>) -> Self {
        let step = rate_per_second.map(|rate| Duration::from_secs(1) / rate.max(1));
        Self { step, next_at: Instant::now() }
    }

    /// When the next one may be changed, which it counts.
    pub(super) fn take(&mut self, now: Instant) -> Instant {
        let Some(step) = self.step else {
            return now;
        };
        let earliest = now.checked_sub(CATCH_UP).unwrap_or(now);
        let turn = self.next_at.max(earliest);
        self.next_at = turn + step;
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_is_even_and_catches_up_little() {
        let mut pacer = Pacer::new(Some(100));
        let begin = pacer.next_at;
        let turns: Vec<Duration> = (0..3).map(|_| pacer.take(begin) - begin).collect();
        assert_eq!(turns, [0, 10, 20].map(Duration::from_millis));
        let later = begin + Duration::from_mins(1);
        let in_a_second = (0..1_000).filter(|_| pacer.take(later) < later + Duration::from_secs(1)).count();
        assert!((100..=121).contains(&in_a_second), "{in_a_second}");
        assert_eq!(Pacer::new(None).take(later), later);
    }
}
