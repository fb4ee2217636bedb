//! Signed times: how they are written, and whether they are near enough.

use crate::time::{DurationMs, Timestamp};
use crate::webhook::rejection::Rejection;
use crate::webhook::request::RequestParts;
use crate::webhook::scheme::TimestampUnit;

/// The most digits that fit the largest instant.
const DIGITS_MAX: usize = 19;

/// Reads 1 to 19 digits and nothing else: no sign, no fraction, no exponent, no space.
pub(super) fn read(text: &[u8], unit: TimestampUnit) -> Result<Timestamp, Rejection> {
    if text.is_empty() || text.len() > DIGITS_MAX || !text.iter().all(u8::is_ascii_digit) {
        return Err(Rejection::TimestampMalformed);
    }
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<i64>().ok());
    scaled(number.ok_or(Rejection::TimestampMalformed)?, unit)
}

/// Reads the time in a verified JSON body: a whole number, not a text.
pub(super) fn in_body(
    parts: &RequestParts<'_>,
    pointer: &str,
    unit: TimestampUnit,
) -> Result<Timestamp, Rejection> {
    let value = parts.json().and_then(|body| body.pointer(pointer)).ok_or(Rejection::TimestampMissing)?;
    scaled(value.as_i64().filter(|number| *number >= 0).ok_or(Rejection::TimestampMalformed)?, unit)
}

/// Whether the time is within the tolerance, both ways: a time far in the future would be good for replays until then.
pub(super) fn check_age(time: Timestamp, now: Timestamp, tolerance: DurationMs) -> Result<(), Rejection> {
    if now.0.saturating_sub(time.0) > tolerance.0 {
        return Err(Rejection::TimestampPast);
    }
    if time.0.saturating_sub(now.0) > tolerance.0 {
        return Err(Rejection::TimestampFuture);
    }
    Ok(())
}

fn scaled(number: i64, unit: TimestampUnit) -> Result<Timestamp, Rejection> {
    match unit {
        TimestampUnit::Milliseconds => Ok(Timestamp(number)),
        TimestampUnit::Seconds => {
            number.checked_mul(1000).map(Timestamp).ok_or(Rejection::TimestampMalformed)
        }
    }
}
