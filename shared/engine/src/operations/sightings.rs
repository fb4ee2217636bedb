//! Workers and this server, as they were seen last.

use std::collections::HashMap;

use domain::names::{JobType, TenantName, WorkerId};
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use store::operations::WorkerRecord;

/// After so long a worker of that name is another process.
const ANOTHER_AFTER: DurationMs = DurationMs::from_secs(60);

/// How often a worker is written down.
const WRITE_INTERVAL: DurationMs = DurationMs::from_secs(5);

/// Workers that were silent for this long are forgotten here and not listed.
pub(crate) const SILENCE_MAX: DurationMs = DurationMs::from_secs(600);

/// How many workers are remembered; more are not recorded until others fall silent.
const WORKERS_MAX: usize = 10_000;

/// Workers as they were seen by this process.
#[derive(Default)]
pub(crate) struct WorkerSightings(Mutex<Notes>);

#[derive(Default)]
struct Notes {
    /// Names are each tenant's own.
    pub(super) workers: HashMap<(Option<TenantName>, WorkerId), Note>,
    flushed_at: Option<Timestamp>,
}

struct Note {
    pub(super) record: WorkerRecord,
    written_at: Option<Timestamp>,
}

impl WorkerSightings {
    /// Records a worker. Answers whether it is time to store the records.
    pub(super) fn record(&self, mut record: WorkerRecord, now: Timestamp) -> bool {
        let mut notes = self.0.lock();
        let key = (record.tenant.clone(), record.id.clone());
        let (written_at, first_seen_at) = match notes.workers.get(&key) {
            Some(known) if known.record.build == record.build => {
                // Whoever has jobs asks for fewer; after a silence it is another process.
                if now.since(known.record.last_seen_at) <= ANOTHER_AFTER {
                    record.slots = record.slots.max(known.record.slots);
                }
                (known.written_at, known.record.first_seen_at)
            }
            None if notes.workers.len() >= WORKERS_MAX => return false,
            // With another build it begins anew.
            Some(_) | None => (None, record.first_seen_at),
        };
        record.first_seen_at = first_seen_at;
        notes.workers.insert(key, Note { record, written_at });
        let is_due = notes.flushed_at.is_none_or(|at| now.since(at) >= WRITE_INTERVAL);
        if is_due {
            notes.flushed_at = Some(now);
        }
        is_due
    }

    /// Takes what has to be written, and forgets who fell silent.
    pub(super) fn take_unwritten(&self, now: Timestamp) -> Vec<WorkerRecord> {
        let mut notes = self.0.lock();
        notes.workers.retain(|_, note| now.since(note.record.last_seen_at) < SILENCE_MAX);
        let is_unwritten = |note: &&mut Note| {
            note.written_at.is_none_or(|at| note.record.last_seen_at > at && now.since(at) >= WRITE_INTERVAL)
        };
        notes
            .workers
            .values_mut()
            .filter(is_unwritten)
            .map(|note| {
                note.written_at = Some(now);
                note.record.clone()
            })
            .collect()
    }

    /// What is known of the workers of this name, of all tenants.
    pub(super) fn named(&self, id: &WorkerId) -> Vec<WorkerRecord> {
        let notes = self.0.lock();
        notes.workers.values().filter(|note| note.record.id == *id).map(|note| note.record.clone()).collect()
    }

    /// Whether a worker that takes this job, and that `counts`, was seen since.
    pub(crate) fn has_taker(
        &self,
        job_type: &JobType,
        tenant: &TenantName,
        since: Timestamp,
        counts: impl Fn(&WorkerRecord) -> bool,
    ) -> bool {
        self.0.lock().workers.values().any(|Note { record, .. }| {
            record.last_seen_at >= since
                && record.job_types.contains(job_type)
                && record.tenant.as_ref().is_none_or(|bound| bound == tenant)
                && counts(record)
        })
    }
}

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
    pub(super) info: ServerInfo,
    pub(super) started_at: Timestamp,
}
