//! A request that waits takes a seat, or is refused for a while.

use domain::names::WorkerId;
use domain::problem::ProblemCode;
use domain::time::DurationMs;

use super::{Seat, Waiting, owners};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// When to come again where too many wait.
const WAITING_RETRY_AFTER: DurationMs = DurationMs::from_secs(5);

/// When to come again under another name.
const WORKERS_RETRY_AFTER: DurationMs = DurationMs::from_secs(60);

impl Engine {
    /// A place among those who wait, to be held while the caller does. Of this process only.
    pub fn take_seat(&self, caller: &Caller, waiting: Waiting) -> Result<Seat, EngineError> {
        let owners = owners(caller, self.policy().waiting.of(waiting));
        self.memory().seats.take(waiting, owners).map_err(|(owner, bound)| EngineError::TooMany {
            code: ProblemCode::TooManyWaiting,
            message: format!(
                "This {} already has {bound} {} open on this server, which is the limit; close some of them.",
                owner.noun(),
                waiting.plural()
            ),
            retry_after: WAITING_RETRY_AFTER,
        })
    }

    /// Records that somebody polls under a name.
    pub(crate) fn show_worker(&self, caller: &Caller, id: &WorkerId) -> Result<(), EngineError> {
        let owners = owners(caller, self.policy().waiting.workers);
        self.memory().worker_names.show(owners, id, self.now()).map_err(|(owner, bound)| EngineError::TooMany {
            code: ProblemCode::TooManyWorkers,
            message: format!(
                "This {} used {bound} worker IDs within ten minutes, which is the limit; give each worker a stable ID.",
                owner.noun()
            ),
            retry_after: WORKERS_RETRY_AFTER,
        })
    }
}
