//! Quotas that operators set, and how a process remembers them.

use std::sync::Arc;
use std::time::Instant;

use domain::access::Permission;
use domain::names::TenantName;
use domain::quota::{QuotaKind, Quotas};
use domain::time::DurationMs;
use store::usage::QuotaChange;
use store::wakeup::Hint;

use super::known::{SetQuotas, by_tenant};
use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::{Engine, read_beside};
use crate::erasure;
use crate::error::EngineError;

/// For how long it is asked for tenants that were erased: by then every node has heard that their names are free.
const ERASED_LATELY: DurationMs = DurationMs::from_secs(3_600);

/// A change of one quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaEdit {
    /// Of what.
    pub kind: QuotaKind,
    /// `None` goes back to the default; `Some(None)` is unlimited.
    pub quota: Option<Option<u64>>,
}

impl Engine {
    /// The quotas in force for a tenant.
    pub async fn tenant_quotas(&self, caller: &Caller, tenant: &TenantName) -> Result<Quotas, EngineError> {
        caller.require(Permission::Read)?;
        require_tenant(caller, tenant)?;
        self.quotas_of(tenant).await
    }

    /// Changes quotas of a tenant in one commit and answers those in force. Other nodes know within a few seconds.
    pub async fn set_tenant_quotas(
        &self,
        caller: &Caller,
        tenant: &TenantName,
        edits: &[QuotaEdit],
    ) -> Result<Quotas, EngineError> {
        caller.require(Permission::Administer)?;
        caller.require_unscoped()?;
        let mut faults = Faults::default();
        for QuotaEdit { kind, quota } in edits {
            let largest = kind.largest();
            if quota.flatten().is_some_and(|quota| quota > largest) {
                faults.add(&format!("/{}", kind.as_str()), format!("expected at most {largest}"));
            }
        }
        faults.check()?;
        let changes: Vec<QuotaChange> =
            edits.iter().map(|edit| QuotaChange { kind: edit.kind, quota: edit.quota }).collect();
        let detail: serde_json::Map<String, serde_json::Value> = edits
            .iter()
            .map(|edit| (edit.kind.as_str().to_owned(), serde_json::json!(edit.quota.flatten())))
            .collect();
        let present = self.quotas_of(tenant).await?;
        let before: serde_json::Map<String, serde_json::Value> = edits
            .iter()
            .map(|edit| (edit.kind.as_str().to_owned(), serde_json::json!(present.of(edit.kind))))
            .collect();
        let audited = AuditedAction::new("quotas.set", &tenant).of(Some(tenant.clone()));
        let audited = audited.with(detail.clone().into()).changing(before.into(), detail.into());
        let mut recording = self.recording(caller, audited);
        recording.of(self.store().change_quotas(tenant, &changes, self.now())).await?;
        self.memory().quotas.clear();
        self.wake(&[Hint::Settings]);
        self.recorded(recording).await;
        self.quotas_of(tenant).await
    }

    /// The quotas in force for a tenant.
    pub(super) async fn quotas_of(&self, tenant: &TenantName) -> Result<Quotas, EngineError> {
        let set = self.set_quotas().await?;
        let own = set.by_tenant.get(tenant).map_or(&[][..], Vec::as_slice);
        let defaults = self.policy().quotas.of_tenants();
        Ok(own.iter().fold(defaults, |quotas, &(kind, quota)| quotas.with(kind, quota)))
    }

    /// Whether any tenant may have only so much of a kind. Where none is bounded, nobody has to be looked at.
    pub(crate) async fn has_quotas_of(&self, kind: QuotaKind) -> Result<bool, EngineError> {
        if self.policy().quotas.of_tenants().of(kind).is_some() {
            return Ok(true);
        }
        let set = self.set_quotas().await?;
        Ok(set.by_tenant.values().flatten().any(|&(of, quota)| of == kind && quota.is_some()))
    }

    /// Fails where a tenant is being erased.
    pub(crate) async fn refuse_erasing(&self, tenant: &TenantName) -> Result<(), EngineError> {
        let is_erasing = self.set_quotas().await?.erasing.contains(tenant);
        if is_erasing { Err(erasure::refusal(tenant)) } else { Ok(()) }
    }

    async fn set_quotas(&self) -> Result<Arc<SetQuotas>, EngineError> {
        if let Some(known) = self.memory().quotas.0.get(Instant::now()) {
            if known.is_old {
                let engine = self.clone();
                read_beside("quotas", async move { engine.read_quotas().await.map(drop) });
            }
            return Ok(known.value);
        }
        self.read_quotas().await
    }

    async fn read_quotas(&self) -> Result<Arc<SetQuotas>, EngineError> {
        self.listen();
        let reading = self.memory().quotas.0.begin_reading(Instant::now());
        let erasures = self.store().erasures(self.now().minus(ERASED_LATELY)).await?;
        let under_way = erasures.into_iter().filter(|erasure| erasure.ended_at.is_none());
        let erasing = under_way.map(|erasure| erasure.tenant).collect();
        let set = Arc::new(SetQuotas { by_tenant: by_tenant(self.store().quotas().await?), erasing });
        self.memory().quotas.0.keep(Arc::clone(&set), reading);
        Ok(set)
    }
}

/// Fails where the caller may not know of a tenant.
pub(crate) fn require_tenant(caller: &Caller, tenant: &TenantName) -> Result<(), EngineError> {
    if caller.scope.allows(tenant) { Ok(()) } else { Err(EngineError::not_found("tenant", &tenant)) }
}
