//! The flag layer.

use std::path::PathBuf;

use crate::load::environment::typed;
use crate::load::error::{Origin, SettingsError};
use crate::load::layer::Entry;

/// The flags of `trunkline serve`, as they were given. Not `Debug`, because an address may hold a password.
#[derive(Clone, Default)]
pub struct Flags {
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--http`.
    pub http: Option<String>,
    /// `--grpc`.
    pub grpc: Option<String>,
    /// `--metrics`.
    pub metrics: Option<String>,
    /// `--database-url`.
    pub database_url: Option<String>,
    /// `--roles`, comma-separated.
    pub roles: Option<String>,
    /// `--no-migrate`.
    pub no_migrate: bool,
}

/// The entries of the flags that were given.
pub(super) fn read(flags: &Flags) -> Result<Vec<Entry>, SettingsError> {
    let no_migrate = flags.no_migrate.then(|| "false".to_owned());
    let given = [
        ("--http", "http.addr", &flags.http),
        ("--grpc", "grpc.addr", &flags.grpc),
        ("--metrics", "metrics.addr", &flags.metrics),
        ("--database-url", "database.url", &flags.database_url),
        ("--roles", "roles", &flags.roles),
        ("--no-migrate", "database.migrate", &no_migrate),
    ];
    given
        .into_iter()
        .filter_map(|(flag, path, text)| text.as_ref().map(|text| (flag, path, text)))
        .map(|(flag, path, text)| Entry::checked(path.to_owned(), typed(path, text), Origin::Flag(flag)))
        .collect()
}
