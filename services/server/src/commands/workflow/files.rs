//! Definition files on the command line.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use domain::workflow::parse::Format;

/// A definition as it stands in a file.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) text: Vec<u8>,
}

impl File {
    /// Reads a file.
    pub(super) fn read(path: PathBuf) -> Result<Self> {
        let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self { path, text })
    }

    /// How it is written, by its name.
    pub(super) fn format(&self) -> Format {
        match self.path.extension().and_then(|extension| extension.to_str()) {
            Some("yaml" | "yml") => Format::Yaml,
            _ => Format::Json,
        }
    }

    /// What it is sent as.
    pub(super) fn content_type(&self) -> &'static str {
        match self.format() {
            Format::Yaml => "application/yaml",
            Format::Json => "application/json",
        }
    }
}

/// The files themselves, and the `*.workflow.{json,yaml,yml}` and `workflow.{json,yaml,yml}` files of directories.
pub(super) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut found: Vec<PathBuf> = std::fs::read_dir(path)
            .with_context(|| format!("cannot read {}", path.display()))?
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|file| is_workflow_file(file))
            .collect();
        anyhow::ensure!(
            !found.is_empty(),
            "{} contains no workflow.json or *.workflow.json (or .yaml)",
            path.display()
        );
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

fn is_workflow_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    [".json", ".yaml", ".yml"].iter().any(|end| {
        name.strip_suffix(end).is_some_and(|stem| stem == "workflow" || stem.ends_with(".workflow"))
    })
}
