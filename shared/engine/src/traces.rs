//! Spans of what the use cases did, for a collector of traces. Nothing here happens while spans go nowhere: each function
//! asks [`telemetry::tracer`] first.
//!
//! Which span stands where is the business of `domain::trace`: ids follow from jobs and nodes, so that a span can be named
//! by whichever process is asked.

mod attempts;
mod sends;
mod steps;

pub(crate) use attempts::{claimed, completed, settled, turn_context, turn_ended};
pub(crate) use sends::Sends;
pub(crate) use steps::{StepSpans, TracedCommit, round_of};

use std::borrow::Cow;

use domain::queue::QueueName;
use domain::time::Timestamp;
use domain::trace::{SpanPlace, TraceContext};
use telemetry::{Span, SpanKind, Tracer};

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
