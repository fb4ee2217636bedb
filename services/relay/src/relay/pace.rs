//! When a relay looks, and when it claims.
//!
//! A look compares what the relay knows with the store, which is what finds room in full windows. A claim alone answers a hint
//! that jobs came, or slots for them: it needs no comparison, because offers that stand are never more than the relay knows of.

use std::time::Duration;

use tokio::time::Instant;

/// What is to be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Nothing yet.
    Nothing,
    /// A claim, because of a hint.
    Claim,
    /// A look, which claims as well.
    Look,
}

/// When a relay looks, and when it claims.
#[derive(Debug)]
pub(super) struct Pace {
    next_look: Instant,
    next_claim: Option<Instant>,
    last_claim: Option<Instant>,
}

impl Pace {
    /// A look is due at once.
    pub(super) const fn new(now: Instant) -> Self {
        Self { next_look: now, next_claim: None, last_claim: None }
    }

    pub(super) fn due(&self, now: Instant) -> Due {
        if self.next_look <= now {
            Due::Look
        } else if self.next_claim.is_some_and(|at| at <= now) {
            Due::Claim
        } else {
            Due::Nothing
        }
    }

    /// When something is due.
    pub(super) fn next(&self) -> Instant {
        self.next_claim.map_or(self.next_look, |at| at.min(self.next_look))
    }

    /// Somebody says that there may be jobs: they are claimed at once, but not sooner than so long after the last claim.
    pub(super) fn hinted(&mut self, now: Instant, least: Duration) {
        let earliest = self.last_claim.map_or(now, |at| now.max(at + least));
        self.next_claim.get_or_insert(earliest);
    }

    /// A look ended; the next one is due after a while. It claimed, whatever was hinted before.
    pub(super) fn looked(&mut self, now: Instant, wait: Duration) {
        *self = Self { next_look: now + wait, next_claim: None, last_claim: Some(now) };
    }

    /// A claim ended that was hinted. A look is due no later than so long from now, where one is needed.
    pub(super) fn claimed(&mut self, now: Instant, look_within: Option<Duration>) {
        (self.next_claim, self.last_claim) = (None, Some(now));
        if let Some(within) = look_within {
            self.next_look = self.next_look.min(now + within);
        }
    }

    /// What the relay knows is not what stands: a look is due at once.
    pub(super) fn look_now(&mut self, now: Instant) {
        self.next_look = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: Duration = Duration::from_millis(5);

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn a_hint_is_answered_at_once_where_nothing_happened_lately() {
        let began = Instant::now();
        let mut pace = Pace::new(began);
        assert_eq!(pace.due(began), Due::Look);
        pace.looked(began, ms(500));
        assert_eq!((pace.due(began + ms(499)), pace.due(began + ms(500))), (Due::Nothing, Due::Look));
        pace.hinted(began + ms(100), LEAST);
        assert_eq!((pace.due(began + ms(100)), pace.next()), (Due::Claim, began + ms(100)));
        pace.claimed(began + ms(101), None);
        assert_eq!((pace.due(began + ms(101)), pace.next()), (Due::Nothing, began + ms(500)));
    }

    #[test]
    fn hints_that_follow_one_another_are_answered_together() {
        let began = Instant::now();
        let mut pace = Pace::new(began);
        pace.looked(began, ms(500));
        for after in 1..=4 {
            pace.hinted(began + ms(after), LEAST);
            assert_eq!(pace.due(began + ms(after)), Due::Nothing);
        }
        assert_eq!((pace.due(began + LEAST), pace.next()), (Due::Claim, began + LEAST));
        // Where windows are full, a look is to find out what was accepted.
        pace.claimed(began + ms(6), Some(ms(50)));
        assert_eq!((pace.next(), pace.due(began + ms(56))), (began + ms(56), Due::Look));
        pace.hinted(began + ms(7), LEAST);
        pace.looked(began + ms(8), ms(500));
        assert_eq!(pace.next(), began + ms(508), "a look answers what was hinted before it");
        pace.look_now(began + ms(9));
        assert_eq!(pace.due(began + ms(9)), Due::Look);
    }
}
