//! Hints within the process.

use store::wakeup::{Hint, Wakeup};
use tokio::sync::broadcast;

/// How many hints a receiver may be behind before it loses some.
const CAPACITY: usize = 1024;

/// Sends each hint to every receiver in the process.
#[derive(Debug)]
pub struct LocalWakeup {
    hints: broadcast::Sender<Hint>,
}

impl LocalWakeup {
    /// Nobody listens yet.
    pub fn new() -> Self {
        Self { hints: broadcast::Sender::new(CAPACITY) }
    }
}

impl Default for LocalWakeup {
    fn default() -> Self {
        Self::new()
    }
}

impl Wakeup for LocalWakeup {
    fn send(&self, hints: &[Hint]) {
        for &hint in hints {
            // Without a receiver there is nobody to wake.
            let _ = self.hints.send(hint.as_heard());
        }
    }

    fn subscribe(&self) -> broadcast::Receiver<Hint> {
        self.hints.subscribe()
    }
}
