//! Counts of what the use cases did. The names are `telemetry`'s; the labels come from short lists.

use domain::sqlite_maintenance::FileFigures;

use domain::id::ExecutionId;
use domain::job::{Disposition, JobStatus};
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::{QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use domain::webhook::{DeliverySource, DeliveryStatus};
use domain::workflow::execution::{ExecutionStatus, JOB_TYPE_EXECUTION};
use metrics::{Label, counter, gauge, histogram};
use store::Store;
use store::executions::{ExecutionRecord, NewExecution};
use store::jobs::{
    ClaimedJob, Enqueued, ExpiredStarts, JobRecord, LeaseAnswer, NewJob, Promoted, SettleResult,
    SettledFacts, Settlement,
};
use store::retention::RetentionLag;
use store::schedules::{ScheduleFire, SlotAction};
use telemetry::{JobLabels, JobTime, names, of_job, of_job_type, record_job_time};

use crate::stats::StatNotes;

mod tally;

pub(crate) use tally::Tally;
use tally::{job_labels, lane_key, of_claimed, of_lane, of_new, unseen};

/// So many jobs of which nothing is known but their queue: they count as normal ones.
pub(crate) fn enqueued(queue: QueueName, count: usize) {
    enqueued_unseen(queue, Tier::Normal, count as u64);
}

/// Jobs that were stored.
pub(crate) fn stored<'a>(jobs: impl Iterator<Item = &'a NewJob>) {
    Tally::of(names::JOBS_ENQUEUED_TOTAL, jobs.map(of_new)).add();
}

/// So many jobs of which nothing is known but queue and tier.
pub(crate) fn enqueued_unseen(queue: QueueName, tier: Tier, count: u64) {
    if count > 0 {
        let labels = of_job(&unseen(queue, tier));
        counter!(names::JOBS_ENQUEUED_TOTAL, labels).increment(count);
    }
}

/// Those of these jobs that the store has not had before.
pub(crate) fn new_jobs<'a>(
    jobs: impl Iterator<Item = &'a NewJob>,
    enqueued: &[Enqueued],
) -> impl Iterator<Item = &'a NewJob> {
    jobs.zip(enqueued).filter(|(_, answer)| !answer.existing).map(|(job, _)| job)
}

/// Executions that were created now, with their jobs.
pub(crate) fn created<'a>(executions: impl Iterator<Item = &'a NewExecution>, enqueued: &[Enqueued]) {
    for execution in executions.zip(enqueued).filter(|(_, job)| !job.existing).map(|(execution, _)| execution)
    {
        started(execution);
    }
}

/// An execution that was created now.
pub(crate) fn started(execution: &NewExecution) {
    executions_started(&execution.trigger.kind, 1);
    stored(std::iter::once(&execution.job));
}

/// Values of payloads that were left out of attributes because they do not fit.
pub(crate) fn attributes_skipped(count: u32) {
    if count > 0 {
        counter!(names::ATTRIBUTES_SKIPPED_TOTAL).increment(count.into());
    }
}

/// So many executions that were created by this kind of trigger.
pub(crate) fn executions_started(trigger: &str, count: u64) {
    counter!(names::EXECUTIONS_STARTED_TOTAL, names::TRIGGER => trigger.to_owned()).increment(count);
}

/// Leases that begin.
pub(crate) fn claimed(jobs: &[ClaimedJob]) {
    Tally::of(names::JOBS_CLAIMED_TOTAL, jobs.iter().map(of_claimed)).add();
    for job in jobs {
        let waited = seconds(job.started_at.since(job.queued_at));
        record_job_time(JobTime::Wait, &of_claimed(job), waited, job.traceparent.as_deref());
    }
}

/// Jobs that became claimable because their time has come.
pub(crate) fn promoted(store: &dyn Store, promoted: &Promoted) {
    for &(queue, lane, tier) in &promoted.lanes {
        let key = lane_key(store, queue, lane);
        Tally::of(names::JOBS_PROMOTED_TOTAL, std::iter::once(of_lane(queue, tier, key.as_ref()))).add();
    }
}

/// A job that somebody cancelled.
pub(crate) fn cancelled(job: &JobRecord) {
    let labels = job_labels(job.queue, job.tier, Some(&job.tenant), Some(&job.job_type));
    Tally::of(names::JOBS_CANCELLED_TOTAL, std::iter::once(labels)).add();
}

/// Jobs that nobody started in time. The store counts the executions.
pub(crate) fn expired(store: &dyn Store, expired: &ExpiredStarts) {
    for job in &expired.jobs {
        let key = lane_key(store, job.queue, job.lane);
        let labels = of_lane(job.queue, job.tier, key.as_ref());
        Tally::of(names::JOBS_CANCELLED_TOTAL, std::iter::once(labels)).add();
    }
}

/// Dead letters that were requeued or archived.
pub(crate) fn dead_letters_resolved(queue: QueueName, outcome: &'static str, count: u64) {
    counter!(names::DEAD_LETTERS_RESOLVED_TOTAL, names::QUEUE => queue.as_str(), names::OUTCOME => outcome)
        .increment(count);
}

/// A turn of the owner of an execution that ended with its lease: the execution was parked, or has ended.
pub(crate) fn turn_ended(stats: &StatNotes, job: &ClaimedJob, outcome: JobStatus, now: Timestamp) {
    let labels = of_claimed(job);
    ended(&labels, outcome, 1);
    // The pool records how long it ran, as of every attempt that ends without a report.
    stats.turn_ended(job, now.since(job.started_at), now);
}

/// An execution that a step has ended, in a turn of its owner or without one. Those that end otherwise are counted by the
/// store.
pub(crate) fn execution_ended(
    stats: &StatNotes,
    execution: &ExecutionRecord,
    status: ExecutionStatus,
    now: Timestamp,
) {
    counter!(names::EXECUTIONS_FINISHED_TOTAL, names::STATUS => status.as_str().to_lowercase()).increment(1);
    let labels = JobLabels {
        job_type: Some(JOB_TYPE_EXECUTION),
        ..job_labels(QueueName::Execution, execution.tier, Some(&execution.tenant), None)
    };
    let took = now.since(execution.created_at);
    record_job_time(JobTime::EndToEnd, &labels, seconds(took), execution.traceparent.as_deref());
    let of = (execution.tier, &execution.tenant, &execution.workflow.name);
    stats.execution_ended(of, status, took, now);
}

pub(crate) fn execution_parked() {
    counter!(names::EXECUTIONS_PARKED_TOTAL).increment(1);
}

pub(crate) fn execution_woken() {
    counter!(names::EXECUTIONS_WOKEN_TOTAL).increment(1);
}

/// Executions that started to compensate.
pub(crate) fn executions_compensating(count: u64) {
    if count > 0 {
        counter!(names::EXECUTIONS_COMPENSATING_TOTAL).increment(count);
    }
}

/// How long a write waited for its commit, which it shared with others.
pub(crate) fn commit_waited(waited: std::time::Duration) {
    histogram!(names::COMMIT_WAIT_SECONDS).record(waited.as_secs_f64());
}

/// Rows of the intake.
pub(crate) fn intake(taken: usize, refused: usize) {
    counter!(names::INTAKE_TAKEN_TOTAL).increment(taken as u64);
    counter!(names::INTAKE_REFUSED_TOTAL).increment(refused as u64);
}

/// An offer that nobody took.
pub(crate) fn offer_returned(job_type: &JobType) {
    counter!(names::DISPATCH_RETURNED_TOTAL, of_job_type(job_type.as_str())).increment(1);
}

pub(crate) fn pruned(rows: u64) {
    if rows > 0 {
        counter!(names::ROWS_PRUNED_TOTAL).increment(rows);
    }
}

/// How far retention is behind, by what it removes.
pub(crate) fn retention_lag(lags: &[RetentionLag]) {
    for RetentionLag { kind, lag } in lags {
        gauge!(names::RETENTION_LAG_SECONDS, names::KIND => *kind).set(lag.0.max(0) as f64 / 1_000.0);
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

pub(crate) fn settled(store: &dyn Store, batch: &[Settlement], answers: &[LeaseAnswer<SettleResult>]) {
    let settled: Vec<(&Settlement, &SettleResult)> =
        batch.iter().zip(answers).filter_map(|(done, answer)| Some((done, answer.ok()?))).collect();
    // Attempts that are settled together mostly end alike, and are of one lane.
    for run in settled.chunk_by(|(_, one), (_, other)| are_alike(one, other)) {
        let (_, first) = run[0];
        let key = first.facts.as_ref().and_then(|facts| lane_key(store, first.queue, facts.lane));
        let tier = first.facts.as_ref().map_or(Tier::Normal, |facts| facts.tier);
        let labels = of_lane(first.queue, tier, key.as_ref());
        ended(&labels, first.status, run.len() as u64);
        for (settlement, settled) in run {
            if let Some(facts) = &settled.facts {
                record_times(&labels, settled.status, facts);
            }
            dead_letter(settled, &settlement.disposition);
        }
    }
    record_parked(answers);
}

/// Whether two settled jobs are counted under the same labels.
fn are_alike(one: &SettleResult, other: &SettleResult) -> bool {
    let lane = |settled: &SettleResult| settled.facts.as_ref().map(|facts| (facts.lane, facts.tier));
    (one.queue, one.status, lane(one)) == (other.queue, other.status, lane(other))
}

/// Attempts that were settled.
fn ended(labels: &JobLabels<'_>, status: JobStatus, count: u64) {
    let mut labels = of_job(labels);
    labels.push(Label::from_static_parts(names::OUTCOME, outcome(status)));
    counter!(names::JOBS_SETTLED_TOTAL, labels).increment(count);
}

/// What is known of a leased job whose result goes to the owner of its execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeaseFacts {
    queue: QueueName,
    tier: Tier,
    tenant: TenantName,
    workflow: Option<WorkflowName>,
    job_type: JobType,
    created_at: Timestamp,
    started_at: Timestamp,
    traceparent: Option<String>,
}

impl LeaseFacts {
    pub(crate) fn of(job: &ClaimedJob) -> Self {
        Self {
            queue: job.queue,
            tier: job.tier,
            tenant: job.tenant.clone(),
            workflow: job.workflow.as_ref().map(|of| of.name.clone()),
            job_type: job.job_type.clone(),
            created_at: job.created_at,
            started_at: job.started_at,
            traceparent: job.traceparent.clone(),
        }
    }
}

/// A job that was completed by a step of its execution.
pub(crate) fn completed(stats: &StatNotes, facts: &LeaseFacts, now: Timestamp) {
    let labels = job_labels(facts.queue, facts.tier, Some(&facts.tenant), Some(&facts.job_type));
    ended(&labels, JobStatus::Completed, 1);
    let trace = facts.traceparent.as_deref();
    let (ran, took) = (now.since(facts.started_at), now.since(facts.created_at));
    record_job_time(JobTime::Run, &labels, seconds(ran), trace);
    record_job_time(JobTime::EndToEnd, &labels, seconds(took), trace);
    stats.completed((facts.queue, facts.tier), &facts.tenant, facts.workflow.as_ref(), (ran, took), now);
}

pub(crate) fn reaped(store: &dyn Store, batch: &[Settlement], answers: &[LeaseAnswer<SettleResult>]) {
    for (settlement, settled) in
        batch.iter().zip(answers).filter_map(|(done, answer)| Some((done, answer.ok()?)))
    {
        if let Some(facts) = &settled.facts {
            let key = lane_key(store, settled.queue, facts.lane);
            let labels = of_lane(settled.queue, facts.tier, key.as_ref());
            Tally::of(names::JOBS_REAPED_TOTAL, std::iter::once(labels)).add();
            record_times(&labels, settled.status, facts);
        } else {
            let labels = unseen(settled.queue, Tier::Normal);
            Tally::of(names::JOBS_REAPED_TOTAL, std::iter::once(labels)).add();
        }
        dead_letter(settled, &settlement.disposition);
    }
    record_parked(answers);
}

/// How long an attempt ran, and the job took in all if that was its end.
fn record_times(labels: &JobLabels<'_>, status: JobStatus, facts: &SettledFacts) {
    let trace = facts.traceparent.as_deref();
    if let Some(started_at) = facts.started_at {
        record_job_time(JobTime::Run, labels, seconds(facts.settled_at.since(started_at)), trace);
    }
    if status.is_terminal() {
        record_job_time(JobTime::EndToEnd, labels, seconds(facts.settled_at.since(facts.created_at)), trace);
    }
}

fn dead_letter(settled: &SettleResult, disposition: &Disposition) {
    if let (JobStatus::DeadLetter, Disposition::Die { reason, .. }) = (settled.status, disposition) {
        let queue = settled.queue.as_str();
        counter!(names::DEAD_LETTERS_TOTAL, names::QUEUE => queue, names::REASON => reason.as_str())
            .increment(1);
    }
}

/// Deliveries whose jobs became dead letters.
fn record_parked(answers: &[LeaseAnswer<SettleResult>]) {
    let is_parked = |settled: &&SettleResult| {
        settled.queue == QueueName::Webhook && settled.status == JobStatus::DeadLetter
    };
    matches(DeliveryStatus::Parked.as_str(), of(answers).filter(is_parked).count());
}

/// Leases that the holders of jobs of `queue` turned out to have lost.
pub(crate) fn lost<T>(queue: QueueName, answers: &[LeaseAnswer<T>]) {
    let lost = answers.iter().filter(|answer| matches!(answer, LeaseAnswer::LeaseLost)).count();
    add(names::LEASE_LOST_TOTAL, queue, lost);
}

/// Slots that a committed fire recorded. `started` are the executions that it really created.
pub(crate) fn schedule_fired(fire: &ScheduleFire, started: &[ExecutionId], now: Timestamp) {
    for slot in &fire.slots {
        let outcome = match &slot.action {
            SlotAction::Start(execution) if started.contains(&execution.id) => {
                let late_seconds = now.since(slot.nominal).0 as f64 / 1_000.0;
                histogram!(names::SCHEDULE_LATENESS_SECONDS).record(late_seconds);
                self::started(execution);
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

/// The jobs of the executions that a committed fire created.
pub(crate) fn jobs_of_fire<'a>(
    fire: &'a ScheduleFire,
    started: &'a [ExecutionId],
) -> impl Iterator<Item = &'a NewJob> {
    fire.slots.iter().filter_map(|slot| match &slot.action {
        SlotAction::Start(execution) if started.contains(&execution.id) => Some(&execution.job),
        _ => None,
    })
}

/// Accepted deliveries, by what matching them came to.
pub(crate) fn matches(status: &'static str, count: usize) {
    if count > 0 {
        counter!(names::WEBHOOK_MATCHES_TOTAL, names::STATUS => status).increment(count as u64);
    }
}

/// Requests to webhooks, each once, by how it was answered.
pub(crate) fn deliveries(status: &'static str, count: usize) {
    deliveries_from(DeliverySource::Webhook, status, count);
}

/// Deliveries from a source, each once, by how it was answered.
pub(crate) fn deliveries_from(source: DeliverySource, status: &'static str, count: usize) {
    if count > 0 {
        counter!(names::WEBHOOK_DELIVERIES_TOTAL, names::SOURCE => source.as_str(), names::STATUS => status)
            .increment(count as u64);
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

fn of(answers: &[LeaseAnswer<SettleResult>]) -> impl Iterator<Item = &SettleResult> {
    answers.iter().filter_map(LeaseAnswer::ok)
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

fn seconds(span: DurationMs) -> f64 {
    span.0 as f64 / 1_000.0
}
