//! One page over all scenarios, from the data that their last runs left.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::report::data::Report;
use crate::report::format::{ratio, spread};
use crate::report::judge::verdict;
use crate::report::write::put;

/// Writes the index of the results. Scenarios that were not run now keep the figures of their last run, with its commit.
pub(crate) fn summarize(folder: &Path, names: &[&str]) -> Result<()> {
    let mut text = String::from(
        "# Results\n\nAll figures that were measured, by scenario. Ratios are to the raw reference of the same run; \
         each scenario's own page says what the reference is and how large the runs were.\n\n\
         | scenario | figure | unit | reference | Trunkline | ratio | target | |\n|---|---|---|---|---|---|---|---|\n",
    );
    let mut origins = String::new();
    for name in names {
        let file = folder.join(format!("{name}.json"));
        if !file.exists() {
            continue;
        }
        let data = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let report: Report =
            serde_json::from_str(&data).with_context(|| format!("{} is not a report", file.display()))?;
        for line in &report.lines {
            let (target, verdict) = verdict(line);
            let _ = writeln!(
                text,
                "| [{name}]({name}.md) | {} | {} | {} | {} | **{}** | {target} | {verdict} |",
                line.what,
                line.unit,
                spread(&line.reference),
                spread(&line.ours),
                ratio(line.ratio()),
            );
        }
        let facts: Vec<&str> = ["date", "commit", "size", "processor", "build"]
            .iter()
            .filter_map(|wanted| report.facts.iter().find(|(name, _)| name == wanted))
            .map(|(_, value)| value.as_str())
            .collect();
        let _ = writeln!(origins, "- {name}: {}", facts.join(" · "));
    }
    put(&folder.join("README.md"), &format!("{text}\n{origins}"))
}
