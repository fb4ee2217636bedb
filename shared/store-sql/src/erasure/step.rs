//! One bounded step of an erasure, and whose things it may touch.

use domain::id::BatchId;
use domain::names::TenantName;
use sea_orm::Value;

/// A step of an erasure: `{while_erased}` in its statements is a limit, and none goes beyond the tenant's erasure by this
/// batch. The name is free as soon as that has ended, and whoever carries the batch out may not know yet: a process that was
/// frozen meanwhile, or one that takes over from one that died between the end and the batch's own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'a> {
    /// Whose things go.
    pub(super) tenant: &'a TenantName,
    /// Which batch carries the erasure out.
    pub(super) batch: BatchId,
    /// How many rows at most.
    pub(super) limit: u32,
}

impl Step<'_> {
    /// $1 the tenant, $2 how many rows, $3 the batch.
    pub(super) fn values(self) -> Vec<Value> {
        vec![self.tenant.as_str().into(), i64::from(self.limit).into(), self.batch.uuid().into()]
    }
}
