//! `trunkline man DIR`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::CommandFactory;

use crate::cli::Cli;

/// Writes a page for each verb into a directory, which is made where it is not there.
pub(crate) fn run(directory: &Path) -> Result<ExitCode> {
    std::fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    clap_mangen::generate_to(Cli::command(), directory)
        .with_context(|| format!("cannot write man pages to {}", directory.display()))?;
    Ok(ExitCode::SUCCESS)
}
