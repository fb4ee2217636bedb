//! Medians, percentiles and rates.

use std::time::{Duration, Instant};

use serde::{Deserialize, Deserializer, Serialize};

/// The median of several runs, with the smallest and the largest.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Spread {
    #[serde(deserialize_with = "or_nan")]
    pub(crate) median: f64,
    #[serde(deserialize_with = "or_nan")]
    pub(crate) min: f64,
    #[serde(deserialize_with = "or_nan")]
    pub(crate) max: f64,
}

/// JSON has no `NaN`, so that it was written as `null`.
fn or_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

impl Spread {
    /// Of at least one value.
    pub(crate) fn of(values: &[f64]) -> Self {
        Self {
            median: percentile(values, 50.0),
            min: percentile(values, 0.0),
            max: percentile(values, 100.0),
        }
    }
}

/// The value below which so many percent lie; `NaN` of nothing.
pub(crate) fn percentile(values: &[f64], percent: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1) as f64;
    let place = (percent / 100.0 * last).round() as usize;
    sorted.get(place).copied().unwrap_or(f64::NAN)
}

/// How many a second since an instant.
pub(crate) fn rate(count: usize, since: Instant) -> f64 {
    count as f64 / since.elapsed().as_secs_f64()
}

pub(crate) fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_lies_in_the_middle() {
        let spread = Spread::of(&[3.0, 1.0, 2.0]);
        assert!((spread.median - 2.0).abs() < f64::EPSILON);
        assert!((spread.min - 1.0).abs() < f64::EPSILON);
        assert!((spread.max - 3.0).abs() < f64::EPSILON);
        assert!(percentile(&[], 50.0).is_nan());
    }
}
