//! Counts of what the use cases did. The names are `telemetry`'s; the labels come from short lists.

use domain::job::JobStatus;
use domain::queue::QueueName;
use domain::workflow::execution::ExecutionStatus;
use metrics::counter;
use store::jobs::{LeaseAnswer, Settled};
use telemetry::names;

use crate::jobs::LeaseOutcome;

pub(crate) fn enqueued(queue: QueueName, count: usize) {
    add(names::JOBS_ENQUEUED_TOTAL, queue, count);
}

pub(crate) fn claimed(queue: QueueName, count: usize) {
    add(names::JOBS_CLAIMED_TOTAL, queue, count);
}

pub(crate) fn promoted(queue: QueueName, count: u32) {
    add(names::JOBS_PROMOTED_TOTAL, queue, count as usize);
}

pub(crate) fn pruned(rows: u64) {
    if rows > 0 {
        counter!(names::ROWS_PRUNED_TOTAL).increment(rows);
    }
}

pub(crate) fn execution_finished(status: ExecutionStatus) {
    counter!(names::EXECUTIONS_FINISHED_TOTAL, names::STATUS => status.as_str().to_lowercase()).increment(1);
}

pub(crate) fn settled(answers: &[LeaseAnswer<Settled>]) {
    for settled in of(answers) {
        let (queue, outcome) = (settled.queue.as_str(), outcome(settled.status));
        counter!(names::JOBS_SETTLED_TOTAL, names::QUEUE => queue, names::OUTCOME => outcome).increment(1);
    }
}

pub(crate) fn reaped(answers: &[LeaseAnswer<Settled>]) {
    for settled in of(answers) {
        add(names::JOBS_REAPED_TOTAL, settled.queue, 1);
    }
}

/// Leases that the holders of jobs of `queue` turned out to have lost.
pub(crate) fn lost(queue: QueueName, outcomes: &[LeaseOutcome]) {
    let lost = outcomes
        .iter()
        .filter(|outcome| **outcome == LeaseOutcome::LeaseLost)
        .count();
    add(names::LEASE_LOST_TOTAL, queue, lost);
}

fn of(answers: &[LeaseAnswer<Settled>]) -> impl Iterator<Item = &Settled> {
    answers.iter().filter_map(|answer| match answer {
        LeaseAnswer::Ok(settled) => Some(settled),
        LeaseAnswer::AlreadyDone | LeaseAnswer::LeaseLost => None,
    })
}

const fn outcome(status: JobStatus) -> &'static str {
    match status {
        JobStatus::Completed => "completed",
        JobStatus::Scheduled | JobStatus::Queued | JobStatus::Processing | JobStatus::RetryWait => "retry",
        JobStatus::Waiting => "waiting",
        JobStatus::Failed => "failed",
        JobStatus::DeadLetter => "dead_letter",
        JobStatus::Cancelled => "cancelled",
    }
}

fn add(name: &'static str, queue: QueueName, count: usize) {
    if count > 0 {
        counter!(name, names::QUEUE => queue.as_str()).increment(count as u64);
    }
}
