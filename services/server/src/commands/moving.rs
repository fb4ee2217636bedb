//! `trunkline move`: the whole store to another database, by the server that runs on it or without one; or one execution.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::{ArgGroup, Args};
use domain::id::ExecutionId;
use serde_json::{Value, json};
use settings::{Flags, Settings};
use store::StoreError;
use store_sql::{MoveEnd, MoveReport, copy_execution, move_offline};
use uuid::Uuid;

use crate::client::{Client, ClientError, Global, is_server_named};
use crate::commands::doctor::at_settings;
use crate::commands::local::sqlite_file;
use crate::output;
use crate::output::out;
use crate::serve::{check, reach, store_options};

/// How often a server is asked for the progress of its move.
const POLL: Duration = Duration::from_millis(200);

/// How long a server may not answer while it stands still for its move and starts again.
const SILENT_MAX: Duration = Duration::from_mins(2);

/// Arguments of `move`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("what").required(true).args(["to", "follow", "abort"])))]
pub(crate) struct MoveArgs {
    /// URL of the new database, which must be empty: postgres://…, or sqlite://path/file.db if no server is running
    ///
    /// The password can be omitted and given by PGPASSWORD or ~/.pgpass of the user who runs the move.
    #[arg(long, value_name = "URL")]
    to: Option<String>,
    /// Follow the move that the server is making until it ends
    #[arg(long)]
    follow: bool,
    /// Abort the move that the server is making
    #[arg(long)]
    abort: bool,
    /// PostgreSQL: schema of the tables in the new database
    #[arg(long, value_name = "NAME", default_value = "public", requires = "to")]
    to_schema: String,
    /// Copy this execution with its history to a new SQLite file instead; the store does not change
    #[arg(long, value_name = "EXECUTION", requires = "to")]
    only: Option<String>,
    /// Database URL to move from, if no server is running
    #[arg(long, value_name = "URL", requires = "to")]
    database_url: Option<String>,
    /// Configuration file [env: TRUNKLINE_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Runs the command.
pub(crate) async fn run(args: &MoveArgs, global: &Global) -> Result<ExitCode> {
    engine::arm_fail_points();
    let flags =
        Flags { database_url: args.database_url.clone(), config: args.config.clone(), ..Flags::default() };
    let settings = settings::load(&flags, settings::process_environment())?;
    let Some(url) = &args.to else {
        return of_server(&at_settings(global, &settings), args.abort).await;
    };
    let to = MoveEnd { url: url.clone(), schema: args.to_schema.clone() };
    if let Some(id) = &args.only {
        return only(id, &settings, &to, global.json).await;
    }
    if is_server_named(global) && args.database_url.is_none() {
        return by_server(global, &to).await;
    }
    match move_offline(&source(&settings), &to, new_id(), &reach).await {
        Ok(moved) => {
            print(&moved, global.json);
            Ok(ExitCode::SUCCESS)
        }
        // A running server owns the file, and moves it then.
        Err(StoreError::Locked { path })
            if sqlite_file(&settings).is_some_and(|file| file.display().to_string() == path) =>
        {
            by_server(&at_settings(global, &settings), &to).await
        }
        Err(error) => Err(check::explain(error).context("the store was not moved")),
    }
}

async fn only(id: &str, settings: &Settings, to: &MoveEnd, is_json: bool) -> Result<ExitCode> {
    let Some(id) = ExecutionId::parse(id) else {
        bail!("--only: {id} is not the id of an execution (exe_…)")
    };
    let copied = copy_execution(&source(settings), to, id, new_id()).await.map_err(check::explain)?;
    print_tables(&copied, is_json);
    if !is_json {
        out!("copied {id} to {}; the queues of the copy are paused", copied.to);
    }
    Ok(ExitCode::SUCCESS)
}

fn source(settings: &Settings) -> MoveEnd {
    let options = store_options(settings);
    MoveEnd { url: options.url, schema: options.schema }
}

#[expect(clippy::disallowed_methods, reason = "no engine runs here, and the id only has to be new")]
fn new_id() -> Uuid {
    Uuid::new_v4()
}

/// Has a server move its store, and waits until it works on the new database.
async fn by_server(global: &Global, to: &MoveEnd) -> Result<ExitCode> {
    let client = Client::new(global)?;
    let asked = client.post("/v1/moves", &json!({ "to": to.url, "schema": to.schema })).await?;
    let ended = follow(&client, asked).await?;
    if ended["phase"] == "failed" {
        bail!("the store was not moved, and the server continues on the old database: {}", reason(&ended));
    }
    print_view(&ended, global.json);
    Ok(ExitCode::SUCCESS)
}

/// Waits for the end of the move that a server is making; `aborts` it first.
async fn of_server(global: &Global, aborts: bool) -> Result<ExitCode> {
    let client = Client::new(global)?;
    let view = if aborts {
        client.post("/v1/moves/last/abort", &json!({})).await?
    } else {
        client.get("/v1/moves/last").await?
    };
    let ended = follow(&client, view).await?;
    print_view(&ended, global.json);
    let is_as_asked = (ended["phase"] == "failed") == aborts;
    Ok(if is_as_asked { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Follows a move to its end.
async fn follow(client: &Client, mut view: Value) -> Result<Value> {
    let id = view["id"].clone();
    let bar = output::bar(0, "move");
    let mut answered = Instant::now();
    while !matches!(view["phase"].as_str(), Some("done" | "failed") | None) {
        tokio::time::sleep(POLL).await;
        match client.get("/v1/moves/last").await {
            Ok(found) if found["id"] != id => {
                bail!("the server was restarted before the move ended, and continues on the old database")
            }
            Ok(found) => {
                answered = Instant::now();
                bar.set_length(found["rowsTotal"].as_u64().unwrap_or(0));
                bar.set_position(found["rowsCopied"].as_u64().unwrap_or(0));
                view = found;
            }
            Err(ClientError::Unreachable { .. } | ClientError::Problem { status: 503, .. })
                if answered.elapsed() < SILENT_MAX => {}
            Err(error) => {
                return Err(error)
                    .context("the server no longer responds; see its log for the result of the move");
            }
        }
    }
    bar.finish_and_clear();
    Ok(view)
}

fn reason(view: &Value) -> &str {
    view["error"].as_str().unwrap_or("see the server's log")
}

fn print_view(view: &Value, is_json: bool) {
    if is_json {
        return output::print_json(view);
    }
    let to = view["to"].as_str().unwrap_or_default();
    if view["phase"] == "failed" {
        return out!("not moved to {to}: {}", reason(view));
    }
    let number = |name: &str| view[name].as_i64().unwrap_or_default();
    out!(
        "moved to {to}: {} rows while work continued, {} while it was paused for {} ms",
        number("rowsCopied"),
        number("rowsLeft"),
        number("pausedMs")
    );
    print_advice();
}

fn print(moved: &MoveReport, is_json: bool) {
    print_tables(moved, is_json);
    if !is_json {
        out!("moved from {} to {}", moved.from, moved.to);
        print_advice();
    }
}

fn print_tables(moved: &MoveReport, is_json: bool) {
    let tables: Vec<_> = moved
        .tables
        .iter()
        .map(|table| json!({ "name": table.name, "rows": table.rows, "digest": table.digest }))
        .collect();
    let shown = json!({ "id": moved.id, "from": moved.from, "to": moved.to, "tables": tables });
    if is_json {
        return output::print_json(&shown);
    }
    let filled: Vec<_> =
        tables.into_iter().filter(|table| table["rows"].as_u64().is_some_and(|rows| rows > 0)).collect();
    if !filled.is_empty() {
        output::print_rows(&filled, &[("TABLE", "/name"), ("ROWS", "/rows"), ("DIGEST", "/digest")]);
    }
}

fn print_advice() {
    out!(
        "Set database.url (DATABASE_URL) to the new database before the next start; the old one is read-only."
    );
}
