//! Errors as they leave the server: RFC 9457 problem documents.
//!
//! Every answer that is not a success is made here. Which status an engine error has is `engine::Problem`'s business.

use axum::http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::error::Fault;
use domain::id::ExecutionId;
use domain::problem::ProblemCode;
use domain::time::DurationMs;
use engine::{EngineError, QuotaFault};
use serde::Serialize;
use utoipa::ToSchema;

use crate::shapes::ProblemCodeSchema;

/// The media type of problem documents.
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";

/// An answer that says what went wrong.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    status: StatusCode,
    code: ProblemCode,
    detail: String,
    faults: Vec<Fault>,
    retry_after: Option<DurationMs>,
    quota: Option<Box<QuotaFault>>,
    existing: Option<ExecutionId>,
    /// Where a query is wrong.
    place: Option<Box<QueryPlace>>,
}

/// Where a query is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueryPlace {
    /// The first code point.
    pub(crate) position: usize,
    /// How many.
    pub(crate) length: usize,
    /// The command that declares what nobody declared.
    pub(crate) hint: Option<String>,
}

/// The result of everything that answers a request.
pub(crate) type ApiResult<T> = Result<T, Problem>;

/// A problem document (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemResponse {
    /// URN that ends in the code.
    #[schema(example = "urn:trunkline:problem:invalid")]
    r#type: String,
    /// HTTP status text.
    title: &'static str,
    /// HTTP status code.
    status: u16,
    /// Description of this occurrence.
    detail: String,
    /// Stable error code for programs.
    #[schema(value_type = ProblemCodeSchema)]
    code: ProblemCode,
    /// Errors of an invalid request, each with its location.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    errors: Vec<FaultResponse>,
    /// With `quota_exceeded`: name of the quota.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "openJobs")]
    quota: Option<&'static str>,
    /// With `quota_exceeded`: current usage.
    #[serde(skip_serializing_if = "Option::is_none")]
    used: Option<u64>,
    /// With `quota_exceeded`: value of the quota.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
    /// With `execution_exists`: ID of the open execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    #[serde(rename = "existingId")]
    existing_id: Option<ExecutionId>,
    /// With `attribute_undeclared`: command that declares the attribute.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// One error of an invalid request.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Fault)]
pub(crate) struct FaultResponse {
    /// JSON pointer into the body, or `/` and the name of the query parameter.
    #[schema(example = "/jobs/3/jobType")]
    pointer: String,
    /// What is wrong and what is expected.
    message: String,
    /// With `query_invalid` and `attribute_undeclared`: start of the invalid part of the query, in code points from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<usize>,
    /// With `query_invalid` and `attribute_undeclared`: length of the invalid part, in code points.
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<usize>,
}

impl From<Fault> for FaultResponse {
    fn from(fault: Fault) -> Self {
        Self { pointer: fault.pointer, message: fault.message, position: None, length: None }
    }
}

impl Problem {
    /// A problem with a status, a code and a sentence.
    pub(crate) fn new(status: StatusCode, code: ProblemCode, detail: impl Into<String>) -> Self {
        Self {
            status,
            code,
            detail: detail.into(),
            faults: Vec::new(),
            retry_after: None,
            quota: None,
            existing: None,
            place: None,
        }
    }

    /// 422 with the faults of a request.
    pub(crate) fn invalid(faults: Vec<Fault>) -> Self {
        engine::Problem::invalid(faults).into()
    }

    /// 422 for a query (`query_invalid` or `attribute_undeclared`), with the place of its fault in code points.
    pub(crate) fn query(fault: Fault, place: QueryPlace) -> Self {
        let code =
            if place.hint.is_some() { ProblemCode::AttributeUndeclared } else { ProblemCode::QueryInvalid };
        let detail = format!("The query is invalid at {}: {}", place.position, fault.message);
        Self {
            faults: vec![fault],
            place: Some(Box::new(place)),
            ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail)
        }
    }

    /// 422 with one fault.
    pub(crate) fn fault(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::invalid(vec![Fault::new(pointer, message)])
    }

    /// 404 for a thing that is not there.
    pub(crate) fn not_found(what: &str, id: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, ProblemCode::NotFound, format!("There is no {what} {id}."))
    }

    /// 401.
    pub(crate) fn unauthenticated(detail: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, ProblemCode::Unauthenticated, detail)
    }

    /// 503 that asks to try again.
    pub(crate) fn unavailable(detail: &str) -> Self {
        engine::Problem::unavailable(detail).into()
    }

    /// 500 that says nothing about the inside.
    pub(crate) fn internal() -> Self {
        engine::Problem::internal().into()
    }

    /// The same problem with a time after which to try again.
    #[must_use]
    pub(crate) const fn retry_after(mut self, wait: DurationMs) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The same problem seen from further out: `prefix` is put before the pointers of its faults.
    #[must_use]
    pub(crate) fn under(mut self, prefix: &str) -> Self {
        self.faults = self.faults.into_iter().map(|fault| fault.under(prefix)).collect();
        self
    }

    /// The faults, where the problem is an invalid request; otherwise the problem itself.
    pub(crate) fn into_faults(self) -> Result<Vec<Fault>, Self> {
        if self.faults.is_empty() { Err(self) } else { Ok(self.faults) }
    }

    /// The document.
    pub(crate) fn shape(&self) -> ProblemResponse {
        ProblemResponse {
            r#type: format!("urn:trunkline:problem:{}", self.code.as_str()),
            title: self.status.canonical_reason().unwrap_or("Error"),
            status: self.status.as_u16(),
            detail: self.detail.clone(),
            code: self.code,
            quota: self.quota.as_ref().map(|fault| fault.quota),
            used: self.quota.as_ref().map(|fault| fault.used),
            limit: self.quota.as_ref().map(|fault| fault.limit),
            existing_id: self.existing,
            hint: self.place.as_ref().and_then(|place| place.hint.clone()),
            errors: self
                .faults
                .iter()
                .map(|fault| FaultResponse {
                    position: self.place.as_ref().map(|place| place.position),
                    length: self.place.as_ref().map(|place| place.length),
                    ..FaultResponse::from(fault.clone())
                })
                .collect(),
        }
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        engine::Problem::from(error).into()
    }
}

impl From<engine::Problem> for Problem {
    fn from(problem: engine::Problem) -> Self {
        let engine::Problem { status, code, detail, faults, retry_after, quota, existing } = problem;
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, code, detail, faults, retry_after, quota, existing, place: None }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, axum::Json(self.shape())).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        if let Some(wait) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
        }
        if matches!(self.status, StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT) {
            // What is left of the body is not read, so that the connection cannot carry another request: a client that
            // does not know this sends one and gets no answer.
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"trunkline\""));
        }
        response
    }
}

/// `Retry-After` knows whole seconds only: rounded up, at least one.
pub(crate) fn whole_seconds(wait: DurationMs) -> u64 {
    (wait.0.max(1) as u64).div_ceil(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_rounded_up() {
        for (ms, seconds) in [(0, 1), (1, 1), (1_000, 1), (1_001, 2), (60_000, 60)] {
            assert_eq!(whole_seconds(DurationMs(ms)), seconds, "{ms}");
        }
    }

    #[test]
    fn engine_errors_have_one_status_each() {
        let unavailable = || store::StoreError::Unavailable { source: "gone".into() };
        let corrupt = || store::StoreError::Corrupt { table: "job", column: "status", row: "7".into() };
        let table = [
            (EngineError::invalid("/x", "wrong"), 422, "invalid"),
            (EngineError::not_found("job", "job_1"), 404, "not_found"),
            (EngineError::Forbidden { reason: "no" }, 403, "forbidden"),
            (
                EngineError::Conflict { code: ProblemCode::QueueDraining, message: "no".into() },
                409,
                "queue_draining",
            ),
            (
                EngineError::ExecutionExists { existing: ExecutionId::from_uuid(uuid::Uuid::nil()) },
                409,
                "execution_exists",
            ),
            (EngineError::Overloaded { retry_after: DurationMs(5) }, 503, "unavailable"),
            (
                EngineError::TooMany {
                    code: ProblemCode::TooManyWaiting,
                    message: "no".into(),
                    retry_after: DurationMs(5),
                },
                429,
                "too_many_waiting",
            ),
            (EngineError::QuotaExceeded { quota: "openJobs", used: 7, limit: 7 }, 429, "quota_exceeded"),
            (EngineError::Store(unavailable()), 503, "unavailable"),
            (EngineError::Store(corrupt()), 500, "internal"),
        ];
        for (error, status, code) in table {
            let shape = Problem::from(error).shape();
            assert_eq!((shape.status, shape.code.as_str()), (status, code));
        }
    }

    #[test]
    fn what_is_inside_is_not_shown() {
        let error =
            EngineError::Store(store::StoreError::Unavailable { source: "postgres://user:pw@host".into() });
        let shape = Problem::from(error).shape();
        assert!(!format!("{shape:?}").contains("pw@host"));
    }
}
