//! What is done with a claimed job: the handlers that are built in, and the table of them by job type.

mod built_in;
mod http;
mod table;

use async_trait::async_trait;
use domain::job::Outcome;
use domain::time::DurationMs;
use store::jobs::ClaimedJob;
use tokio_util::sync::CancellationToken;

pub(crate) use built_in::own;
pub use built_in::{DeliveryHandler, ScheduleCheckHandler};
pub use http::{HttpHandler, SecretSource};
pub use table::Handlers;
pub(crate) use table::no_handler;

// The table of handlers by job type.

/// How an attempt ended.
#[derive(Debug)]
pub enum HandlerEnd {
    /// It is settled by this.
    Settle(Outcome),
    /// It could not be made here and now, which is no fault of the job: it is given back for so long, and does not count.
    PutOff(DurationMs),
}

impl From<Outcome> for HandlerEnd {
    fn from(outcome: Outcome) -> Self {
        Self::Settle(outcome)
    }
}

/// What is done with the lease of a job when its work has ended.
#[derive(Debug)]
pub(crate) enum LeaseEnd {
    /// The job is settled with this outcome.
    Settle(Outcome),
    /// The lease is released.
    Release,
    /// The lease is released, and the job delayed for this period.
    PutOff(DurationMs),
    /// Nothing: the engine has settled or parked the job.
    Done,
    /// Nothing: the lease is lost.
    Lost,
    /// The same, already counted by the engine.
    LostAndCounted,
    /// The lease expires, which counts as a lost worker. The slot stays occupied until then.
    Expire,
}

impl From<HandlerEnd> for LeaseEnd {
    fn from(end: HandlerEnd) -> Self {
        match end {
            HandlerEnd::Settle(outcome) => Self::Settle(outcome),
            HandlerEnd::PutOff(delay) => Self::PutOff(delay),
        }
    }
}

/// Does the work of one job type.
#[async_trait]
pub trait Handler: Send + Sync {
    /// Runs one attempt. The future is dropped when the job's time is up, its lease is lost or the process stops;
    /// `stop` is cancelled then, for work that the handler has put into tasks of its own. A panic fails the attempt.
    async fn run(&self, job: &ClaimedJob, stop: CancellationToken) -> HandlerEnd;
}
