//! Complete jobs: what an outside worker reports after a success.

use domain::access::{Permission, TenantScope};
use domain::job::Disposition;
use domain::queue::QueueName;
use store::jobs::{LeaseRef, Settlement};

use crate::bounds::check_batch;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::leases::{LeaseOutcome, Shown};
use crate::jobs::reports::{Rejection, split};
use crate::metrics;

/// A success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompleteItem {
    /// The job and its token.
    pub lease: LeaseRef,
    /// The result as raw JSON text, known to be well formed.
    pub result: Option<String>,
}

impl Engine {
    /// Completes jobs in one commit. Answers in order; a result that is too large or cannot be stored rejects its own
    /// report only.
    pub async fn complete(
        &self,
        caller: &Caller,
        items: Vec<CompleteItem>,
    ) -> Result<Vec<Result<LeaseOutcome, Rejection>>, EngineError> {
        caller.require(Permission::Work)?;
        check_batch(items.len(), self.policy().batch_max, "/jobs")?;
        let (items, order) = split(items, |item: &CompleteItem, faults| {
            if let Some(result) = &item.result {
                faults.json("/result", result, self.policy().payload_bytes_max);
            }
        });
        let leases: Vec<LeaseRef> = items.iter().map(|item| item.lease).collect();
        let is_allowed = self.may_settle(caller, &leases).await?;
        let batch = items
            .into_iter()
            .map(|item| Settlement { lease: item.lease, disposition: Disposition::Complete(item.result) })
            .zip(&is_allowed)
            .map(|(settlement, is_allowed)| is_allowed.then_some(settlement))
            .collect();
        Ok(order.answers(self.commit_allowed(batch).await?))
    }

    /// Whether the caller may speak for each lease. A caller that is bound to no tenant needs no look: the token
    /// alone guards the write, and tokens of executions are never shown to workers.
    pub(super) async fn may_settle(
        &self,
        caller: &Caller,
        leases: &[LeaseRef],
    ) -> Result<Vec<bool>, EngineError> {
        if caller.scope == TenantScope::All {
            return Ok(vec![true; leases.len()]);
        }
        let shown = self.shown_leases(caller, leases).await?;
        Ok(shown.iter().map(|shown| !matches!(shown, Shown::Foreign)).collect())
    }

    /// Carries out the settlements that are there; the others are answered with `LeaseLost`.
    pub(crate) async fn commit_allowed(
        &self,
        batch: Vec<Option<Settlement>>,
    ) -> Result<Vec<LeaseOutcome>, EngineError> {
        let is_allowed: Vec<bool> = batch.iter().map(Option::is_some).collect();
        let allowed: Vec<Settlement> = batch.into_iter().flatten().collect();
        self.set_result_attributes(allowed.iter()).await?;
        let mut answers = self.settle_all(allowed).await?.into_iter();
        let outcomes: Vec<LeaseOutcome> = is_allowed
            .into_iter()
            .map(|is_allowed| {
                if is_allowed { answers.next() } else { None }.unwrap_or(LeaseOutcome::LeaseLost)
            })
            .collect();
        metrics::lost(QueueName::Node, &outcomes);
        Ok(outcomes)
    }
}
