//! The spans of a job: `send`, and below it each `wait` and the first `process`. A retry is a trace of its own with links.

use crate::id::JobId;
use crate::trace::{SpanId, TraceContext, span_id, trace_id};

/// How many turns of an execution are in one trace.
const TURNS_PER_TRACE: u32 = 100;

/// Where a span stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpanPlace {
    /// The span.
    pub context: TraceContext,
    /// The span above it; `None` where its trace begins.
    pub parent: Option<SpanId>,
    /// Spans of other traces that it goes back to.
    pub links: Vec<TraceContext>,
}

impl SpanPlace {
    /// A span below another one, in its trace.
    pub const fn below(parent: TraceContext, span: SpanId) -> Self {
        Self { context: parent.with_span(span), parent: Some(parent.span), links: Vec::new() }
    }

    /// Something that was done inside of another span, by name and number, which are unique there.
    pub fn inside(parent: TraceContext, name: &str, number: u64) -> Self {
        let span = span_id(&[name.as_bytes(), &parent.span.0.to_be_bytes(), &number.to_be_bytes()]);
        Self::below(parent, span)
    }
}

/// The traces of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobTrace {
    job: JobId,
    parent: Option<TraceContext>,
    send: TraceContext,
}

impl JobTrace {
    /// The traces of a job that carries this `traceparent`, which names what enqueued it. Without one, a trace begins
    /// with the job: `share` of such traces are kept.
    pub fn of(job: JobId, traceparent: Option<&str>, share: f64) -> Self {
        let parent = traceparent.and_then(TraceContext::parse);
        let span = span_id(&[b"send", job.uuid().as_bytes()]);
        let send = match parent {
            Some(parent) => parent.with_span(span),
            None => TraceContext::begin(trace_id(&[b"job", job.uuid().as_bytes()]), span, share),
        };
        Self { job, parent, send }
    }

    /// Whether its spans are kept.
    pub const fn is_sampled(&self) -> bool {
        self.send.is_sampled
    }

    /// The span of its enqueueing.
    pub fn send(&self) -> SpanPlace {
        SpanPlace { context: self.send, parent: self.parent.map(|parent| parent.span), links: Vec::new() }
    }

    /// The span of its wait before an attempt, counted from 1.
    pub fn wait(&self, attempt: u32) -> SpanPlace {
        SpanPlace::below(self.send, self.numbered(b"wait", attempt))
    }

    /// The span of an attempt, counted from 1: the first one is below `send`, each other one begins a trace and links to
    /// `send` and to the attempt before.
    pub fn attempt(&self, attempt: u32) -> SpanPlace {
        let span = self.numbered(b"process", attempt);
        if attempt <= 1 {
            return SpanPlace::below(self.send, span);
        }
        let links = vec![self.send, self.attempt(attempt - 1).context];
        SpanPlace { context: self.apart(b"attempt", attempt, span), parent: None, links }
    }

    /// The span of a turn of an execution, which is its job's attempt: all are below `send`, until there are so many that
    /// they go on in another trace.
    pub fn turn(&self, turn: u32) -> SpanPlace {
        let span = self.numbered(b"process", turn);
        match turn.saturating_sub(1) / TURNS_PER_TRACE {
            0 => SpanPlace::below(self.send, span),
            part => {
                let links = vec![self.first_turn()];
                SpanPlace { context: self.apart(b"turns", part, span), parent: None, links }
            }
        }
    }

    /// The first turn of an execution, which its steps are below.
    pub fn first_turn(&self) -> TraceContext {
        self.send.with_span(self.numbered(b"process", 1))
    }

    /// The first spans of another trace of the job. It is kept as its first trace is.
    pub(super) fn apart(&self, kind: &[u8], number: u32, span: SpanId) -> TraceContext {
        let trace = trace_id(&[kind, self.job.uuid().as_bytes(), &number.to_be_bytes()]);
        TraceContext { trace, span, is_sampled: self.send.is_sampled }
    }

    fn numbered(&self, kind: &[u8], number: u32) -> SpanId {
        span_id(&[kind, self.job.uuid().as_bytes(), &number.to_be_bytes()])
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn job() -> JobId {
        JobId::from_uuid(Uuid::from_u128(7))
    }

    #[test]
    fn the_first_attempt_is_below_what_enqueued_the_job() {
        let caller = super::super::TraceContext::parse(CALLER).expect("a context");
        let trace = JobTrace::of(job(), Some(CALLER), 0.0);
        let (send, wait, first) = (trace.send(), trace.wait(1), trace.attempt(1));
        assert!(trace.is_sampled(), "the caller's flag counts, not the share");
        assert_eq!(send.parent, Some(caller.span));
        for place in [&wait, &first] {
            assert_eq!((place.context.trace, place.parent), (caller.trace, Some(send.context.span)));
            assert!(place.links.is_empty());
        }
        assert_ne!(wait.context.span, first.context.span);
    }

    #[test]
    fn a_retry_begins_a_trace_with_links() {
        let trace = JobTrace::of(job(), Some(CALLER), 1.0);
        let (first, second, third) = (trace.attempt(1), trace.attempt(2), trace.attempt(3));
        assert_eq!(second.parent, None);
        assert_eq!(second.links, [trace.send().context, first.context]);
        assert_eq!(third.links, [trace.send().context, second.context]);
        let traces = [&first, &second, &third].map(|place| place.context.trace);
        assert!(traces[0] != traces[1] && traces[1] != traces[2]);
        assert!(third.context.is_sampled, "it is kept as the first trace is");
    }

    #[test]
    fn a_job_without_a_context_begins_a_trace() {
        let (kept, dropped) = (JobTrace::of(job(), None, 1.0), JobTrace::of(job(), Some("nonsense"), 0.0));
        assert_eq!(kept.send().parent, None);
        assert!(kept.is_sampled() && !dropped.is_sampled());
        assert_eq!(kept.send().context.trace, dropped.send().context.trace, "it follows from the job's id");
    }

    #[test]
    fn many_turns_go_on_in_another_trace() {
        let trace = JobTrace::of(job(), Some(CALLER), 1.0);
        assert_eq!(trace.turn(1).context, trace.first_turn());
        assert_eq!(trace.turn(2).parent, Some(trace.send().context.span));
        let later = trace.turn(TURNS_PER_TRACE + 1);
        assert_eq!((later.parent, later.links), (None, vec![trace.first_turn()]));
        assert_eq!(later.context.trace, trace.turn(TURNS_PER_TRACE * 2).context.trace);
        assert_ne!(later.context.trace, trace.turn(TURNS_PER_TRACE * 2 + 1).context.trace);
    }
}
