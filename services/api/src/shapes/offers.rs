//! What workers send and get that receive jobs from Kafka.

use domain::dispatch::AcceptOutcome;
use domain::id::{JobId, LeaseToken};
use domain::names::WorkerId;
use domain::time::Timestamp;
use engine::{AcceptRequest, AcceptedJob};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::leases::{lease_of, lease_token};
use super::list::RequiredFields;
use super::words::AcceptOutcomeSchema;
use crate::json::{Item, RawJson, list, present};
use crate::problem::{ApiResult, Problem};

/// Jobs to accept.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Acceptances)]
pub(crate) struct AcceptBody {
    /// Worker ID, random per process.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    worker_id: Option<WorkerId>,
    /// The received jobs.
    #[serde(default, deserialize_with = "list")]
    #[schema(value_type = Vec<AcceptanceBody>, required = true)]
    jobs: Option<Vec<AcceptanceBody>>,
}

/// A job to accept.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Acceptance)]
pub(crate) struct AcceptanceBody {
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    id: Option<JobId>,
    /// Lease token of the message.
    #[serde(default, deserialize_with = "lease_token")]
    #[schema(value_type = String, required = true)]
    lease_token: Option<LeaseToken>,
}

impl Item for AcceptanceBody {}

impl AcceptBody {
    /// The request; faults point below `/jobs/{index}`.
    pub(crate) fn into_request(self) -> ApiResult<AcceptRequest> {
        let mut needed = RequiredFields::default();
        let worker_id = needed.field("workerId", self.worker_id);
        let jobs = needed.field("jobs", self.jobs);
        let (Some(worker_id), Some(jobs)) = (worker_id, jobs) else {
            return Err(needed.problem());
        };
        let (mut offers, mut faults) = (Vec::with_capacity(jobs.len()), Vec::new());
        for (index, job) in jobs.into_iter().enumerate() {
            let mut needed = RequiredFields::default();
            match lease_of(&mut needed, job.id, job.lease_token) {
                Some(offer) => offers.push(offer),
                None => faults.extend(needed.problem().under(&format!("/jobs/{index}")).into_faults()?),
            }
        }
        if faults.is_empty() {
            Ok(AcceptRequest { worker_id, offers })
        } else {
            Err(Problem::invalid(faults))
        }
    }
}

/// The outcomes, in order.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AcceptedJobs)]
pub(crate) struct AcceptedJobsResponse {
    /// One outcome per job.
    results: Vec<AcceptedJobResponse>,
}

/// The outcome of one job.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AcceptedJob)]
pub(crate) struct AcceptedJobResponse {
    #[schema(value_type = String)]
    id: JobId,
    #[schema(value_type = AcceptOutcomeSchema)]
    outcome: &'static str,
    /// Lease (fencing) token, required in every report. Keep it secret. Present if the outcome is `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_token: Option<String>,
    /// Expiry time of the lease unless a heartbeat renews it. Present if the outcome is `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    lease_expires_at: Option<Timestamp>,
    /// Last progress reported by an earlier attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<RawJson>,
}

impl AcceptedJobsResponse {
    /// The answer to jobs with these ids.
    pub(crate) fn new(ids: Vec<JobId>, accepted: Vec<AcceptedJob>) -> Self {
        let answer = |(id, job): (JobId, AcceptedJob)| {
            let lease = job.lease.filter(|_| job.outcome == AcceptOutcome::Ok);
            AcceptedJobResponse {
                id,
                outcome: job.outcome.as_str(),
                lease_token: lease.map(|(lease, _)| lease.token.to_string()),
                lease_expires_at: lease.map(|(_, until)| until),
                progress: job.progress.map(RawJson::stored),
            }
        };
        Self { results: ids.into_iter().zip(accepted).map(answer).collect() }
    }
}
