//! Where everything is stored.

use domain::time::DurationMs;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::values::secret;

/// The database and how it is used.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DatabaseSettings {
    /// `sqlite://path/file.db`, `sqlite::memory:` or `postgres://…`. Secret, because it may hold a password.
    #[serde(with = "secret::address")]
    pub url: SecretString,
    /// PostgreSQL: the most connections this process opens.
    pub connections_max: u32,
    /// SQLite: how many connections read beside the one that writes.
    pub readers_max: u32,
    /// PostgreSQL: the file of the authorities that may vouch for the server, as PEM; with it the server's certificate
    /// and name are checked, unless the address names another `sslmode`. Empty: the address says it all.
    pub tls_ca: String,
    /// When a commit counts as durable.
    pub synchronous: Synchronous,
    /// PostgreSQL: whether a pooler lends connections out by transaction.
    pub pooler: Pooler,
    /// PostgreSQL behind such a pooler: the address of the server itself, for notifications. Secret, because it may
    /// hold a password.
    #[serde(with = "secret::optional_address", skip_serializing_if = "Option::is_none")]
    pub listen_url: Option<SecretString>,
    /// PostgreSQL: the address of a streaming replica that lists are read from while it is close behind. Secret, because it may
    /// hold a password.
    #[serde(with = "secret::optional_address", skip_serializing_if = "Option::is_none")]
    pub read_url: Option<SecretString>,
    /// How far that replica may be behind.
    pub read_lag_max: DurationMs,
    /// PostgreSQL: the schema in which the tables are. It is made by the first migration.
    pub schema: String,
    /// PostgreSQL: how long a statement, a commit or the wait for a connection may take. Afterwards the connection is
    /// closed and the call answered 503.
    pub statement_timeout: DurationMs,
    /// How many connections of their own lists, counts and figures are read on.
    pub list_connections: u32,
    /// How long a list waits for one of them, and may take then. Afterwards its statement is ended and the call
    /// answered 503.
    pub list_timeout: DurationMs,
    /// Whether a start brings a PostgreSQL schema up to date. SQLite is always brought up to date.
    pub migrate: bool,
}

/// When a commit counts as durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Synchronous {
    /// After it reached the disk. What was acknowledged survives a power cut.
    Full,
    /// Before that. Faster; a crash of the process loses nothing, but a power cut or a crash of the database server
    /// may take back the last acknowledged commits.
    Normal,
}

/// Whether a pooler such as `PgBouncer` lends connections to PostgreSQL out, one transaction at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooler {
    /// It is found out at the start.
    Auto,
    /// No: there is none, or it lends them out by session.
    Session,
    /// Yes.
    Transaction,
}

/// Which database an address is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseKind {
    /// The embedded one: one process, one file (or memory).
    Sqlite,
    /// A server that many processes share.
    Postgres,
}

impl DatabaseKind {
    /// The kind that the scheme of `url` names.
    pub fn of(url: &str) -> Option<Self> {
        if url.starts_with("sqlite:") {
            Some(Self::Sqlite)
        } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            Some(Self::Postgres)
        } else {
            None
        }
    }
}

impl DatabaseSettings {
    /// The address with its password masked, for logs.
    pub fn url_masked(&self) -> String {
        secret::mask_address(self.url.expose_secret())
    }
}

impl Default for DatabaseSettings {
    fn default() -> Self {
        Self {
            url: SecretString::from("sqlite://data/trunkline.db"),
            connections_max: 16,
            readers_max: 4,
            tls_ca: String::new(),
            synchronous: Synchronous::Full,
            pooler: Pooler::Auto,
            listen_url: None,
            read_url: None,
            read_lag_max: DurationMs::from_secs(5),
            schema: "public".to_owned(),
            statement_timeout: DurationMs::from_secs(10),
            list_connections: 4,
            list_timeout: DurationMs::from_secs(5),
            migrate: true,
        }
    }
}
