//! The adapter to apalis: its `Backend` over the jobs that a dispatcher has claimed.
//!
//! apalis is the worker runtime: it takes jobs from here and runs them inside its layers. Claims, leases, retries and
//! results are not its business: it sees no error of the store, and settles nothing.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use apalis_core::backend::finalize::Ephemeral;
use apalis_core::backend::{Backend, BackendConfig};
use apalis_core::task::Task;
use apalis_core::task::task_id::RandomId;
use apalis_core::worker::context::WorkerContext;
use parking_lot::Mutex;
use tokio::sync::mpsc::UnboundedReceiver;
use tower::layer::util::Identity;

use crate::slots::HeldJob;

/// The jobs of one pool. Clones share one channel, because a worker that is restarted asks for its source again.
#[derive(Debug, Clone)]
pub(crate) struct JobSource(Arc<Mutex<UnboundedReceiver<HeldJob>>>);

impl JobSource {
    pub(crate) fn new(receiver: UnboundedReceiver<HeldJob>) -> Self {
        Self(Arc::new(Mutex::new(receiver)))
    }

    /// A job that no worker has taken yet.
    pub(crate) fn take_waiting(&self) -> Option<HeldJob> {
        self.0.lock().try_recv().ok()
    }
}

impl Backend for JobSource {
    type Task = Task<HeldJob>;
    type Error = Infallible;

    fn poll_ready(&mut self, _: &mut Context<'_>, _: &WorkerContext) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn poll_next(
        &mut self,
        context: &mut Context<'_>,
        _: &WorkerContext,
    ) -> Poll<Option<Result<Self::Task, Infallible>>> {
        self.0.lock().poll_recv(context).map(|held| held.map(|held| Ok(Task::new(held))))
    }

    fn poll_close(&mut self, _: &mut Context<'_>, _: &WorkerContext) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }
}

impl BackendConfig for JobSource {
    type Args = HeldJob;
    type Id = RandomId;
    /// The jobs are handed through unchanged; nothing is encoded.
    type Kind = Ephemeral;
    type Config = ();
    type Layer = Identity;

    fn config(&self) -> &() {
        &()
    }

    fn middleware(&mut self, _: &mut WorkerContext) -> Identity {
        Identity::new()
    }
}
