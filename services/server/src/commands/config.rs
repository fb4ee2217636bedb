//! `trunkline config`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use settings::{Flags, Settings};

/// Shows the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the effective settings, with secrets masked
    Show(ShowArgs),
    /// Check the settings as a start would, files of TLS and secrets included
    Check(ShowArgs),
    /// Print the defaults as a commented configuration file
    Default,
}

/// Arguments of `config show` and `config check`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Configuration file
    #[arg(long, env = "TRUNKLINE_CONFIG")]
    config: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(command: &ConfigCommand) -> Result<ExitCode> {
    match command {
        ConfigCommand::Show(args) => {
            let flags = Flags { config: args.config.clone(), ..Flags::default() };
            crate::output::text(&settings::load(&flags, settings::process_environment())?.redacted());
        }
        ConfigCommand::Check(args) => {
            let flags = Flags { config: args.config.clone(), ..Flags::default() };
            let settings = settings::load(&flags, settings::process_environment())?;
            crate::serve::check::settings(&settings)?;
            crate::output::out!("the settings are valid");
        }
        ConfigCommand::Default => crate::output::text(&Settings::default_toml()),
    }
    Ok(ExitCode::SUCCESS)
}
