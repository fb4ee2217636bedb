//! `trunkline completion SHELL`.

use std::process::ExitCode;

use clap::CommandFactory;

use crate::cli::Cli;

/// Prints the script.
pub(crate) fn run(shell: clap_complete::Shell) -> ExitCode {
    clap_complete::generate(shell, &mut Cli::command(), "trunkline", &mut std::io::stdout());
    ExitCode::SUCCESS
}
