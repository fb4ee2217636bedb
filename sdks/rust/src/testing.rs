//! The test kit, in three layers: a handler with a fake context, a worker against a server in memory that waits for nothing, and
//! the real server.

mod dev_server;
mod memory;

use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::watch;

use crate::context::{CancelReason, Context, Fields, LogLevel, Sink};
use crate::json::Json;
use crate::models::PolledJob;

pub use dev_server::{DevServer, dev_server, time_skipping_server};
pub use memory::{InMemoryWorker, MemoryJob};

// A context for a handler that a test calls by itself.

/// Creates a [`Context`] and records what the handler reports through it.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use trunkline_client::testing::FakeContext;
///
/// let fake = FakeContext::new().attempt(2).previous_progress(&7);
/// let ctx = fake.context();
/// ctx.progress(&8).unwrap();
/// assert_eq!(ctx.previous_progress::<i32>(), Some(7));
/// assert_eq!(fake.progress()[0].as_str(), "8");
/// # });
/// ```
pub struct FakeContext {
    job: PolledJob,
    cancel: watch::Sender<Option<CancelReason>>,
    recorder: Arc<Recorder>,
}

#[derive(Default)]
struct Recorder {
    progress: Mutex<Vec<Json>>,
    lines: Mutex<Vec<(LogLevel, String)>>,
}

impl Sink for Recorder {
    fn progress(&self, value: Json) {
        self.progress.lock().push(value);
    }

    fn log(&self, level: LogLevel, message: &str, _fields: Fields) {
        self.lines.lock().push((level, message.to_owned()));
    }
}

impl Default for FakeContext {
    fn default() -> Self {
        Self::new()
    }
}

impl FakeContext {
    /// The first attempt of `job_test`.
    #[must_use]
    pub fn new() -> Self {
        let job = PolledJob {
            id: "job_test".to_owned(),
            job_type: "test".to_owned(),
            tenant: "default".to_owned(),
            attempt: 1,
            ..PolledJob::default()
        };
        Self { job, cancel: watch::Sender::new(None), recorder: Arc::default() }
    }

    /// The number of the attempt.
    #[must_use]
    pub fn attempt(mut self, attempt: i32) -> Self {
        self.job.attempt = attempt;
        self
    }

    /// Progress of the previous attempt. Panics if the value is not JSON.
    #[must_use]
    pub fn previous_progress<T: Serialize + ?Sized>(mut self, value: &T) -> Self {
        self.job.progress = Some(Json::of(value).expect("progress is JSON"));
        self
    }

    /// Any other field of the job.
    #[must_use]
    pub fn job(mut self, change: impl FnOnce(&mut PolledJob)) -> Self {
        change(&mut self.job);
        self
    }

    /// The context for the handler.
    pub fn context(&self) -> Context {
        let sink: Arc<dyn Sink> = Arc::<Recorder>::clone(&self.recorder);
        Context::new(self.job.clone(), self.cancel.subscribe(), sink)
    }

    /// Cancels the handler.
    pub fn cancel(&self, reason: CancelReason) {
        self.cancel.send_replace(Some(reason));
    }

    /// The reported progress values, in order.
    pub fn progress(&self) -> Vec<Json> {
        self.recorder.progress.lock().clone()
    }

    /// What was logged, in order.
    pub fn lines(&self) -> Vec<(LogLevel, String)> {
        self.recorder.lines.lock().clone()
    }
}
