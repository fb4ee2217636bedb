//! One page over all scenarios, from the data that their last runs left: targets with their verdicts, then all figures.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::report::data::{Line, Report};
use crate::report::format::{number, ratio, spread};
use crate::report::judge::verdict;
use crate::report::write::put;

/// Writes the index of the results; answers its part about the targets. Scenarios that were not run now keep the
/// figures of their last run, with its commit.
pub(crate) fn summarize(folder: &Path, names: &[&str]) -> Result<String> {
    let mut reports = Vec::new();
    for name in names {
        let file = folder.join(format!("{name}.json"));
        if file.exists() {
            let data =
                fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let report: Report =
                serde_json::from_str(&data).with_context(|| format!("{} is not a report", file.display()))?;
            reports.push((*name, report));
        }
    }
    let targets = targets(&reports);
    let text = format!("# Results\n\n{targets}\n{}\n{}", figures(&reports), origins(&reports));
    put(&folder.join("README.md"), &text)?;
    Ok(targets)
}

/// Every figure that has a target.
fn targets(reports: &[(&str, Report)]) -> String {
    let (mut rows, mut count, mut met) = (String::new(), 0, 0);
    for (name, line, target) in lines(reports).filter_map(|(name, line)| Some((name, line, line.target?))) {
        count += 1;
        met += usize::from(target.is_met(line));
        let measured = match target.ratio() {
            Some(_) => format!("ratio {}", ratio(line.ratio())),
            None => format!("{} {}", number(line.ours.median), line.unit),
        };
        let (target, verdict) = verdict(line);
        let _ = writeln!(rows, "| [{name}]({name}.md) | {} | {measured} | {target} | {verdict} |", line.what);
    }
    format!(
        "## Targets\n\n{met} of {count} are met. The targets are for the sizes of `SIZE=full` on a machine that does \
         nothing else.\n\n| scenario | figure | measured | target | |\n|---|---|---|---|---|\n{rows}"
    )
}

/// Every figure.
fn figures(reports: &[(&str, Report)]) -> String {
    let mut text = String::from(
        "## All figures\n\nRatios are to the raw reference of the same run; each scenario's own page says what the \
         reference is and how large the runs were.\n\n\
         | scenario | figure | unit | reference | Trunkline | ratio |\n|---|---|---|---|---|---|\n",
    );
    for (name, line) in lines(reports) {
        let _ = writeln!(
            text,
            "| [{name}]({name}.md) | {} | {} | {} | {} | **{}** |",
            line.what,
            line.unit,
            spread(&line.reference),
            spread(&line.ours),
            ratio(line.ratio()),
        );
    }
    text
}

/// When, from which commit and on what each scenario was measured.
fn origins(reports: &[(&str, Report)]) -> String {
    let mut text = String::new();
    for (name, report) in reports {
        let facts: Vec<&str> = ["date", "commit", "size", "processor", "build", "took"]
            .iter()
            .filter_map(|wanted| report.facts.iter().find(|(name, _)| name == wanted))
            .map(|(_, value)| value.as_str())
            .collect();
        let _ = writeln!(text, "- {name}: {}", facts.join(" · "));
    }
    text
}

fn lines<'a>(reports: &'a [(&'a str, Report)]) -> impl Iterator<Item = (&'a str, &'a Line)> {
    reports.iter().flat_map(|(name, report)| report.lines.iter().map(move |line| (*name, line)))
}

#[cfg(test)]
mod tests {
    use super::targets;
    use crate::report::data::Report;
    use crate::report::judge::Target;

    #[test]
    fn every_target_has_a_row_and_is_counted() {
        let mut report = Report::new("t", "e");
        report.add("good", "jobs/s", &[100.0], &[90.0]).aim(Target::RatioMin(0.8));
        report.add("bad", "ms", &[1.0], &[8.0]).aim(Target::ValueMax(4.0));
        report.add("no target", "ms", &[1.0], &[8.0]);
        let text = targets(&[("drain", report)]);
        let rows = [
            "1 of 2 are met.",
            "| [drain](drain.md) | good | ratio 0.90 | ratio ≥ 0.8 | met |",
            "| [drain](drain.md) | bad | 8.00 ms | ≤ 4.00 ms | **missed** by 100 % |",
        ];
        for row in rows {
            assert!(text.contains(row), "{text}");
        }
        assert!(!text.contains("no target"));
    }
}
