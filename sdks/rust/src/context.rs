//! What a handler knows of its job and says through it.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use crate::timestamp::Timestamp;
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::watch;

use crate::error::ClientError;
use crate::json::Json;
use crate::models::{JobError, PolledJob};

tokio::task_local! {
    static CURRENT: Context;
}

/// Why a handler was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CancelReason {
    /// The job was cancelled.
    Cancelled,
    /// The lease is gone: another worker may have the job.
    LeaseLost,
    /// The worker has drained long enough.
    Draining,
    /// The attempt took too long.
    Deadline,
}

/// The level of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// For whoever looks for a fault.
    Debug,
    /// What happens.
    Info,
    /// Logs something that should not happen.
    Warn,
    /// What failed.
    Error,
}

impl LogLevel {
    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// Fields of a line.
pub(crate) type Fields = BTreeMap<String, Json>;

/// Where progress and lines go.
pub(crate) trait Sink: Send + Sync {
    fn progress(&self, value: Json);
    fn log(&self, level: LogLevel, message: &str, fields: Fields);
}

/// The job of a handler. Clones are the same context.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    job: PolledJob,
    cancelled: watch::Receiver<Option<CancelReason>>,
    sink: Arc<dyn Sink>,
    values: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Context {
    pub(crate) fn new(
        job: PolledJob,
        cancelled: watch::Receiver<Option<CancelReason>>,
        sink: Arc<dyn Sink>,
    ) -> Self {
        Self(Arc::new(Inner { job, cancelled, sink, values: Mutex::default() }))
    }

    /// The context of the handler that calls this, from its own task.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    pub(crate) async fn scope<F: Future>(self, handler: F) -> F::Output {
        CURRENT.scope(self, handler).await
    }

    /// The job's id.
    pub fn job_id(&self) -> &str {
        &self.0.job.id
    }

    /// The job's type.
    pub fn job_type(&self) -> &str {
        &self.0.job.job_type
    }

    /// The number of this attempt, from 1.
    pub fn attempt(&self) -> i32 {
        self.0.job.attempt
    }

    /// Maximum number of retries after a failure.
    pub fn max_retries(&self) -> i32 {
        self.0.job.max_retries
    }

    /// The same for every attempt: pass it to systems that detect duplicates.
    pub fn idempotency_key(&self) -> &str {
        let own = &self.0.job.idempotency_key;
        if own.is_empty() { self.job_id() } else { own }
    }

    /// The tenant of the job.
    pub fn tenant(&self) -> &str {
        &self.0.job.tenant
    }

    /// The W3C trace context, if any.
    pub fn traceparent(&self) -> Option<&str> {
        self.0.job.traceparent.as_deref()
    }

    /// When the attempt times out, if the job has a timeout.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.0.job.deadline
    }

    /// What the last failed attempt reported.
    pub fn last_error(&self) -> Option<&JobError> {
        self.0.job.last_error.as_ref()
    }

    /// The execution that waits for the result, if a workflow created the job.
    pub fn execution_id(&self) -> Option<&str> {
        self.0.job.execution_id.as_deref()
    }

    /// The node that waits for the result, if a workflow created the job.
    pub fn node_id(&self) -> Option<&str> {
        self.0.job.node_id.as_deref()
    }

    /// The workflow that created the job.
    pub fn workflow(&self) -> Option<&str> {
        self.0.job.workflow.as_deref()
    }

    /// The last value that an earlier attempt reported with [`Context::progress`]; `None` without one, or if it is not a `T`.
    pub fn previous_progress<T: DeserializeOwned>(&self) -> Option<T> {
        self.0.job.progress.as_ref().filter(|progress| !progress.is_null())?.decode().ok()
    }

    /// Reports progress. It is sent with the next heartbeat, and the next attempt receives the last value. Fails only
    /// if the value is not JSON.
    pub fn progress<T: Serialize + ?Sized>(&self, value: &T) -> Result<(), ClientError> {
        let value = Json::of(value).map_err(|error| ClientError::json("progress is no JSON", error))?;
        self.0.sink.progress(value);
        Ok(())
    }

    /// Waits until the handler is cancelled, and returns the reason. Use it in `select!`.
    pub async fn cancelled(&self) -> CancelReason {
        let mut cancelled = self.0.cancelled.clone();
        loop {
            if let Some(reason) = *cancelled.borrow_and_update() {
                return reason;
            }
            if cancelled.changed().await.is_err() {
                // Nobody is left who could cancel it.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Why the handler was cancelled, if it was.
    pub fn cancel_reason(&self) -> Option<CancelReason> {
        *self.0.cancelled.borrow()
    }

    /// Whether the handler was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel_reason().is_some()
    }

    /// A logger with the IDs of job and attempt, whose lines are also stored with the attempt on the server.
    pub fn log(&self) -> Logger {
        Logger { context: self.clone(), fields: Fields::new() }
    }

    /// Stores a value in the context, one per type, for example from middleware for handlers.
    pub fn insert<T: Send + Sync + 'static>(&self, value: T) {
        self.0.values.lock().insert(TypeId::of::<T>(), Arc::new(value));
    }

    /// A stored value.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let value = self.0.values.lock().get(&TypeId::of::<T>()).cloned()?;
        value.downcast().ok()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Context({} {}, attempt {})", self.job_type(), self.job_id(), self.attempt())
    }
}

/// Logs for one attempt.
#[derive(Clone)]
pub struct Logger {
    context: Context,
    fields: Fields,
}

impl Logger {
    /// A logger with an additional field. Values that are not JSON are omitted: logging never fails a handler.
    #[must_use]
    pub fn with<T: Serialize + ?Sized>(mut self, name: impl Into<String>, value: &T) -> Self {
        if let Ok(value) = Json::of(value) {
            self.fields.insert(name.into(), value);
        }
        self
    }

    /// Logs details for debugging. Sent only if `tracing` accepts lines of this level.
    pub fn debug(&self, message: impl AsRef<str>) {
        self.line(LogLevel::Debug, message.as_ref());
    }

    /// What happens.
    pub fn info(&self, message: impl AsRef<str>) {
        self.line(LogLevel::Info, message.as_ref());
    }

    /// Logs something that should not happen.
    pub fn warn(&self, message: impl AsRef<str>) {
        self.line(LogLevel::Warn, message.as_ref());
    }

    /// What failed.
    pub fn error(&self, message: impl AsRef<str>) {
        self.line(LogLevel::Error, message.as_ref());
    }

    fn line(&self, level: LogLevel, message: &str) {
        self.context.0.sink.log(level, message, self.fields.clone());
    }
}
