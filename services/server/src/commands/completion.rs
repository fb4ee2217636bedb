//! `trunkline completion SHELL`.

use std::process::ExitCode;

use clap::CommandFactory;

use crate::cli::Cli;

/// Prints the script.
pub(crate) fn run(shell: clap_complete::Shell) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "trunkline", &mut script);
    crate::output::text(&String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}
