//! Verbs that need no server: `trunkline config`, `migrate`, `completion` and `man`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Command, Subcommand};
use secrecy::ExposeSecret;
use serde_json::json;
use settings::{Flags, Settings};
use store::Store;
use store_sql::SqlStore;

use crate::output::{out, print_json};
use crate::serve::{check, store_options};

/// Shows the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the effective settings, with secrets masked
    Show(ShowArgs),
    /// Check the settings as a start would, including the files of certificates and secrets that they name
    Check(ShowArgs),
    /// Print the defaults as a commented configuration file
    Default,
}

/// Arguments of `config show` and `config check`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Configuration file [env: TRUNKLINE_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(command: &ConfigCommand, is_json: bool) -> Result<ExitCode> {
    match command {
        ConfigCommand::Show(args) => {
            let settings = args.load()?;
            if is_json {
                print_settings(&settings)?;
            } else {
                crate::output::text(&settings.redacted());
            }
        }
        ConfigCommand::Check(args) => {
            check::settings(&args.load()?)?;
            if is_json {
                print_json(&json!({ "valid": true }));
            } else {
                out!("the settings are valid");
            }
        }
        ConfigCommand::Default if is_json => print_settings(&Settings::default())?,
        ConfigCommand::Default => crate::output::text(&Settings::default_toml()),
    }
    Ok(ExitCode::SUCCESS)
}

impl ShowArgs {
    fn load(&self) -> Result<Settings> {
        let flags = Flags { config: self.config.clone(), ..Flags::default() };
        Ok(settings::load(&flags, settings::process_environment())?)
    }
}

/// Prints settings as JSON. Secrets are masked in every format.
fn print_settings(settings: &Settings) -> Result<()> {
    print_json(&serde_json::to_value(settings).context("the settings cannot be written as JSON")?);
    Ok(())
}

// `trunkline migrate`.

/// Arguments of `migrate`.
#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// Database URL
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// Configuration file [env: TRUNKLINE_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Runs the command.
pub(crate) async fn run_migrate(args: &MigrateArgs, is_json: bool) -> Result<ExitCode> {
    let flags =
        Flags { database_url: args.database_url.clone(), config: args.config.clone(), ..Flags::default() };
    let settings = settings::load(&flags, settings::process_environment())?;
    let mut options = store_options(&settings);
    options.migrate = true;
    let store = SqlStore::connect(&options)
        .await
        .map_err(check::explain)
        .with_context(|| format!("cannot open {}", settings.database.url_masked()))?;
    store.close().await;
    let database = settings.database.url_masked();
    if is_json {
        print_json(&json!({ "database": database, "upToDate": true }));
    } else {
        out!("{database}: the schema is up to date");
    }
    Ok(ExitCode::SUCCESS)
}

// `trunkline completion SHELL`.

/// Prints the script that completes the verbs in a shell.
pub(crate) fn run_completion(mut verbs: Command, shell: clap_complete::Shell) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut verbs, "trunkline", &mut script);
    crate::output::text(&String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}

// `trunkline man DIR`.

/// Writes a page for each of the verbs into a directory, which is made where it is not there.
pub(crate) fn run_man(verbs: Command, directory: &Path) -> Result<ExitCode> {
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    clap_mangen::generate_to(verbs, directory)
        .with_context(|| format!("cannot write man pages to {}", directory.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// The file of a SQLite database, where the settings name one.
pub(crate) fn sqlite_file(settings: &Settings) -> Option<PathBuf> {
    let url = settings.database.url.expose_secret();
    let path = url.strip_prefix("sqlite:")?;
    let path = path.strip_prefix("//").unwrap_or(path);
    let path = path.strip_suffix("?mode=rwc").unwrap_or(path);
    (path != ":memory:").then(|| PathBuf::from(path))
}
