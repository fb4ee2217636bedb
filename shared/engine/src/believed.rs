//! What was read of the store and is believed for a while, so that whoever asks need not wait for the database.
//!
//! From a certain age on one of those who ask is to have it read again, beside a call that goes on with what is known: none of
//! many who enqueue waits for that. What was read before a change is not believed after it.

use std::time::Instant;

use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;

/// An instant by which ages are measured.
pub(crate) trait Moment: Copy {
    /// How old at this moment is what was read at another one; negative where a clock was set back.
    fn age_of(self, read_at: Self) -> DurationMs;
}

impl Moment for Timestamp {
    fn age_of(self, read_at: Self) -> DurationMs {
        // `since` knows no negative times.
        DurationMs(self.0.saturating_sub(read_at.0))
    }
}

impl Moment for Instant {
    fn age_of(self, read_at: Self) -> DurationMs {
        let age = self.saturating_duration_since(read_at).as_millis();
        DurationMs(i64::try_from(age).unwrap_or(i64::MAX))
    }
}

/// For how long something is believed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    /// From this age on it is not believed any more.
    pub(crate) expires: DurationMs,
    /// From this age on it is read again, beside whoever asks for it.
    pub(crate) refreshes: DurationMs,
}

/// A value as it was read last.
pub(crate) struct Believed<T, M> {
    terms: Terms,
    state: Mutex<State<T, M>>,
}

struct State<T, M> {
    kept: Option<Kept<T, M>>,
    /// How often it was forgotten.
    changes: u64,
}

struct Kept<T, M> {
    value: T,
    reading: Reading<M>,
    /// Whether somebody is to read it again already.
    is_refreshed: bool,
}

/// A value that is believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known<T> {
    /// The value.
    pub(crate) value: T,
    /// Whether the caller is to have it read again; true for one.
    pub(crate) is_old: bool,
}

/// A look at the store that began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading<M> {
    at: M,
    changes: u64,
}

impl<T: Clone, M: Moment> Believed<T, M> {
    /// Nothing is known yet.
    pub(crate) fn new(terms: Terms) -> Self {
        Self { terms, state: Mutex::new(State { kept: None, changes: 0 }) }
    }

    /// Has it read again before it is believed: it changed.
    pub(crate) fn forget(&self) {
        self.state.lock().changes += 1;
    }

    /// The value, where it is believed.
    pub(crate) fn get(&self, now: M) -> Option<Known<T>> {
        let mut state = self.state.lock();
        let changes = state.changes;
        let kept = state.kept.as_mut().filter(|kept| kept.reading.changes == changes)?;
        let age = now.age_of(kept.reading.at);
        (DurationMs::ZERO <= age && age < self.terms.expires).then(|| {
            let is_old = age >= self.terms.refreshes && !std::mem::replace(&mut kept.is_refreshed, true);
            Known { value: kept.value.clone(), is_old }
        })
    }

    /// The value as it was read last, whether it is believed or not.
    pub(crate) fn last(&self) -> Option<T> {
        self.state.lock().kept.as_ref().map(|kept| kept.value.clone())
    }

    /// To be called before it is read.
    pub(crate) fn begin_reading(&self, now: M) -> Reading<M> {
        Reading { at: now, changes: self.state.lock().changes }
    }

    /// Keeps what was read. It is not believed where it was forgotten since that began, and takes the place of nothing that was
    /// read after it was forgotten.
    pub(crate) fn keep(&self, value: T, reading: Reading<M>) {
        let mut state = self.state.lock();
        if state.kept.as_ref().is_none_or(|kept| kept.reading.changes <= reading.changes) {
            state.kept = Some(Kept { value, reading, is_refreshed: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn believed() -> Believed<&'static str, Timestamp> {
        Believed::new(Terms { expires: DurationMs(1_000), refreshes: DurationMs(500) })
    }

    #[test]
    fn what_was_read_before_a_change_is_not_believed_after_it() {
        let (believed, now) = (believed(), Timestamp(0));
        let before = believed.begin_reading(now);
        believed.forget();
        believed.keep("former", before);
        assert_eq!((believed.get(now), believed.last()), (None, Some("former")));
        believed.keep("latter", believed.begin_reading(now));
        believed.keep("former", before);
        assert_eq!(believed.get(now).map(|known| known.value), Some("latter"));
    }

    #[test]
    fn one_has_it_read_again_before_it_is_too_old_for_all() {
        let believed = believed();
        let read = |at: i64| believed.keep("x", believed.begin_reading(Timestamp(at)));
        let is_old_at = |at: i64| believed.get(Timestamp(at)).map(|known| known.is_old);
        read(0);
        assert_eq!([499, 500, 501, 999].map(is_old_at), [Some(false), Some(true), Some(false), Some(false)]);
        assert_eq!(is_old_at(1_000), None, "nobody could read it");
        read(600);
        assert_eq!([1_099, 1_100].map(is_old_at), [Some(false), Some(true)]);
    }

    #[test]
    fn what_was_read_by_a_clock_that_was_ahead_is_not_believed() {
        let believed = believed();
        believed.keep("x", believed.begin_reading(Timestamp(1_000_000)));
        assert_eq!(believed.get(Timestamp(999_999)), None);
    }
}
