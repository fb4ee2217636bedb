//! Models of rates. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::json::Json;

/// A rate of keys.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KeyRate {
    /// Key, or the beginning of keys with `*` at the end.
    pub key: String,
    /// Maximum number of concurrent jobs of each key; absent if unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrent: Option<i32>,
    /// Starts per period of each key.
    pub rate: Json,
    /// `tenant`.
    pub tenant: String,
}

/// A rate of keys to set.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KeyRateRequest {
    /// Maximum number of concurrent jobs of each key (default: unlimited).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrent: Option<i32>,
    /// Starts per period of each key.
    pub rate: Json,
}

/// All rates of keys.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KeyRates {
    /// The rates, by tenant and key.
    pub items: Vec<KeyRate>,
}
