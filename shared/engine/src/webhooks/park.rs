//! Park a delivery whose job ended without matching it, so that an operator sees it. Requeueing the job matches it all the
//! same.

use domain::access::TenantScope;
use domain::id::{DeliveryId, JobId};
use serde_json::Value;
use store::webhooks::{DeliveryOutcome, DeliveryRecord, DeliveryStatus};

use super::matching::MatchedDelivery;
use crate::engine::Engine;
use crate::error::EngineError;

/// Its job died of trouble of ours.
const MATCHING_FAILED: &str = "matching_failed";
/// Somebody cancelled its job.
const JOB_CANCELLED: &str = "job_cancelled";

impl Engine {
    /// Parks a delivery that could not be matched, unless it was. Comes before its job dies, so that a crash in between
    /// repeats both.
    pub async fn park_failed_delivery(&self, id: DeliveryId) -> Result<(), EngineError> {
        self.park_open(id, MATCHING_FAILED).await
    }

    /// The same for who knows only the job, whose last worker was lost.
    pub(crate) async fn park_delivery_of(&self, job: JobId) -> Result<(), EngineError> {
        match self.delivery_of(job).await? {
            Some(id) => self.park_open(id, MATCHING_FAILED).await,
            None => Ok(()),
        }
    }

    /// The same for a job that was cancelled.
    pub(crate) async fn park_cancelled_delivery(&self, job: JobId) -> Result<(), EngineError> {
        match self.delivery_of(job).await? {
            Some(id) => self.park_open(id, JOB_CANCELLED).await,
            None => Ok(()),
        }
    }

    async fn delivery_of(&self, job: JobId) -> Result<Option<DeliveryId>, EngineError> {
        let Some(job) = self.store().job(&TenantScope::All, job).await? else { return Ok(None) };
        let data = serde_json::from_str::<Value>(&job.data).unwrap_or_default();
        Ok(data["deliveryId"].as_str().and_then(DeliveryId::parse))
    }

    async fn park_open(&self, id: DeliveryId, reason: &str) -> Result<(), EngineError> {
        let found = self.store().delivery(&TenantScope::All, id).await?;
        if found.is_some_and(|record| record.status == DeliveryStatus::Accepted) {
            self.park(id, reason).await?;
        }
        Ok(())
    }

    /// Parks a delivery about which nothing was decided.
    pub(super) async fn park(&self, id: DeliveryId, reason: &str) -> Result<MatchedDelivery, EngineError> {
        let outcome = DeliveryOutcome {
            id,
            status: DeliveryStatus::Parked,
            reason: Some(reason.to_owned()),
            outcome: "[]".to_owned(),
            executions: Vec::new(),
        };
        self.finish_matching(outcome).await
    }
}

/// Whether a delivery is still to be matched.
pub(super) fn is_open(record: &DeliveryRecord) -> bool {
    record.status == DeliveryStatus::Accepted
        || (record.status == DeliveryStatus::Parked && record.reason.as_deref() == Some(MATCHING_FAILED))
}
