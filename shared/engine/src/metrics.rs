//! Counts of what the use cases did. The names are `telemetry`'s; the labels come from short lists.

use domain::sqlite_maintenance::FileFigures;
use std::collections::BTreeMap;

use domain::id::ExecutionId;
use domain::job::JobStatus;
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use domain::workflow::execution::ExecutionStatus;
use metrics::{counter, gauge, histogram};
use store::jobs::{LeaseAnswer, Settled};
use store::schedules::{ScheduleFire, SlotAction};
use store::webhooks::DeliveryStatus;
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

pub(crate) fn audit_sealed(rows: u32, lag: DurationMs) {
    counter!(names::AUDIT_SEALED_TOTAL).increment(u64::from(rows));
    gauge!(names::AUDIT_SEAL_LAG_SECONDS).set(lag.0.max(0) as f64 / 1_000.0);
}

pub(crate) fn nodes_lost(nodes: u32) {
    counter!(names::NODES_LOST_TOTAL).increment(u64::from(nodes));
}

/// The database's file and its log.
pub(crate) fn file(figures: &FileFigures) {
    gauge!(names::DATABASE_PAGES).set(figures.pages as f64);
    gauge!(names::DATABASE_FREE_PAGES).set(figures.free_pages as f64);
    gauge!(names::DATABASE_LOG_BYTES).set(figures.log_bytes as f64);
}

pub(crate) fn execution_finished(status: ExecutionStatus) {
    counter!(names::EXECUTIONS_FINISHED_TOTAL, names::STATUS => status.as_str().to_lowercase()).increment(1);
}

pub(crate) fn settled(answers: &[LeaseAnswer<Settled>]) {
    let mut counts: BTreeMap<(&'static str, &'static str), u64> = BTreeMap::new();
    for settled in of(answers) {
        *counts.entry((settled.queue.as_str(), outcome(settled.status))).or_default() += 1;
    }
    for ((queue, outcome), count) in counts {
        counter!(names::JOBS_SETTLED_TOTAL, names::QUEUE => queue, names::OUTCOME => outcome)
            .increment(count);
    }
    record_parked(answers);
}

/// Jobs that were completed by a step of their executions.
pub(crate) fn completed(queue: QueueName, count: usize) {
    if count > 0 {
        let outcome = outcome(JobStatus::Completed);
        counter!(names::JOBS_SETTLED_TOTAL, names::QUEUE => queue.as_str(), names::OUTCOME => outcome)
            .increment(count as u64);
    }
}

pub(crate) fn reaped(answers: &[LeaseAnswer<Settled>]) {
    for settled in of(answers) {
        add(names::JOBS_REAPED_TOTAL, settled.queue, 1);
    }
    record_parked(answers);
}

/// Deliveries whose jobs became dead letters.
fn record_parked(answers: &[LeaseAnswer<Settled>]) {
    let is_parked =
        |settled: &&Settled| settled.queue == QueueName::Webhook && settled.status == JobStatus::DeadLetter;
    matches(DeliveryStatus::Parked.as_str(), of(answers).filter(is_parked).count());
}

/// Leases that the holders of jobs of `queue` turned out to have lost.
pub(crate) fn lost(queue: QueueName, outcomes: &[LeaseOutcome]) {
    let lost = outcomes.iter().filter(|outcome| **outcome == LeaseOutcome::LeaseLost).count();
    add(names::LEASE_LOST_TOTAL, queue, lost);
}

/// Slots that a committed fire recorded. `started` are the executions that it really created.
pub(crate) fn schedule_fired(fire: &ScheduleFire, started: &[ExecutionId], now: Timestamp) {
    for slot in &fire.slots {
        let outcome = match &slot.action {
            SlotAction::Start(execution) if started.contains(&execution.id) => {
                let late_seconds = now.since(slot.nominal).0 as f64 / 1_000.0;
                histogram!(names::SCHEDULE_LATENESS_SECONDS).record(late_seconds);
                "fired"
            }
            // Another check was faster, and has counted it.
            SlotAction::Start(_) => continue,
            SlotAction::Wait => "waiting",
            SlotAction::Skip { .. } => "skipped",
        };
        counter!(names::SCHEDULE_SLOTS_TOTAL, names::OUTCOME => outcome).increment(1);
    }
}

/// Accepted deliveries, by what matching them came to.
pub(crate) fn matches(status: &'static str, count: usize) {
    if count > 0 {
        counter!(names::WEBHOOK_MATCHES_TOTAL, names::STATUS => status).increment(count as u64);
    }
}

/// Requests to webhooks, each once, by how it was answered.
pub(crate) fn deliveries(status: &'static str, count: usize) {
    if count > 0 {
        counter!(names::WEBHOOK_DELIVERIES_TOTAL, names::STATUS => status).increment(count as u64);
    }
}

/// Refused requests and handshakes that are not kept for the log, because there were too many.
pub(crate) fn deliveries_unrecorded(count: usize) {
    counter!(names::WEBHOOK_DELIVERIES_UNRECORDED_TOTAL).increment(count as u64);
}

/// How long the verification of a request took.
pub(crate) fn verified(took: std::time::Duration) {
    histogram!(names::WEBHOOK_VERIFY_SECONDS).record(took.as_secs_f64());
}

/// The time zone data by which schedules fire.
pub(crate) fn tzdb(version: &str) {
    gauge!(names::TZDB_INFO, names::VERSION => version.to_owned()).set(1.0);
}

fn of(answers: &[LeaseAnswer<Settled>]) -> impl Iterator<Item = &Settled> {
    answers.iter().filter_map(|answer| match answer {
        LeaseAnswer::Ok(settled) => Some(settled),
        LeaseAnswer::AlreadyDone | LeaseAnswer::Cancelled | LeaseAnswer::LeaseLost => None,
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
