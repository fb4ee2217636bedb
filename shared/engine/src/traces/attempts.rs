//! `wait` and `process`: jobs that are claimed, and their attempts until they are settled.
//!
//! What is known of an attempt is kept in memory from the claim on. A process that settles what another one claimed reads
//! the job instead.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, LazyLock};

use domain::access::TenantScope;
use domain::id::LeaseToken;
use domain::job::Disposition;
use domain::queue::QueueName;
use domain::time::Timestamp;
use domain::trace::{JobTrace, SpanPlace, TraceContext};
use parking_lot::Mutex;
use store::Store;
use store::jobs::{ClaimedJob, JobRecord, LeaseAnswer, LeaseRef, SettleResult, Settlement};
use telemetry::{Span, SpanKind, Tracer, tracer};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::{commit, message_span};

/// How many attempts are kept. The oldest are forgotten first.
const OPEN_MAX: usize = 20_000;
/// How many processes of the runtime read jobs of others at once; what is beyond is dropped and counted.
const READS_AT_ONCE: usize = 4;

/// Attempts under way that were claimed here.
static OPEN: LazyLock<Mutex<Open>> = LazyLock::new(Mutex::default);
static READS: Semaphore = Semaphore::const_new(READS_AT_ONCE);

#[derive(Default)]
struct Open {
    by_token: HashMap<LeaseToken, Span>,
    /// The oldest first, with those that were taken.
    order: VecDeque<LeaseToken>,
}

impl Open {
    fn put(&mut self, token: LeaseToken, span: Span) {
        self.by_token.insert(token, span);
        self.order.push_back(token);
        while self.order.len() > OPEN_MAX {
            if let Some(oldest) = self.order.pop_front() {
                self.by_token.remove(&oldest);
            }
        }
    }
}

/// Records the waits of jobs that are leased now, and lets them carry the contexts of their attempts.
pub(crate) fn claimed(jobs: &mut [ClaimedJob]) {
    let Some(tracer) = tracer() else {
        return;
    };
    for job in jobs {
        let trace = JobTrace::of(job.id, job.traceparent.as_deref(), tracer.share());
        let place = place_of(&trace, job.queue, job.attempt);
        job.traceparent = Some(place.context.to_string());
        if !trace.is_sampled() {
            continue;
        }
        let waited = (job.queued_at, job.started_at);
        let wait = message_span(trace.wait(job.attempt), ("wait", SpanKind::Internal), job.queue, waited);
        tracer.record(
            wait.with("messaging.message.id", job.id.to_string())
                .with("trunkline.tenant", job.tenant.to_string())
                .with("trunkline.job.type", job.job_type.to_string())
                .with("trunkline.attempt", i64::from(job.attempt)),
        );
        let span = process(place, job.queue, job.started_at)
            .with("messaging.message.id", job.id.to_string())
            .with("trunkline.tenant", job.tenant.to_string())
            .with("trunkline.job.type", job.job_type.to_string())
            .with_some("trunkline.workflow", job.workflow.as_ref().map(|of| of.name.to_string()))
            .with_some("trunkline.execution.id", job.execution_id.map(|id| id.to_string()))
            .with_some("trunkline.node.id", job.node_id.as_ref().map(ToString::to_string))
            .with("trunkline.attempt", i64::from(job.attempt))
            .with("trunkline.priority", job.tier.as_str());
        OPEN.lock().put(job.token, span);
    }
}

fn place_of(trace: &JobTrace, queue: QueueName, attempt: u32) -> SpanPlace {
    if queue == QueueName::Execution { trace.turn(attempt) } else { trace.attempt(attempt) }
}

fn process(place: SpanPlace, queue: QueueName, begun: Timestamp) -> Span {
    message_span(place, ("process", SpanKind::Consumer), queue, (begun, begun))
        .with("messaging.operation.name", "process")
        .with("messaging.operation.type", "process")
}

/// An attempt that was completed by a step of its execution, whose commit has a span of its own.
pub(crate) fn completed(lease: LeaseRef, now: Timestamp) {
    if let Some(tracer) = tracer()
        && let Some(span) = take(lease)
    {
        tracer.record(span.until(now));
    }
}

/// Attempts that were settled by one commit, which began at `handed`.
pub(crate) fn settled(
    store: &Arc<dyn Store>,
    batch: &[Settlement],
    answers: &[LeaseAnswer<SettleResult>],
    (handed, now): (Timestamp, Timestamp),
) {
    let Some(tracer) = tracer() else {
        return;
    };
    let mut elsewhere = Vec::new();
    for (Settlement { lease, disposition }, answer) in batch.iter().zip(answers) {
        let error = match answer {
            LeaseAnswer::Ok(_) => error_of(disposition),
            LeaseAnswer::Cancelled => Some("cancelled".to_owned()),
            LeaseAnswer::AlreadyDone | LeaseAnswer::LeaseLost => continue,
        };
        match (take(*lease), answer) {
            (Some(span), _) => end(tracer, span, error, (handed, now)),
            (None, LeaseAnswer::Ok(settled)) if may_be_sampled(settled) => elsewhere.push((*lease, error)),
            (None, _) => {}
        }
    }
    if !elsewhere.is_empty() {
        read_and_end(tracer, Arc::clone(store), elsewhere, (handed, now));
    }
}

fn end(tracer: &Tracer, span: Span, error: Option<String>, (handed, now): (Timestamp, Timestamp)) {
    commit(tracer, span.place.context, 0, (handed, now));
    tracer.record(Span { error, ..span.until(now) });
}

/// The end of a turn of an execution's owner.
pub(crate) fn turn_ended(lease: LeaseRef, error: Option<&str>, now: Timestamp) {
    let Some(tracer) = tracer() else {
        return;
    };
    if let Some(span) = take(lease) {
        tracer.record(Span { error: error.map(ToOwned::to_owned), ..span.until(now) });
    }
}

/// The context of a turn, for what is below it. `None` while spans go nowhere.
pub(crate) fn turn_context(job: &ClaimedJob) -> Option<TraceContext> {
    tracer()?;
    job.traceparent.as_deref().and_then(TraceContext::parse)
}

fn take(lease: LeaseRef) -> Option<Span> {
    OPEN.lock().by_token.remove(&lease.token)
}

fn error_of(disposition: &Disposition) -> Option<String> {
    match disposition {
        Disposition::Complete(_) => None,
        Disposition::RetryAt { error, .. } | Disposition::Die { error, .. } => {
            Some(error.code.clone().unwrap_or_else(|| "error".to_owned()))
        }
    }
}

/// Whether the spans of a job may be wanted, as far as its caller has said.
fn may_be_sampled(settled: &SettleResult) -> bool {
    let said = settled.facts.as_ref().and_then(|facts| facts.traceparent.as_deref());
    said.and_then(TraceContext::parse).is_none_or(|context| context.is_sampled)
}

/// Records the ends of attempts that another process claimed. What cannot be read in time is dropped.
fn read_and_end(
    tracer: &'static Tracer,
    store: Arc<dyn Store>,
    attempts: Vec<(LeaseRef, Option<String>)>,
    times: (Timestamp, Timestamp),
) {
    let (Ok(permit), Ok(runtime)) = (READS.try_acquire(), Handle::try_current()) else {
        tracer.drop_spans(attempts.len() as u64);
        return;
    };
    runtime.spawn(async move {
        let _permit = permit;
        for (lease, error) in attempts {
            match store.job(&TenantScope::All, lease.id).await {
                Ok(Some(job)) => {
                    if let Some(span) = span_of(tracer, &job, times.1) {
                        end(tracer, span, error, times);
                    }
                }
                Ok(None) | Err(_) => tracer.drop_spans(1),
            }
        }
    });
}

/// The span of the attempt of a job that ended at or before an instant.
fn span_of(tracer: &Tracer, job: &JobRecord, now: Timestamp) -> Option<Span> {
    let attempt = job.attempts.iter().rev().find(|of| of.finished_at.is_some_and(|at| at <= now))?;
    let trace = JobTrace::of(job.id, job.traceparent.as_deref(), tracer.share());
    let place = place_of(&trace, job.queue, attempt.attempt_number);
    let span = process(place, job.queue, attempt.started_at)
        .with("messaging.message.id", job.id.to_string())
        .with("trunkline.tenant", job.tenant.to_string())
        .with("trunkline.job.type", job.job_type.to_string())
        .with_some("trunkline.workflow", job.workflow.as_ref().map(|of| of.name.to_string()))
        .with_some("trunkline.execution.id", job.execution_id.map(|id| id.to_string()))
        .with_some("trunkline.node.id", job.node_id.as_ref().map(ToString::to_string))
        .with("trunkline.attempt", i64::from(attempt.attempt_number))
        .with("trunkline.priority", job.tier.as_str());
    Some(span)
}
