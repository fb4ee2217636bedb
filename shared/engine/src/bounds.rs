//! Bounds of what comes from outside, checked the same way for every operation. Collects faults; decides nothing.

use domain::error::Fault;
use domain::job;
use domain::names::{JobType, Tag};
use domain::retry::Backoff;
use domain::time::{DURATION_MAX, DurationMs, Timestamp};
use domain::workflow::execution::JOB_TYPE_RESERVED_PREFIX;

use crate::error::EngineError;

/// The most retries that can be asked for.
const RETRIES_MAX: u32 = 100;
/// The most tags.
const TAGS_MAX: usize = 20;
/// The largest backoff factor.
const BACKOFF_FACTOR_MAX: f64 = 100.0;
/// How deep JSON may be nested. Below the 128 levels at which parsers stop, so that what an expression wraps around
/// a payload can still be read back.
const JSON_DEPTH_MAX: u32 = 100;
/// The longest text for people, in bytes (reasons, names).
const TEXT_BYTES_MAX: usize = 2_000;
/// The longest progress note, in bytes.
const PROGRESS_BYTES_MAX: usize = 64 * 1024;

/// The length of a value as JSON text, which is not made for that.
pub(crate) fn json_bytes(value: &serde_json::Value) -> usize {
    let mut counter = Counter(0);
    // A counter takes every byte, and every value can be written.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

struct Counter(usize);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The faults of a request as they are found.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    pub(crate) fn add(&mut self, pointer: &str, message: impl Into<String>) {
        self.0.push(Fault::new(pointer, message));
    }

    /// Takes over faults that were found one level further in.
    pub(crate) fn extend(&mut self, faults: Vec<Fault>, prefix: &str) {
        self.0.extend(faults.into_iter().map(|fault| fault.under(prefix)));
    }

    /// Fails if there are any.
    pub(crate) fn check(self) -> Result<(), EngineError> {
        if self.0.is_empty() { Ok(()) } else { Err(EngineError::Invalid(self.0)) }
    }

    pub(crate) fn into_vec(self) -> Vec<Fault> {
        self.0
    }

    pub(crate) fn json(&mut self, pointer: &str, text: &str, bytes_max: usize) {
        if let Some(fault) = json_fault(text, bytes_max) {
            self.add(pointer, fault);
        }
    }

    pub(crate) fn progress(&mut self, pointer: &str, text: &str) {
        self.json(pointer, text, PROGRESS_BYTES_MAX);
    }

    pub(crate) fn retries(&mut self, pointer: &str, retries_max: u32) {
        if retries_max > RETRIES_MAX {
            self.add(pointer, format!("expected at most {RETRIES_MAX} retries"));
        }
    }

    pub(crate) fn backoff(&mut self, pointer: &str, backoff: &Backoff) {
        if !(1.0..=BACKOFF_FACTOR_MAX).contains(&backoff.factor) {
            self.add(
                &format!("{pointer}/factor"),
                format!("expected a factor from 1 to {BACKOFF_FACTOR_MAX}"),
            );
        }
        if backoff.initial.0 < 0 || backoff.initial > backoff.max {
            self.add(
                &format!("{pointer}/initial"),
                "expected an initial delay that is not above the maximum delay",
            );
        }
        if backoff.max > DURATION_MAX {
            self.add(&format!("{pointer}/max"), "expected at most ten years");
        }
    }

    pub(crate) fn timeout(&mut self, pointer: &str, timeout: DurationMs) {
        if timeout.0 <= 0 || timeout > DURATION_MAX {
            self.add(pointer, "expected a timeout above zero and of at most ten years");
        }
    }

    /// When something is to start: at an instant or after a wait.
    pub(crate) fn start_time(&mut self, run_at: Option<Timestamp>, delay: Option<DurationMs>) {
        if run_at.is_some() && delay.is_some() {
            self.add("/delay", "expected either runAt or delay, not both");
        }
        if let Some(delay) = delay {
            self.within("/delay", delay, DurationMs::ZERO, DURATION_MAX);
        }
    }

    pub(crate) fn expires_in(&mut self, expires_in: Option<DurationMs>) {
        if expires_in.is_some_and(|expires_in| !job::is_valid(expires_in)) {
            self.add("/expiresIn", "expected a duration above zero and of at most ten years");
        }
    }

    pub(crate) fn tags(&mut self, pointer: &str, tags: &[Tag]) {
        if tags.len() > TAGS_MAX {
            self.add(pointer, format!("expected at most {TAGS_MAX} tags"));
        }
    }

    pub(crate) fn job_type(&mut self, pointer: &str, job_type: &JobType) {
        if job_type.as_str().starts_with(JOB_TYPE_RESERVED_PREFIX) {
            self.add(pointer, format!("job types that start with {JOB_TYPE_RESERVED_PREFIX} are reserved"));
        }
    }

    pub(crate) fn within(&mut self, pointer: &str, value: DurationMs, min: DurationMs, max: DurationMs) {
        if value < min || value > max {
            self.add(pointer, format!("expected a duration from {min} to {max}"));
        }
    }

    /// Text for people: bounded, and without NUL, which one of the databases cannot hold.
    pub(crate) fn text(&mut self, pointer: &str, text: &str) {
        if text.is_empty() || text.len() > TEXT_BYTES_MAX || text.contains('\0') {
            self.add(pointer, format!("expected 1 to {TEXT_BYTES_MAX} bytes of text without NUL characters"));
        }
    }
}

/// Fails for an empty batch and for one that is too large.
pub(crate) fn check_batch(len: usize, max: usize, pointer: &str) -> Result<(), EngineError> {
    if len == 0 {
        Err(EngineError::invalid(pointer, "expected at least one item"))
    } else if len > max {
        Err(EngineError::invalid(pointer, format!("expected at most {max} items")))
    } else {
        Ok(())
    }
}

/// A W3C trace context that is well formed; anything else is dropped, as the standard asks.
pub(crate) fn traceparent(text: Option<String>) -> Option<String> {
    text.filter(|text| {
        let parts: Vec<&str> = text.split('-').collect();
        let is_hex = |part: &str, len| {
            part.len() == len
                && part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        };
        matches!(parts[..], [version, trace, span, flags]
            if is_hex(version, 2) && is_hex(trace, 32) && is_hex(span, 16) && is_hex(flags, 2))
    })
}

/// What is wrong with JSON text that is already known to be well formed. One pass, no parsing.
fn json_fault(text: &str, bytes_max: usize) -> Option<String> {
    if text.len() > bytes_max {
        return Some(format!("expected at most {bytes_max} bytes of JSON"));
    }
    let (mut depth, mut is_in_string) = (0_u32, false);
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if is_in_string => {
                // The escaped character belongs to the backslash: a `\\` is no start of another escape.
                bytes.next();
                if text.as_bytes()[at..].starts_with(br"\u0000") {
                    return Some("expected text without NUL characters (\\u0000)".to_owned());
                }
            }
            b'"' => is_in_string = !is_in_string,
            b'[' | b'{' if !is_in_string => {
                depth += 1;
                if depth > JSON_DEPTH_MAX {
                    return Some(format!("expected at most {JSON_DEPTH_MAX} levels of nesting"));
                }
            }
            b']' | b'}' if !is_in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_bounded_in_size_depth_and_nul() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let fine = [
            "{}".to_owned(),
            r#"{"a":"\\u0000"}"#.to_owned(),
            r#""[[[[""#.to_owned(),
            r#"["\"", "{"]"#.to_owned(),
            deep(JSON_DEPTH_MAX as usize),
        ];
        for text in &fine {
            assert_eq!(json_fault(text, 1_000), None, "{text}");
        }
        let faulty = [
            r#"{"a":"\u0000"}"#.to_owned(),
            r#"{"a":"\\\u0000"}"#.to_owned(),
            r#"{"\u0000":1}"#.to_owned(),
            deep(JSON_DEPTH_MAX as usize + 1),
            format!("\"{}\"", "x".repeat(1_000)),
        ];
        for text in &faulty {
            assert!(json_fault(text, 1_000).is_some(), "{text}");
        }
    }

    #[test]
    fn malformed_trace_context_is_dropped() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned();
        assert_eq!(traceparent(Some(good.clone())), Some(good));
        for bad in ["", "00-xyz-1-01", "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01"] {
            assert_eq!(traceparent(Some(bad.to_owned())), None, "{bad}");
        }
    }

    #[test]
    fn backoffs_have_bounds() {
        let check = |backoff: Backoff| {
            let mut faults = Faults::default();
            faults.backoff("/backoff", &backoff);
            faults.into_vec().into_iter().map(|fault| fault.pointer).collect::<Vec<_>>()
        };
        assert!(check(Backoff::default()).is_empty());
        assert_eq!(check(Backoff { factor: 0.5, ..Backoff::default() }), ["/backoff/factor"]);
        assert_eq!(check(Backoff { factor: f64::NAN, ..Backoff::default() }), ["/backoff/factor"]);
        let upside_down = Backoff { max: DurationMs(1), ..Backoff::default() };
        assert_eq!(check(upside_down), ["/backoff/initial"]);
    }
}
