//! Tables in Markdown.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::measure::Spread;

/// One table, with what has to be known to read it.
#[derive(Debug)]
pub(crate) struct Report {
    title: String,
    explanation: String,
    lines: Vec<Line>,
}

/// One figure beside its reference.
#[derive(Debug)]
struct Line {
    what: String,
    unit: &'static str,
    reference: Spread,
    ours: Spread,
}

impl Report {
    pub(crate) fn new(title: &str, explanation: &str) -> Self {
        Self { title: title.to_owned(), explanation: explanation.to_owned(), lines: Vec::new() }
    }

    /// Adds a figure: the values of its runs and those of the reference that ran in turns with them.
    pub(crate) fn add(
        &mut self,
        what: impl Into<String>,
        unit: &'static str,
        reference: &[f64],
        ours: &[f64],
    ) {
        let line = Line { what: what.into(), unit, reference: Spread::of(reference), ours: Spread::of(ours) };
        eprintln!("   {}: {:.3} of the reference", line.what, line.ours.median / line.reference.median);
        self.lines.push(line);
    }

    /// The table.
    pub(crate) fn markdown(&self, facts: &[(&'static str, String)]) -> String {
        let mut text = format!("# {}\n\n{}\n\n", self.title, self.explanation);
        text.push_str(
            "Each figure is the median (smallest to largest) of its runs, in turns with its reference.\n",
        );
        text.push_str("The ratio counts; absolute figures are those of one machine on one day.\n\n");
        text.push_str("| figure | unit | reference | Trunkline | ratio |\n|---|---|---|---|---|\n");
        for line in &self.lines {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | **{:.2}** |",
                line.what,
                line.unit,
                shown(&line.reference),
                shown(&line.ours),
                line.ours.median / line.reference.median
            );
        }
        text.push('\n');
        for (name, value) in facts {
            let _ = writeln!(text, "- {name}: {value}");
        }
        text
    }
}

fn shown(spread: &Spread) -> String {
    format!("{} ({} to {})", number(spread.median), number(spread.min), number(spread.max))
}

fn number(value: f64) -> String {
    if value >= 100.0 {
        let digits = format!("{value:.0}");
        let mut grouped = String::new();
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place) % 3 == 0 {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        grouped
    } else {
        format!("{value:.2}")
    }
}

/// Writes a table to its file.
pub(crate) fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let file = folder.join(format!("{name}.md"));
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_medians() {
        let mut report = Report::new("t", "e");
        report.add("x", "jobs/s", &[1_000.0, 2_000.0, 3_000.0], &[1.0, 1_500.0, 9_999.0]);
        let text = report.markdown(&[("build", "test".to_owned())]);
        let line = "| x | jobs/s | 2,000 (1,000 to 3,000) | 1,500 (1.00 to 9,999) | **0.75** |";
        assert!(text.contains(line), "{text}");
        assert!(text.contains("- build: test"), "{text}");
    }
}
