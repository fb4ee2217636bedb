//! `trunkline move`: the whole store to another database, or one execution, without a server.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use domain::id::ExecutionId;
use serde_json::json;
use settings::{Flags, Settings};
use store_sql::{MoveEnd, MoveReport, MoveStep, copy_execution, move_offline};
use uuid::Uuid;

use crate::cli::Global;
use crate::output::{out, table};
use crate::serve::{schema, store_options};

/// Arguments of `move`.
#[derive(Debug, Args)]
pub(crate) struct MoveArgs {
    /// URL of the new database, which must be empty: postgres://… or sqlite://path/file.db
    ///
    /// A password can be left out of it and given by PGPASSWORD or ~/.pgpass of whoever makes the move.
    #[arg(long, value_name = "URL")]
    to: String,
    /// PostgreSQL: schema of the tables in the new database
    #[arg(long, value_name = "NAME", default_value = "public")]
    to_schema: String,
    /// Copy this execution with its history to a new SQLite file instead, and leave the store as it is
    #[arg(long, value_name = "EXECUTION")]
    only: Option<String>,
    /// Database URL to move from
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// Configuration file
    #[arg(long, env = "TRUNKLINE_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Runs the command.
pub(crate) async fn run(args: &MoveArgs, global: &Global) -> Result<ExitCode> {
    engine::arm_fail_points();
    let flags =
        Flags { database_url: args.database_url.clone(), config: args.config.clone(), ..Flags::default() };
    let settings = settings::load(&flags, settings::process_environment())?;
    let to = MoveEnd { url: args.to.clone(), schema: args.to_schema.clone() };
    if let Some(id) = &args.only {
        let Some(id) = ExecutionId::parse(id) else {
            bail!("--only: {id} is not the id of an execution (exe_…)")
        };
        let copied = copy_execution(&source(&settings), &to, id, new_id()).await.map_err(schema::explain)?;
        print_tables(&copied, global.json);
        if !global.json {
            out!("copied {id} to {}; the queues of the copy are paused", copied.to);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let moved = move_offline(&source(&settings), &to, new_id(), &reach).await;
    let moved = moved.map_err(|error| schema::explain(error).context("the store was not moved"))?;
    print(&moved, global.json);
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

/// Where tests end the process.
fn reach(step: MoveStep) {
    engine::reach_move(match step {
        MoveStep::Begun => "move-begun",
        MoveStep::Copied { .. } => "move-copied",
        MoveStep::Complete => "move-complete",
        MoveStep::Fenced => "move-fenced",
        MoveStep::Ended => "move-ended",
    });
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
        return table::print_json(&shown);
    }
    let filled: Vec<_> =
        tables.into_iter().filter(|table| table["rows"].as_u64().is_some_and(|rows| rows > 0)).collect();
    if !filled.is_empty() {
        table::print_rows(&filled, &[("TABLE", "/name"), ("ROWS", "/rows"), ("DIGEST", "/digest")]);
    }
}

fn print_advice() {
    out!(
        "Set database.url (DATABASE_URL) to the new database before the next start; the old one can only be read."
    );
}
