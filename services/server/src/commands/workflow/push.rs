//! Register the definitions in files.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::Value;

use super::files::{File, files};
use crate::client::Client;
use crate::output::{note, out, table};

/// Sends every file; goes on after one that is refused, so that one run shows every fault.
pub(super) async fn push(client: &Client, paths: &[PathBuf]) -> Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    let mut answers = Vec::new();
    for path in files(paths)? {
        let file = File::read(path)?;
        let (shown, content_type) = (file.path.display().to_string(), file.content_type());
        match client.post_bytes("/v1/workflows", file.text, content_type).await {
            Ok((_, answer)) if client.json => answers.push(answer),
            Ok((status, answer)) => out!("{shown}: {}", summary(status, &answer)),
            Err(error) => {
                note!("{shown}: {error}");
                code = ExitCode::FAILURE;
            }
        }
    }
    if client.json {
        table::print_json(&Value::Array(answers));
    }
    Ok(code)
}

/// 201 is a new version, 200 the same content again.
fn summary(status: u16, answer: &Value) -> String {
    let name = answer["name"].as_str().unwrap_or("?");
    let version = &answer["version"];
    if status == 201 {
        format!("{name} version {version} registered")
    } else {
        format!("{name} version {version} was there already")
    }
}
