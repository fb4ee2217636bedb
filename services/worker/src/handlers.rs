//! What is done with a claimed job: the handlers that are built in, and the table of them by job type.

mod built_in;
mod http;
mod table;

use async_trait::async_trait;
use domain::job::Outcome;
use domain::time::DurationMs;
use store::jobs::ClaimedJob;
use tokio_util::sync::CancellationToken;

pub use built_in::{DeliveryHandler, ScheduleCheckHandler};
pub(crate) use built_in::{ExecutionEnd, own};
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

/// Does the work of one job type.
#[async_trait]
pub trait Handler: Send + Sync {
    /// Runs one attempt. The future is dropped when the job's time is up, its lease is lost or the process stops;
    /// `stop` is cancelled then, for work that the handler has put into tasks of its own. A panic fails the attempt.
    async fn run(&self, job: &ClaimedJob, stop: CancellationToken) -> HandlerEnd;
}
