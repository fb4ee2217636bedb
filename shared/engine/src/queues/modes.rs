//! The modes of queues as this process read them last, and their loads.

use std::sync::Arc;
use std::time::Instant;

use domain::queue::QueueName;
use domain::scaling::QueueLoad;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use store::queues::QueueMode;

/// How long modes are believed without asking.
const MODES_TTL: DurationMs = DurationMs::from_secs(1);

/// Age from which they are refreshed in the background, so that enqueues do not wait for it.
const MODES_OLD: DurationMs = DurationMs(500);

/// The modes as they were read last.
#[derive(Default)]
pub(crate) struct ModeCache(Mutex<Known>);

#[derive(Default)]
struct Known {
    kept: Option<Kept>,
    /// How often they were changed.
    changes: u64,
}

struct Kept {
    read_at: Timestamp,
    pub(super) modes: Vec<(QueueName, QueueMode)>,
    /// Whether a refresh was already requested.
    is_read_again: bool,
}

/// A mode that is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KnownMode {
    pub(super) mode: QueueMode,
    /// Whether the modes should be refreshed; true only once.
    pub(super) is_old: bool,
}

impl ModeCache {
    pub(crate) fn clear(&self) {
        let mut known = self.0.lock();
        known.kept = None;
        known.changes += 1;
    }

    /// How often they were changed so far, to be asked before they are read.
    pub(super) fn changes(&self) -> u64 {
        self.0.lock().changes
    }

    pub(super) fn get(&self, queue: QueueName, now: Timestamp) -> Option<KnownMode> {
        let mut known = self.0.lock();
        let kept = known.kept.as_mut()?;
        let age = now.since(kept.read_at);
        (age < MODES_TTL).then(|| {
            let is_old = age >= MODES_OLD && !std::mem::replace(&mut kept.is_read_again, true);
            KnownMode { mode: mode_of(&kept.modes, queue), is_old }
        })
    }

    /// Keeps what was read after so many changes, unless they were changed since.
    pub(super) fn keep(&self, modes: Vec<(QueueName, QueueMode)>, now: Timestamp, changes: u64) {
        let mut known = self.0.lock();
        if known.changes == changes {
            known.kept = Some(Kept { read_at: now, modes, is_read_again: false });
        }
    }
}

pub(super) fn mode_of(modes: &[(QueueName, QueueMode)], queue: QueueName) -> QueueMode {
    modes.iter().find(|(name, _)| *name == queue).map_or(QueueMode::Running, |(_, mode)| *mode)
}

/// What was read of each queue last.
#[derive(Default)]
pub(crate) struct LoadCache(pub(super) [tokio::sync::Mutex<Option<(Instant, Arc<QueueLoad>)>>; 4]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_before_a_change_is_not_kept_after_it() {
        let (cache, now) = (ModeCache::default(), Timestamp(0));
        let known = || cache.get(QueueName::Node, now).map(|known| known.mode);
        let before = cache.changes();
        cache.clear();
        cache.keep(vec![(QueueName::Node, QueueMode::Running)], now, before);
        assert_eq!(known(), None);
        cache.keep(vec![(QueueName::Node, QueueMode::Paused)], now, cache.changes());
        assert_eq!(known(), Some(QueueMode::Paused));
    }

    #[test]
    fn one_reads_modes_again_before_they_are_too_old_for_all() {
        let cache = ModeCache::default();
        let read = |at: Timestamp| {
            cache.keep(vec![(QueueName::Node, QueueMode::Draining)], at, cache.changes());
        };
        let is_old_at = |at: i64| cache.get(QueueName::Node, Timestamp(at)).map(|known| known.is_old);
        read(Timestamp(0));
        assert_eq!([499, 500, 501, 999].map(is_old_at), [Some(false), Some(true), Some(false), Some(false)]);
        assert_eq!(is_old_at(1_000), None, "nobody could read them");
        read(Timestamp(600));
        assert_eq!([1_099, 1_100].map(is_old_at), [Some(false), Some(true)]);
    }
}
