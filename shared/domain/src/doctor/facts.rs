//! What the checks are decided from.

use crate::dispatch::HeldType;
use crate::time::{DurationMs, Timestamp};

/// All facts.
#[derive(Debug, Clone, PartialEq)]
pub struct DoctorFacts {
    /// The present instant.
    pub now: Timestamp,
    /// What the database says.
    pub database: DatabaseFacts,
    /// The processes that showed themselves lately.
    pub servers: Vec<ServerFacts>,
    /// The certificates that this process serves with; `None` where it cannot be known.
    pub certificates: Option<Vec<CertificateFacts>>,
    /// API keys that are in force and have an end.
    pub keys: Vec<KeyFacts>,
    /// What secrets are sealed with.
    pub sealing: SealingFacts,
    /// Dispatch.
    pub dispatch: DispatchFacts,
}

/// What a database says of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabaseFacts {
    /// Its schema.
    pub schema: SchemaFacts,
    /// How it is reached.
    pub pooler: PoolerFacts,
    /// Transactions that keep dead rows, the oldest first; `None` where there are none to ask for.
    pub snapshots: Option<Vec<OldSnapshot>>,
    /// Tables with dead rows, or the file with free pages, the worst first.
    pub bloat: Vec<TableBloat>,
    /// Leases that ended some time ago, a few.
    pub leases: Vec<OverdueLease>,
    /// Executions that nothing takes up, a few.
    pub stuck: Vec<StuckExecution>,
    /// Which part of its disk is used, where that can be known.
    pub disk_used: Option<f64>,
}

/// How the schema compares to the one of this version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaFacts {
    /// It is the one.
    Current,
    /// There is none.
    Absent,
    /// These migrations are missing.
    Behind(Vec<String>),
    /// These are of a later version, which this one can work beside.
    Later(Vec<String>),
    /// These are not known here.
    Newer(Vec<String>),
}

/// How a database is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolerFacts {
    /// As a file, or in memory.
    File,
    /// Connections keep their sessions.
    Session,
    /// A pooler lends connections out by transaction.
    Transaction {
        /// Whether notifications arrive past it.
        is_notified: bool,
    },
}

/// A transaction that keeps dead rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldSnapshot {
    /// The process of the server; 0 for what has none.
    pub pid: i64,
    /// How old it is.
    pub age: DurationMs,
    /// Whose it is.
    pub application: String,
}

/// A table with its dead rows, or a file with its free pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableBloat {
    /// Its name.
    pub table: String,
    /// Rows or pages in use.
    pub live: u64,
    /// Those that are not.
    pub dead: u64,
}

/// A lease that ended and was not taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverdueLease {
    /// The job, as people write it.
    pub job: String,
    /// How long ago it ended.
    pub expired: DurationMs,
}

/// An execution that nothing takes up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StuckExecution {
    /// The execution, as people write it.
    pub execution: String,
    /// Since when it should have gone on.
    pub since: DurationMs,
    /// Why: `inbox`, `due` or `no_job`.
    pub why: &'static str,
}

/// A process of the deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFacts {
    /// Its id.
    pub node: String,
    /// How far its machine's clock is ahead of the database's, in milliseconds.
    pub offset_ms: i64,
}

/// A certificate that a process serves with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFacts {
    /// Its file.
    pub file: String,
    /// Until when it is valid, or why that is not known.
    pub valid_until: Result<Timestamp, String>,
}

/// An API key with an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFacts {
    /// Its id.
    pub key: String,
    /// What people call it.
    pub name: String,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// What secrets are sealed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealingFacts {
    /// Whether the key is outside the database.
    pub is_in_settings: bool,
    /// Names of keys that sealed something and are not there.
    pub missing: Vec<String>,
}

/// How jobs get to workers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DispatchFacts {
    /// Whether through Kafka.
    pub is_kafka: bool,
    /// Shards without a relay, of how many.
    pub shards_without_relay: (usize, usize),
    /// Nodes that do not reach the broker, and since when.
    pub away: Vec<(String, Timestamp)>,
    /// How many offers stand.
    pub standing: u64,
    /// How many of them the broker has and no worker has accepted.
    pub lag: u64,
    /// How many jobs wait to be offered.
    pub waiting: u64,
    /// Job types of which jobs wait and no offers are made.
    pub held: Vec<HeldType>,
    /// Nodes that failed to publish lately, the last reason, and when that was.
    pub failing: Vec<(String, String, Timestamp)>,
}
