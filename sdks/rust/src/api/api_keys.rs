//! Calls of api keys. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{ApiKey, ApiKeyRequest, KeyRotation, NewApiKey, Page};
use crate::transport::{Request, segment};

impl Calls {
    /// List API keys without their secrets, newest first.
    /// Action `keys.read`: requires role `admin`.
    pub async fn list_keys(&self, query: &ListKeysQuery) -> Result<Page<ApiKey>, ClientError> {
        self.call(Request::new("listKeys", "GET", "/v1/api-keys").query(query)?).await
    }

    /// Create an API key.
    /// The secret is shown only in this response.
    ///
    /// Action `keys.write`: requires role `admin`.
    pub async fn create_key(&self, body: &ApiKeyRequest) -> Result<NewApiKey, ClientError> {
        self.call(Request::new("createKey", "POST", "/v1/api-keys").keyed().body(body)?).await
    }

    /// Revoke an API key.
    /// Action `keys.write`: requires role `admin`.
    pub async fn revoke_key(&self, id: &str) -> Result<(), ClientError> {
        self.call_empty(Request::new("revokeKey", "DELETE", format!("/v1/api-keys/{}", segment(id))).keyed())
            .await
    }

    /// Rotate the secret of an API key.
    /// The secret is shown only in this response. ID, role and scopes do not change. The previous secret stays valid for
    /// `overlap`.
    ///
    /// Action `keys.write`: requires role `admin`.
    pub async fn rotate_key(&self, id: &str, body: &KeyRotation) -> Result<NewApiKey, ClientError> {
        self.call(
            Request::new("rotateKey", "POST", format!("/v1/api-keys/{}/rotate", segment(id)))
                .keyed()
                .body(body)?,
        )
        .await
    }
}

/// The query of [`Calls::list_keys`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListKeysQuery {
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}
