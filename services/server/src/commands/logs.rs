//! What handlers logged, a line each.

use anyhow::Result;
use clap::Args;
use serde_json::Value;
use std::fmt::Write as _;

use crate::client::{Client, query};
use crate::commands::choices::log_levels;
use crate::output;
use crate::output::{out, shown, shown_json};

/// Which part of a log to print.
#[derive(Debug, Args)]
pub(crate) struct LogsPart {
    /// Lowest level
    #[arg(long, value_parser = log_levels())]
    level: Option<String>,
    /// Maximum number of lines
    #[arg(long, default_value_t = 500)]
    limit: u32,
    /// Start after this cursor, from the previous page
    #[arg(long)]
    cursor: Option<String>,
}

/// Prints the lines at a path.
pub(crate) async fn print(client: &Client, path: &str, attempt: Option<u32>, part: LogsPart) -> Result<()> {
    let path = query(
        path,
        &[
            ("attempt", attempt.map(|attempt| attempt.to_string())),
            ("level", part.level),
            ("limit", Some(part.limit.to_string())),
            ("cursor", part.cursor),
        ],
    );
    let answer = client.get(&path).await?;
    if client.json {
        output::print_json(&answer);
        return Ok(());
    }
    for line in answer["items"].as_array().map_or(&[][..], Vec::as_slice) {
        out!("{}", text_of(line));
    }
    if let Some(cursor) = answer["nextCursor"].as_str() {
        out!("more: --cursor {cursor}");
    }
    Ok(())
}

/// Time, level, node, attempt, message and fields.
fn text_of(line: &Value) -> String {
    let word = |name: &str| shown(line[name].as_str().unwrap_or("-")).into_owned();
    let mut text = format!("{}  {:5}", word("at"), word("level"));
    if line["nodeId"].is_string() {
        let _ = write!(text, "  {}", word("nodeId"));
    }
    let _ = write!(text, "  #{}  {}", line["attempt"], word("message"));
    if line["fields"].is_object() {
        let _ = write!(text, "  {}", shown_json(&line["fields"].to_string()));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_says_when_where_and_what() {
        let mut line = json!({"at": "2026-11-20T12:00:00.000Z", "level": "warn", "attempt": 2, "message": "slow\u{1b}[31m"});
        let text = text_of(&line);
        assert!(text.starts_with("2026-11-20T12:00:00.000Z  warn   #2  slow"), "{text}");
        assert!(!text.contains('\u{1b}'), "a handler does not steer the terminal");
        line["nodeId"] = json!("charge");
        line["fields"] = json!({"ms": 7});
        let text = text_of(&line);
        assert!(text.contains("  charge  #2") && text.ends_with("{\"ms\":7}"), "{text}");
    }
}
