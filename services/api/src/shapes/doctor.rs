//! Checks of the deployment as they are shown.

use domain::doctor::{Check, CheckStatus};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The result of an examination.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Doctor)]
pub(crate) struct DoctorResponse {
    /// Whether no check failed.
    ok: bool,
    checks: Vec<CheckResponse>,
}

/// A check.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DoctorCheck)]
pub(crate) struct CheckResponse {
    /// What was checked, such as `snapshots`.
    check: &'static str,
    /// `ok`, `warn`, `fail` or `skipped`.
    #[schema(value_type = String)]
    status: &'static str,
    /// What was found.
    detail: String,
    /// How to fix it; present with `warn` and `fail`.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
    /// Objects that were found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, value_type = Vec<Object>)]
    evidence: Vec<Value>,
}

impl From<Vec<Check>> for DoctorResponse {
    fn from(checks: Vec<Check>) -> Self {
        Self {
            ok: checks.iter().all(|check| check.status != CheckStatus::Fail),
            checks: checks.into_iter().map(CheckResponse::from).collect(),
        }
    }
}

impl From<Check> for CheckResponse {
    fn from(check: Check) -> Self {
        Self {
            check: check.check,
            status: check.status.as_str(),
            detail: check.detail,
            fix: check.fix,
            evidence: check.evidence,
        }
    }
}
