//! What a report holds. It is kept as JSON beside the table, so that the summary can be made from runs of several days.

use serde::{Deserialize, Serialize};

use crate::measure::Spread;
use crate::report::judge::Target;

/// One table, with what has to be known to read it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) title: String,
    pub(crate) explanation: String,
    pub(crate) lines: Vec<Line>,
    /// Further parts in Markdown, below the table.
    pub(crate) sections: Vec<String>,
    /// Figures of several systems, for a chart of their own: title, unit, and a value for each name.
    pub(crate) comparisons: Vec<Comparison>,
    /// What it was measured on.
    pub(crate) facts: Vec<(String, String)>,
}

/// One figure beside its reference.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) what: String,
    pub(crate) unit: String,
    pub(crate) reference: Spread,
    pub(crate) ours: Spread,
    pub(crate) target: Option<Target>,
}

/// The same figure of several systems.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Comparison {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) bars: Vec<(String, f64)>,
}

impl Report {
    pub(crate) fn new(title: &str, explanation: &str) -> Self {
        Self {
            title: title.to_owned(),
            explanation: explanation.to_owned(),
            lines: Vec::new(),
            sections: Vec::new(),
            comparisons: Vec::new(),
            facts: Vec::new(),
        }
    }

    /// Adds a figure: the values of its runs and those of the reference that ran in turns with them.
    pub(crate) fn add(
        &mut self,
        what: impl Into<String>,
        unit: &str,
        reference: &[f64],
        ours: &[f64],
    ) -> &mut Line {
        let line = Line {
            what: what.into(),
            unit: unit.to_owned(),
            reference: Spread::of(reference),
            ours: Spread::of(ours),
            target: None,
        };
        eprintln!("   {}: {:.3} of the reference", line.what, line.ratio());
        self.lines.push(line);
        let last = self.lines.len() - 1;
        &mut self.lines[last]
    }
}

impl Line {
    /// Ours to the reference's, by medians.
    pub(crate) fn ratio(&self) -> f64 {
        self.ours.median / self.reference.median
    }

    /// Says what is aimed at.
    pub(crate) fn aim(&mut self, target: Target) {
        self.target = Some(target);
    }
}
