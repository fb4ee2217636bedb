//! Writes a report: Markdown, JSON and charts.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::report::chart::{Bar, Frame, draw};
use crate::report::data::{Comparison, Report};
use crate::report::format::{number, ratio};

/// Where bars of ratios are cut off.
const CUT_AT: f64 = 4.0;

/// Writes everything of one scenario; answers the Markdown.
pub(crate) fn write(folder: &Path, name: &str, report: &Report) -> Result<String> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut charts = Vec::new();
    if !report.lines.is_empty() {
        let file = format!("{name}.svg");
        let title = format!("{}: ratio to the reference", report.title);
        let frame = Frame { title: &title, line: Some(1.0), cut_at: Some(CUT_AT) };
        draw(&folder.join(&file), frame, &ratios(report))?;
        charts.push(file);
    }
    for comparison in &report.comparisons {
        let file = format!("{name}-{}.svg", comparison.name);
        let frame = Frame { title: &comparison.title, line: None, cut_at: None };
        draw(&folder.join(&file), frame, &values(comparison))?;
        charts.push(file);
    }
    let text = report.markdown(&charts);
    put(&folder.join(format!("{name}.md")), &text)?;
    put(&folder.join(format!("{name}.json")), &serde_json::to_string_pretty(report)?)?;
    Ok(text)
}

/// Replaces a file.
pub(crate) fn put(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

fn ratios(report: &Report) -> Vec<Bar> {
    let bar = |line: &crate::report::data::Line| Bar {
        name: format!("{} ({})", line.what, line.unit),
        value: line.ratio(),
        label: ratio(line.ratio()),
        mark: line.target.and_then(crate::report::judge::Target::ratio),
        is_ours: true,
    };
    report.lines.iter().map(bar).collect()
}

fn values(comparison: &Comparison) -> Vec<Bar> {
    let bar = |(name, value): &(String, f64)| Bar {
        name: name.clone(),
        value: *value,
        label: number(*value),
        mark: None,
        is_ours: name.starts_with("Trunkline"),
    };
    comparison.bars.iter().map(bar).collect()
}
