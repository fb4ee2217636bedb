//! The modes of queues as this process read them last, and their loads.

use std::sync::Arc;
use std::time::Instant;

use domain::queue::QueueName;
use domain::scaling::QueueLoad;
use domain::time::{DurationMs, Timestamp};
use store::queues::QueueMode;

use crate::believed::{Believed, Terms};

/// How long modes are believed.
const TERMS: Terms = Terms { expires: DurationMs::from_secs(1), refreshes: DurationMs(500) };

/// The modes as they were read last.
pub(crate) struct ModeCache(pub(super) Believed<Arc<Vec<(QueueName, QueueMode)>>, Timestamp>);

impl Default for ModeCache {
    fn default() -> Self {
        Self(Believed::new(TERMS))
    }
}

impl ModeCache {
    /// Has them read again before they are believed.
    pub(crate) fn clear(&self) {
        self.0.forget();
    }
}

pub(super) fn mode_of(modes: &[(QueueName, QueueMode)], queue: QueueName) -> QueueMode {
    modes.iter().find(|(name, _)| *name == queue).map_or(QueueMode::Running, |(_, mode)| *mode)
}

/// What was read of each queue last.
#[derive(Default)]
pub(crate) struct LoadCache(pub(super) [tokio::sync::Mutex<Option<(Instant, Arc<QueueLoad>)>>; 4]);
