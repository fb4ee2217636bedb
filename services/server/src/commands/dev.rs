//! `trunkline dev`: a server for development and tests, on a database that goes with it.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use settings::{Flags, Settings, Synchronous};

use super::serve::run_with;
use crate::serve::Kind;

/// Arguments of `dev`.
#[derive(Debug, Args)]
pub(crate) struct DevArgs {
    /// Skip to the next timer or retry while no job is leased and no request is in progress; schedules fire only by
    /// POST /v1/dev/time
    #[arg(long)]
    time_skip: bool,
    /// Listen address of the REST API, console and webhooks [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    http: Option<String>,
    /// Listen address of gRPC [default: 127.0.0.1:9090]
    #[arg(long, value_name = "ADDR")]
    grpc: Option<String>,
    /// Listen address of metrics and health checks [default: 127.0.0.1:9091]
    #[arg(long, value_name = "ADDR")]
    metrics: Option<String>,
}

/// Runs the server until it receives a stop signal, and removes its database.
pub(crate) fn run(args: DevArgs) -> Result<ExitCode> {
    let directory = tempfile::Builder::new().prefix("trunkline-dev-").tempdir();
    let directory = directory.context("cannot create a temporary directory")?;
    let database = directory.path().join("trunkline.db");
    let flags = Flags {
        config: None,
        http: args.http,
        grpc: args.grpc,
        metrics: args.metrics,
        database_url: Some(format!("sqlite://{}", database.display())),
        roles: None,
        no_migrate: false,
    };
    let read = move || Ok(for_development(settings::load(&flags, settings::process_environment())?));
    let kind = if args.time_skip { Kind::TimeSkipping } else { Kind::Usual };
    let ended = run_with(Box::new(read), kind);
    directory.close().context("cannot remove the temporary database")?;
    ended
}

/// Callers on this machine need no key unless one is given, and nothing has to outlive the machine.
fn for_development(mut settings: Settings) -> Settings {
    settings.http.open |= settings.bootstrap_key.is_none();
    settings.database.synchronous = Synchronous::Normal;
    settings
}
