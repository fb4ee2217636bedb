//! A thread with a runtime of its own: what is sent and renewed there goes on while handlers keep theirs busy.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinHandle};

use crate::error::ClientError;

/// The thread; it ends when this is dropped.
pub(crate) struct Background {
    handle: Handle,
    _alive: oneshot::Sender<()>,
}

impl Background {
    /// Starts the thread.
    pub(crate) fn start(name: &str) -> Result<Self, ClientError> {
        let failed = |error| ClientError::Configuration(format!("no thread could be started: {error}"));
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let handle = runtime.handle().clone();
        let (alive, ended) = oneshot::channel::<()>();
        let thread = thread::Builder::new().name(name.to_owned());
        // The sender is dropped, never used: the error is the signal.
        thread.spawn(move || runtime.block_on(ended).unwrap_or_default()).map_err(failed)?;
        Ok(Self { handle, _alive: alive })
    }

    /// Runs a task there, which ends when what this gives is dropped.
    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> AbortOnDrop<T> {
        AbortOnDrop(self.handle.spawn(task))
    }

    /// Runs a call there and waits for it.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        call: &'static str,
        task: impl Future<Output = Result<T, ClientError>> + Send + 'static,
    ) -> Result<T, ClientError> {
        match self.spawn(task).await {
            Ok(result) => result,
            Err(error) => Err(ClientError::connection(call, error)),
        }
    }
}

/// A task that is aborted when nobody waits for it any more.
pub(crate) struct AbortOnDrop<T>(pub(crate) JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl<T> Future for AbortOnDrop<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context)
    }
}
