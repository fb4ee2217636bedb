//! Quotas of what comes through the intake. What is committed is taken; the functions refuse the next calls.

use std::collections::BTreeMap;

use domain::names::TenantName;
use domain::quota::QuotaKind;
use store::intake::{IntakeKind, IntakeOverQuota, IntakeRow};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::webhooks::ROW_BYTES;

/// How much of each kind tenants brought.
pub(super) type Brought = BTreeMap<(TenantName, &'static str), (QuotaKind, u64)>;

impl Engine {
    /// What rows count against the quotas of their tenants.
    pub(super) fn tenants_of(rows: &[IntakeRow]) -> Brought {
        let mut brought = Brought::new();
        for row in rows {
            let bytes = row.data.len() as u64;
            let open = |open| vec![(open, 1), (QuotaKind::PayloadBytes, bytes), (QuotaKind::HistoryRows, 1)];
            let counts = match row.kind {
                IntakeKind::Enqueue => open(QuotaKind::OpenJobs),
                IntakeKind::Start => open(QuotaKind::OpenExecutions),
                IntakeKind::Event => vec![(QuotaKind::DeliveryBytes, bytes + ROW_BYTES)],
                IntakeKind::Signal => continue,
            };
            for (kind, more) in counts {
                brought.entry((row.tenant.clone(), kind.as_str())).or_insert((kind, 0)).1 += more;
            }
        }
        brought
    }

    /// Has the functions refuse tenants that are over a quota by what they brought.
    pub(super) async fn close_where_full(&self, brought: &Brought) -> Result<(), EngineError> {
        for ((tenant, _), &(kind, more)) in brought {
            if let Err(EngineError::QuotaExceeded { quota, used, limit }) =
                self.refuse_over_quota(tenant, &[(kind, more)]).await
            {
                let (tenant, quota) = (tenant.clone(), quota.to_owned());
                self.store().close_intake(&IntakeOverQuota { tenant, quota, used, limit }).await?;
            }
        }
        Ok(())
    }

    /// Lets tenants in again that have room. To be called again and again.
    pub async fn reopen_intakes(&self) -> Result<(), EngineError> {
        for over in self.store().closed_intakes().await? {
            let is_full = match QuotaKind::parse(&over.quota) {
                Some(kind) => matches!(
                    self.refuse_over_quota(&over.tenant, &[(kind, 1)]).await,
                    Err(EngineError::QuotaExceeded { .. })
                ),
                None => false,
            };
            if !is_full {
                self.store().reopen_intake(&over.tenant, &over.quota).await?;
            }
        }
        Ok(())
    }
}
