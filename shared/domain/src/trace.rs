//! Where spans stand in traces. No span is stored: the ids of what happens to a job or a node follow from the ids that
//! are stored, so that every process names the same span without asking another.

mod jobs;
mod steps;

use std::fmt;

use sha2::{Digest, Sha256};

pub use jobs::{JobTrace, SpanPlace};
pub use steps::StepTraces;

// Trace contexts, as the W3C recommendation writes them.

/// The id of a trace; never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceId(pub u128);

/// The id of a span in a trace; never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SpanId(pub u64);

/// A span that others may be below or point to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceContext {
    /// The trace.
    pub trace: TraceId,
    /// The span.
    pub span: SpanId,
    /// Whether its spans are kept.
    pub is_sampled: bool,
}

impl TraceContext {
    /// Reads a `traceparent`. `None` for anything that is not one; versions to come may have more parts.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (version, trace) = (parts.next()?, parts.next()?);
        let (span, flags) = (parts.next()?, parts.next()?);
        let is_hex = |part: &str, length: usize| {
            part.len() == length
                && part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        };
        let is_known = is_hex(version, 2) && version != "ff" && (version != "00" || parts.next().is_none());
        if !is_known || !is_hex(trace, 32) || !is_hex(span, 16) || !is_hex(flags, 2) {
            return None;
        }
        let context = Self {
            trace: TraceId(u128::from_str_radix(trace, 16).ok()?),
            span: SpanId(u64::from_str_radix(span, 16).ok()?),
            is_sampled: u8::from_str_radix(flags, 16).ok()? & 1 == 1,
        };
        (context.trace.0 != 0 && context.span.0 != 0).then_some(context)
    }

    /// The first span of a trace that begins here. `share` of traces are kept, from 0 to 1; which, follows from the id.
    pub fn begin(trace: TraceId, span: SpanId, share: f64) -> Self {
        Self { trace, span, is_sampled: is_kept(trace, share) }
    }

    /// Another span of the same trace.
    #[must_use]
    pub const fn with_span(self, span: SpanId) -> Self {
        Self { span, ..self }
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace.0, self.span.0, u8::from(self.is_sampled))
    }
}

/// Whether a trace is among the share that is kept, by the last 56 bits of its id.
fn is_kept(trace: TraceId, share: f64) -> bool {
    const BITS: u32 = 56;
    let drawn = trace.0 & ((1 << BITS) - 1);
    (drawn as f64) < share * 2_f64.powi(BITS as i32)
}

/// The id of a trace that follows from parts. Their lengths count: `["ab", "c"]` and `["a", "bc"]` differ.
fn trace_id(parts: &[&[u8]]) -> TraceId {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest(parts)[..16]);
    TraceId(u128::from_be_bytes(bytes).max(1))
}

/// The id of a span that follows from parts.
fn span_id(parts: &[&[u8]]) -> SpanId {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest(parts)[16..24]);
    SpanId(u64::from_be_bytes(bytes).max(1))
}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn contexts_are_written_as_they_were_read() {
        let context = TraceContext::parse(TEXT).expect("a context");
        assert!(context.is_sampled);
        assert_eq!(context.to_string(), TEXT);
        let other = TraceContext::parse("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02-more");
        assert_eq!(other.map(|context| context.is_sampled), Some(false), "a version to come");
    }

    #[test]
    fn anything_else_is_none() {
        for text in [
            "",
            "00-1",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        ] {
            assert_eq!(TraceContext::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_share_of_traces_is_kept() {
        let kept = |share: f64| {
            (0..1_000_u32).filter(|number| is_kept(trace_id(&[&number.to_be_bytes()]), share)).count()
        };
        assert_eq!((kept(0.0), kept(1.0)), (0, 1_000));
        let some = kept(0.25);
        assert!((150..350).contains(&some), "{some} of a thousand");
    }
}
