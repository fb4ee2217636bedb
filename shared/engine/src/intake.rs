//! The intake: what applications commit in SQL becomes jobs, executions, signals and events.
//!
//! One process takes rows at a time, under a lease, so that they are taken in the order in which they were committed. The
//! ids of what they become are in the rows: a process that was frozen and takes rows once more makes nothing twice.

mod memory;
mod request;
mod take;

use std::collections::HashSet;

use domain::id::ServerId;
use domain::names::TenantName;
use domain::time::{DurationMs, Timestamp};
use store::intake::{IntakeBounds, IntakeLease, IntakeRefusal, IntakeRow};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;
use crate::operations::SEEN_WITHIN;
use memory::Held;

pub(crate) use memory::IntakeMemory;

// Take what applications have committed, a bounded step at a time.

/// How long the lease on the intake is. A process that dies keeps the others from it for as long at most.
const LEASE: DurationMs = DurationMs::from_secs(5);

/// The role of the processes that take rows, as they show it.
const TAKERS: &str = "scheduler";

/// How much one step takes.
const BOUNDS: IntakeBounds = IntakeBounds { rows_max: 500, bytes_max: 8 * 1024 * 1024 };

/// How long a process leaves rows of a tenant to others that it cannot take.
const LEFT_FOR: DurationMs = DurationMs::from_secs(60);

/// How long it leaves those of a tenant whose share of the threads for checks is taken.
const BUSY_FOR: DurationMs = DurationMs::from_secs(5);

/// How long a check of a row waits for a place: well below the lease, which would run out under whoever waits.
const CHECK_WAIT: DurationMs = DurationMs(500);

/// What became of rows.
#[derive(Default)]
struct Taken {
    /// Those that cannot be carried out.
    refused: Vec<IntakeRefusal>,
    /// Those that are left for now.
    left: HashSet<i64>,
    /// Tenants of whom another process has to take what is left.
    elsewhere: HashSet<TenantName>,
}

/// Whether a check found no place: its tenant's, since each has a share.
const fn is_busy(error: &EngineError) -> bool {
    matches!(error, EngineError::Overloaded { .. })
}

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
        let left = self.memory().intake.left(now);
        let mut rows = self.store().read_intake(BOUNDS, &left).await?;
        if rows.is_empty() {
            return Ok(IntakeStep::Nothing);
        }
        let was_here = matches!(held, Held::Here(until) if until > now);
        if let Some(until) = self.keep_intake().await? {
            return Ok(IntakeStep::Elsewhere(until.since(now).max(DurationMs(1))));
        }
        if !was_here {
            // What was read before may have been taken by whoever had it until now.
            rows = self.store().read_intake(BOUNDS, &left).await?;
        }
        if self.take_and_settle(rows).await? {
            // It has its turn now. Without such a process the rows of everybody else go on at once.
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
                "the lease on the intake could not be released and will expire"
            );
        }
    }

    /// Takes the lease, or renews it where half of it is over. Answers until when another process has it.
    async fn keep_intake(&self) -> Result<Option<Timestamp>, EngineError> {
        let (now, memory) = (self.now(), &self.memory().intake);
        match memory.held() {
            Held::Here(until) if until.since(now) > DurationMs(LEASE.0 / 2) => return Ok(None),
            Held::Elsewhere(until) if until > now => return Ok(Some(until)),
            _ => {}
        }
        let elsewhere = self.lease_intake(now.plus(LEASE)).await?;
        memory.hold(elsewhere.map_or(Held::Here(now.plus(LEASE)), Held::Elsewhere));
        Ok(elsewhere)
    }

    async fn lease_intake(&self, until: Timestamp) -> Result<Option<Timestamp>, EngineError> {
        let payload_bytes_max = self.policy().payload_bytes_max as u64;
        let lease = IntakeLease { holder: self.process(), until, payload_bytes_max };
        Ok(self.store().lease_intake(&lease, self.now()).await?)
    }

    /// Answers whether rows were left to another process that is there and may take them.
    async fn take_and_settle(&self, rows: Vec<IntakeRow>) -> Result<bool, EngineError> {
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let tenants = Self::tenants_of(&rows);
        let Taken { refused, left, elsewhere } = self.take_what_can_be(rows).await?;
        let is_taken = |id: &i64| !left.contains(id) && refused.iter().all(|refusal| refusal.id != *id);
        let taken: Vec<i64> = ids.into_iter().filter(is_taken).collect();
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
                "an intake entry could not be executed; see `trunkline sql status`"
            );
        }
        self.close_where_full(&tenants).await?;
        if elsewhere.is_empty() {
            return Ok(false);
        }
        Ok(self.memory().intake.offer(&elsewhere, &self.other_takers().await?, self.now()))
    }

    /// Other processes that take rows, as far as they showed themselves lately.
    async fn other_takers(&self) -> Result<Vec<ServerId>, EngineError> {
        let servers = self.store().list_servers(self.now().minus(SEEN_WITHIN)).await?;
        let takes = |role: &String| role.as_str() == TAKERS;
        let others = servers.into_iter().filter(|server| server.roles.iter().any(takes));
        Ok(others.map(|server| server.id).filter(|id| *id != self.server_id()).collect())
    }

    /// Makes what rows ask for, together where that can be. Where another process has to take some of them, one with the key
    /// of a tenant's payloads, say, or a tenant has no place for its checks because it has taken all of its share, each tenant's
    /// are taken by themselves, so that they keep nobody else's back.
    async fn take_what_can_be(&self, mut rows: Vec<IntakeRow>) -> Result<Taken, EngineError> {
        match self.take(&rows).await {
            Err(error) if error.is_for_another_process() || is_busy(&error) => {}
            refused => return Ok(Taken { refused: refused?, ..Taken::default() }),
        }
        let mut taken = Taken::default();
        rows.sort_by(|one, other| one.tenant.as_str().cmp(other.tenant.as_str()));
        for rows in rows.chunk_by(|one, next| one.tenant == next.tenant) {
            // Each tenant may take its time, and another process may have the lease meanwhile.
            if self.keep_intake().await?.is_some() {
                taken.left.extend(rows.iter().map(|row| row.id));
                continue;
            }
            match self.take(rows).await {
                Ok(more) => taken.refused.extend(more),
                Err(error) if is_busy(&error) => {
                    self.memory().intake.leave(rows[0].tenant.clone(), self.now(), BUSY_FOR);
                    taken.left.extend(rows.iter().map(|row| row.id));
                }
                Err(error) if error.is_for_another_process() => {
                    let tenant = &rows[0].tenant;
                    tracing::error!(
                        %tenant,
                        error = &error as &dyn std::error::Error,
                        "intake entries of a tenant wait for another process"
                    );
                    self.memory().intake.leave(tenant.clone(), self.now(), LEFT_FOR);
                    taken.left.extend(rows.iter().map(|row| row.id));
                    taken.elsewhere.insert(tenant.clone());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(taken)
    }
}
