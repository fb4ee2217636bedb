//! Models of doctor. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::json::Json;
use crate::open_enum::open_enum;

/// The results of the checks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Doctor {
    /// `checks`.
    pub checks: Vec<DoctorCheck>,
    /// Whether no check failed.
    pub ok: bool,
}

/// A check.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DoctorCheck {
    /// What was checked, such as `snapshots`.
    pub check: String,
    /// What was found.
    pub detail: String,
    /// Objects that the finding is based on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Vec<BTreeMap<String, Json>>>,
    /// How to fix it; present with `warn` and `fail`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// `status`.
    pub status: DoctorCheckStatus,
}

open_enum! {
    /// DoctorCheckStatus
    pub enum DoctorCheckStatus {
        /// `ok`.
        Ok = "ok",
        /// `warn`.
        Warn = "warn",
        /// `fail`.
        Fail = "fail",
        /// `skipped`.
        Skipped = "skipped",
    }
}
