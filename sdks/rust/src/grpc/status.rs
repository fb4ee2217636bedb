//! Errors of gRPC as those of REST.

use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use super::proto;
use crate::error::{ClientError, ProblemError};
use crate::models::{Fault, Problem};

/// What errors of the server name as their domain.
const DOMAIN: &str = "trunkline";

/// The error of a call.
pub(super) fn error_of(call: &str, status: Status) -> ClientError {
    let details = status.get_error_details();
    let Some(info) = details.error_info().filter(|info| info.domain == DOMAIN) else {
        return foreign(call, status);
    };
    let fact = |name: &str| info.metadata.get(name);
    let number = |name: &str| fact(name).and_then(|text| text.parse::<i64>().ok());
    let faults = details.bad_request().map(|bad| {
        let fault = |violation: &tonic_types::FieldViolation| Fault {
            pointer: violation.field.clone(),
            message: violation.description.clone(),
            ..Fault::default()
        };
        bad.field_violations.iter().map(fault).collect()
    });
    let asked = details.retry_info().and_then(|info| info.retry_delay);
    // The first call with the same idempotency key goes on.
    let retry_after = asked.or((status.code() == Code::Aborted).then_some(Duration::from_secs(1)));
    let problem = Problem {
        status: number("status")
            .and_then(|exact| i32::try_from(exact).ok())
            .unwrap_or(status_of(status.code())),
        code: info.reason.clone(),
        detail: status.message().to_owned(),
        errors: faults,
        quota: fact("quota").cloned(),
        used: number("used"),
        limit: number("limit"),
        existing_id: fact("existingId").cloned(),
        ..Problem::default()
    };
    ClientError::Problem(Box::new(ProblemError { problem, retry_after }))
}

/// A status that did not come from the server's own code: the connection's, or a message that cannot be.
fn foreign(call: &str, status: Status) -> ClientError {
    let code = match status.code() {
        Code::ResourceExhausted | Code::OutOfRange | Code::InvalidArgument => (413, "too_large"),
        Code::Unimplemented => (501, "not_implemented"),
        _ => return ClientError::connection(call, status),
    };
    let problem = Problem {
        status: code.0,
        code: code.1.to_owned(),
        detail: status.message().to_owned(),
        ..Problem::default()
    };
    ClientError::Problem(Box::new(ProblemError { problem, retry_after: None }))
}

/// A refusal that came over a stream.
pub(super) fn problem_of(said: proto::Problem) -> ClientError {
    let fault =
        |fault: proto::Fault| Fault { pointer: fault.pointer, message: fault.message, ..Fault::default() };
    let problem = Problem {
        status: i32::try_from(said.status).unwrap_or(500),
        code: said.code,
        detail: said.detail,
        title: said.title,
        r#type: said.r#type,
        errors: Some(said.errors.into_iter().map(fault).collect()),
        ..Problem::default()
    };
    ClientError::Problem(Box::new(ProblemError { problem, retry_after: None }))
}

fn status_of(code: Code) -> i32 {
    match code {
        Code::InvalidArgument => 422,
        Code::Unauthenticated => 401,
        Code::PermissionDenied => 403,
        Code::NotFound => 404,
        Code::FailedPrecondition | Code::Aborted | Code::AlreadyExists => 409,
        Code::OutOfRange => 413,
        Code::ResourceExhausted => 429,
        Code::Unimplemented => 501,
        Code::Unavailable => 503,
        Code::DeadlineExceeded => 504,
        _ => 500,
    }
}
