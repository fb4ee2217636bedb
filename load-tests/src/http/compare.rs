//! A server beside the bare one: what is reported of both.

use crate::report::{Line, Report, Target};

use super::client::Load;

/// Adds rate, median and 99th percentile, the rate with how much of the bare handler's is aimed at. Answers the line of
/// the 99th percentile.
pub(crate) fn compare<'a>(
    report: &'a mut Report,
    connections: usize,
    unit: &str,
    rate_ratio_min: f64,
    [bare, ours]: [&[Load]; 2],
) -> &'a mut Line {
    let of = |loads: &[Load], value: fn(&Load) -> f64| loads.iter().map(value).collect::<Vec<f64>>();
    let what = format!("{connections} connections");
    let rates = report.add(&what, unit, &of(bare, |load| load.rate), &of(ours, |load| load.rate));
    rates.aim(Target::RatioMin(rate_ratio_min));
    report.add(&what, "ms p50", &of(bare, |load| load.p50_ms), &of(ours, |load| load.p50_ms));
    report.add(&what, "ms p99", &of(bare, |load| load.p99_ms), &of(ours, |load| load.p99_ms))
}
