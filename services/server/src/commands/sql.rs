//! `trunkline sql`: functions in PostgreSQL by which applications enqueue, start, signal and send events in their own
//! transactions.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use domain::names::TenantName;
use serde_json::json;
use settings::{Flags, Settings};
use store::Store as _;
use store_sql::{IntakeInstall, IntakeSchema, SqlStore};

use crate::output;
use crate::output::out;
use crate::serve::{check, store_options};

/// How many refused calls `sql status` shows.
const REFUSED_MAX: u32 = 100;

/// Manages the functions.
#[derive(Debug, Subcommand)]
pub(crate) enum SqlCommand {
    /// Create the functions, or update them, and let a database role call them
    ///
    /// Run it with the URL of the database role that owns Trunkline's tables. A role that does not exist is created without a
    /// login; grant it to the roles of the application.
    Install {
        /// Where the tables are
        #[command(flatten)]
        place: Place,
        /// Database role that may call the functions
        #[arg(long)]
        role: String,
        /// Tenant of everything that the role enqueues, starts, signals and sends
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Drop the functions and revoke the rights of all roles; committed calls are still carried out
    Uninstall {
        /// Where the tables are
        #[command(flatten)]
        place: Place,
    },
    /// Show roles, waiting calls and refused calls
    Status {
        /// Where the tables are
        #[command(flatten)]
        place: Place,
    },
}

/// The database, and the schema of the functions.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// Database URL
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// Configuration file [env: TRUNKLINE_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Schema of the functions
    #[arg(long, value_name = "NAME", default_value = "trunkline")]
    schema: String,
}

/// Runs the command.
pub(crate) async fn run(command: &SqlCommand, is_json: bool) -> Result<ExitCode> {
    let (SqlCommand::Install { place, .. } | SqlCommand::Uninstall { place } | SqlCommand::Status { place }) =
        command;
    let (settings, store) = open(place).await?;
    let done = on(command, is_json, &settings, &store).await;
    store.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

async fn open(place: &Place) -> Result<(Settings, Arc<SqlStore>)> {
    let flags =
        Flags { database_url: place.database_url.clone(), config: place.config.clone(), ..Flags::default() };
    let settings = settings::load(&flags, settings::process_environment())?;
    if settings::DatabaseKind::of(secrecy::ExposeSecret::expose_secret(&settings.database.url))
        != Some(settings::DatabaseKind::Postgres)
    {
        bail!("`trunkline sql` needs a PostgreSQL database: --database-url postgres://…");
    }
    let mut options = store_options(&settings);
    options.migrate = false;
    let store = SqlStore::connect(&options)
        .await
        .map_err(check::explain)
        .with_context(|| format!("cannot open {}", settings.database.url_masked()))?;
    check::require(&store).await?;
    Ok((settings, store))
}

async fn on(command: &SqlCommand, is_json: bool, settings: &Settings, store: &SqlStore) -> Result<()> {
    match command {
        SqlCommand::Install { place, role, tenant } => {
            let tenant =
                TenantName::parse(tenant.as_str()).map_err(|fault| anyhow::anyhow!("--tenant: {fault}"))?;
            let schema = IntakeSchema::parse(&place.schema)?;
            let install = IntakeInstall { schema, role: role.clone(), tenant: tenant.clone() };
            store.install_intake(&install).await.context("the functions were not created")?;
            out!(
                "{}: the role {role} may call {schema}.enqueue, {schema}.start, {schema}.signal and {schema}.send_event for the \
                 tenant {tenant}",
                settings.database.url_masked(),
                schema = place.schema,
            );
        }
        SqlCommand::Uninstall { place } => {
            let schema = IntakeSchema::parse(&place.schema)?;
            store.uninstall_intake(&schema).await.context("the functions were not dropped")?;
            out!("{}: the functions are dropped; their roles still exist", settings.database.url_masked());
        }
        SqlCommand::Status { .. } => print_status(is_json, store).await?,
    }
    Ok(())
}

async fn print_status(is_json: bool, store: &SqlStore) -> Result<()> {
    let installed = store.installed_intake(REFUSED_MAX).await?;
    let roles: Vec<_> = installed
        .roles
        .iter()
        .map(|(role, tenant)| json!({ "role": role, "tenant": tenant.as_str() }))
        .collect();
    let refused: Vec<_> = installed
        .refused
        .iter()
        .map(|one| {
            json!({
                "kind": one.kind, "id": one.subject, "tenant": one.tenant.as_str(), "name": one.name,
                "refusedAt": one.refused_at, "reason": one.reason,
            })
        })
        .collect();
    let status = json!({ "waiting": installed.waiting, "roles": roles, "refused": refused });
    if is_json {
        out!("{status}");
        return Ok(());
    }
    out!("waiting: {}\n\nRoles", installed.waiting);
    output::print_list(
        false,
        &json!({ "items": status["roles"] }),
        &[("ROLE", "/role"), ("TENANT", "/tenant")],
    );
    out!("\nRefused calls");
    let columns = [
        ("AT", "/refusedAt"),
        ("KIND", "/kind"),
        ("ID", "/id"),
        ("TENANT", "/tenant"),
        ("NAME", "/name"),
        ("REASON", "/reason"),
    ];
    output::print_list(false, &json!({ "items": status["refused"] }), &columns);
    Ok(())
}
