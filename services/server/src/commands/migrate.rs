//! `trunkline migrate`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use settings::Flags;
use store::Store;
use store_sql::SqlStore;

use crate::output::out;
use crate::serve::{schema, store_options};

/// Arguments of `migrate`.
#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// Database URL
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// Configuration file
    #[arg(long, env = "TRUNKLINE_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Runs the command.
pub(crate) async fn run(args: &MigrateArgs) -> Result<ExitCode> {
    let flags =
        Flags { database_url: args.database_url.clone(), config: args.config.clone(), ..Flags::default() };
    let settings = settings::load(&flags, settings::process_environment())?;
    let mut options = store_options(&settings);
    options.migrate = true;
    let store = SqlStore::connect(&options)
        .await
        .map_err(schema::explain)
        .with_context(|| format!("cannot open {}", settings.database.url_masked()))?;
    store.close().await;
    out!("{}: the schema is up to date", settings.database.url_masked());
    Ok(ExitCode::SUCCESS)
}
