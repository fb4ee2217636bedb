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

    pub(super) fn get(&self, queue: QueueName, now: Timestamp) -> Option<QueueMode> {
        let known = self.0.lock();
        let Kept { read_at, modes } = known.kept.as_ref()?;
        (now.since(*read_at) < MODES_TTL).then(|| mode_of(modes, queue))
    }

    /// Keeps what was read after so many changes, unless they were changed since.
    pub(super) fn keep(&self, modes: Vec<(QueueName, QueueMode)>, now: Timestamp, changes: u64) {
        let mut known = self.0.lock();
        if known.changes == changes {
            known.kept = Some(Kept { read_at: now, modes });
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
        let known = || cache.get(QueueName::Node, now);
        let before = cache.changes();
        cache.clear();
        cache.keep(vec![(QueueName::Node, QueueMode::Running)], now, before);
        assert_eq!(known(), None);
        cache.keep(vec![(QueueName::Node, QueueMode::Paused)], now, cache.changes());
        assert_eq!(known(), Some(QueueMode::Paused));
    }
}
