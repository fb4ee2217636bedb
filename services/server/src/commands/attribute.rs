//! `trunkline attribute`.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use domain::attribute::AttributeType;
use serde_json::{Value, json};

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
    #[arg(required = true, value_name = "NAME=TYPE[:PATH]", value_parser = declaration)]
    attributes: Vec<Declaration>,
}

/// An attribute to declare; null removes it.
#[derive(Debug, Clone)]
pub(crate) struct Declaration {
    name: String,
    declared: Value,
}

fn declaration(text: &str) -> Result<Declaration, String> {
    let (name, declared) = text.split_once('=').ok_or("expected NAME=TYPE or NAME=TYPE:PATH")?;
    let name = name.to_owned();
    if declared == "none" {
        return Ok(Declaration { name, declared: Value::Null });
    }
    let (kind, path) = declared.split_once(':').map_or((declared, None), |(kind, path)| (kind, Some(path)));
    if AttributeType::parse(kind).is_none() {
        let types = AttributeType::NAMES.join(", ");
        return Err(format!("the type must be one of {types}, or none to remove the attribute"));
    }
    let declared = match path {
        Some(path) => json!({ "type": kind, "path": path }),
        None => json!({ "type": kind }),
    };
    Ok(Declaration { name, declared })
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
            client.put(&target.path(), &body(attributes)).await?
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

fn body(attributes: Vec<Declaration>) -> Value {
    Value::Object(attributes.into_iter().map(|one| (one.name, one.declared)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_names_types_and_paths() {
        let texts = ["a=text", "b=integer:data.\"x:y\"", "c=none"];
        let declared = texts.map(|text| declaration(text).expect("valid"));
        let expected =
            json!({ "a": { "type": "text" }, "b": { "type": "integer", "path": "data.\"x:y\"" }, "c": null });
        assert_eq!(body(declared.into()), expected);
        assert!(declaration("a").is_err());
        let unknown = declaration("a=varchar:data.a").expect_err("there is no such type");
        assert!(unknown.contains("must be one of text, integer"), "{unknown}");
    }
}
