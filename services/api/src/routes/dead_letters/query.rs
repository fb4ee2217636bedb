//! Which dead letters to list.

use domain::failure::DeadReason;
use domain::names::{CallerKey, JobType, TenantName, WorkflowName};
use domain::queue::QueueName;
use domain::time::Timestamp;
use serde::Deserialize;
use store::dead_letters::{DeadLetterFilter, DeadLetterStatus};
use utoipa::IntoParams;

use crate::problem::{ApiResult, Problem};
use crate::shapes::{DeadLetterStatusSchema, DeadReasonSchema, QueueSchema, dead_letter_status, dead_reason};

/// Which dead letters to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::routes) struct DeadLettersQuery {
    #[param(value_type = Option<QueueSchema>, inline)]
    queue: Option<QueueName>,
    #[param(value_type = Option<String>)]
    workflow: Option<WorkflowName>,
    #[param(value_type = Option<String>)]
    job_type: Option<JobType>,
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
    #[param(value_type = Option<String>)]
    fingerprint: Option<CallerKey>,
    #[serde(default, deserialize_with = "dead_reason")]
    #[param(value_type = Option<DeadReasonSchema>, inline)]
    reason: Option<DeadReason>,
    /// Status (default `open`).
    #[serde(default, deserialize_with = "dead_letter_status")]
    #[param(value_type = Option<DeadLetterStatusSchema>, inline)]
    status: Option<DeadLetterStatus>,
    /// Failed permanently at or after this instant.
    #[param(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// Failed permanently before this instant.
    #[param(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// Page size, 1 to 500 (default 50).
    pub(in crate::routes) limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    pub(in crate::routes) cursor: Option<String>,
}

impl DeadLettersQuery {
    /// The filter.
    pub(in crate::routes) fn filter(self) -> DeadLetterFilter {
        DeadLetterFilter {
            queue: self.queue,
            workflow: self.workflow,
            job_type: self.job_type,
            tenant: self.tenant,
            fingerprint: self.fingerprint.map(|text| text.to_string()),
            reason: self.reason,
            from: self.from,
            to: self.to,
            status: self.status,
        }
    }

    /// The filter of a list that shows archived ones only.
    pub(in crate::routes) fn archive_filter(self) -> ApiResult<DeadLetterFilter> {
        match self.status {
            None | Some(DeadLetterStatus::Archived) => {
                Ok(DeadLetterFilter { status: Some(DeadLetterStatus::Archived), ..self.filter() })
            }
            Some(_) => Err(Problem::fault("/status", "the archive contains only archived dead letters")),
        }
    }
}
