//! The running attempts of a worker.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::heartbeats::Heartbeats;
use super::lines::{AttemptLines, LineSender};
use crate::context::{CancelReason, Context, Fields, LogLevel, Sink};
use crate::json::Json;
use crate::models::PolledJob;

/// How many ends of leases are kept for jobs that have not begun.
const ENDED_MAX: usize = 1000;

/// Attempts by lease token: two attempts of a job may overlap here.
#[derive(Default)]
pub(super) struct Attempts {
    running: HashMap<String, Arc<Attempt>>,
    /// Why leases ended whose jobs have not begun yet.
    ended: HashMap<String, CancelReason>,
}

impl Attempts {
    /// Begins an attempt, whose lease may have ended already.
    pub(super) fn begin(&mut self, attempt: &Arc<Attempt>) {
        let token = &attempt.job.lease_token;
        if let Some(reason) = self.ended.remove(token) {
            attempt.cancel(reason);
        }
        self.running.insert(token.clone(), Arc::clone(attempt));
    }

    /// Cancels the attempt of a lease. A stream may say so before the job's poll is answered.
    pub(super) fn cancel(&mut self, token: &str, reason: CancelReason) {
        if let Some(attempt) = self.running.get(token) {
            attempt.cancel(reason);
            return;
        }
        // Most of these are of jobs that have ended here.
        if self.ended.len() >= ENDED_MAX {
            self.ended.clear();
        }
        self.ended.insert(token.to_owned(), reason);
    }

    pub(super) fn end(&mut self, token: &str) {
        self.running.remove(token);
    }

    pub(super) fn count(&self) -> usize {
        self.running.len()
    }

    pub(super) fn all(&self) -> Vec<Arc<Attempt>> {
        self.running.values().cloned().collect()
    }
}

/// A running attempt, as the runner sees it.
pub(super) struct Attempt {
    pub(super) job: PolledJob,
    pub(super) lines: Arc<AttemptLines>,
    cancel: watch::Sender<Option<CancelReason>>,
    progress: Mutex<Option<Json>>,
    is_claimed: AtomicBool,
    over: watch::Sender<bool>,
    task: Mutex<Option<AbortHandle>>,
}

impl Attempt {
    pub(super) fn new(job: PolledJob, lines: Arc<AttemptLines>) -> Self {
        Self {
            job,
            lines,
            cancel: watch::Sender::new(None),
            progress: Mutex::default(),
            is_claimed: AtomicBool::new(false),
            over: watch::Sender::new(false),
            task: Mutex::default(),
        }
    }

    /// The context of its handler.
    pub(super) fn context(self: &Arc<Self>, beats: &Arc<Heartbeats>, lines: &Arc<LineSender>) -> Context {
        let sink =
            AttemptSink { attempt: Arc::clone(self), beats: Arc::clone(beats), lines: Arc::clone(lines) };
        Context::new(self.job.clone(), self.cancel.subscribe(), Arc::new(sink))
    }

    /// Cancels the handler; the first reason stays.
    pub(super) fn cancel(&self, reason: CancelReason) {
        self.cancel.send_if_modified(|current| {
            let is_first = current.is_none();
            if is_first {
                *current = Some(reason);
            }
            is_first
        });
    }

    /// Why the handler was cancelled, if it was.
    pub(super) fn cancel_reason(&self) -> Option<CancelReason> {
        *self.cancel.borrow()
    }

    /// What was said with `progress` since this was last asked.
    pub(super) fn take_progress(&self) -> Option<Json> {
        self.progress.lock().take()
    }

    /// The task that runs the handler, so that it can be ended with the worker.
    pub(super) fn set_task(&self, task: AbortHandle) {
        *self.task.lock() = Some(task);
    }

    /// Whether the caller is to report its end: whoever ran the handler, or the drain that gives the job back.
    pub(super) fn claim_report(&self) -> bool {
        !self.is_claimed.swap(true, Ordering::AcqRel)
    }

    /// Its end is reported, or nothing more is tried.
    pub(super) fn set_over(&self) {
        self.over.send_replace(true);
    }

    /// Waits until its end is reported.
    pub(super) async fn until_over(&self) {
        // The sender is here: it is not gone before.
        let _ = self.over.subscribe().wait_for(|is_over| *is_over).await;
    }

    /// Ends the handler where it waits.
    pub(super) fn abort(&self) {
        if let Some(task) = self.task.lock().take() {
            task.abort();
        }
    }
}

/// Takes what the handler says.
struct AttemptSink {
    attempt: Arc<Attempt>,
    beats: Arc<Heartbeats>,
    lines: Arc<LineSender>,
}

impl Sink for AttemptSink {
    fn progress(&self, value: Json) {
        *self.attempt.progress.lock() = Some(value.clone());
        self.beats.set_progress(&self.attempt.job.lease_token, value);
    }

    fn log(&self, level: LogLevel, message: &str, fields: Fields) {
        let job = &self.attempt.job;
        if trace_line(job, level, message, &fields) || level > LogLevel::Debug {
            self.lines.add(&self.attempt.lines, level, message, fields);
        }
    }
}

/// Gives the line to the program's own log, too, and says whether that takes lines of this level.
pub(crate) fn trace_line(job: &PolledJob, level: LogLevel, message: &str, fields: &Fields) -> bool {
    macro_rules! line {
        ($level:ident) => {{
            let fields = (!fields.is_empty()).then(|| tracing::field::debug(fields));
            tracing::event!(
                target: "trunkline",
                tracing::Level::$level,
                job_id = job.id,
                job_type = job.job_type,
                attempt = job.attempt,
                fields,
                "{message}"
            );
            tracing::enabled!(target: "trunkline", tracing::Level::$level)
        }};
    }
    match level {
        LogLevel::Debug => line!(DEBUG),
        LogLevel::Info => line!(INFO),
        LogLevel::Warn => line!(WARN),
        LogLevel::Error => line!(ERROR),
    }
}
