//! Job types that are pinned to builds of workers.

use async_trait::async_trait;
use domain::build::BuildPin;
use domain::names::{CallerKey, JobType, TenantName, WorkerId};
use domain::time::Timestamp;

use crate::error::StoreResult;

/// A worker that pins its job types as it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerPins {
    /// The worker.
    pub worker_id: WorkerId,
    /// The build that it runs.
    pub build: CallerKey,
    /// The tenant that it is bound to; the pins are of that tenant then.
    pub tenant: Option<TenantName>,
    /// Its job types.
    pub job_types: Vec<JobType>,
    /// The builds that take them from now on.
    pub builds: Vec<CallerKey>,
}

/// The store's operations on pins. A claim that starts after a commit obeys it.
#[async_trait]
pub trait BuildStore {
    /// All pins, by job type and tenant.
    async fn build_pins(&self) -> StoreResult<Vec<BuildPin>>;

    /// Pins a job type, whoever pinned it before, if there are then no more than `pins_max` pins, and no more than
    /// [`pins_of_tenant_max`](domain::build::pins_of_tenant_max) of its tenant; answers whether there are not.
    async fn set_build_pin(&self, pin: &BuildPin, pins_max: u32) -> StoreResult<bool>;

    /// Removes a pin; answers whether it was there. A worker that began before does not pin the job type again.
    async fn remove_build_pin(
        &self,
        tenant: Option<&TenantName>,
        job_type: &JobType,
        now: Timestamp,
    ) -> StoreResult<bool>;

    /// Pins the job types of a worker, but for those that an operator pinned and those that a worker pinned which began later. A
    /// worker began when it was first seen with this build, or now. Answers the job types whose builds changed.
    async fn pin_by_worker(
        &self,
        pins: &WorkerPins,
        pins_max: u32,
        now: Timestamp,
    ) -> StoreResult<Vec<JobType>>;
}
