//! When a failed attempt is tried again.

use serde::{Deserialize, Serialize};

use crate::time::{DurationMs, Timestamp};

/// Exponential backoff. The wait before retry `n` (from 1) is `min(max, initial × factorⁿ⁻¹)`, with jitter
/// drawn evenly from the upper half of it, so that a crowd of failures spreads and no retry comes early by
/// more than half.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Backoff {
    /// The wait before the first retry.
    pub initial: DurationMs,
    /// By how much each wait is longer than the one before; at least 1.
    pub factor: f64,
    /// The longest wait.
    pub max: DurationMs,
    /// Whether the wait is spread.
    pub jitter: bool,
}

impl Default for Backoff {
    /// 1, 2, 4, 8 … s, capped at 5 min, with jitter.
    fn default() -> Self {
        Self { initial: DurationMs::from_secs(1), factor: 2.0, max: DurationMs::from_secs(300), jitter: true }
    }
}

/// `retryAfter` values above this are cut to it: a day.
pub const RETRY_AFTER_MAX: DurationMs = DurationMs::from_secs(86_400);

/// A number in `0..=1` that the shell drew at random.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jitter(pub f64);

/// The wait before retry number `retry` (from 1).
pub fn delay(backoff: &Backoff, retry: u32, jitter: Jitter) -> DurationMs {
    let initial_ms = backoff.initial.0.max(0) as f64;
    let exponent = f64::from(retry.saturating_sub(1).min(1_000));
    let uncapped_ms = initial_ms * backoff.factor.max(1.0).powf(exponent);
    let capped_ms = uncapped_ms.min(backoff.max.0.max(0) as f64);
    let spread_ms =
        if backoff.jitter { capped_ms * (0.5 + 0.5 * jitter.0.clamp(0.0, 1.0)) } else { capped_ms };
    DurationMs(spread_ms.round() as i64)
}

/// The instant of retry number `retry`; a `retry_after` that the handler asked for overrides the backoff.
pub fn retry_at(
    backoff: &Backoff,
    retry: u32,
    retry_after: Option<DurationMs>,
    now: Timestamp,
    jitter: Jitter,
) -> Timestamp {
    now.plus(retry_after.map_or_else(|| delay(backoff, retry, jitter), |wait| wait.min(RETRY_AFTER_MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_cap() {
        let plain = Backoff { jitter: false, ..Backoff::default() };
        let waits: Vec<i64> = (1..=11).map(|retry| delay(&plain, retry, Jitter(0.3)).0 / 1000).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
        assert_eq!(delay(&plain, u32::MAX, Jitter(0.0)).0, 300_000);
    }

    #[test]
    fn jitter_takes_at_most_half() {
        let spread = Backoff::default();
        assert_eq!(delay(&spread, 3, Jitter(0.0)).0, 2_000);
        assert_eq!(delay(&spread, 3, Jitter(1.0)).0, 4_000);
    }

    /// Ten thousand jobs that fail in the same instant do not come back in the same second.
    #[test]
    fn a_crowd_of_retries_is_spread_over_half_of_its_wait() {
        let (now, crowd) = (Timestamp(0), 10_000);
        let mut by_second = std::collections::BTreeMap::<i64, u32>::new();
        for number in 0..crowd {
            // As evenly as random numbers come, and always the same.
            let jitter = Jitter(f64::from(number * 7_919 % crowd) / f64::from(crowd));
            let at = retry_at(&Backoff::default(), 6, None, now, jitter);
            *by_second.entry(at.0 / 1_000).or_default() += 1;
        }
        assert_eq!(by_second.keys().next().zip(by_second.keys().last()), Some((&16, &31)));
        assert!(by_second.values().all(|&jobs| jobs < 700), "{by_second:?}");
    }

    #[test]
    fn retry_after_overrides_and_is_capped() {
        let now = Timestamp(1_000);
        let asked = retry_at(&Backoff::default(), 1, Some(DurationMs::from_secs(7)), now, Jitter(0.5));
        assert_eq!(asked, Timestamp(8_000));
        let absurd = retry_at(&Backoff::default(), 1, Some(DurationMs(i64::MAX)), now, Jitter(0.5));
        assert_eq!(absurd, now.plus(RETRY_AFTER_MAX));
    }
}
