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
pub(crate) struct ModeCache(Mutex<Option<Kept>>);

struct Kept {
    read_at: Timestamp,
    pub(super) modes: Vec<(QueueName, QueueMode)>,
}

impl ModeCache {
    pub(crate) fn clear(&self) {
        *self.0.lock() = None;
    }

    pub(super) fn get(&self, queue: QueueName, now: Timestamp) -> Option<QueueMode> {
        let kept = self.0.lock();
        let Kept { read_at, modes } = kept.as_ref()?;
        (now.since(*read_at) < MODES_TTL).then(|| mode_of(modes, queue))
    }

    pub(super) fn keep(&self, modes: Vec<(QueueName, QueueMode)>, now: Timestamp) {
        *self.0.lock() = Some(Kept { read_at: now, modes });
    }
}

pub(super) fn mode_of(modes: &[(QueueName, QueueMode)], queue: QueueName) -> QueueMode {
    modes.iter().find(|(name, _)| *name == queue).map_or(QueueMode::Running, |(_, mode)| *mode)
}

/// What was read of each queue last.
#[derive(Default)]
pub(crate) struct LoadCache(pub(super) [tokio::sync::Mutex<Option<(Instant, Arc<QueueLoad>)>>; 4]);
