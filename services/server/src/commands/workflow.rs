//! `trunkline workflow`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::client::{Client, query};
use crate::output::table;

/// Registers and looks at workflows.
#[derive(Debug, Subcommand)]
pub(crate) enum WorkflowCommand {
    /// Register the definitions in files (JSON or YAML)
    Push(FilesArgs),
    /// Check definitions without registering them
    Validate(FilesArgs),
    /// List workflows
    List(ListArgs),
    /// Show a workflow, or one version of it
    Show(ShowArgs),
    /// List the versions of a workflow
    Versions {
        /// The workflow
        name: String,
    },
    /// Keep new executions of a workflow waiting
    Pause {
        /// The workflow
        name: String,
    },
    /// Let executions of a workflow start again
    Resume {
        /// The workflow
        name: String,
    },
}

/// Arguments of `workflow push` and `workflow validate`.
#[derive(Debug, Args)]
pub(crate) struct FilesArgs {
    /// Definition files; a directory stands for the workflow files in it
    #[arg(required = true)]
    paths: Vec<PathBuf>,
}

/// Arguments of `workflow list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// How many at most
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// Where the last list ended
    #[arg(long)]
    cursor: Option<String>,
}

/// Arguments of `workflow show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The workflow
    name: String,
    /// The version; the latest if left out
    #[arg(long)]
    version: Option<u32>,
}

/// Runs the verb.
pub(crate) async fn run(command: WorkflowCommand, client: &Client) -> Result<ExitCode> {
    match command {
        WorkflowCommand::Push(args) => send(client, &args.paths, "/v1/workflows").await,
        WorkflowCommand::Validate(args) => send(client, &args.paths, "/v1/workflows?validate=true").await,
        WorkflowCommand::List(args) => {
            let path =
                query("/v1/workflows", &[("limit", Some(args.limit.to_string())), ("cursor", args.cursor)]);
            let columns = [
                ("NAME", "/name"),
                ("VERSION", "/version"),
                ("PAUSED", "/paused"),
                ("CREATED", "/createdAt"),
            ];
            table::print_list(client.json, &client.get(&path).await?, &columns);
            Ok(ExitCode::SUCCESS)
        }
        WorkflowCommand::Show(args) => {
            let path = match args.version {
                Some(version) => format!("/v1/workflows/{}/versions/{version}", args.name),
                None => format!("/v1/workflows/{}", args.name),
            };
            table::print_json(&client.get(&path).await?);
            Ok(ExitCode::SUCCESS)
        }
        WorkflowCommand::Versions { name } => {
            let answer = client.get(&format!("/v1/workflows/{name}/versions")).await?;
            let columns = [("VERSION", "/version"), ("HASH", "/contentHash"), ("CREATED", "/createdAt")];
            table::print_list(client.json, &answer, &columns);
            Ok(ExitCode::SUCCESS)
        }
        WorkflowCommand::Pause { name } => change(client, &name, "pause").await,
        WorkflowCommand::Resume { name } => change(client, &name, "resume").await,
    }
}

async fn change(client: &Client, name: &str, verb: &str) -> Result<ExitCode> {
    let answer = client.post(&format!("/v1/workflows/{name}/{verb}"), &json!({})).await?;
    if client.json {
        table::print_json(&answer);
    } else {
        println!("{name}: {verb}d");
    }
    Ok(ExitCode::SUCCESS)
}

/// Sends every file; goes on after one that is refused, so that one run shows every fault.
async fn send(client: &Client, paths: &[PathBuf], endpoint: &str) -> Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    let mut answers = Vec::new();
    for path in files(paths)? {
        let body = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        match client.post_bytes(endpoint, body, content_type(&path)).await {
            Ok((_, answer)) if client.json => answers.push(answer),
            Ok((status, answer)) => println!("{}: {}", path.display(), summary(status, &answer, endpoint)),
            Err(error) => {
                eprintln!("{}: {error}", path.display());
                code = ExitCode::FAILURE;
            }
        }
    }
    if client.json {
        table::print_json(&Value::Array(answers));
    }
    Ok(code)
}

fn summary(status: u16, answer: &Value, endpoint: &str) -> String {
    let name = answer["name"].as_str().unwrap_or("?");
    let version = &answer["version"];
    if endpoint.ends_with("validate=true") {
        return format!("{name} version {version} is valid");
    }
    // 201 is a new version, 200 the same content again.
    if status == 201 {
        format!("{name} version {version} registered")
    } else {
        format!("{name} version {version} was there already")
    }
}

/// The files themselves, and the `*.workflow.{json,yaml,yml}` and `workflow.{json,yaml,yml}` files of directories.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut found: Vec<PathBuf> = std::fs::read_dir(path)
            .with_context(|| format!("cannot read {}", path.display()))?
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|file| is_workflow_file(file))
            .collect();
        anyhow::ensure!(
            !found.is_empty(),
            "{} holds no workflow.json or *.workflow.json (or .yaml)",
            path.display()
        );
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

fn is_workflow_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    [".json", ".yaml", ".yml"].iter().any(|end| {
        name.strip_suffix(end).is_some_and(|stem| stem == "workflow" || stem.ends_with(".workflow"))
    })
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("yaml" | "yml") => "application/yaml",
        _ => "application/json",
    }
}
