//! What tenants may keep: quotas, what of them is used, and the refusal of what would go beyond.
//!
//! Nothing that is written is counted in the database: rows that everybody writes to would make everybody wait. A process
//! measures what it needs to know when it first needs it, adds what it lets in, and measures anew before it refuses. So a
//! tenant may go beyond a quota by what other processes let in since (for some seconds), and never by more.

mod histories;
mod known;
mod meter;
mod set;
mod usage;

use std::time::{Duration, Instant};

use domain::id::WebhookId;
use domain::names::{CallerKey, TenantName};
use domain::quota::{QuotaKind, fits};
use store::usage::Measured;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use meter::Decision;

pub use crate::policy::QuotaPolicy;
pub(crate) use histories::Histories;
pub(crate) use known::QuotaCache;
pub(crate) use meter::Meter;
pub use set::QuotaEdit;
pub(crate) use set::require_tenant;
pub use usage::{UsageLine, UsageView};

// Refuse what would go beyond a quota.

/// The setting that bounds the deliveries of one endpoint, as a refusal names it.
const WEBHOOK_BYTES: &str = "webhooks.stored_per_webhook";
/// The same of all deliveries.
const ALL_DELIVERY_BYTES: &str = "webhooks.stored";
/// How long a call waits for the sum of the deliveries of a tenant, or of what waits to start.
const MEASURED_WITHIN: Duration = Duration::from_secs(1);

impl Engine {
    /// Fails where a tenant may not have so much more of something, or is being erased.
    pub(crate) async fn refuse_over_quota(
        &self,
        tenant: &TenantName,
        more: &[(QuotaKind, u64)],
    ) -> Result<(), EngineError> {
        self.refuse_erasing(tenant).await?;
        let quotas = self.quotas_of(tenant).await?;
        for &(kind, more) in more {
            if let Some(limit) = quotas.of(kind) {
                let what = Measured::Tenant(tenant.clone(), kind);
                self.refuse_beyond(what, kind.as_str(), limit, more).await?;
            }
        }
        Ok(())
    }

    /// The same for work of several tenants: each with how many of a kind, and how many bytes.
    pub(crate) async fn refuse_work_over_quota<'a>(
        &self,
        kind: QuotaKind,
        work: impl Iterator<Item = (&'a TenantName, usize)>,
    ) -> Result<(), EngineError> {
        let mut by_tenant: Vec<(&TenantName, u64, u64)> = Vec::new();
        for (tenant, bytes) in work {
            // Nearly always they are all of one tenant.
            match by_tenant.iter_mut().find(|(known, ..)| *known == tenant) {
                Some((_, count, sum)) => (*count, *sum) = (*count + 1, *sum + bytes as u64),
                None => by_tenant.push((tenant, 1, bytes as u64)),
            }
        }
        for (tenant, count, bytes) in by_tenant {
            let more = [(kind, count), (QuotaKind::PayloadBytes, bytes), (QuotaKind::HistoryRows, count)];
            self.refuse_over_quota(tenant, &more).await?;
        }
        Ok(())
    }

    /// Counts an execution no longer that had room and did not start. The instant is one before the room was asked for.
    pub(crate) fn give_back_execution(&self, tenant: &TenantName, bytes: u64, asked_at: Instant) {
        let counts =
            [(QuotaKind::OpenExecutions, 1), (QuotaKind::PayloadBytes, bytes), (QuotaKind::HistoryRows, 1)];
        for (kind, more) in counts {
            self.memory().meter.give_back(&Measured::Tenant(tenant.clone(), kind), more, asked_at);
        }
    }

    /// Fails where deliveries may not take so many more bytes: of the endpoint, of its tenant, or of all. The error
    /// names the bound, so that a tenant beyond its own part does not take the whole for full.
    pub(crate) async fn refuse_delivery_over_quota(
        &self,
        tenant: &TenantName,
        webhook: WebhookId,
        bytes: u64,
    ) -> Result<(), EngineError> {
        let policy = self.policy().quotas;
        if let Some(limit) = policy.webhook_bytes {
            let what = Measured::Webhook(tenant.clone(), webhook);
            self.refuse_beyond(what, WEBHOOK_BYTES, limit, bytes).await?;
        }
        self.refuse_over_quota(tenant, &[(QuotaKind::DeliveryBytes, bytes)]).await?;
        if let Some(limit) = policy.all_delivery_bytes {
            self.refuse_beyond(Measured::AllDeliveries, ALL_DELIVERY_BYTES, limit, bytes).await?;
        }
        Ok(())
    }

    /// Fails where the owner of idempotency keys has as many as it may have. One that is there is not refused.
    pub(crate) async fn refuse_key_over_quota(
        &self,
        caller: &Caller,
        owner: &str,
        key: &CallerKey,
    ) -> Result<(), EngineError> {
        let kind = QuotaKind::IdempotencyKeys;
        let quotas = match caller.scope.tenant() {
            Some(tenant) => self.quotas_of(tenant).await?,
            None => self.policy().quotas.defaults,
        };
        let Some(limit) = quotas.of(kind) else {
            return Ok(());
        };
        let what = Measured::IdempotencyOwner(owner.to_owned());
        match self.refuse_beyond(what, kind.as_str(), limit, 1).await {
            Err(EngineError::QuotaExceeded { .. })
                if self.store().has_idempotency_key(owner, key.as_str()).await? =>
            {
                Ok(())
            }
            decided => decided,
        }
    }

    async fn refuse_beyond(
        &self,
        what: Measured,
        quota: &'static str,
        limit: u64,
        more: u64,
    ) -> Result<(), EngineError> {
        let meter = &self.memory().meter;
        let used = match meter.take(&what, limit, more, Instant::now()) {
            Decision::Fits => return Ok(()),
            Decision::FitsForNow => {
                let engine = self.clone();
                tokio::spawn(async move { engine.measure_now(&what).await });
                return Ok(());
            }
            Decision::Full(used) => used,
            // A sum over all of them takes a while, and whoever is first after a start must not wait for it.
            Decision::New if what == Measured::AllDeliveries => {
                let engine = self.clone();
                tokio::spawn(async move { engine.measure_now(&what).await });
                return Ok(());
            }
            Decision::New | Decision::Unknown => {
                let measured = self.measured_soon(&what).await;
                match meter.take(&what, limit, more, Instant::now()) {
                    Decision::Full(used) => used,
                    // What could not be measured refuses nobody: the store says what it cannot take.
                    _ if measured.is_none_or(|used| fits(limit, used, more)) => return Ok(()),
                    _ => measured.unwrap_or_default(),
                }
            }
        };
        Err(EngineError::QuotaExceeded { quota, used, limit })
    }

    /// Measures. Bytes of deliveries, and of what waits to start, may take long to add up, and every tenant has a quota of them:
    /// whoever is first after a start waits for so long, and others for nothing.
    async fn measured_soon(&self, what: &Measured) -> Option<u64> {
        match what {
            Measured::Tenant(_, QuotaKind::DeliveryBytes | QuotaKind::WaitingStartBytes) => {
                tokio::time::timeout(MEASURED_WITHIN, self.measure_now(what)).await.ok().flatten()
            }
            _ => self.measure_now(what).await,
        }
    }

    /// Measures, unless somebody does.
    async fn measure_now(&self, what: &Measured) -> Option<u64> {
        if !self.memory().meter.begin(what, Instant::now()) {
            return None;
        }
        // Ended also where the caller gives up meanwhile.
        let (engine, what) = (self.clone(), what.clone());
        let measuring = tokio::spawn(async move {
            let _turn = engine.memory().meter.turns.acquire().await;
            let begun = Instant::now();
            let measured = engine.store().measure(&what).await;
            if let Err(error) = &measured {
                tracing::warn!(
                    measured = ?what,
                    error = error as &dyn std::error::Error,
                    "the usage of a quota could not be measured"
                );
            }
            let used = measured.ok();
            engine.memory().meter.end(&what, used, begun, Instant::now());
            used
        });
        measuring.await.ok().flatten()
    }
}
