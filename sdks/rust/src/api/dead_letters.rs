//! Calls of dead letters. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::json::Json;
use crate::models::{
    ArchiveRequest, BulkOperationRequest, BulkRequeueRequest, DeadLetter, DeadLetterChange, DeadLetterGroup,
    DeadLetterGroupStanding, GroupDecisionRequest, GroupIgnoreRequest, Page, RequeueRequest,
};
use crate::timestamp::Timestamp;
use crate::transport::{Request, segment};

impl Calls {
    /// List dead letters, newest first.
    /// Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_dead_letters(
        &self,
        query: &ListDeadLettersQuery,
    ) -> Result<Page<DeadLetter>, ClientError> {
        self.call(Request::new("listDeadLetters", "GET", "/v1/dead-letters").query(query)?).await
    }

    /// Archive many dead letters.
    /// Action `deadLetters.archive`: requires role `admin` or `operator`.
    pub async fn archive_dead_letters(&self, body: &BulkOperationRequest) -> Result<Json, ClientError> {
        self.call(Request::new("archiveDeadLetters", "POST", "/v1/dead-letters/archive").keyed().body(body)?)
            .await
    }

    /// List open dead letters grouped by error, largest group first.
    /// A resolved group reopens when the error occurs again. An ignored group reopens at the given instant, after the given
    /// number of dead letters, or with the given version. With `state`, only the largest 500 groups are considered.
    ///
    /// Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_groups(&self, query: &ListGroupsQuery) -> Result<Page<DeadLetterGroup>, ClientError> {
        self.call(Request::new("listGroups", "GET", "/v1/dead-letters/groups").query(query)?).await
    }

    /// Ignore a group of dead letters.
    /// The group is ignored until a given instant, until a given number of further dead letters, until the error occurs in
    /// a given version of a workflow, or until someone reopens it.
    ///
    /// Action `deadLetters.resolve`: requires role `admin` or `operator`.
    pub async fn ignore_group(
        &self,
        fingerprint: &str,
        body: &GroupIgnoreRequest,
    ) -> Result<DeadLetterGroupStanding, ClientError> {
        self.call(
            Request::new(
                "ignoreGroup",
                "POST",
                format!("/v1/dead-letters/groups/{}/ignore", segment(fingerprint)),
            )
            .keyed()
            .body(body)?,
        )
        .await
    }

    /// Reopen a group of dead letters.
    /// Action `deadLetters.resolve`: requires role `admin` or `operator`.
    pub async fn reopen_group(
        &self,
        fingerprint: &str,
        body: &GroupDecisionRequest,
    ) -> Result<DeadLetterGroupStanding, ClientError> {
        self.call(
            Request::new(
                "reopenGroup",
                "POST",
                format!("/v1/dead-letters/groups/{}/reopen", segment(fingerprint)),
            )
            .keyed()
            .body(body)?,
        )
        .await
    }

    /// Resolve a group of dead letters.
    /// Its dead letters do not change. The group reopens automatically when the error occurs again.
    ///
    /// Action `deadLetters.resolve`: requires role `admin` or `operator`.
    pub async fn resolve_group(
        &self,
        fingerprint: &str,
        body: &GroupDecisionRequest,
    ) -> Result<DeadLetterGroupStanding, ClientError> {
        self.call(
            Request::new(
                "resolveGroup",
                "POST",
                format!("/v1/dead-letters/groups/{}/resolve", segment(fingerprint)),
            )
            .keyed()
            .body(body)?,
        )
        .await
    }

    /// Requeue many dead letters.
    /// Action `deadLetters.requeue`: requires role `admin` or `operator`.
    pub async fn requeue_dead_letters(&self, body: &BulkRequeueRequest) -> Result<Json, ClientError> {
        self.call(Request::new("requeueDeadLetters", "POST", "/v1/dead-letters/requeue").keyed().body(body)?)
            .await
    }

    /// Show a dead letter with its attempts.
    /// Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_dead_letter(
        &self,
        id: &str,
        query: &GetDeadLetterQuery,
    ) -> Result<DeadLetter, ClientError> {
        self.call(
            Request::new("getDeadLetter", "GET", format!("/v1/dead-letters/{}", segment(id))).query(query)?,
        )
        .await
    }

    /// Archive a dead letter.
    /// Action `deadLetters.archive`: requires role `admin` or `operator`.
    pub async fn archive_dead_letter(
        &self,
        id: &str,
        body: &ArchiveRequest,
    ) -> Result<DeadLetterChange, ClientError> {
        self.call(
            Request::new("archiveDeadLetter", "POST", format!("/v1/dead-letters/{}/archive", segment(id)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Get the data of a dead letter.
    /// Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_dead_letter_data(&self, id: &str) -> Result<Json, ClientError> {
        self.call(Request::new("getDeadLetterData", "GET", format!("/v1/dead-letters/{}/data", segment(id))))
            .await
    }

    /// Requeue a dead letter.
    /// The job returns to its queue with its original ID, its history and a new retry budget. Repeating the call creates no
    /// second job.
    ///
    /// Action `deadLetters.requeue`: requires role `admin` or `operator`.
    pub async fn requeue_dead_letter(
        &self,
        id: &str,
        body: &RequeueRequest,
    ) -> Result<DeadLetterChange, ClientError> {
        self.call(
            Request::new("requeueDeadLetter", "POST", format!("/v1/dead-letters/{}/requeue", segment(id)))
                .keyed()
                .body(body)?,
        )
        .await
    }
}

/// The query of [`Calls::list_dead_letters`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListDeadLettersQuery {
    /// One of workflow-execution, workflow-node, workflow-scheduled, workflow-webhook. Several values are separated by commas.
    pub queue: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub workflow: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub job_type: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub tenant: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub fingerprint: Option<String>,
    /// One of retries_exhausted, non_retryable, worker_lost, timeout. Several values are separated by commas.
    pub reason: Option<String>,
    /// One of open, requeued, archived. Several values are separated by commas.
    pub status: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub tag: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub worker_id: Option<String>,
    /// ID: `exe_` and 32 hexadecimal digits.
    pub execution_id: Option<String>,
    /// ID: `sch_` and 32 hexadecimal digits.
    pub schedule_id: Option<String>,
    /// ID: `dlv_` and 32 hexadecimal digits.
    pub delivery_id: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub died_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub died_before: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub resolved_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub resolved_before: Option<String>,
    /// Same as `diedAfter`.
    pub from: Option<String>,
    /// Same as `diedBefore`.
    pub to: Option<String>,
    /// Search query, at most 2000 characters. See the search documentation.
    pub q: Option<String>,
    /// Instant to sort by: died, resolved (default `died`).
    pub sort: Option<String>,
    /// `asc` or `desc` (default `desc`).
    pub order: Option<String>,
    /// Whether to count the matches, up to 10,000.
    pub count: Option<bool>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

/// The query of [`Calls::list_groups`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListGroupsQuery {
    /// Queue.
    pub queue: Option<String>,
    /// Name of the workflow.
    pub workflow: Option<String>,
    /// Job type.
    pub job_type: Option<String>,
    /// Name of the tenant.
    pub tenant: Option<String>,
    /// Fingerprint of the failure, as shown by dead letters and their groups.
    pub fingerprint: Option<String>,
    /// Reason for the permanent failure.
    pub reason: Option<String>,
    /// Status (always `open`).
    pub status: Option<String>,
    /// State of the group: `open`, `resolved` or `ignored`. Several values are separated by commas.
    pub state: Option<String>,
    /// Failed permanently at or after this instant.
    pub from: Option<Timestamp>,
    /// Failed permanently before this instant.
    pub to: Option<Timestamp>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// Not supported: this list is not paginated.
    pub cursor: Option<String>,
}

/// The query of [`Calls::get_dead_letter`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetDeadLetterQuery {
    /// Maximum payload size in bytes. A larger payload is null and listed in `omitted` with its path (default: no
    /// maximum).
    pub max_payload: Option<i32>,
}
