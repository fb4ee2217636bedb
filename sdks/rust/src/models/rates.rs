//! Models of rates. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::json::Json;

/// The rate of a rate key.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KeyRate {
    /// Rate key, or a prefix of rate keys that ends in `*`.
    pub key: String,
    /// Maximum number of concurrent jobs of each key; absent if unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrent: Option<i32>,
    /// Starts per period of each key.
    pub rate: Json,
    /// `tenant`.
    pub tenant: String,
}

/// The rate to set for a rate key.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KeyRateRequest {
    /// Maximum number of concurrent jobs of each key (default: unlimited).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrent: Option<i32>,
    /// Starts per period of each key.
    pub rate: Json,
}

/// The rates of all rate keys.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KeyRates {
    /// The rates, by tenant and key.
    pub items: Vec<KeyRate>,
}
