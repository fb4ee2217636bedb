//! `trunkline doctor`: what a person would check first, with what to do about it.
//!
//! The settings, the way to the server and the way to the database are looked at here; all else is one list of checks, which
//! the server answers, or which is made here on the database where no server does.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use domain::doctor::{CHECK_NAMES, Check, CheckStatus};
use engine::Caller;
use serde_json::{Value, json};
use settings::{Flags, Settings};
use store::Store;
use store::error::StoreError;
use store_sql::{SchemaState, SqlStore};

use super::after_restore;
use super::local::sqlite_file;
use crate::client::{Client, ClientError, Global, is_server_named};
use crate::output;
use crate::output::out;
use crate::serve::{check, doors, offline_engine, secret_keys, store_options};

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Configuration file [env: TRUNKLINE_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Database URL
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// After restoring a backup, and before starting a server: list what would happen a second time
    #[arg(long)]
    after_restore: bool,
    /// Exit with 1 also if a check warns
    #[arg(long, conflicts_with = "after_restore")]
    strict: bool,
    /// With --after-restore: pause all queues, end leases and skip missed slots of schedules
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
    let checks = match settings::load(&flags, settings::process_environment()) {
        Ok(settings) => check_all(&settings, global).await,
        Err(error) => {
            vec![fails("settings", &error, "correct them; `trunkline config show` prints what is in effect")]
        }
    };
    let worst = checks.iter().map(|check| check.status).max().unwrap_or(CheckStatus::Ok);
    print(&checks, global.json);
    let bad = if args.strict { CheckStatus::Warn } else { CheckStatus::Fail };
    Ok(if worst < bad { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn check_all(settings: &Settings, global: &Global) -> Vec<Check> {
    let mut checks = vec![Check::ok("settings", "valid (see `trunkline config show`)")];
    if let Err(error) = secret_keys(settings) {
        let fix = "each is a name, a colon and 32 bytes in base64: name:$(openssl rand -base64 32)";
        checks.push(Check::fault("secrets", CheckStatus::Fail, format!("{error:#}"), fix));
        return checks;
    }
    let (at_server, is_up) = ask_server(&at_settings(global, settings), &mut checks).await;
    match at_server {
        Some(found) => {
            check_database(settings, is_up, false, &mut checks).await;
            checks.extend(found);
        }
        None => check_database(settings, is_up, true, &mut checks).await,
    }
    checks
}

fn fails(check: &'static str, error: &(dyn std::error::Error + '_), fix: &str) -> Check {
    Check::fault(check, CheckStatus::Fail, with_causes(error), fix)
}

fn print(checks: &[Check], is_json: bool) {
    if is_json {
        let ok = checks.iter().all(|check| check.status != CheckStatus::Fail);
        let shown: Vec<Value> = checks.iter().map(shown).collect();
        return output::print_json(&json!({ "ok": ok, "checks": shown }));
    }
    for check in checks {
        let word = match check.status {
            CheckStatus::Fail => "FAIL",
            CheckStatus::Skipped => "skip",
            status => status.as_str(),
        };
        out!("{word:<4} {}: {}", check.check, output::shown(&check.detail));
        for evidence in &check.evidence {
            if check.fix.is_some() {
                out!("       {}", output::shown_json(&evidence.to_string()));
            }
        }
        if let Some(fix) = &check.fix {
            out!("     {fix}");
        }
    }
}

fn shown(check: &Check) -> Value {
    let mut shown = json!({ "check": check.check, "status": check.status.as_str(), "detail": check.detail });
    if let Some(fix) = &check.fix {
        shown["fix"] = Value::from(fix.as_str());
    }
    if !check.evidence.is_empty() {
        shown["evidence"] = Value::from(check.evidence.clone());
    }
    shown
}

/// Adds whether the server is ready and takes the key. Answers what the server found, and whether it is up.
async fn ask_server(global: &Global, checks: &mut Vec<Check>) -> (Option<Vec<Check>>, bool) {
    const START: &str = "start it with `trunkline serve`, or set --url or TRUNKLINE_URL";
    let client = match Client::new(global) {
        Ok(client) => client,
        Err(error) => {
            checks.push(Check::fault("server", CheckStatus::Fail, format!("{error:#}"), START));
            return (None, false);
        }
    };
    if let Err(error) = client.get_text("/readyz").await {
        checks.push(fails("server", &error, START));
        return (None, false);
    }
    checks.push(Check::ok("server", "ready"));
    match client.get("/v1/doctor").await {
        Ok(answer) => {
            checks.push(Check::ok("key", "accepted"));
            (Some(checks_of(&answer)), true)
        }
        Err(ClientError::Problem { status: 403, .. }) => {
            let detail =
                "accepted, but only a key of role admin without a tenant may ask for the other checks";
            checks.push(Check::skipped("key", detail));
            (None, true)
        }
        Err(error) => {
            // Below the first line is the hint of the command line, which says the same as the fix.
            let text = with_causes(&error);
            let detail = text.lines().next().unwrap_or_default();
            let fix = "set TRUNKLINE_API_KEY, or read data/admin.key";
            checks.push(Check::fault("key", CheckStatus::Fail, detail, fix));
            (None, true)
        }
    }
}

/// The checks that a server answered.
fn checks_of(answer: &Value) -> Vec<Check> {
    let text = |one: &Value, field: &str| one[field].as_str().unwrap_or_default().to_owned();
    let check = |one: &Value| {
        let status = match one["status"].as_str() {
            Some("ok") => CheckStatus::Ok,
            Some("warn") => CheckStatus::Warn,
            Some("skipped") => CheckStatus::Skipped,
            _ => CheckStatus::Fail,
        };
        Check {
            check: known_name(&text(one, "check")),
            status,
            detail: text(one, "detail"),
            fix: one["fix"].as_str().map(str::to_owned),
            evidence: one["evidence"].as_array().cloned().unwrap_or_default(),
        }
    };
    answer["checks"].as_array().into_iter().flatten().map(check).collect()
}

/// The name of a check of this version; a newer server may have others.
fn known_name(name: &str) -> &'static str {
    CHECK_NAMES.into_iter().find(|known| *known == name).unwrap_or("other")
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

/// Adds whether the database can be reached; with `examines` also what is found there, as a server would.
async fn check_database(settings: &Settings, server_is_up: bool, examines: bool, checks: &mut Vec<Check>) {
    let name = settings.database.url_masked();
    if let Some(path) = sqlite_file(settings)
        && !path.exists()
    {
        let detail = format!("no file {}; the first start creates it", path.display());
        checks.push(Check::fault(
            "database",
            CheckStatus::Fail,
            detail,
            "start the server, or correct database.url",
        ));
        return;
    }
    let mut options = store_options(settings);
    options.migrate = false;
    match SqlStore::connect(&options).await {
        Ok(store) => {
            look_at(&store, settings, &name, examines, checks).await;
            store.close().await;
        }
        Err(StoreError::Locked { .. }) if server_is_up => {
            checks
                .push(Check::ok("database", format!("{name} is locked by the running server, as expected")));
        }
        Err(error) => {
            let detail = format!("{name}: {}", with_causes(&error));
            checks.push(Check::fault(
                "database",
                CheckStatus::Fail,
                detail,
                "correct database.url, or start the database",
            ));
        }
    }
}

/// Whether the database answers, has the schema of this version, and can be read.
async fn look_at(
    store: &Arc<SqlStore>,
    settings: &Settings,
    name: &str,
    examines: bool,
    checks: &mut Vec<Check>,
) {
    if let Err(error) = store.ping().await {
        let detail = format!("{name}: {}", with_causes(&error));
        checks.push(Check::fault("database", CheckStatus::Fail, detail, "check the log of the database"));
        return;
    }
    checks.push(Check::ok("database", format!("{name} answers")));
    // One of a later version that this one works beside is said by the list of checks.
    if let Err(error) = check::require_workable(store).await {
        let is_newer = matches!(store.schema_state().await, Ok(SchemaState::Newer(_)));
        let fix = if is_newer { "start a later version of Trunkline" } else { "run `trunkline migrate`" };
        checks.push(Check::fault("schema", CheckStatus::Fail, format!("{error:#}"), fix));
        return;
    }
    if let Err(error) = store.require_serving().await {
        checks.push(Check::fault(
            "store",
            CheckStatus::Fail,
            with_causes(&error),
            "point database.url at the database that is in use",
        ));
        return;
    }
    if let Err(error) = store.examine().await {
        let detail = format!("{name} is damaged ({})", with_causes(&error));
        checks.push(Check::fault("tables", CheckStatus::Fail, detail, "restore it from a backup"));
        return;
    }
    checks.push(Check::ok("tables", "readable"));
    if !examines {
        return;
    }
    let found = async {
        let engine = offline_engine(store, settings).await?;
        let named = settings.clone();
        engine.show_certificates(move || doors::of(&named));
        anyhow::Ok(engine.doctor(&Caller::system()).await?)
    };
    match found.await {
        Ok(found) => checks.extend(found),
        Err(error) => {
            let fix = "check the log of the database";
            checks.push(Check::fault("database", CheckStatus::Fail, format!("{name}: {error:#}"), fix));
        }
    }
}

fn with_causes(error: &(dyn std::error::Error + '_)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
