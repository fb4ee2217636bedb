//! How much tenants have of what has ended, as this process counted it last.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use domain::names::TenantName;
use domain::time::Timestamp;
use parking_lot::Mutex;
use tokio::sync::{Semaphore, watch};

/// From here on a count takes long.
const SLOW: Duration = Duration::from_millis(50);
/// Counting what takes long may take this part of the time at most, while somebody looks.
const SHARE: u32 = 20;
/// How long a figure is answered at most without counting anew.
const FRESH_MAX: Duration = Duration::from_mins(1);
/// How old a figure may be that is answered while it is counted anew.
const AGE_MAX: Duration = Duration::from_mins(10);
/// How many tenants' rows are counted at a time.
const AT_A_TIME: usize = 2;
/// From so many tenants on, those are forgotten of which nothing is known that may be answered.
const SWEPT_FROM: usize = 1_000;

/// A figure as it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HistoryFigure {
    pub(super) rows: u64,
    pub(super) is_exact: bool,
    pub(super) as_of: Timestamp,
}

/// A figure that was counted to the end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) rows: u64,
    /// When counting began.
    pub(super) as_of: Timestamp,
    pub(super) ended_at: Instant,
    pub(super) took: Duration,
}

/// A count under way, or that was.
#[derive(Debug, Clone)]
pub(super) struct Counting {
    pub(super) as_of: Timestamp,
    pub(super) so_far: Arc<AtomicU64>,
    /// Closed when it ends, however it does.
    pub(super) ended: watch::Receiver<()>,
}

/// What there is when somebody asks.
#[derive(Debug)]
pub(super) enum Look {
    /// A figure that need not be counted anew.
    Fresh(HistoryFigure),
    /// An older one, if any, and a count that somebody has begun.
    UnderWay(Option<Known>, Counting),
    /// The same with a count that the caller has to begin, and what to drop when it has ended.
    Begun(Option<Known>, Counting, watch::Sender<()>),
}

/// How much tenants have of what has ended, as this process counted it last.
pub(crate) struct Histories {
    by_tenant: Mutex<HashMap<TenantName, History>>,
    pub(super) turns: Semaphore,
}

#[derive(Debug, Default)]
struct History {
    known: Option<Known>,
    counting: Option<Counting>,
}

impl Default for Histories {
    fn default() -> Self {
        Self { by_tenant: Mutex::default(), turns: Semaphore::new(AT_A_TIME) }
    }
}

impl Known {
    pub(super) fn is_slow(self) -> bool {
        self.took >= SLOW
    }

    fn age(self, now: Instant) -> Duration {
        now.saturating_duration_since(self.ended_at)
    }

    const fn figure(self) -> HistoryFigure {
        HistoryFigure { rows: self.rows, is_exact: true, as_of: self.as_of }
    }
}

impl History {
    fn under_way(&self) -> Option<&Counting> {
        self.counting.as_ref().filter(|counting| counting.ended.has_changed().is_ok())
    }

    fn known(&self, now: Instant) -> Option<Known> {
        self.known.filter(|known| known.age(now) <= AGE_MAX)
    }
}

impl Histories {
    pub(super) fn look(&self, tenant: &TenantName, as_of: Timestamp, now: Instant) -> Look {
        let mut by_tenant = self.by_tenant.lock();
        if by_tenant.len() >= SWEPT_FROM {
            by_tenant.retain(|_, history| history.known(now).is_some() || history.under_way().is_some());
        }
        let history = by_tenant.entry(tenant.clone()).or_default();
        let known = history.known(now);
        // What is counted in no time is counted for each call.
        let fresh =
            known.filter(|known| known.is_slow() && known.age(now) <= FRESH_MAX.min(known.took * SHARE));
        if let Some(fresh) = fresh {
            return Look::Fresh(fresh.figure());
        }
        if let Some(counting) = history.under_way() {
            return Look::UnderWay(known, counting.clone());
        }
        let (ending, ended) = watch::channel(());
        let counting = Counting { as_of, so_far: Arc::default(), ended };
        history.counting = Some(counting.clone());
        Look::Begun(known, counting, ending)
    }

    pub(super) fn keep(&self, tenant: &TenantName, known: Known) {
        self.by_tenant.lock().entry(tenant.clone()).or_default().known = Some(known);
    }

    /// What is known by now: of a count, else of the one before, else so much at least.
    pub(super) fn figure(&self, tenant: &TenantName, counting: &Counting, now: Instant) -> HistoryFigure {
        let known = self.by_tenant.lock().get(tenant).and_then(|history| history.known(now));
        let so_far = || counting.so_far.load(Ordering::Relaxed);
        known.map_or_else(
            || HistoryFigure { rows: so_far(), is_exact: false, as_of: counting.as_of },
            Known::figure,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLY: Timestamp = Timestamp(1_000);
    const LATE: Timestamp = Timestamp(2_000);

    fn tenant() -> TenantName {
        TenantName::trusted("acme")
    }

    fn begun(histories: &Histories, as_of: Timestamp, now: Instant) -> (Counting, watch::Sender<()>) {
        match histories.look(&tenant(), as_of, now) {
            Look::Begun(_, counting, ending) => (counting, ending),
            other => panic!("{other:?} is not begun"),
        }
    }

    fn known(rows: u64, as_of: Timestamp, ended_at: Instant, took: Duration) -> Known {
        Known { rows, as_of, ended_at, took }
    }

    #[test]
    fn what_is_not_counted_yet_is_a_lower_bound() {
        let (histories, start) = (Histories::default(), Instant::now());
        let (counting, ending) = begun(&histories, EARLY, start);
        counting.so_far.store(7, Ordering::Relaxed);
        let bound = HistoryFigure { rows: 7, is_exact: false, as_of: EARLY };
        assert_eq!(histories.figure(&tenant(), &counting, start), bound);
        let another = histories.look(&tenant(), LATE, start);
        let Look::UnderWay(None, other) = another else { panic!("{another:?}: it is counted once") };
        assert_eq!(histories.figure(&tenant(), &other, start), bound);
        histories.keep(&tenant(), known(9, EARLY, start, SLOW));
        drop(ending);
        let whole = HistoryFigure { rows: 9, is_exact: true, as_of: EARLY };
        assert_eq!(histories.figure(&tenant(), &counting, start), whole);
    }

    #[test]
    fn a_count_that_failed_is_begun_again() {
        let (histories, start) = (Histories::default(), Instant::now());
        let (_, ending) = begun(&histories, EARLY, start);
        drop(ending);
        let (counting, _ending) = begun(&histories, LATE, start);
        assert_eq!(counting.as_of, LATE);
    }

    #[test]
    fn what_takes_no_time_is_counted_for_each_call() {
        let (histories, start) = (Histories::default(), Instant::now());
        let (_, ending) = begun(&histories, EARLY, start);
        histories.keep(&tenant(), known(9, EARLY, start, Duration::from_millis(1)));
        drop(ending);
        begun(&histories, LATE, start);
    }

    #[test]
    fn what_takes_long_is_answered_as_it_was_for_a_while() {
        let (histories, start, took) = (Histories::default(), Instant::now(), Duration::from_secs(1));
        let (_, ending) = begun(&histories, EARLY, start);
        histories.keep(&tenant(), known(9, EARLY, start, took));
        drop(ending);
        let fresh = histories.look(&tenant(), LATE, start + took * SHARE);
        assert!(matches!(fresh, Look::Fresh(HistoryFigure { rows: 9, is_exact: true, .. })), "{fresh:?}");
        let later = start + took * SHARE + Duration::from_millis(1);
        let (counting, _ending) = begun(&histories, LATE, later);
        assert_eq!(histories.figure(&tenant(), &counting, later).rows, 9, "while it is counted anew");
        let old = start + AGE_MAX + Duration::from_millis(1);
        let figure = histories.figure(&tenant(), &counting, old);
        assert_eq!(figure, HistoryFigure { rows: 0, is_exact: false, as_of: LATE });
    }
}
