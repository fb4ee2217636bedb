//! One layer: single values with their places and origins.

use crate::catalog;
use crate::load::error::{Origin, SettingsError};
use crate::settings::Settings;

/// One value of a layer.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The setting, with dots.
    pub(super) path: String,
    /// What it is set to.
    pub(super) value: toml::Value,
    /// Who set it.
    pub(super) origin: Origin,
}

impl Entry {
    /// An entry whose setting exists and whose value has the right type and form.
    pub(super) fn checked(path: String, value: toml::Value, origin: Origin) -> Result<Self, SettingsError> {
        let Some(key) = catalog::find(&path) else {
            let known = catalog::known_near(&path);
            return Err(SettingsError::Unknown { origin, key: path, known });
        };
        // Each value is tried alone on top of the defaults, so that a fault can be pinned to its origin.
        if nested(&path, value.clone()).try_into::<Settings>().is_err() {
            return Err(SettingsError::Invalid { origin, key: path, expected: key.expected });
        }
        Ok(Self { path, value, origin })
    }
}

/// The entries of a table, innermost values only.
pub(crate) fn leaves(prefix: &str, table: toml::Table) -> Vec<(String, toml::Value)> {
    let mut found = Vec::new();
    for (name, value) in table {
        let path = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
        match value {
            toml::Value::Table(inner) => found.extend(leaves(&path, inner)),
            value => found.push((path, value)),
        }
    }
    found
}

/// Tables around one value.
fn nested(path: &str, value: toml::Value) -> toml::Value {
    path.rsplit('.').fold(value, |inner, part| {
        let mut table = toml::Table::new();
        table.insert(part.to_owned(), inner);
        toml::Value::Table(table)
    })
}
