//! Take what applications have committed, a bounded step at a time.

use std::collections::BTreeMap;

use domain::names::TenantName;
use domain::time::{DurationMs, Timestamp};
use store::intake::{IntakeBounds, IntakeLease, IntakeRefusal, IntakeRow};

use super::memory::Held;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

/// How long the lease on the intake is. A process that dies keeps the others from it for as long at most.
const LEASE: DurationMs = DurationMs::from_secs(5);

/// How long rows of a tenant are left to other processes whose payloads cannot be written here.
const ASIDE: DurationMs = DurationMs::from_secs(60);

/// How much one step takes.
const BOUNDS: IntakeBounds = IntakeBounds { rows_max: 500, bytes_max: 8 * 1024 * 1024 };

/// What a step found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntakeStep {
    /// Nothing is there.
    Nothing,
    /// Rows were taken, and there may be more.
    Some,
    /// Another process takes them, for so long unless it goes on.
    Elsewhere(DurationMs),
}

impl Engine {
    /// Whether applications can commit work into this store.
    pub fn has_intake(&self) -> bool {
        self.store().has_intake()
    }

    /// One bounded step: takes rows of the intake in their order.
    pub async fn take_intake(&self) -> Result<IntakeStep, EngineError> {
        let now = self.now();
        let held = self.memory().intake.held();
        if let Held::Elsewhere(until) = held
            && until > now
        {
            return Ok(IntakeStep::Elsewhere(until.since(now)));
        }
        let aside = self.memory().intake.aside(now);
        let mut rows = self.store().read_intake(BOUNDS, &aside).await?;
        if rows.is_empty() {
            return Ok(IntakeStep::Nothing);
        }
        let was_here = matches!(held, Held::Here(until) if until > now);
        if !matches!(held, Held::Here(until) if until.since(now) > DurationMs(LEASE.0 / 2)) {
            if let Some(until) = self.lease_intake(now.plus(LEASE)).await? {
                self.memory().intake.hold(Held::Elsewhere(until));
                return Ok(IntakeStep::Elsewhere(until.since(now).max(DurationMs(1))));
            }
            self.memory().intake.hold(Held::Here(now.plus(LEASE)));
            if !was_here {
                // What was read before may have been taken by whoever had it until now.
                rows = self.store().read_intake(BOUNDS, &aside).await?;
            }
        }
        if !self.take_and_settle(rows).await? {
            // A process that can takes the others, if it comes before this one is back.
            self.release_intake().await;
            self.memory().intake.hold(Held::Elsewhere(self.now().plus(DurationMs(LEASE.0 * 2))));
        }
        Ok(IntakeStep::Some)
    }

    /// Gives the lease back, for the end of a process.
    pub async fn release_intake(&self) {
        let held = self.memory().intake.hold(Held::Unknown);
        if let Held::Here(until) = held
            && until > self.now()
            && let Err(error) = self.lease_intake(self.now()).await
        {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "the lease on the intake ends by itself"
            );
        }
    }

    async fn lease_intake(&self, until: Timestamp) -> Result<Option<Timestamp>, EngineError> {
        let payload_bytes_max = self.policy().payload_bytes_max as u64;
        let lease = IntakeLease { holder: self.process(), until, payload_bytes_max };
        Ok(self.store().lease_intake(&lease, self.now()).await?)
    }

    /// Answers whether all of them were taken or refused.
    async fn take_and_settle(&self, rows: Vec<IntakeRow>) -> Result<bool, EngineError> {
        let count = rows.len();
        let (rows, refused) = match self.take(&rows).await {
            Ok(refused) => (rows, refused),
            Err(error) if error.is_for_another_process() => self.take_by_tenant(rows).await?,
            Err(error) => return Err(error),
        };
        if rows.is_empty() {
            return Ok(count == 0);
        }
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let tenants = Self::tenants_of(&rows);
        let taken: Vec<i64> =
            ids.into_iter().filter(|id| refused.iter().all(|refusal| refusal.id != *id)).collect();
        let is_held = self.store().settle_intake(self.process(), &taken, &refused, self.now()).await?;
        if is_held {
            metrics::intake(taken.len(), refused.len());
        } else {
            self.memory().intake.hold(Held::Unknown);
        }
        for refusal in &refused {
            tracing::warn!(
                intake.id = refusal.id,
                reason = refusal.reason,
                "what an application committed could not be carried out; see `trunkline sql status`"
            );
        }
        self.close_where_full(&tenants).await?;
        Ok(rows.len() == count)
    }

    /// Takes the rows of each tenant by themselves, where some are for another process: of a tenant whose key is missing here,
    /// for one. Those are set aside. Answers the others, with what was refused of them.
    async fn take_by_tenant(
        &self,
        rows: Vec<IntakeRow>,
    ) -> Result<(Vec<IntakeRow>, Vec<IntakeRefusal>), EngineError> {
        let mut by_tenant: BTreeMap<TenantName, Vec<IntakeRow>> = BTreeMap::new();
        for row in rows {
            by_tenant.entry(row.tenant.clone()).or_default().push(row);
        }
        let (mut taken, mut refused) = (Vec::new(), Vec::new());
        for (tenant, rows) in by_tenant {
            match self.take(&rows).await {
                Ok(more) => {
                    refused.extend(more);
                    taken.extend(rows);
                }
                Err(error) if error.is_for_another_process() => {
                    tracing::error!(
                        tenant = %tenant,
                        error = &error as &dyn std::error::Error,
                        "what applications committed for a tenant waits for another process"
                    );
                    self.memory().intake.set_aside(tenant, self.now().plus(ASIDE));
                }
                Err(error) => return Err(error),
            }
        }
        Ok((taken, refused))
    }
}
