//! What operators look at: workers, the audit log.

mod audit;
mod builds;
mod drains;
pub(crate) mod seal_times;
mod sightings;

use std::time::{SystemTime, UNIX_EPOCH};

use domain::access::Permission;
use domain::id::ServerId;
use domain::names::WorkerId;
use domain::time::DurationMs;
use store::operations::{ServerRecord, WorkerRecord};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

pub use audit::ChainReport;
pub(crate) use builds::{PinnedBy, check_builds};
pub(crate) use drains::Drains;
pub use sightings::ServerInfo;
pub(crate) use sightings::{OwnServer, SILENCE_MAX, WorkerSightings};

// Workers that called. Recorded in memory at once, and in the store every few seconds.

impl Engine {
    /// Records that a worker called. Never waits: it is stored later, at most every five seconds.
    pub fn record_worker(&self, record: WorkerRecord) {
        let is_due = self.memory().workers.record(record, self.now());
        if !is_due {
            return;
        }
        // Nodes without the upkeep role store their records themselves.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let engine = self.clone();
            runtime.spawn(async move {
                if let Err(error) = engine.flush_workers().await {
                    tracing::warn!(error = &error as &dyn std::error::Error, "workers could not be recorded");
                }
            });
        }
    }

    /// Writes down which workers were seen. What a failed write loses comes again with the next sign of life.
    pub async fn flush_workers(&self) -> Result<(), EngineError> {
        let records = self.memory().workers.take_unwritten(self.now());
        if records.is_empty() {
            return Ok(());
        }
        Ok(self.store().record_workers(&records).await?)
    }

    /// Writes down the workers of a name as they were seen, also where somebody else is about to.
    async fn flush_workers_named(&self, id: &WorkerId) -> Result<(), EngineError> {
        let records = self.memory().workers.named(id);
        if records.is_empty() {
            return Ok(());
        }
        Ok(self.store().record_workers(&records).await?)
    }
}

// Processes of the deployment, as they show themselves: which versions and roles run, and how their clocks stand.

/// Processes that were silent for this long are not listed.
pub(crate) const SEEN_WITHIN: DurationMs = DurationMs::from_secs(60);
/// They are forgotten after this.
const KEPT: DurationMs = DurationMs::from_secs(3_600);

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

#[cfg(test)]
mod tests {
    use super::sightings::WorkerSightings;
    use super::*;
    use domain::names::{JobType, TenantName};
    use domain::time::Timestamp;

    fn seen(at: i64) -> WorkerRecord {
        WorkerRecord {
            id: WorkerId::trusted("w"),
            kind: "external".into(),
            tenant: None,
            job_types: vec![JobType::trusted("encode")],
            first_seen_at: Timestamp(at),
            last_seen_at: Timestamp(at),
            leased: 0,
            build: None,
            draining_at: None,
            slots: Some(3),
        }
    }

    #[test]
    fn a_worker_is_written_every_few_seconds_only() {
        let notes = WorkerSightings::default();
        assert!(notes.record(seen(1_000), Timestamp(1_000)));
        assert_eq!(notes.take_unwritten(Timestamp(1_000)).len(), 1);
        assert!(!notes.record(seen(2_000), Timestamp(2_000)));
        assert!(notes.take_unwritten(Timestamp(2_000)).is_empty());
        assert!(notes.record(seen(7_000), Timestamp(7_000)));
        let written = notes.take_unwritten(Timestamp(7_000));
        assert_eq!((written[0].first_seen_at, written[0].last_seen_at), (Timestamp(1_000), Timestamp(7_000)));
    }

    #[test]
    fn the_most_that_a_worker_asks_for_are_its_slots() {
        let notes = WorkerSightings::default();
        let slots_after = |slots: u32, at: i64| {
            notes.record(WorkerRecord { slots: Some(slots), ..seen(at) }, Timestamp(at));
            notes.named(&WorkerId::trusted("w"))[0].slots
        };
        assert_eq!(slots_after(10, 1_000), Some(10));
        assert_eq!(slots_after(2, 2_000), Some(10), "it has eight jobs");
        assert_eq!(slots_after(12, 3_000), Some(12));
        assert_eq!(slots_after(4, 70_000), Some(4), "another process");
    }

    #[test]
    fn names_are_each_tenants_own() {
        let notes = WorkerSightings::default();
        for tenant in ["acme", "umbrella"] {
            notes.record(
                WorkerRecord { tenant: Some(TenantName::trusted(tenant)), ..seen(1_000) },
                Timestamp(1_000),
            );
        }
        assert_eq!(notes.take_unwritten(Timestamp(1_000)).len(), 2);
    }

    #[test]
    fn takers_are_found_by_type_and_time() {
        let notes = WorkerSightings::default();
        notes.record(seen(1_000), Timestamp(1_000));
        let has = |job_type: &str, since| {
            let (job_type, tenant) = (JobType::trusted(job_type), TenantName::trusted("acme"));
            notes.has_taker(&job_type, &tenant, Timestamp(since), |_| true)
        };
        assert!(has("encode", 500));
        assert!(!has("encode", 1_500));
        assert!(!has("publish", 500));
    }
}
