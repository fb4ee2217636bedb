//! Spans of what the use cases did, for a collector of traces. Nothing here happens while spans go nowhere: each function
//! asks [`telemetry::tracer`] first.
//!
//! Which span stands where is the business of `domain::trace`: ids follow from jobs and nodes, so that a span can be named
//! by whichever process is asked.

mod attempts;
mod steps;

use std::borrow::Cow;

use domain::id::ExecutionId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use domain::trace::{JobTrace, SpanPlace, TraceContext};
use store::executions::NewExecution;
use store::jobs::{Enqueued, NewJob};
use store::schedules::{ScheduleFire, SlotAction};
use telemetry::{Span, SpanKind, Tracer, tracer};

pub(crate) use attempts::{claimed, completed, settled, turn_context, turn_ended};
pub(crate) use steps::{StepSpans, TracedCommit, round_of};

/// The name of the messaging system in spans.
const SYSTEM: &str = "trunkline";

/// The name of a span about a queue.
fn name(what: &str, queue: QueueName) -> Cow<'static, str> {
    Cow::Owned(format!("{what} {queue}"))
}

/// A span about a message in a queue.
fn message_span(
    place: SpanPlace,
    (what, kind): (&'static str, SpanKind),
    queue: QueueName,
    times: (Timestamp, Timestamp),
) -> Span {
    Span::new(place, name(what, queue), kind, times)
        .with("messaging.system", SYSTEM)
        .with("messaging.destination.name", queue.as_str())
}

/// Records a commit below what waited for it.
fn commit(tracer: &Tracer, below: TraceContext, number: u64, times: (Timestamp, Timestamp)) {
    let place = SpanPlace::inside(below, "commit", number);
    tracer.record(Span::new(place, "commit", SpanKind::Internal, times));
}

// `send`: jobs on their way into a queue.

/// The spans of jobs that are being stored. Empty while spans go nowhere.
#[derive(Debug, Default)]
pub(crate) struct Sends {
    spans: Vec<Span>,
}

impl Sends {
    /// Those of jobs, in the order of the store's answers.
    pub(crate) fn of<'a>(jobs: impl IntoIterator<Item = &'a NewJob>, begun: Timestamp) -> Self {
        Self::with(jobs.into_iter().map(|job| (job, None)), begun)
    }

    /// Those of the jobs of executions.
    pub(crate) fn of_executions<'a>(
        executions: impl IntoIterator<Item = &'a NewExecution>,
        begun: Timestamp,
    ) -> Self {
        let named = |execution: &'a NewExecution| {
            (&execution.job, execution.correlation_id.as_ref().map(ToString::to_string))
        };
        Self::with(executions.into_iter().map(named), begun)
    }

    /// Those of the executions that a schedule has started by a fire.
    pub(crate) fn of_fire(fire: &ScheduleFire, started: &[ExecutionId], begun: Timestamp) -> Self {
        let starts = fire.slots.iter().filter_map(|slot| match &slot.action {
            SlotAction::Start(execution) if started.contains(&execution.id) => Some(&**execution),
            SlotAction::Start(_) | SlotAction::Wait | SlotAction::Skip { .. } => None,
        });
        Self::of_executions(starts, begun)
    }

    /// Those of jobs with what the callers know their executions by.
    fn with<'a>(jobs: impl Iterator<Item = (&'a NewJob, Option<String>)>, begun: Timestamp) -> Self {
        let Some(tracer) = tracer() else {
            return Self::default();
        };
        let span = |(job, correlation): (&NewJob, Option<String>)| {
            let trace = JobTrace::of(job.id, job.traceparent.as_deref(), tracer.share());
            message_span(trace.send(), ("send", SpanKind::Producer), job.queue, (begun, begun))
                .with("messaging.operation.name", "send")
                .with("messaging.operation.type", "send")
                .with("messaging.message.id", job.id.to_string())
                .with_some("messaging.message.conversation_id", correlation)
                .with("trunkline.tenant", job.tenant.to_string())
                .with("trunkline.job.type", job.job_type.to_string())
                .with_some("trunkline.workflow", job.workflow.as_ref().map(|of| of.name.to_string()))
                .with_some("trunkline.execution.id", job.execution_id.map(|id| id.to_string()))
                .with_some("trunkline.node.id", job.node_id.as_ref().map(ToString::to_string))
                .with("trunkline.priority", job.tier.as_str())
        };
        Self { spans: jobs.map(span).collect() }
    }

    /// Records those of jobs that are new, with the commits that they waited for.
    pub(crate) fn durable(self, enqueued: &[Enqueued], now: Timestamp) {
        let is_new = enqueued.iter().map(|answer| !answer.existing);
        self.record(is_new.chain(std::iter::repeat(true)), now, true);
    }

    /// Records all; their commit has a span already.
    fn stored(self, now: Timestamp) {
        self.record(std::iter::repeat(true), now, false);
    }

    fn record(self, is_new: impl Iterator<Item = bool>, now: Timestamp, has_commit: bool) {
        let Some(tracer) = tracer() else {
            return;
        };
        for (span, _) in self.spans.into_iter().zip(is_new).filter(|(_, is_new)| *is_new) {
            let ended = span.until(now);
            if has_commit && ended.place.context.is_sampled {
                commit(tracer, ended.place.context, 0, (ended.begun(), now));
            }
            tracer.record(ended);
        }
    }
}
