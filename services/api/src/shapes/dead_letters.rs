//! Dead letters as they are shown, and what is sent to requeue or archive one.

use std::collections::BTreeMap;

use domain::id::{DeadLetterId, JobId};
use domain::queue::Tier;
use domain::time::Timestamp;
use engine::ShownAttributes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::dead_letters::{DeadLetterRecord, RequeueEdit};
use utoipa::ToSchema;

use super::job_logs::{AttemptResponse, JobErrorBody};
use super::list::{OmittedPayloadResponse, PayloadBound};
use super::words::{DeadLetterStatusSchema, DeadReasonSchema, PrioritySchema, QueueSchema};
use crate::json::{RawJson, present};

/// A job that failed permanently.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeadLetter)]
pub(crate) struct DeadLetterResponse {
    #[schema(value_type = String, example = "dlq_0193456789ab7def8123456789abcdef")]
    id: DeadLetterId,
    #[schema(value_type = String)]
    job_id: JobId,
    #[schema(value_type = QueueSchema)]
    queue: &'static str,
    job_type: String,
    #[schema(value_type = PrioritySchema)]
    priority: &'static str,
    tenant: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    workflow: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
    #[schema(value_type = DeadLetterStatusSchema)]
    status: &'static str,
    /// Reason for the permanent failure.
    #[schema(value_type = DeadReasonSchema)]
    reason: &'static str,
    /// The last error.
    error: JobErrorBody,
    /// Fingerprint that groups failures of the same kind.
    fingerprint: String,
    /// Payload of the job. Lists omit payloads above 4 KiB; read the dead letter instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<RawJson>,
    /// Number of attempts.
    attempt_count: u32,
    /// Attempts, oldest first. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<Vec<AttemptResponse>>,
    #[schema(value_type = String, format = DateTime)]
    died_at: Timestamp,
    /// When it was requeued or archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    resolved_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    archive_reason: Option<String>,
    /// Searchable attributes by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, Value>, required = false)]
    attributes: BTreeMap<String, Value>,
    /// Payloads larger than `maxPayload`, which are null here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    omitted: Vec<OmittedPayloadResponse>,
}

impl DeadLetterResponse {
    /// The same with its attributes.
    #[must_use]
    pub(crate) fn with_attributes(mut self, shown: &ShownAttributes) -> Self {
        self.attributes = shown.get(&self.job_id.uuid()).cloned().unwrap_or_default();
        self
    }

    /// One in a list, without its attempts.
    pub(crate) fn in_list(letter: DeadLetterRecord) -> Self {
        Self {
            id: letter.id,
            job_id: letter.job_id,
            queue: letter.queue.as_str(),
            job_type: letter.job_type.to_string(),
            priority: letter.tier.as_str(),
            tenant: letter.tenant.to_string(),
            workflow: letter.workflow.map(|workflow| workflow.name.to_string()),
            execution_id: letter.execution_id.map(|id| id.to_string()),
            node_id: letter.node_id.map(|id| id.to_string()),
            status: letter.status.as_str(),
            reason: letter.reason.as_str(),
            error: letter.error.into(),
            fingerprint: letter.fingerprint,
            data: letter.data.map(RawJson::payload),
            attempt_count: letter.attempt_count,
            attempts: None,
            died_at: letter.died_at,
            resolved_at: letter.resolved_at,
            archive_reason: letter.archive_reason,
            attributes: BTreeMap::new(),
            omitted: Vec::new(),
        }
    }

    /// One with its attempts, and without a payload of more bytes than these.
    pub(crate) fn whole(mut letter: DeadLetterRecord, payload_max: Option<usize>) -> Self {
        let attempts = std::mem::take(&mut letter.attempts);
        let mut bound = PayloadBound::new(payload_max, format!("/v1/dead-letters/{}", letter.id));
        letter.data = letter.data.map(|text| bound.field("data", text));
        Self {
            omitted: bound.omitted(),
            attempts: Some(attempts.into_iter().map(AttemptResponse::from).collect()),
            ..Self::in_list(letter)
        }
    }
}

/// Changes applied by a requeue. Absent fields keep the values of the job.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = RequeueRequest)]
pub(crate) struct RequeueBody {
    /// New payload.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    data: Option<RawJson>,
    #[schema(value_type = Option<PrioritySchema>)]
    priority: Option<Tier>,
    /// New maximum number of retries.
    max_retries: Option<u32>,
}

impl From<RequeueBody> for RequeueEdit {
    fn from(body: RequeueBody) -> Self {
        Self { data: body.data.map(RawJson::into_text), tier: body.priority, retries_max: body.max_retries }
    }
}

/// Options of archiving a dead letter.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ArchiveRequest)]
pub(crate) struct ArchiveBody {
    /// Reason, stored with the dead letter.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    pub(crate) reason: Option<String>,
}

/// A dead letter after it was requeued or archived.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeadLetterChange)]
pub(crate) struct DeadLetterChangeResponse {
    #[schema(value_type = String)]
    pub(crate) id: DeadLetterId,
    /// Job ID, which does not change.
    #[schema(value_type = String)]
    pub(crate) job_id: JobId,
    #[schema(value_type = DeadLetterStatusSchema)]
    pub(crate) status: &'static str,
}
