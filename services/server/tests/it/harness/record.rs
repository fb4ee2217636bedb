//! What the workers saw: every run of a handler, in the order in which the workers learned of it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::harness::worker::PolledJob;

/// One lease that a worker was given.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) job: PolledJob,
    /// When the answer to the poll was read, from the beginning of the record.
    pub(crate) began_at: Duration,
    /// What the server said to the report: `ok`, `already_done` or `lease_lost`; none while there is no answer.
    pub(crate) outcome: Option<String>,
}

/// Whose jobs are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Level {
    Global,
    Tenant(String),
    Workflow(String),
}

#[derive(Debug, Default)]
struct Inner {
    runs: Vec<Run>,
    in_flight: HashMap<Level, usize>,
    peaks: HashMap<Level, usize>,
}

/// A record that all workers of a test share.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    started: Instant,
    inner: Arc<Mutex<Inner>>,
}

impl Record {
    /// An empty record that begins now.
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), inner: Arc::default() }
    }

    /// Records a lease; answers its position in the record.
    pub(super) fn begin(&self, job: &PolledJob) -> usize {
        let began_at = self.started.elapsed();
        self.with(|inner| {
            for level in levels(job) {
                let count = inner.in_flight.entry(level.clone()).or_default();
                *count += 1;
                let count = *count;
                let peak = inner.peaks.entry(level).or_default();
                *peak = count.max(*peak);
            }
            inner.runs.push(Run { job: job.clone(), began_at, outcome: None });
            inner.runs.len() - 1
        })
    }

    /// Records that the handler returned. Comes before the report is sent: from then on the slot may be free.
    pub(super) fn leave(&self, job: &PolledJob) {
        self.with(|inner| {
            for level in levels(job) {
                *inner.in_flight.get_mut(&level).expect("it began") -= 1;
            }
        });
    }

    /// Records what the server answered to the report.
    pub(super) fn settle(&self, run: usize, outcome: &str) {
        self.with(|inner| inner.runs[run].outcome = Some(outcome.to_owned()));
    }

    /// All runs so far.
    pub(crate) fn runs(&self) -> Vec<Run> {
        self.with(|inner| inner.runs.clone())
    }

    /// How many reports were answered with `ok`.
    pub(crate) fn ok_count(&self) -> usize {
        self.with(|inner| inner.runs.iter().filter(|run| run.outcome.as_deref() == Some("ok")).count())
    }

    /// The most handlers that ever ran at once, by level.
    pub(crate) fn peaks(&self) -> HashMap<Level, usize> {
        self.with(|inner| inner.peaks.clone())
    }

    fn with<T>(&self, change: impl FnOnce(&mut Inner) -> T) -> T {
        change(&mut self.inner.lock().expect("no holder panics"))
    }
}

fn levels(job: &PolledJob) -> impl Iterator<Item = Level> {
    let workflow = job.workflow.clone().map(Level::Workflow);
    [Level::Global, Level::Tenant(job.tenant.clone())].into_iter().chain(workflow)
}
