//! Spans: what happened when, sent over OTLP to a collector.
//!
//! Nothing is recorded before [`start_traces`], and [`tracer`] is `None` until then: whoever would record a span asks it
//! first and does nothing else. Recording never waits: spans go into a bounded queue, and what finds it full is dropped
//! and counted.

mod export;
mod span;
#[cfg(test)]
mod tests;
mod transport;

use std::sync::OnceLock;

use metrics::counter;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

pub use export::{TraceExport, TraceOptions, start_traces};
pub use span::{Attribute, Span, SpanKind};
pub use transport::{TraceProtocol, TracesError};

use crate::names;

static TRACER: OnceLock<Tracer> = OnceLock::new();

/// Takes spans.
#[derive(Debug)]
pub struct Tracer {
    share: f64,
    queue: mpsc::Sender<Span>,
}

/// What takes spans; `None` while they go nowhere.
pub fn tracer() -> Option<&'static Tracer> {
    TRACER.get()
}

impl Tracer {
    /// The share of traces that begin here which is kept, from 0 to 1.
    pub const fn share(&self) -> f64 {
        self.share
    }

    /// Has a span sent. One that is not sampled is left out.
    pub fn record(&self, span: Span) {
        if !span.place.context.is_sampled {
            return;
        }
        match self.queue.try_send(span) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Closed(_)) => dropped(1),
        }
    }

    /// Counts spans that could not be recorded.
    pub fn drop_spans(&self, spans: u64) {
        dropped(spans);
    }
}

/// Counts spans that nobody gets.
fn dropped(spans: u64) {
    counter!(names::OTEL_SPANS_DROPPED_TOTAL).increment(spans);
}
