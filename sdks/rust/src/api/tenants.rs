//! Calls of tenants. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{
    LimitChanges, Page, QueueLimits, Secret, SecretRequest, Tenant, TenantQuotas, TenantQuotasRequest,
    TenantRequest, TenantUsage,
};
use crate::transport::{Request, segment};

impl Calls {
    /// List tenants by name.
    pub async fn list_tenants(&self, query: &ListTenantsQuery) -> Result<Page<Tenant>, ClientError> {
        self.call(Request::new("listTenants", "GET", "/v1/tenants").query(query)?).await
    }

    /// Create a tenant.
    /// The first use of a tenant with a key that is not bound to a tenant also creates it.
    pub async fn create_tenant(&self, body: &TenantRequest) -> Result<Tenant, ClientError> {
        self.call(Request::new("createTenant", "POST", "/v1/tenants").keyed().body(body)?).await
    }

    /// Show the limits of a tenant.
    pub async fn get_tenant_limits(
        &self,
        tenant: &str,
    ) -> Result<BTreeMap<String, QueueLimits>, ClientError> {
        self.call(Request::new("getTenantLimits", "GET", format!("/v1/tenants/{}/limits", segment(tenant))))
            .await
    }

    /// Change the limits of a tenant.
    pub async fn set_tenant_limits(
        &self,
        tenant: &str,
        body: &BTreeMap<String, LimitChanges>,
    ) -> Result<BTreeMap<String, QueueLimits>, ClientError> {
        self.call(
            Request::new("setTenantLimits", "PUT", format!("/v1/tenants/{}/limits", segment(tenant)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Show the quotas of a tenant.
    pub async fn get_quotas(&self, tenant: &str) -> Result<TenantQuotas, ClientError> {
        self.call(Request::new("getQuotas", "GET", format!("/v1/tenants/{}/quotas", segment(tenant)))).await
    }

    /// Change quotas of a tenant.
    /// Absent fields keep their value, null restores the default, and `"unlimited"` removes the limit. Other processes
    /// apply the change within a few seconds. Requires role `admin` and a key that is not bound to a tenant.
    pub async fn set_quotas(
        &self,
        tenant: &str,
        body: &TenantQuotasRequest,
    ) -> Result<TenantQuotas, ClientError> {
        self.call(
            Request::new("setQuotas", "PUT", format!("/v1/tenants/{}/quotas", segment(tenant)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// List the secrets of a tenant by name.
    /// Values are never shown.
    pub async fn list_secrets(
        &self,
        tenant: &str,
        query: &ListSecretsQuery,
    ) -> Result<Page<Secret>, ClientError> {
        self.call(
            Request::new("listSecrets", "GET", format!("/v1/tenants/{}/secrets", segment(tenant)))
                .query(query)?,
        )
        .await
    }

    /// Store a secret.
    /// Replaces a secret of the same name; later requests use the new value. Workflows reference it as `${secrets.name}` in
    /// the request headers of an `HTTP` node. It is sent only to its allowed hosts, and never appears in jobs, history,
    /// errors or lists.
    pub async fn put_secret(
        &self,
        tenant: &str,
        name: &str,
        body: &SecretRequest,
    ) -> Result<Secret, ClientError> {
        self.call(
            Request::new(
                "putSecret",
                "PUT",
                format!("/v1/tenants/{}/secrets/{}", segment(tenant), segment(name)),
            )
            .keyed()
            .body(body)?,
        )
        .await
    }

    /// Delete a secret.
    /// Later requests that reference it fail.
    pub async fn delete_secret(&self, tenant: &str, name: &str) -> Result<(), ClientError> {
        self.call_empty(
            Request::new(
                "deleteSecret",
                "DELETE",
                format!("/v1/tenants/{}/secrets/{}", segment(tenant), segment(name)),
            )
            .keyed(),
        )
        .await
    }

    /// Show the usage of a tenant.
    /// Counted at request time. Requests beyond a quota get 429 `quota_exceeded`; work created by running executions is
    /// never rejected.
    pub async fn get_usage(&self, tenant: &str) -> Result<TenantUsage, ClientError> {
        self.call(Request::new("getUsage", "GET", format!("/v1/tenants/{}/usage", segment(tenant)))).await
    }
}

/// The query of [`Calls::list_tenants`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListTenantsQuery {
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

/// The query of [`Calls::list_secrets`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListSecretsQuery {
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}
