//! Calls of rates. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{KeyRate, KeyRateRequest, KeyRates};
use crate::transport::{Request, segment};

impl Calls {
    /// List the rates of rate keys.
    /// Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_rates(&self, query: &ListRatesQuery) -> Result<KeyRates, ClientError> {
        self.call(Request::new("listRates", "GET", "/v1/rates").query(query)?).await
    }

    /// Set the rate of a rate key.
    /// From the next claim on, the rate applies to starts of jobs with this `rateKey`. A key that ends in `*` is a prefix:
    /// the rate applies to each matching key separately, and the longest match wins.
    ///
    /// Action `limits.set`: requires role `admin` or `operator`.
    pub async fn set_rate(
        &self,
        key: &str,
        body: &KeyRateRequest,
        query: &SetRateQuery,
    ) -> Result<KeyRate, ClientError> {
        self.call(
            Request::new("setRate", "PUT", format!("/v1/rates/{}", segment(key)))
                .keyed()
                .query(query)?
                .body(body)?,
        )
        .await
    }

    /// Delete the rate of a rate key.
    /// From the next claim on, it no longer limits jobs with this `rateKey`.
    ///
    /// Action `limits.set`: requires role `admin` or `operator`.
    pub async fn delete_rate(&self, key: &str, query: &DeleteRateQuery) -> Result<(), ClientError> {
        self.call_empty(
            Request::new("deleteRate", "DELETE", format!("/v1/rates/{}", segment(key)))
                .keyed()
                .query(query)?,
        )
        .await
    }
}

/// The query of [`Calls::list_rates`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListRatesQuery {
    /// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
    /// never a tenant's.
    pub tenant: Option<String>,
}

/// The query of [`Calls::set_rate`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetRateQuery {
    /// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
    /// never a tenant's.
    pub tenant: Option<String>,
}

/// The query of [`Calls::delete_rate`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteRateQuery {
    /// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
    /// never a tenant's.
    pub tenant: Option<String>,
}
