//! Complete jobs: what an outside worker reports after a success.

use std::collections::BTreeMap;

use domain::access::{Permission, TenantScope};
use domain::job::Disposition;
use domain::queue::QueueName;
use serde_json::Value;
use store::jobs::{LeaseRef, Settlement};

use crate::attributes::{Given, GivenByJob};
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
    /// Searchable attributes that the worker sets on the job.
    pub attributes: BTreeMap<String, Value>,
}

impl Engine {
    /// Completes jobs in one commit. Answers in order; a result that is too large or cannot be stored, or an attribute that
    /// is not declared or of another type, rejects its own report only.
    pub async fn complete(
        &self,
        caller: &Caller,
        items: Vec<CompleteItem>,
    ) -> Result<Vec<Result<LeaseOutcome, Rejection>>, EngineError> {
        caller.require(Permission::Work)?;
        check_batch(items.len(), self.policy().batch_max, "/jobs")?;
        let given = self.read_given(caller, &items).await?;
        let reports = items.into_iter().zip(given).collect();
        let (reports, order) = split(reports, |(item, given): &(CompleteItem, Given), faults| {
            if let Some(result) = &item.result {
                faults.json("/result", result, self.policy().payload_bytes_max);
            }
            faults.extend(given.clone().err().unwrap_or_default(), "");
        });
        let leases: Vec<LeaseRef> = reports.iter().map(|(item, _)| item.lease).collect();
        let is_allowed = self.may_settle(caller, &leases).await?;
        let mut given_by_job = GivenByJob::new();
        let mut batch = Vec::with_capacity(reports.len());
        for ((item, given), is_allowed) in reports.into_iter().zip(is_allowed) {
            let given = given.unwrap_or_default();
            if is_allowed && !given.is_empty() {
                given_by_job.insert(item.lease.id, given);
            }
            let settlement =
                Settlement { lease: item.lease, disposition: Disposition::Complete(item.result) };
            batch.push(is_allowed.then_some(settlement));
        }
        Ok(order.answers(self.commit_allowed(batch, &given_by_job).await?))
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

    /// Carries out the settlements that are there, with the attributes that workers set; the others are answered with
    /// `LeaseLost`.
    pub(crate) async fn commit_allowed(
        &self,
        batch: Vec<Option<Settlement>>,
        given: &GivenByJob,
    ) -> Result<Vec<LeaseOutcome>, EngineError> {
        let is_allowed: Vec<bool> = batch.iter().map(Option::is_some).collect();
        let allowed: Vec<Settlement> = batch.into_iter().flatten().collect();
        self.set_result_attributes(allowed.iter(), given).await?;
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
