//! JSON given on the command line: text, `@FILE`, or `-` for standard input.

use std::io::Read;

use anyhow::{Context, Result};
use serde_json::Value;

/// Reads the bytes an argument stands for.
pub(crate) fn bytes(argument: &str) -> Result<Vec<u8>> {
    if argument == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
        Ok(bytes)
    } else if let Some(path) = argument.strip_prefix('@') {
        std::fs::read(path).with_context(|| format!("cannot read {path}"))
    } else {
        Ok(argument.as_bytes().to_vec())
    }
}

/// Reads the JSON an argument stands for.
pub(crate) fn json(argument: &str) -> Result<Value> {
    serde_json::from_slice(&bytes(argument)?)
        .context("expected JSON: text, @FILE, or - for standard input (quote it for the shell: '{\"a\": 1}')")
}
