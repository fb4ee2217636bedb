//! `trunkline attribute`.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Map, Value, json};

use crate::client::{Client, api_path, query};
use crate::output;

/// Manages searchable attributes.
#[derive(Debug, Subcommand)]
pub(crate) enum AttributeCommand {
    /// List the attributes that jobs or executions carry
    List(TargetArgs),
    /// Declare attributes
    #[command(
        after_help = "Example: trunkline attribute set job-type charge-card 'customerId=integer:data.customer.id' \
'region=text' oldName=none"
    )]
    Set(SetArgs),
}

/// What declares attributes.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum TargetKind {
    /// Jobs of a type
    JobType,
    /// Executions of a workflow and their jobs
    Workflow,
    /// All jobs and executions of a tenant
    Tenant,
}

/// Whose attributes.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// Scope
    kind: TargetKind,
    /// Name of the job type, workflow or tenant
    name: String,
    /// Tenant of the job type or workflow
    #[arg(long)]
    tenant: Option<String>,
}

/// Arguments of `attribute set`.
#[derive(Debug, Args)]
pub(crate) struct SetArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Attributes: NAME=TYPE, NAME=TYPE:PATH, or NAME=none to remove one; types are text, integer, number, boolean, instant
    #[arg(required = true, value_name = "NAME=TYPE[:PATH]")]
    attributes: Vec<String>,
}

impl TargetArgs {
    fn path(self) -> String {
        let path = match self.kind {
            TargetKind::JobType => api_path!("job-types", self.name, "attributes"),
            TargetKind::Workflow => api_path!("workflows", self.name, "attributes"),
            TargetKind::Tenant => return api_path!("tenants", self.name, "attributes"),
        };
        query(&path, &[("tenant", self.tenant)])
    }
}

/// Runs the command.
pub(crate) async fn run(command: AttributeCommand, client: &Client) -> Result<ExitCode> {
    let answer = match command {
        AttributeCommand::List(target) => client.get(&target.path()).await?,
        AttributeCommand::Set(SetArgs { target, attributes }) => {
            client.put(&target.path(), &body(&attributes)?).await?
        }
    };
    if client.json {
        output::print_json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let rows: Vec<Value> = answer
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, attribute)| {
            let mut row = attribute.clone();
            row["name"] = json!(name);
            row
        })
        .collect();
    let columns =
        [("NAME", "/name"), ("TYPE", "/type"), ("PATH", "/path"), ("FROM", "/source"), ("SINCE", "/since")];
    output::print_rows(&rows, &columns);
    Ok(ExitCode::SUCCESS)
}

fn body(attributes: &[String]) -> Result<Value> {
    let mut fields = Map::new();
    for text in attributes {
        let Some((name, declared)) = text.split_once('=') else {
            bail!("expected NAME=TYPE or NAME=TYPE:PATH, got {text}")
        };
        let value = match declared.split_once(':') {
            None if declared == "none" => Value::Null,
            None => json!({ "type": declared }),
            Some((kind, path)) => json!({ "type": kind, "path": path }),
        };
        fields.insert(name.to_owned(), value);
    }
    Ok(Value::Object(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_names_types_and_paths() {
        let texts = ["a=text", "b=integer:data.\"x:y\"", "c=none"].map(str::to_owned);
        let expected =
            json!({ "a": { "type": "text" }, "b": { "type": "integer", "path": "data.\"x:y\"" }, "c": null });
        assert_eq!(body(&texts).expect("valid"), expected);
        assert!(body(&["a".to_owned()]).is_err());
    }
}
