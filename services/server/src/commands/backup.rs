//! `trunkline backup`: a copy of a SQLite database, from the server that runs on it or from its file.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use secrecy::ExposeSecret as _;
use serde_json::json;
use settings::{DatabaseKind, Flags, Settings};
use store::backup::BackupStore as _;
use store::{Store as _, StoreError};
use store_sql::SqlStore;

use crate::client::{Client, Global, is_server_named};
use crate::commands::doctor::at_settings;
use crate::commands::local::sqlite_file;
use crate::output::out;
use crate::serve::{check, store_options};

/// What every SQLite database begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Arguments of `backup`.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// New file for the backup
    file: PathBuf,
    /// Database URL, if no server is running; sqlite://… only
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// Configuration file [env: TRUNKLINE_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Runs the command.
pub(crate) async fn run(args: &BackupArgs, global: &Global) -> Result<ExitCode> {
    engine::arm_fail_points();
    if args.file.exists() {
        bail!("{} already exists", args.file.display());
    }
    let partial = partial_of(&args.file);
    if partial.exists() {
        bail!("{} already exists; remove it if no backup is running", partial.display());
    }
    let flags =
        Flags { database_url: args.database_url.clone(), config: args.config.clone(), ..Flags::default() };
    let settings = settings::load(&flags, settings::process_environment())?;
    let bytes = if is_server_named(global) && args.database_url.is_none() {
        from_server(global, &partial).await?
    } else {
        from_file_or_server(&settings, global, &partial).await?
    };
    engine::reach_backup();
    keep(&partial, &args.file)?;
    let file = args.file.display().to_string();
    if global.json {
        out!("{}", json!({ "file": file, "bytes": bytes }));
    } else {
        out!("{file}: {bytes} bytes");
    }
    Ok(ExitCode::SUCCESS)
}

/// A running server owns the file, and is asked then.
async fn from_file_or_server(settings: &Settings, global: &Global, into: &Path) -> Result<u64> {
    if DatabaseKind::of(settings.database.url.expose_secret()) != Some(DatabaseKind::Sqlite) {
        bail!(
            "a PostgreSQL database is backed up by its own tools, such as pg_basebackup; see docs/backup.md"
        );
    }
    if let Some(file) = sqlite_file(settings).filter(|file| !file.exists()) {
        bail!("there is no database {}", file.display());
    }
    let mut options = store_options(settings);
    options.migrate = false;
    match SqlStore::connect(&options).await {
        Ok(store) => {
            let copied = async {
                // A URL with a typing error would otherwise make an empty database, and back that up.
                check::require(&store).await?;
                Ok::<u64, anyhow::Error>(store.back_up(into).await?)
            };
            let copied = copied.await;
            store.close().await;
            copied
        }
        Err(StoreError::Locked { .. }) => from_server(&at_settings(global, settings), into).await,
        Err(error) => Err(check::explain(error)),
    }
}

async fn from_server(global: &Global, into: &Path) -> Result<u64> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(into);
    let file = file.with_context(|| format!("cannot create {}", into.display()))?;
    let received = receive(global, file).await;
    if received.is_err() {
        let _ = std::fs::remove_file(into);
    }
    received
}

/// Where a copy is until it is complete.
fn partial_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

/// Gives a complete copy its name: one that was interrupted never has it.
fn keep(partial: &Path, file: &Path) -> Result<()> {
    if let Err(error) = std::fs::rename(partial, file) {
        let _ = std::fs::remove_file(partial);
        return Err(error).with_context(|| format!("cannot create {}", file.display()));
    }
    flush_directory(file)
}

async fn receive(global: &Global, mut file: File) -> Result<u64> {
    let mut response = Client::new(global)?.download("/v1/backups").await?;
    let (mut bytes, mut head) = (0, Vec::new());
    while let Some(chunk) = response.chunk().await.context("the server aborted the backup; see its log")? {
        if head.len() < MAGIC.len() {
            head.extend_from_slice(&chunk[..chunk.len().min(MAGIC.len() - head.len())]);
        }
        file.write_all(&chunk).context("cannot write the backup")?;
        bytes += chunk.len() as u64;
    }
    if head != MAGIC {
        bail!("the server's response is not a SQLite database");
    }
    file.sync_all().context("cannot write the backup")?;
    Ok(bytes)
}

fn flush_directory(file: &Path) -> Result<()> {
    let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(directory).and_then(|directory| directory.sync_all()).context("cannot write the directory")
}
