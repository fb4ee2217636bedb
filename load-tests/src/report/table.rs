//! A report as Markdown.

use std::fmt::Write as _;

use crate::report::data::Report;
use crate::report::format::{ratio, spread};
use crate::report::judge::verdict;

impl Report {
    /// The whole page; `charts` are the files that stand beside it.
    pub(crate) fn markdown(&self, charts: &[String]) -> String {
        let mut text = format!("# {}\n\n{}\n\n", self.title, self.explanation);
        text.push_str(
            "Each figure is the median (smallest to largest) of its runs, in turns with its reference.\n",
        );
        text.push_str("The ratio counts; absolute figures are those of one machine on one day.\n\n");
        if !self.lines.is_empty() {
            text.push_str("| figure | unit | reference | Trunkline | ratio | target | |\n|---|---|---|---|---|---|---|\n");
        }
        for line in &self.lines {
            let (target, verdict) = verdict(line);
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | **{}** | {target} | {verdict} |",
                line.what,
                line.unit,
                spread(&line.reference),
                spread(&line.ours),
                ratio(line.ratio()),
            );
        }
        text.push('\n');
        for section in &self.sections {
            let _ = writeln!(text, "{section}\n");
        }
        for chart in charts {
            let _ = writeln!(text, "![{}]({chart})\n", self.title);
        }
        for (name, value) in &self.facts {
            let _ = writeln!(text, "- {name}: {value}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Report;
    use crate::report::judge::Target;

    #[test]
    fn ratios_are_of_medians_and_targets_are_judged() {
        let mut report = Report::new("t", "e");
        let runs = ([1_000.0, 2_000.0, 3_000.0], [1.0, 1_500.0, 9_999.0]);
        report.add("x", "jobs/s", &runs.0, &runs.1).aim(Target::RatioMin(0.8));
        report.add("y", "ms", &[2.0], &[1.0]).aim(Target::ValueMax(1.5));
        report.add("z", "jobs", &[0.0], &[3.0]);
        report.add("none", "jobs", &[0.0], &[0.0]);
        report.facts.push(("build".to_owned(), "test".to_owned()));
        let text = report.markdown(&["t.svg".to_owned()]);
        let lines = [
            "| x | jobs/s | 2,000 (1,000 to 3,000) | 1,500 (1.00 to 9,999) | **0.75** | ratio ≥ 0.8 | **missed** by 6 % |",
            "| y | ms | 2.00 | 1.00 | **0.50** | ≤ 1.50 ms | met |",
            "| z | jobs | 0.00 | 3.00 | **–** | – | – |",
            "| none | jobs | 0.00 | 0.00 | **–** | – | – |",
            "- build: test",
            "![t](t.svg)",
        ];
        for line in lines {
            assert!(text.contains(line), "{text}");
        }
    }
}
