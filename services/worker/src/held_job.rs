//! A claimed job on its way through the pool: the job, its lease and the slot that it occupies.

use std::time::Instant;

use store::jobs::ClaimedJob;

use crate::leases::HeldLease;
use crate::slots::WorkerSlot;

/// A claimed job. Dropping it stops the renewal of its lease and frees its slot; the lease then runs out by itself.
#[derive(Debug)]
pub(crate) struct HeldJob {
    pub(crate) job: ClaimedJob,
    pub(crate) lease: HeldLease,
    pub(crate) slot: WorkerSlot,
    /// When the claim was asked for: its attempt began no earlier.
    pub(crate) asked_at: Instant,
}
