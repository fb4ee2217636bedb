//! Payloads that are kept out of the rows: they are read after the claim, so many bytes together at most. Jobs whose
//! payloads do not fit are given back, and the next claims ask for fewer.

use store::StoreResult;
use store::jobs::{ClaimRequest, ClaimedJob, GiveBack};
use uuid::Uuid;

use crate::jobs::give_back;
use crate::memory::ClaimMemory;
use crate::payloads;
use crate::store::SqlStore;

/// Gives claimed jobs their payloads. Those that are cut come after those that are not, so that order is kept.
pub(super) async fn complete(
    store: &SqlStore,
    memory: &mut ClaimMemory,
    request: &ClaimRequest,
    mut jobs: Vec<ClaimedJob>,
) -> StoreResult<Vec<ClaimedJob>> {
    let count = payloads::fitting(jobs.iter().map(|job| job.data.as_str()));
    let cut = jobs.split_off(count);
    memory.record_room(jobs.len(), !cut.is_empty());
    give_back(store, request, &cut).await;
    let large: Vec<Uuid> =
        jobs.iter().filter(|job| payloads::length_of(&job.data).is_some()).map(|job| job.id.uuid()).collect();
    if large.is_empty() {
        return Ok(jobs);
    }
    let mut loaded = match payloads::load(store.pool().read(), &large).await {
        Ok(loaded) => loaded,
        Err(error) => {
            give_back(store, request, &jobs).await;
            return Err(error);
        }
    };
    let has_payload = |job: &mut ClaimedJob| {
        if payloads::length_of(&job.data).is_none() {
            return true;
        }
        let Some(data) = loaded.remove(&job.id.uuid()) else {
            // Cancelled and removed since, or lost: no handler is to see a job without what it is about.
            tracing::error!(job.id = %job.id, "a job whose stored payload is missing is not leased");
            return false;
        };
        job.data = data;
        true
    };
    jobs.retain_mut(has_payload);
    Ok(jobs)
}

/// If that fails, the leases run out.
async fn give_back(store: &SqlStore, request: &ClaimRequest, jobs: &[ClaimedJob]) {
    let leases: Vec<GiveBack> = jobs.iter().map(|job| job.lease().into()).collect();
    if let Err(error) = give_back::give_back(store, &leases, request.now).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "claimed jobs could not be given back");
    }
}
