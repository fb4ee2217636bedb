//! The environment layer.
//!
//! Variables that belong to others are left alone: those of the client commands, those of the tests, and those that
//! Kubernetes sets for a service which happens to be called `trunkline`.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::catalog;
use crate::load::error::{Origin, SettingsError};
use crate::load::file::with_queue_names;
use crate::load::layer::{Entry, leaves};
use crate::settings::Settings;

const PREFIX: &str = "TRUNKLINE_";
/// The end of a variable that names a file with a secret setting, instead of the setting itself.
const OF_FILE: &str = "_FILE";

/// Names without our prefix that the world agrees on, and our short names, weakest first.
const SHORT_NAMES: [(&str, &str); 8] = [
    ("DATABASE_URL", "database.url"),
    ("REDIS_URL", "redis.url"),
    ("TRUNKLINE_HTTP", "http.addr"),
    ("TRUNKLINE_GRPC", "grpc.addr"),
    ("TRUNKLINE_METRICS", "metrics.addr"),
    ("TRUNKLINE_DATABASE_URL", "database.url"),
    ("TRUNKLINE_ROLES", "roles"),
    ("TRUNKLINE_BOOTSTRAP_KEY", "bootstrap_key"),
];

/// The variables of OpenTelemetry that count here.
const OTEL_NAMES: [(&str, &str); 5] = [
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "otel.endpoint"),
    ("OTEL_EXPORTER_OTLP_PROTOCOL", "otel.protocol"),
    ("OTEL_EXPORTER_OTLP_HEADERS", "otel.headers"),
    ("OTEL_SERVICE_NAME", "otel.service_name"),
    ("OTEL_RESOURCE_ATTRIBUTES", "otel.resource_attributes"),
];

/// Variables of the client commands and of SDKs.
const NOT_SETTINGS: [&str; 14] = [
    "TRUNKLINE_URL",
    "TRUNKLINE_API_KEY",
    "TRUNKLINE_API_KEY_FILE",
    "TRUNKLINE_OUTBOX_URL",
    "TRUNKLINE_OUTBOX_URL_FILE",
    "TRUNKLINE_BINARY",
    "TRUNKLINE_PROFILE",
    "TRUNKLINE_PROFILES",
    "TRUNKLINE_CONFIG",
    "TRUNKLINE_TRANSPORT",
    "TRUNKLINE_GRPC_URL",
    "TRUNKLINE_KAFKA_BROKERS",
    "TRUNKLINE_WORKER_HEALTH",
    "TRUNKLINE_DRAIN_TIMEOUT",
];

/// The environment of this process. Variables that are not UTF-8 are left out: none of ours can be.
pub fn process_environment() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// A variable of this process that holds a secret of a tenant; `None` where it is not set or is not UTF-8.
pub fn secret_variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The variables that are set to something.
pub(super) struct Environment(BTreeMap<String, String>);

impl Environment {
    pub(super) fn new(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(variables.into_iter().filter(|(_, value)| !value.is_empty()).collect())
    }

    /// The settings file that the environment names.
    pub(super) fn config(&self) -> Option<(PathBuf, Origin)> {
        let path = self.0.get("TRUNKLINE_CONFIG")?;
        Some((path.into(), Origin::Variable("TRUNKLINE_CONFIG".to_owned())))
    }

    /// The entries of the environment, weakest first. `addr` is where HTTP would listen without it.
    pub(super) fn read(&self, addr: SocketAddr) -> Result<Vec<Entry>, SettingsError> {
        let mut entries = Vec::new();
        entries.extend(self.port(addr)?);
        for (name, path) in SHORT_NAMES {
            if catalog::is_secret(path) {
                entries.extend(self.file_of(name, path)?);
            }
            if let Some(text) = self.0.get(name) {
                entries.push(entry(name, path.to_owned(), text)?);
            }
        }
        for (name, text) in &self.0 {
            if let Some((plain, path)) = long_path_of_file(name) {
                entries.extend(self.file_of(plain, &path)?);
            } else if let Some(path) = long_path(name, text) {
                entries.push(entry(name, path, text)?);
            }
        }
        Ok(entries)
    }

    /// What the variables of OpenTelemetry say: weaker than all that is set by our own names.
    pub(super) fn otel(&self) -> Result<Vec<Entry>, SettingsError> {
        let set = OTEL_NAMES.iter().filter_map(|(name, path)| Some((name, path, self.0.get(*name)?)));
        set.map(|(name, path, text)| entry(name, (*path).to_owned(), text)).collect()
    }

    /// `PORT` sets the port and leaves the host.
    fn port(&self, mut addr: SocketAddr) -> Result<Option<Entry>, SettingsError> {
        let Some(text) = self.0.get("PORT") else {
            return Ok(None);
        };
        let origin = Origin::Variable("PORT".to_owned());
        let Ok(port) = text.trim().parse() else {
            return Err(SettingsError::Invalid {
                origin,
                key: "http.addr".to_owned(),
                expected: "a port, a whole number from 0 to 65535",
            });
        };
        addr.set_port(port);
        Entry::checked("http.addr".to_owned(), addr.to_string().into(), origin).map(Some)
    }

    /// A secret setting out of the file that a variable names. `plain` is the variable with the secret itself.
    fn file_of(&self, plain: &str, setting: &str) -> Result<Option<Entry>, SettingsError> {
        let name = format!("{plain}{OF_FILE}");
        let Some(path) = self.0.get(&name) else {
            return Ok(None);
        };
        let origin = Origin::Variable(name);
        if self.0.contains_key(plain) {
            return Err(SettingsError::Ambiguous {
                first: Origin::Variable(plain.to_owned()),
                second: origin,
            });
        }
        let path = PathBuf::from(path);
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let is_list = matches!(default_of(setting), Some(toml::Value::Array(_)));
                let value = if is_list { lines(setting, &text) } else { typed(setting, &text) };
                Entry::checked(setting.to_owned(), value, origin).map(Some)
            }
            Err(source) => Err(SettingsError::Unreadable { origin, path, source }),
        }
    }
}

/// The list in a file: a line each, or separated by commas, but for properties of Kafka, whose passwords may have commas.
fn lines(setting: &str, text: &str) -> toml::Value {
    let separators: &[char] = if setting == "kafka.properties" { &['\n'] } else { &['\n', ','] };
    let items = text.split(separators).map(str::trim).filter(|item| !item.is_empty());
    toml::Value::Array(items.map(toml::Value::from).collect())
}

fn entry(name: &str, path: String, text: &str) -> Result<Entry, SettingsError> {
    let value = typed(&path, text);
    Entry::checked(path, value, Origin::Variable(name.to_owned()))
}

/// The setting that a variable in the long form names; `None` for variables that are none of ours.
fn long_path(name: &str, text: &str) -> Option<String> {
    let rest = name.strip_prefix(PREFIX)?;
    let is_short = SHORT_NAMES.iter().any(|(short, _)| *short == name);
    if is_short
        || NOT_SETTINGS.contains(&name)
        || name.strip_suffix(OF_FILE).is_some_and(is_short_secret)
        || rest.starts_with("TEST_")
        || rest.starts_with("SECRET_")
        || is_service_link(rest, text)
    {
        return None;
    }
    Some(with_queue_names(&rest.to_lowercase().replace("__", ".")))
}

/// The variable and the setting for which a variable in the long form names a file; `None` where it is no secret's.
fn long_path_of_file(name: &str) -> Option<(&str, String)> {
    let plain = name.strip_suffix(OF_FILE)?;
    let path = plain.strip_prefix(PREFIX)?.to_lowercase().replace("__", ".");
    (catalog::is_secret(&path) && !is_short_secret(plain)).then_some((plain, path))
}

/// Whether a variable is a short name of a secret setting.
fn is_short_secret(name: &str) -> bool {
    SHORT_NAMES.iter().any(|(short, path)| *short == name && catalog::is_secret(path))
}

/// Whether Kubernetes made the variable for a service called `trunkline`: `TRUNKLINE_SERVICE_HOST`,
/// `TRUNKLINE_PORT=tcp://…`, `TRUNKLINE_PORT_8080_TCP_ADDR` and their like.
fn is_service_link(rest: &str, text: &str) -> bool {
    rest.starts_with("SERVICE_HOST")
        || rest.starts_with("SERVICE_PORT")
        || (rest == "PORT" && text.contains("://"))
        || rest.strip_prefix("PORT_").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The text as a value of the type that the setting has. Text that does not fit stays text, so that the check which
/// follows refuses it.
pub(super) fn typed(path: &str, text: &str) -> toml::Value {
    let text = text.trim();
    let as_text = || toml::Value::from(text);
    match default_of(path) {
        Some(toml::Value::Integer(_)) => text.parse::<i64>().map_or_else(|_| as_text(), Into::into),
        Some(toml::Value::Float(_)) => text.parse::<f64>().map_or_else(|_| as_text(), Into::into),
        Some(toml::Value::Boolean(_)) => text.parse::<bool>().map_or_else(|_| as_text(), Into::into),
        Some(toml::Value::Array(_)) => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            toml::Value::Array(items.map(toml::Value::from).collect())
        }
        _ => as_text(),
    }
}

fn default_of(path: &str) -> Option<toml::Value> {
    let table = toml::Table::try_from(Settings::default()).expect("settings are tables of plain values");
    leaves("", table).into_iter().find(|(leaf, _)| leaf == path).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::long_path;

    #[test]
    fn variables_of_others_are_left_alone() {
        for (name, value) in [
            ("PATH", "/bin"),
            ("TRUNKLINE_URL", "http://x"),
            ("TRUNKLINE_API_KEY", "tl_x"),
            ("TRUNKLINE_API_KEY_FILE", "/run/secrets/key"),
            // A relay beside the server has its variables from the same file.
            ("TRUNKLINE_OUTBOX_URL", "postgres://x"),
            ("TRUNKLINE_OUTBOX_URL_FILE", "/run/secrets/outbox"),
            ("TRUNKLINE_BINARY", "/usr/bin/trunkline"),
            ("TRUNKLINE_TRANSPORT", "grpc"),
            ("TRUNKLINE_GRPC_URL", "http://127.0.0.1:9090"),
            ("TRUNKLINE_KAFKA_BROKERS", "127.0.0.1:9092"),
            ("TRUNKLINE_WORKER_HEALTH", "127.0.0.1:8090"),
            ("TRUNKLINE_DRAIN_TIMEOUT", "25s"),
            ("TRUNKLINE_TEST_POSTGRES_URL", "postgres://x"),
            ("TRUNKLINE_SERVICE_HOST", "10.0.0.1"),
            ("TRUNKLINE_SERVICE_PORT_HTTP", "8080"),
            ("TRUNKLINE_PORT", "tcp://10.0.0.1:8080"),
            ("TRUNKLINE_PORT_8080_TCP_ADDR", "10.0.0.1"),
        ] {
            assert_eq!(long_path(name, value), None, "{name}");
        }
    }

    #[test]
    fn every_secret_may_be_in_a_file() {
        for path in crate::catalog::SECRETS {
            let plain = format!("TRUNKLINE_{}", path.to_uppercase().replace('.', "__"));
            let name = format!("{plain}_FILE");
            let is_known = super::is_short_secret(&plain)
                || super::long_path_of_file(&name) == Some((plain.as_str(), path.to_owned()));
            assert!(is_known, "{name}");
        }
        assert_eq!(super::long_path_of_file("TRUNKLINE_HTTP__ADDR_FILE"), None);
        // Those whose files are settings have the same variables.
        for (name, path) in [
            ("TRUNKLINE_VAULT__TOKEN_FILE", "vault.token_file"),
            ("TRUNKLINE_OTEL__HEADERS_FILE", "otel.headers_file"),
        ] {
            assert_eq!(long_path(name, "/run/secrets/x").as_deref(), Some(path));
        }
        assert_eq!(long_path("TRUNKLINE_DATABASE_URL_FILE", "x"), None, "it is read with its short name");
    }

    #[test]
    fn the_variables_of_files_are_documented() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations.md");
        let page = std::fs::read_to_string(page).expect("there is docs/operations.md");
        for path in crate::catalog::SECRETS.into_iter().chain(["vault.token", "otel.headers"]) {
            let name = format!("`{path}`");
            let is_said = page
                .lines()
                .any(|line| line.starts_with('|') && line.contains(&name) && line.contains("_FILE`"));
            assert!(is_said, "no variable for {path}");
        }
    }

    #[test]
    fn parts_are_divided_by_two_underscores() {
        for (name, path) in [
            ("TRUNKLINE_QUEUES__WORKFLOW_NODE__BACKOFF__INITIAL", "queues.workflow-node.backoff.initial"),
            ("TRUNKLINE_UPKEEP__REAP_EVERY", "upkeep.reap_every"),
            ("TRUNKLINE_HTTP__ADDR", "http.addr"),
            ("TRUNKLINE_PORT", "port"),
        ] {
            assert_eq!(long_path(name, "1").as_deref(), Some(path), "{name}");
        }
    }
}
