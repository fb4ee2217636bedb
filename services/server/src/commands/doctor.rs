//! `trunkline doctor`: what a person would check first, with what to do about it.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use domain::dispatch::DispatchMode;
use secrecy::ExposeSecret;
use settings::{Flags, Settings};
use store::Store;
use store::dispatch::DispatchStore as _;
use store::error::StoreError;
use store_sql::SqlStore;

use super::after_restore;
use crate::cli::Global;
use crate::client::{Client, is_server_named};
use crate::output::out;
use crate::serve::{schema, secret_keys, store_options};

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Configuration file
    #[arg(long, env = "TRUNKLINE_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Database URL
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// After restoring a backup, and before starting a server: list what would happen a second time
    #[arg(long)]
    after_restore: bool,
    /// Pause all queues, end leases and skip missed slots of schedules
    #[arg(long, requires = "after_restore")]
    fix: bool,
}

/// Runs the checks. Exits with 1 if one of them failed.
pub(crate) async fn run(args: &DoctorArgs, global: &Global) -> Result<ExitCode> {
    let flags =
        Flags { config: args.config.clone(), database_url: args.database_url.clone(), ..Flags::default() };
    if args.after_restore {
        let settings = settings::load(&flags, settings::process_environment())?;
        return after_restore::run(&settings, args.fix, global.json).await;
    }
    let settings = match settings::load(&flags, settings::process_environment()) {
        Ok(settings) => settings,
        Err(error) => {
            report(false, "settings", &error.to_string());
            return Ok(ExitCode::FAILURE);
        }
    };
    report(true, "settings", "valid (see `trunkline config show`)");
    let keys_are_well = check_keys(&settings);
    let server_is_up = check_server(&at_settings(global, &settings)).await;
    let database_is_well = check_database(&settings, server_is_up).await;
    Ok(if keys_are_well && server_is_up && database_is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Keys that cannot be used are a fault; none at all is only a word of warning.
fn check_keys(settings: &Settings) -> bool {
    match secret_keys(settings) {
        Ok(Some(_)) => report(true, "secrets", "encrypted with the keys from the settings"),
        Ok(None) => out!(
            "warn secrets: webhook secrets are encrypted with a key stored in the same database, so a copy of it contains \
             both; set TRUNKLINE_SECRETS__KEYS=name:$(openssl rand -base64 32)"
        ),
        Err(error) => {
            report(false, "secrets", &format!("{error:#}"));
            return false;
        }
    }
    true
}

async fn check_server(global: &Global) -> bool {
    let client = match Client::new(global) {
        Ok(client) => client,
        Err(error) => {
            report(false, "server", &error.to_string());
            return false;
        }
    };
    if let Err(error) = client.get_text("/readyz").await {
        report(false, "server", &error.to_string());
        return false;
    }
    report(true, "server", "ready");
    match client.get("/v1/queues").await {
        Ok(_) => report(true, "key", "accepted"),
        Err(error) => {
            report(false, "key", &format!("{error}; set TRUNKLINE_API_KEY, or read data/admin.key"));
        }
    }
    true
}

/// Where nothing says where the server is, it is where the settings let it listen.
pub(crate) fn at_settings(global: &Global, settings: &Settings) -> Global {
    let mut addr = settings.http.addr;
    if addr.ip().is_unspecified() {
        addr.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    let url = if is_server_named(global) { global.url.clone() } else { Some(format!("http://{addr}")) };
    Global { url, ..global.clone() }
}

/// The file of a SQLite database, where the settings name one.
pub(crate) fn sqlite_file(settings: &Settings) -> Option<PathBuf> {
    let url = settings.database.url.expose_secret();
    let path = url.strip_prefix("sqlite:")?;
    let path = path.strip_prefix("//").unwrap_or(path);
    let path = path.strip_suffix("?mode=rwc").unwrap_or(path);
    (path != ":memory:").then(|| PathBuf::from(path))
}

async fn check_database(settings: &Settings, server_is_up: bool) -> bool {
    let name = settings.database.url_masked();
    if let Some(path) = sqlite_file(settings)
        && !path.exists()
    {
        report(false, "database", &format!("no file {}; the first start creates it", path.display()));
        return false;
    }
    let mut options = store_options(settings);
    options.migrate = false;
    match SqlStore::connect(&options).await {
        Ok(store) => {
            let is_well = look_at(&store, &name).await;
            store.close().await;
            is_well
        }
        Err(StoreError::Locked { .. }) if server_is_up => {
            report(true, "database", &format!("{name} is locked by the running server, as expected"));
            true
        }
        Err(error) => {
            report(false, "database", &format!("{name}: {}", with_causes(&error)));
            false
        }
    }
}

/// Whether the database answers, has the schema of this version, and can be read.
async fn look_at(store: &SqlStore, name: &str) -> bool {
    if let Err(error) = store.ping().await {
        report(false, "database", &format!("{name}: {}", with_causes(&error)));
        return false;
    }
    report(true, "database", &format!("{name} answers"));
    if let Err(error) = schema::require(store).await {
        report(false, "schema", &format!("{error:#}"));
        return false;
    }
    report(true, "schema", "up to date");
    if let Err(error) = store.require_serving().await {
        report(false, "store", &with_causes(&error));
        return false;
    }
    if let Err(error) = store.examine().await {
        let text = with_causes(&error);
        report(false, "tables", &format!("{name} is damaged ({text}); restore it from a backup"));
        return false;
    }
    report(true, "tables", "readable");
    report_dispatch(store).await
}

/// What dispatch through Kafka is like, where the nodes have that mode. A broker that is away is said, and is no fault of the
/// installation: jobs wait.
async fn report_dispatch(store: &SqlStore) -> bool {
    let view = match store.database_now().await {
        Ok(now) => store.dispatch_view(now).await,
        Err(error) => Err(error),
    };
    let view = match view {
        Ok(view) => view,
        Err(error) => {
            report(false, "dispatch", &with_causes(&error));
            return false;
        }
    };
    if view.mode == DispatchMode::Polling {
        report(true, "dispatch", "workers poll");
        return true;
    }
    let standing: u64 = view.offers.iter().map(|offers| offers.standing).sum();
    let owned = view.shards.iter().filter(|shard| view.nodes.iter().any(|node| Some(node.id) == shard.owner));
    let owned = owned.count();
    if let Some((node, since)) =
        view.nodes.iter().find_map(|node| Some((&node.name, node.broker_away_since?)))
    {
        out!("warn dispatch: {node} does not reach Kafka since {since}; jobs wait in the database");
    }
    if owned < view.shards.len() && !view.nodes.is_empty() {
        report(
            false,
            "dispatch",
            &format!(
                "{} of {} shards have no relay; start a node with the role scheduler",
                view.shards.len() - owned,
                view.shards.len()
            ),
        );
        return false;
    }
    let draining = if view.is_draining { "; draining" } else { "" };
    report(true, "dispatch", &format!("through Kafka, {standing} offers stand{draining}"));
    true
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

fn report(is_well: bool, what: &str, detail: &str) {
    out!("{} {what}: {detail}", if is_well { "ok  " } else { "FAIL" });
}
