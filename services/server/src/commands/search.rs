//! `trunkline search`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::client::{Client, query};
use crate::commands::choices::lists;
use crate::output;

/// Helps with queries.
#[derive(Debug, Subcommand)]
pub(crate) enum SearchCommand {
    /// Complete a query
    #[command(after_help = "Example: trunkline search suggest jobs 'status:FA'")]
    Suggest {
        /// List, as in its path
        #[arg(value_parser = lists())]
        list: String,
        /// Query as typed so far
        #[arg(default_value = "")]
        q: String,
        /// Cursor position in the query, in characters from 0 (default: the end)
        #[arg(long)]
        at: Option<u32>,
        /// Maximum number of completions
        #[arg(long, default_value_t = 10)]
        limit: u32,
    },
}

/// Runs the command.
pub(crate) async fn run(command: SearchCommand, client: &Client) -> Result<ExitCode> {
    let SearchCommand::Suggest { list, q, at, limit } = command;
    let parameters = [
        ("list", Some(list)),
        ("q", Some(q)),
        ("at", at.map(|at| at.to_string())),
        ("limit", Some(limit.to_string())),
    ];
    let answer = client.get(&query("/v1/search/suggest", &parameters)).await?;
    output::print_list(
        client.json,
        &answer,
        &[("TEXT", "/text"), ("KIND", "/kind"), ("DETAIL", "/detail"), ("COUNT", "/count")],
    );
    Ok(ExitCode::SUCCESS)
}
