//! Targets, and whether they are met.

use serde::{Deserialize, Serialize};

use crate::report::data::Line;
use crate::report::format::number;

/// What a figure is to reach.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum Target {
    /// A ratio to the reference of at least so much.
    RatioMin(f64),
    /// A ratio to the reference of at most so much.
    RatioMax(f64),
    /// A value of at least so much, whatever the reference.
    ValueMin(f64),
    /// A value of at most so much, whatever the reference.
    ValueMax(f64),
}

impl Target {
    /// As it stands in a table.
    pub(crate) fn text(self, unit: &str) -> String {
        match self {
            Self::RatioMin(ratio) => format!("ratio ≥ {ratio}"),
            Self::RatioMax(ratio) => format!("ratio ≤ {ratio}"),
            Self::ValueMin(value) => format!("≥ {} {unit}", number(value)),
            Self::ValueMax(value) => format!("≤ {} {unit}", number(value)),
        }
    }

    /// Whether a line meets it.
    pub(crate) fn is_met(self, line: &Line) -> bool {
        match self {
            Self::RatioMin(ratio) => line.ratio() >= ratio,
            Self::RatioMax(ratio) => line.ratio() <= ratio,
            Self::ValueMin(value) => line.ours.median >= value,
            Self::ValueMax(value) => line.ours.median <= value,
        }
    }

    /// The ratio that is aimed at, if it is one.
    pub(crate) const fn ratio(self) -> Option<f64> {
        match self {
            Self::RatioMin(ratio) | Self::RatioMax(ratio) => Some(ratio),
            Self::ValueMin(_) | Self::ValueMax(_) => None,
        }
    }
}

/// The target and the verdict of a line, or dashes.
pub(crate) fn verdict(line: &Line) -> (String, &'static str) {
    match line.target {
        None => ("–".to_owned(), "–"),
        Some(target) => (target.text(&line.unit), if target.is_met(line) { "met" } else { "**missed**" }),
    }
}
