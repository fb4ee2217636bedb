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
use store_sql::{IntakeInstall, IntakeRole, IntakeSchema, RoleTenant, SqlStore};

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
        #[arg(long, value_parser = IntakeRole::parse)]
        role: IntakeRole,
        /// Tenant of everything that the role enqueues, starts, signals and sends (default: the current tenant of the role,
        /// or `default` for a new role)
        #[arg(long, value_parser = tenant_name)]
        tenant: Option<TenantName>,
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
    #[arg(long, value_name = "NAME", default_value = "trunkline", value_parser = IntakeSchema::parse)]
    schema: IntakeSchema,
}

fn tenant_name(text: &str) -> Result<TenantName, String> {
    TenantName::parse(text).map_err(|fault| fault.to_string())
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
            let install =
                IntakeInstall { schema: place.schema.clone(), role: role.clone(), tenant: tenant.clone() };
            let installed = store.install_intake(&install).await.context("the functions were not created")?;
            print_installed(is_json, settings, &install, &installed);
        }
        SqlCommand::Uninstall { place } => {
            store.uninstall_intake(&place.schema).await.context("the functions were not dropped")?;
            if is_json {
                output::print_json(&json!({ "schema": place.schema.as_str(), "dropped": true }));
            } else {
                let database = settings.database.url_masked();
                out!("{database}: the functions are dropped; their roles still exist");
            }
        }
        SqlCommand::Status { .. } => print_status(is_json, store).await?,
    }
    Ok(())
}

fn print_installed(is_json: bool, settings: &Settings, install: &IntakeInstall, installed: &RoleTenant) {
    let (role, schema, tenant) = (install.role.as_str(), install.schema.as_str(), &installed.tenant);
    let before = installed.before.as_ref().filter(|before| *before != tenant);
    if is_json {
        let before = before.map(TenantName::as_str);
        return output::print_json(&json!({
            "role": role, "schema": schema, "tenant": tenant.as_str(), "previousTenant": before,
        }));
    }
    out!(
        "{}: the role {role} may call {schema}.enqueue, {schema}.start, {schema}.signal and {schema}.send_event for the tenant \
         {tenant}",
        settings.database.url_masked(),
    );
    if let Some(before) = before {
        out!(
            "the tenant of the role {role} was {before} until now; calls that it has committed stay with {before}"
        );
    }
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
