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

    /// Whether a line meets it. A figure that is none (nothing was measured) does not.
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

    /// By how many percent of the target a line falls short of it; negative where it is met.
    fn missing_percent(self, line: &Line) -> f64 {
        let short = match self {
            Self::RatioMin(ratio) => 1.0 - line.ratio() / ratio,
            Self::RatioMax(ratio) => line.ratio() / ratio - 1.0,
            Self::ValueMin(value) => 1.0 - line.ours.median / value,
            Self::ValueMax(value) => line.ours.median / value - 1.0,
        };
        short * 100.0
    }
}

/// The target and the verdict of a line, or dashes.
pub(crate) fn verdict(line: &Line) -> (String, String) {
    let Some(target) = line.target else {
        return ("–".to_owned(), "–".to_owned());
    };
    let verdict = if target.is_met(line) {
        "met".to_owned()
    } else {
        format!("**missed** by {:.0} %", target.missing_percent(line).round().max(1.0))
    };
    (target.text(&line.unit), verdict)
}

#[cfg(test)]
mod tests {
    use super::{Target, verdict};
    use crate::report::data::Report;

    #[test]
    fn a_miss_says_by_how_much() {
        let cases = [
            (Target::RatioMin(0.8), 0.6, "**missed** by 25 %"),
            (Target::RatioMin(0.8), 0.8, "met"),
            (Target::RatioMax(1.2), 1.8, "**missed** by 50 %"),
            (Target::ValueMin(200.0), 0.5, "**missed** by 75 %"),
            (Target::ValueMax(50.0), 0.5, "met"),
            (Target::ValueMax(40.0), 0.5, "**missed** by 25 %"),
        ];
        for (target, ratio, expected) in cases {
            let mut report = Report::new("t", "e");
            report.add("x", "ms", &[100.0], &[100.0 * ratio]).aim(target);
            assert_eq!(verdict(&report.lines[0]).1, expected, "{target:?} {ratio}");
        }
    }
}
