//! Processes of the deployment, as they show themselves: which versions and roles run, and how their clocks stand.

use std::time::{SystemTime, UNIX_EPOCH};

use domain::access::Permission;
use domain::id::ServerId;
use domain::time::{DurationMs, Timestamp};
use store::servers::ServerRecord;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// Processes that were silent for this long are not listed.
pub(crate) const SEEN_WITHIN: DurationMs = DurationMs::from_secs(60);
/// They are forgotten after this.
const KEPT: DurationMs = DurationMs::from_secs(3_600);

/// What a process says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerInfo {
    /// Its version.
    pub version: String,
    /// Its roles.
    pub roles: Vec<String>,
}

/// What this process says of itself, and since when.
#[derive(Debug)]
pub(crate) struct OwnServer {
    info: ServerInfo,
    started_at: Timestamp,
}

impl Engine {
    /// From now on this process shows itself. Later calls change nothing.
    pub fn describe_server(&self, info: ServerInfo) {
        let started_at = self.now();
        let _ = self.memory().own_server.set(OwnServer { info, started_at });
    }

    /// Shows that this process is there, if it has said what it is.
    pub async fn record_server(&self) -> Result<(), EngineError> {
        let Some(own) = self.memory().own_server.get() else { return Ok(()) };
        let now = self.now();
        let record = ServerRecord {
            id: self.server_id(),
            version: own.info.version.clone(),
            roles: own.info.roles.clone(),
            started_at: own.started_at,
            last_seen_at: now,
            clock_offset_ms: machine_now().saturating_sub(now.0),
        };
        Ok(self.store().record_server(&record, now.minus(KEPT)).await?)
    }

    /// Shows that this process ends.
    pub async fn remove_server(&self) -> Result<(), EngineError> {
        if self.memory().own_server.get().is_none() {
            return Ok(());
        }
        Ok(self.store().remove_server(self.server_id()).await?)
    }

    /// Processes that showed themselves within a minute, in the order of their starts.
    pub async fn list_servers(&self, caller: &Caller) -> Result<Vec<ServerRecord>, EngineError> {
        caller.require(Permission::Read)?;
        caller.require_unscoped()?;
        Ok(self.store().list_servers(self.now().minus(SEEN_WITHIN)).await?)
    }

    pub(crate) fn server_id(&self) -> ServerId {
        ServerId::from_uuid(self.process())
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how far the machine's clock is from the common timeline is what is asked"
)]
fn machine_now() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}
