//! What the command line prints: tables for people, JSON for programs, progress for long work.

pub(crate) mod error;
pub(crate) mod exit;
mod print;
pub(crate) mod terminal;

use comfy_table::{ContentArrangement, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

pub(crate) use exit::Exit;
pub(crate) use print::{line, note, out, record_line, shown, shown_json, text};

// Tables out of JSON.

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

/// Prints items as a table. What does not fit the terminal is left out, from the last column on: an id that is broken over two
/// lines cannot be copied.
pub(crate) fn print_rows(items: &[Value], columns: &[Column]) {
    if items.is_empty() {
        out!("(none)");
        return;
    }
    let rows: Vec<Vec<String>> = items
        .iter()
        .map(|item| columns.iter().map(|(_, pointer)| row_cell(pointer, item.pointer(pointer))).collect())
        .collect();
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(place, (heading, _))| {
            rows.iter().map(|row| line_width(&row[place])).fold(heading.len(), usize::max)
        })
        .collect();
    let fitting = fitting(&widths, terminal::width());
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns.iter().take(fitting).map(|(heading, _)| *heading));
    for row in rows {
        table.add_row(row.into_iter().take(fitting));
    }
    out!("{}", painted(&trimmed(&table.to_string())));
    if fitting < columns.len() {
        let left_out: Vec<&str> = columns[fitting..].iter().map(|(heading, _)| *heading).collect();
        note!("not shown, because the terminal is too narrow: {} (--json shows all)", left_out.join(", "));
    }
}

/// Prints items as a table without its empty columns.
pub(crate) fn print_filled(items: &[Value], columns: &[Column]) {
    let is_filled = |(_, pointer): &&Column| {
        items.iter().any(|item| item.pointer(pointer).is_some_and(|value| !value.is_null()))
    };
    let filled: Vec<Column> = columns.iter().filter(is_filled).copied().collect();
    print_rows(items, &filled);
}

/// Prints one object: JSON if that is wanted, and otherwise the fields that are there, one a line.
pub(crate) fn print_object(as_json: bool, answer: &Value, columns: &[Column]) {
    if as_json {
        return print_json(answer);
    }
    let width = columns.iter().map(|(heading, _)| heading.len()).max().unwrap_or(0);
    for (heading, pointer) in columns {
        if let Some(value) = answer.pointer(pointer).filter(|value| !value.is_null()) {
            out!("{heading:width$}  {}", painted(&cell(pointer, Some(value))));
        }
    }
}

/// Prints JSON, indented.
pub(crate) fn print_json(value: &Value) {
    out!("{}", shown_json(&format!("{value:#}")));
}

/// The text of a value in a table: names, such as the roles of a server, are separated by commas.
fn row_cell(pointer: &str, value: Option<&Value>) -> String {
    let names = value.and_then(Value::as_array).filter(|names| !names.is_empty());
    let names: Option<Vec<&str>> = names.and_then(|names| names.iter().map(Value::as_str).collect());
    names.map_or_else(|| cell(pointer, value), |names| shown(&names.join(", ")).into_owned())
}

/// The text of a value. A field in milliseconds, which its name says, is shown as a duration.
fn cell(pointer: &str, value: Option<&Value>) -> String {
    if let Some(milliseconds) = value.and_then(Value::as_i64).filter(|_| pointer.ends_with("Ms")) {
        return terminal::duration(milliseconds);
    }
    match value {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => terminal::instant(text).unwrap_or_else(|| shown(text).into_owned()),
        Some(other) => shown_json(&other.to_string()).into_owned(),
    }
}

fn trimmed(table: &str) -> String {
    table.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// How many columns fit a line, at least one. Each has a space on both sides.
fn fitting(widths: &[usize], available: Option<usize>) -> usize {
    let Some(available) = available else { return widths.len() };
    let mut used = 0;
    let fits = |width: &&usize| {
        used += **width + 2;
        used <= available
    };
    widths.iter().take_while(fits).count().max(1)
}

/// The characters of the longest line of a cell.
fn line_width(cell: &str) -> usize {
    cell.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// The text with each status in its colour.
fn painted(text: &str) -> String {
    let mut painted = String::with_capacity(text.len());
    for part in text.split_inclusive(char::is_whitespace) {
        let word = part.trim_end();
        painted.push_str(&terminal::status(word));
        painted.push_str(&part[word.len()..]);
    }
    painted
}

// Progress of long work, on standard error, and only where somebody watches.

/// A bar over a known number of items.
pub(crate) fn bar(total: u64, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {per_sec} {eta}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_message(what);
    bar
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{cell, fitting, line_width, painted, row_cell};

    #[test]
    fn columns_are_left_out_whole_from_the_last_on() {
        let widths = [36, 9, 20];
        assert_eq!(fitting(&widths, None), 3);
        assert_eq!(fitting(&widths, Some(71)), 3);
        assert_eq!(fitting(&widths, Some(70)), 2);
        assert_eq!(fitting(&widths, Some(10)), 1, "the first is always there");
    }

    #[test]
    fn a_cell_is_as_wide_as_its_longest_line() {
        assert_eq!(line_width("one\nthree and four\nfü"), 14);
        assert_eq!(line_width(""), 0);
    }

    #[test]
    fn fields_in_milliseconds_are_durations() {
        assert_eq!(cell("/oldestAgeMs", Some(&json!(90_000))), "1m 30s");
        assert_eq!(cell("/oldestAgeMs", Some(&json!(null))), "-");
        assert_eq!(cell("/queued", Some(&json!(90_000))), "90000");
    }

    #[test]
    fn names_are_separated_by_commas() {
        assert_eq!(row_cell("/roles", Some(&json!(["api", "node"]))), "api, node");
        assert_eq!(row_cell("/roles", Some(&json!([]))), "[]");
        assert_eq!(row_cell("/input", Some(&json!(["a", 1]))), "[\"a\",1]");
    }

    #[test]
    fn text_keeps_its_spaces() {
        assert_eq!(painted(" id  COMPLETED \n x"), " id  COMPLETED \n x");
    }
}
