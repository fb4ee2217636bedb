//! What is recorded of jobs and executions wherever they come from: counters, figures over time and spans, always all three.

use std::sync::Arc;

use domain::time::Timestamp;
use store::Store;
use store::jobs::{ClaimedJob, LeaseAnswer, SettleResult, Settlement};

use crate::stats::StatNotes;
use crate::{metrics, traces};

/// Jobs that are leased now. They carry the contexts of their attempts afterwards.
pub(crate) fn claimed(stats: &StatNotes, jobs: &mut [ClaimedJob]) {
    metrics::claimed(jobs);
    stats.claimed(jobs);
    traces::claimed(jobs);
}

/// Attempts that were settled by one commit, which began at `begun` and was durable at `now`.
pub(crate) fn settled(
    store: &Arc<dyn Store>,
    stats: &StatNotes,
    batch: &[Settlement],
    answers: &[LeaseAnswer<SettleResult>],
    (begun, now): (Timestamp, Timestamp),
) {
    metrics::settled(store.as_ref(), batch, answers);
    stats.settled(store.as_ref(), batch, answers, begun);
    traces::settled(store, batch, answers, (begun, now));
}
