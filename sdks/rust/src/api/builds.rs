//! Calls of builds. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::BuildPins;
use crate::transport::Request;

impl Calls {
    /// List job types that are pinned to builds.
    /// Action `builds.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_build_pins(&self, query: &ListBuildPinsQuery) -> Result<BuildPins, ClientError> {
        self.call(Request::new("listBuildPins", "GET", "/v1/builds").query(query)?).await
    }
}

/// The query of [`Calls::list_build_pins`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListBuildPinsQuery {
    /// Tenant (default: the key's tenant, or all tenants).
    pub tenant: Option<String>,
}
