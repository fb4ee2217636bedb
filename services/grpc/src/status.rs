//! Problems as gRPC says them: a status whose details hold code, places and the time to wait.

use std::collections::HashMap;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::header::RETRY_AFTER;
use axum::http::{Response, StatusCode};
use domain::error::Fault;
use serde::Deserialize;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt as _};

use crate::proto;

/// What errors name as their domain.
const DOMAIN: &str = "trunkline";
/// The largest problem document.
const PROBLEM_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A problem document of REST.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Document {
    detail: String,
    code: String,
    errors: Vec<FaultDocument>,
    quota: Option<String>,
    used: Option<u64>,
    limit: Option<u64>,
    existing_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct FaultDocument {
    pointer: String,
    message: String,
}

/// The status for an answer of REST that is no success.
pub(crate) async fn of_answer(response: Response<Body>) -> Status {
    let status = response.status();
    let retry_after = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.parse().ok())
        .map(Duration::from_secs);
    let body = to_bytes(response.into_body(), PROBLEM_BYTES_MAX).await.unwrap_or_default();
    let document: Document = serde_json::from_slice(&body).unwrap_or_default();
    made(status, document, retry_after)
}

/// The status for a problem of the engine's.
pub(crate) fn of_problem(problem: engine::Problem) -> Status {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let document = Document {
        detail: problem.detail,
        code: problem.code.as_str().to_owned(),
        errors: problem.faults.into_iter().map(FaultDocument::from).collect(),
        quota: problem.quota.as_ref().map(|fault| fault.quota.to_owned()),
        used: problem.quota.as_ref().map(|fault| fault.used),
        limit: problem.quota.as_ref().map(|fault| fault.limit),
        existing_id: problem.existing.map(|id| id.to_string()),
    };
    made(status, document, problem.retry_after.map(domain::time::DurationMs::to_std))
}

/// The problem as a message, where a stream goes on. No message of a stream has a query, whose faults have a place and a hint.
pub(crate) fn message_of(problem: engine::Problem) -> proto::Problem {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    proto::Problem {
        r#type: format!("urn:trunkline:problem:{}", problem.code.as_str()),
        title: status.canonical_reason().unwrap_or("Error").to_owned(),
        status: u32::from(problem.status),
        detail: problem.detail,
        code: problem.code.as_str().to_owned(),
        errors: problem
            .faults
            .into_iter()
            .map(|fault| proto::Fault {
                pointer: fault.pointer,
                message: fault.message,
                position: None,
                length: None,
            })
            .collect(),
        quota: problem.quota.as_ref().map(|fault| fault.quota.to_owned()),
        used: problem.quota.as_ref().map(|fault| fault.used),
        limit: problem.quota.as_ref().map(|fault| fault.limit),
        existing_id: problem.existing.map(|id| id.to_string()),
        hint: None,
    }
}

/// The status for a message that cannot be what the call asks for.
pub(crate) fn of_fault(fault: Fault) -> Status {
    of_problem(engine::Problem::invalid(vec![fault]))
}

impl From<Fault> for FaultDocument {
    fn from(fault: Fault) -> Self {
        Self { pointer: fault.pointer, message: fault.message }
    }
}

fn made(status: StatusCode, document: Document, retry_after: Option<Duration>) -> Status {
    let mut details = ErrorDetails::new();
    // Several statuses of REST are one of gRPC: programs read theirs here.
    let mut facts = HashMap::from([("status".to_owned(), status.as_u16().to_string())]);
    if let Some(quota) = document.quota {
        facts.insert("quota".to_owned(), quota);
    }
    if let Some(existing) = document.existing_id {
        facts.insert("existingId".to_owned(), existing);
    }
    for (name, value) in [("used", document.used), ("limit", document.limit)] {
        if let Some(value) = value {
            facts.insert(name.to_owned(), value.to_string());
        }
    }
    let code = if document.code.is_empty() { "internal".to_owned() } else { document.code };
    let grpc = code_of(status, &code);
    details.set_error_info(code, DOMAIN, facts);
    if !document.errors.is_empty() {
        let faults =
            document.errors.into_iter().map(|fault| FieldViolation::new(fault.pointer, fault.message));
        details.set_bad_request(faults.collect::<Vec<_>>());
    }
    if retry_after.is_some() {
        details.set_retry_info(retry_after);
    }
    Status::with_error_details(grpc, document.detail, details)
}

fn code_of(status: StatusCode, code: &str) -> Code {
    match status {
        StatusCode::UNAUTHORIZED => Code::Unauthenticated,
        StatusCode::FORBIDDEN => Code::PermissionDenied,
        StatusCode::NOT_FOUND => Code::NotFound,
        StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED => Code::Unimplemented,
        StatusCode::REQUEST_TIMEOUT | StatusCode::GATEWAY_TIMEOUT => Code::DeadlineExceeded,
        // The first call goes on: the same call may be made again.
        StatusCode::CONFLICT if code == "idempotency_in_flight" => Code::Aborted,
        StatusCode::CONFLICT => Code::FailedPrecondition,
        StatusCode::TOO_MANY_REQUESTS => Code::ResourceExhausted,
        StatusCode::SERVICE_UNAVAILABLE => Code::Unavailable,
        status if status.is_client_error() => Code::InvalidArgument,
        _ => Code::Internal,
    }
}

#[cfg(test)]
mod tests {
    use domain::time::DurationMs;

    use super::*;

    #[test]
    fn a_problem_keeps_its_code_places_and_wait() {
        let faults = vec![Fault::new("/jobs/3/jobType", "is required")];
        let invalid = of_problem(engine::Problem::invalid(faults));
        assert_eq!(invalid.code(), Code::InvalidArgument);
        let details = invalid.get_error_details();
        let info = details.error_info().expect("facts");
        assert_eq!((info.reason.as_str(), info.metadata["status"].as_str()), ("invalid", "422"));
        let violations = &details.bad_request().expect("a place").field_violations;
        assert_eq!(violations[0].field, "/jobs/3/jobType");

        let error = engine::EngineError::QuotaExceeded { quota: "openJobs", used: 7, limit: 7 };
        let exceeded = of_problem(error.into());
        assert_eq!(exceeded.code(), Code::ResourceExhausted);
        let details = exceeded.get_error_details();
        assert_eq!(details.error_info().expect("facts").metadata["limit"], "7");
        assert!(details.retry_info().is_some_and(|info| info.retry_delay.is_some()));

        let overloaded = engine::EngineError::Overloaded { retry_after: DurationMs::from_secs(5) };
        assert_eq!(of_problem(overloaded.into()).code(), Code::Unavailable);
    }
}
