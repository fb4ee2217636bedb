//! Rates of callers' own keys.

use domain::names::TenantName;
use domain::rate::{KeyRate, Rate};
use engine::KeyRateRequest;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::limits::RateDocument;
use crate::json::present;
use crate::problem::ApiResult;
use crate::shapes::list::RequiredFields;

/// The rate to set for a rate key.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = KeyRateRequest)]
pub(crate) struct KeyRateBody {
    /// Starts per period of each key.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RateDocument, required = true)]
    rate: Option<Rate>,
    /// Maximum number of concurrent jobs of each key (default: unlimited).
    max_concurrent: Option<u32>,
}

impl KeyRateBody {
    /// The request for a key of a tenant.
    pub(crate) fn into_request(
        self,
        pattern: String,
        tenant: Option<TenantName>,
    ) -> ApiResult<KeyRateRequest> {
        let mut needed = RequiredFields::default();
        let Some(rate) = needed.field("rate", self.rate) else {
            return Err(needed.problem());
        };
        Ok(KeyRateRequest { tenant, pattern, rate, max_concurrent: self.max_concurrent })
    }
}

/// The rate of a rate key.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KeyRate)]
pub(crate) struct KeyRateResponse {
    /// Rate key, or a prefix of rate keys that ends in `*`.
    #[schema(example = "smtp:*")]
    key: String,
    tenant: String,
    /// Starts per period of each key.
    #[schema(value_type = RateDocument)]
    rate: Rate,
    /// Maximum number of concurrent jobs of each key; absent if unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_concurrent: Option<u32>,
}

impl From<KeyRate> for KeyRateResponse {
    fn from(rate: KeyRate) -> Self {
        Self {
            key: rate.pattern,
            tenant: rate.tenant.to_string(),
            rate: rate.rate,
            max_concurrent: rate.max_concurrent,
        }
    }
}

/// The rates of all rate keys.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = KeyRates)]
pub(crate) struct KeyRatesResponse {
    /// The rates, by tenant and key.
    pub(crate) items: Vec<KeyRateResponse>,
}
