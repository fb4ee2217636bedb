//! A system that is compared, with the figures of all its runs.

use crate::measure::percentile;
use crate::peers::{Figures, Mode, Peer};

/// A figure of a run, where it was measured.
pub(super) type Figure = fn(&Figures) -> Option<f64>;

/// Which kind of system it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Reference,
    /// The worker pool in this process.
    Ours,
    /// The server with the SDK for Go, over REST.
    OursOverRest,
    Peer,
}

/// One system with one set of settings.
#[derive(Debug)]
pub(super) struct System {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) mode: Mode,
    pub(super) runs: Vec<Figures>,
}

impl System {
    pub(super) fn new(name: &str, role: Role, mode: Mode) -> Self {
        Self { name: name.to_owned(), role, mode, runs: Vec::new() }
    }

    /// A peer of the list with one set of settings.
    pub(super) fn of(peer: &Peer, mode: Mode) -> Self {
        let role = if peer.name.starts_with("Trunkline") { Role::OursOverRest } else { Role::Peer };
        Self::new(&peer.name, role, mode)
    }

    /// The name with its version, and what was set.
    pub(super) fn title(&self) -> String {
        let version = self.runs.first().map_or("", |run| run.version.as_str());
        format!("{} {version}", self.name).trim_end().to_owned()
    }

    /// One figure of all runs that had it.
    pub(super) fn values(&self, figure: Figure) -> Vec<f64> {
        self.runs.iter().filter_map(figure).collect()
    }

    /// Its median; `None` where no run had it.
    pub(super) fn median(&self, figure: Figure) -> Option<f64> {
        let values = self.values(figure);
        if values.is_empty() { None } else { Some(percentile(&values, 50.0)) }
    }

    /// Whether it stores jobs in PostgreSQL and keeps what is done.
    pub(super) fn keeps_history(&self) -> bool {
        let deletes = ["graphile-worker", "BullMQ"].contains(&self.name.as_str())
            || (self.name == "procrastinate" && self.mode == Mode::Fast);
        self.role == Role::Peer && !deletes
    }

    /// Whether it is another queue on PostgreSQL.
    pub(super) fn is_postgres_peer(&self) -> bool {
        self.role == Role::Peer && self.name != "BullMQ"
    }
}
