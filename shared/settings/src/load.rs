//! From layers to settings: read each layer, check each value where it came from, merge, check the whole.

mod check;
mod environment;
mod error;
mod file;
mod flags;
mod layer;

use std::collections::BTreeMap;
use std::net::SocketAddr;

use config::{Config, ValueKind};

use crate::catalog;
use crate::settings::Settings;
use environment::Environment;
use layer::Entry;

pub use environment::{process_environment, secret_variable};
pub use error::{Origin, SettingsError};
pub use flags::Flags;
pub(crate) use layer::leaves;

// Puts the layers on top of one another.

/// The settings of a process: the flags over the environment over the file over the variables of OpenTelemetry over the
/// defaults.
pub fn load(
    flags: &Flags,
    environment: impl IntoIterator<Item = (String, String)>,
) -> Result<Settings, SettingsError> {
    let environment = Environment::new(environment);
    let named = match &flags.config {
        Some(path) => Some((path.clone(), Origin::Flag("--config"))),
        None => environment.config(),
    };
    let mut entries = environment.otel()?;
    if let Some((path, named_by)) = named {
        entries.extend(file::read(&path, named_by)?);
    }
    let addr = http_addr(&entries);
    entries.extend(environment.read(addr)?);
    entries.extend(flags::read(flags)?);

    let mut settings = merge(&entries)?;
    let mut seen = Vec::new();
    settings.roles.retain(|role| {
        !seen.contains(role) && {
            seen.push(*role);
            true
        }
    });
    check_whole(&settings, &entries)?;
    Ok(settings)
}

/// Later entries win.
fn merge(entries: &[Entry]) -> Result<Settings, SettingsError> {
    let defaults = toml::Table::try_from(Settings::default()).expect("settings are tables of plain values");
    let mut builder = Config::builder();
    for (path, value) in leaves("", defaults) {
        builder = builder.set_default(path, kind_of(value))?;
    }
    for entry in entries {
        builder = builder.set_override(&entry.path, kind_of(entry.value.clone()))?;
    }
    Ok(builder.build()?.try_deserialize()?)
}

fn kind_of(value: toml::Value) -> ValueKind {
    match value {
        toml::Value::String(text) => ValueKind::String(text),
        toml::Value::Integer(number) => ValueKind::I64(number),
        toml::Value::Float(number) => ValueKind::Float(number),
        toml::Value::Boolean(flag) => ValueKind::Boolean(flag),
        toml::Value::Datetime(instant) => ValueKind::String(instant.to_string()),
        toml::Value::Array(items) => {
            ValueKind::Array(items.into_iter().map(|item| kind_of(item).into()).collect())
        }
        toml::Value::Table(table) => {
            ValueKind::Table(table.into_iter().map(|(name, value)| (name, kind_of(value).into())).collect())
        }
    }
}

/// Where HTTP would listen by the file and the defaults alone.
fn http_addr(entries: &[Entry]) -> SocketAddr {
    entries
        .iter()
        .rev()
        .find(|entry| entry.path == "http.addr")
        .and_then(|entry| entry.value.as_str()?.parse().ok())
        .unwrap_or_else(|| Settings::default().http.addr)
}

/// Checks ranges, and what values must be together. The fault is pinned to whoever set one of the values last.
fn check_whole(settings: &Settings, entries: &[Entry]) -> Result<(), SettingsError> {
    let Some(fault) = check::first_fault(settings) else {
        return Ok(());
    };
    let origins: BTreeMap<&str, &Origin> =
        entries.iter().map(|entry| (entry.path.as_str(), &entry.origin)).collect();
    let set = fault.paths.iter().find_map(|path| Some((path, (*origins.get(path.as_str())?).clone())));
    let (key, origin) = set.unwrap_or((&fault.paths[0], Origin::Default));
    let expected = catalog::find(&fault.paths[0]).map_or("another value", |key| key.expected);
    Err(SettingsError::Invalid { origin, key: key.clone(), expected })
}
