//! Erasing a tenant: begun and ended in one commit each, and carried out a bounded step at a time.

mod begin;
mod history;
mod open;
mod tables;
mod verbs;

use domain::id::BatchId;
use domain::names::TenantName;
use sea_orm::Value;

/// A step of an erasure: `{while_erased}` in its statements is a limit, and none goes beyond the tenant's erasure by this
/// batch. The name is free as soon as that has ended, and whoever carries the batch out may not know yet: a process that was
/// frozen meanwhile, or one that takes over from one that died between the end and the batch's own.
#[derive(Debug, Clone, Copy)]
struct Step<'a> {
    tenant: &'a TenantName,
    batch: BatchId,
    limit: u32,
}

impl Step<'_> {
    /// $1 the tenant, $2 how many rows, $3 the batch.
    fn values(self) -> Vec<Value> {
        vec![self.tenant.as_str().into(), i64::from(self.limit).into(), self.batch.uuid().into()]
    }
}

#[cfg(test)]
mod tests;
