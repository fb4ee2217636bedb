//! Wake-ups and time, as ports.
//!
//! A wake-up is a hint that something is there to do. It may be lost; whoever waits also polls.

use domain::id::{ExecutionId, JobId};
use domain::queue::QueueName;
use domain::time::Timestamp;

/// What a hint is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hint {
    /// Jobs of this queue became claimable, or slots became free; the sender does not know where. Other nodes look at all
    /// its lanes again.
    Queue(QueueName),
    /// Jobs were enqueued on this queue by calls of this store and nothing else happened to it, so that the store can
    /// tell other nodes where they lie. Receivers get [`Hint::Queue`].
    Enqueued(QueueName),
    /// Slots of this queue became free, and perhaps jobs became claimable by calls of this store (retries, promotion,
    /// releases), of which the store tells other nodes where they lie. Wakes, and makes nobody look at lanes of which
    /// nothing was said. Receivers get [`Hint::Queue`].
    Freed(QueueName),
    /// Something was appended to the inbox of an execution.
    Inbox(ExecutionId),
    /// An execution ended.
    Finished(ExecutionId),
    /// Lines of a job were kept.
    Logged(JobId),
    /// Limits, pauses or keys changed: cached copies are stale.
    Settings,
    /// An alert began, fires or is resolved.
    Alerts,
    /// An application has committed work into the intake.
    Intake,
}

impl Hint {
    /// What receivers get of it.
    #[must_use]
    pub const fn as_heard(self) -> Self {
        match self {
            Self::Enqueued(queue) | Self::Freed(queue) => Self::Queue(queue),
            hint => hint,
        }
    }
}

/// Sends and receives hints, within the process and between the nodes of a deployment.
pub trait Wakeup: Send + Sync {
    /// Sends hints; never blocks and never fails.
    fn send(&self, hints: &[Hint]);

    /// A receiver of all hints from now on, of this node and the others. A slow receiver loses hints
    /// (`RecvError::Lagged`), which it treats as a hint about everything.
    fn subscribe(&self) -> tokio::sync::broadcast::Receiver<Hint>;
}

// Time as a port: the engine never asks the machine.

/// One timeline for all nodes of a deployment.
pub trait Clock: Send + Sync {
    /// The present instant.
    fn now(&self) -> Timestamp;
}
