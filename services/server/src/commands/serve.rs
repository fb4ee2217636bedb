//! `trunkline serve`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use settings::Flags;

use crate::serve::reload::Read;
use crate::serve::{self, Kind};

/// How long what still runs at the very end may take.
const RUNTIME_END: Duration = Duration::from_secs(1);

/// Arguments of `serve`. What is left out comes from the environment, the settings file or the defaults.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Listen address of the REST API, console and webhooks [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    http: Option<String>,
    /// Listen address of gRPC [default: 127.0.0.1:9090]
    #[arg(long, value_name = "ADDR")]
    grpc: Option<String>,
    /// Listen address of metrics and health checks [default: 127.0.0.1:9091]
    #[arg(long, value_name = "ADDR")]
    metrics: Option<String>,
    /// Database URL: sqlite://path/file.db, sqlite::memory: or postgres://… [default: sqlite://data/trunkline.db]
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// Roles of this process: api,webhooks,scheduler,execution,node,scheduled,webhook [default: all]
    #[arg(long, value_name = "LIST")]
    roles: Option<String>,
    /// Configuration file [env: TRUNKLINE_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Do not migrate a PostgreSQL database at startup
    #[arg(long)]
    no_migrate: bool,
}

impl ServeArgs {
    fn into_flags(self) -> Flags {
        Flags {
            config: self.config,
            http: self.http,
            grpc: self.grpc,
            metrics: self.metrics,
            database_url: self.database_url,
            roles: self.roles,
            no_migrate: self.no_migrate,
        }
    }
}

/// Runs the server until it receives a stop signal.
pub(crate) fn run(args: ServeArgs) -> Result<ExitCode> {
    engine::arm_fail_points();
    let flags = args.into_flags();
    run_with(Box::new(move || settings::load(&flags, settings::process_environment())), Kind::Usual)
}

/// Runs a server by settings that are read by this.
pub(super) fn run_with(read: Read, kind: Kind) -> Result<ExitCode> {
    let settings = read()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?;
    let ended = runtime.block_on(serve::run(settings, read, kind));
    // A handler that blocks its thread for good must not keep the process: its lease was given back.
    runtime.shutdown_timeout(RUNTIME_END);
    ended
}
