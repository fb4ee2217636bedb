//! The file layer.

use std::path::Path;

use crate::load::error::{Origin, SettingsError};
use crate::load::layer::{Entry, leaves};
use crate::settings::Settings;

/// Reads the file that `named_by` asked for.
pub(super) fn read(path: &Path, named_by: Origin) -> Result<Vec<Entry>, SettingsError> {
    let text = std::fs::read_to_string(path).map_err(|source| SettingsError::Unreadable {
        origin: named_by,
        path: path.to_owned(),
        source,
    })?;
    parse(&text, &Origin::File(path.to_owned()))
}

/// The entries of a file's text.
fn parse(text: &str, origin: &Origin) -> Result<Vec<Entry>, SettingsError> {
    let malformed = |error: &toml::de::Error| SettingsError::Malformed {
        origin: origin.clone(),
        line: error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1),
        fault: error.message().to_owned(),
    };
    let table: toml::Table = toml::from_str(text).map_err(|error| malformed(&error))?;
    let entries = leaves("", table)
        .into_iter()
        .map(|(path, value)| Entry::checked(with_queue_names(&path), value, origin.clone()))
        .collect::<Result<Vec<_>, _>>()?;
    // What is left are faults of shape, such as one queue under both spellings of its name.
    toml::from_str::<Settings>(text).map_err(|error| malformed(&error))?;
    Ok(entries)
}

/// The path with the queue's name in its public spelling: `workflow_node` is accepted for `workflow-node`.
pub(super) fn with_queue_names(path: &str) -> String {
    let mut parts: Vec<String> = path.split('.').map(str::to_owned).collect();
    match parts.as_mut_slice() {
        [first, second, queue, ..] if first == "retention" && second == "queues" => {
            *queue = queue.replace('_', "-");
        }
        [first, queue, ..] if first == "queues" => *queue = queue.replace('_', "-"),
        _ => {}
    }
    parts.join(".")
}
