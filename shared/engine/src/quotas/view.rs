//! Say what a tenant uses of what it may.

use domain::access::Permission;
use domain::names::TenantName;
use domain::quota::QuotaKind;
use domain::time::Timestamp;
use store::usage::Measured;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::stats::TenantWork;

/// One figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageLine {
    /// Of what.
    pub kind: QuotaKind,
    /// How much there is.
    pub used: u64,
    /// How much there may be; `None` is unlimited. Of idempotency keys it is for each API key.
    pub quota: Option<u64>,
}

/// What a tenant uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageView {
    /// Whose.
    pub tenant: TenantName,
    /// When it was counted.
    pub as_of: Timestamp,
    /// All figures.
    pub lines: Vec<UsageLine>,
    /// What its jobs took lately.
    pub work: TenantWork,
}

impl Engine {
    /// Counts what a tenant has, one figure after the other.
    pub async fn tenant_usage(&self, caller: &Caller, tenant: &TenantName) -> Result<UsageView, EngineError> {
        caller.require(Permission::Read)?;
        super::set::require_tenant(caller, tenant)?;
        let quotas = self.quotas_of(tenant).await?;
        let mut lines = Vec::with_capacity(QuotaKind::ALL.len());
        for kind in QuotaKind::ALL {
            let used = self.store().measure(&Measured::Tenant(tenant.clone(), kind)).await?;
            lines.push(UsageLine { kind, used, quota: quotas.of(kind) });
        }
        let work = self.tenant_work(tenant).await?;
        Ok(UsageView { tenant: tenant.clone(), as_of: self.now(), lines, work })
    }
}
