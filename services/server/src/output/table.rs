//! Tables out of JSON.

use comfy_table::{ContentArrangement, Table, presets};
use serde_json::Value;

use super::text::{shown, shown_json};
use crate::output::out;

/// A column: its heading and the JSON pointer of its value within an item.
pub(crate) type Column = (&'static str, &'static str);

/// Prints JSON if that is wanted, and otherwise the items of a list as a table.
pub(crate) fn print_list(as_json: bool, answer: &Value, columns: &[Column]) {
    if as_json {
        return print_json(answer);
    }
    let items = answer.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
    print_rows(&items, columns);
    if let Some(cursor) = answer.get("nextCursor").and_then(Value::as_str) {
        out!("more: --cursor {cursor}");
    }
}

/// Prints items as a table.
pub(crate) fn print_rows(items: &[Value], columns: &[Column]) {
    if items.is_empty() {
        out!("(none)");
        return;
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(columns.iter().map(|(heading, _)| *heading));
    for item in items {
        table.add_row(columns.iter().map(|(_, pointer)| cell(item.pointer(pointer))));
    }
    out!("{}", trimmed(&table.to_string()));
}

/// Prints one object: JSON if that is wanted, and otherwise the fields that are there, one a line.
pub(crate) fn print_object(as_json: bool, answer: &Value, columns: &[Column]) {
    if as_json {
        return print_json(answer);
    }
    let width = columns.iter().map(|(heading, _)| heading.len()).max().unwrap_or(0);
    for (heading, pointer) in columns {
        if let Some(value) = answer.pointer(pointer).filter(|value| !value.is_null()) {
            out!("{heading:width$}  {}", cell(Some(value)));
        }
    }
}

/// Prints JSON, indented.
pub(crate) fn print_json(value: &Value) {
    out!("{}", shown_json(&format!("{value:#}")));
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => shown(text).into_owned(),
        Some(other) => shown_json(&other.to_string()).into_owned(),
    }
}

fn trimmed(table: &str) -> String {
    table.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
