//! Calls of tenants. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{
    Attribute, AttributeDeclaration, Batch, EncryptionRequest, LimitChanges, Page, QueueLimits, Retention,
    RetentionRequest, Secret, SecretRequest, Tenant, TenantEncryption, TenantErasure, TenantQuotas,
    TenantQuotasRequest, TenantRequest, TenantUsage,
};
use crate::transport::{Request, segment};

impl Calls {
    /// List tenants by name.
    /// Action `tenants.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_tenants(&self, query: &ListTenantsQuery) -> Result<Page<Tenant>, ClientError> {
        self.call(Request::new("listTenants", "GET", "/v1/tenants").query(query)?).await
    }

    /// Create a tenant.
    /// A tenant is also created when a key that is not bound to a tenant first uses it.
    ///
    /// Action `tenants.create`: requires role `admin`.
    pub async fn create_tenant(&self, body: &TenantRequest) -> Result<Tenant, ClientError> {
        self.call(Request::new("createTenant", "POST", "/v1/tenants").keyed().body(body)?).await
    }

    /// Show the searchable attributes of a tenant.
    /// Action `attributes.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_tenant_attributes(
        &self,
        tenant: &str,
    ) -> Result<BTreeMap<String, Attribute>, ClientError> {
        self.call(Request::new(
            "getTenantAttributes",
            "GET",
            format!("/v1/tenants/{}/attributes", segment(tenant)),
        ))
        .await
    }

    /// Declare searchable attributes of a tenant.
    /// Attributes that are absent from the request are kept; null removes an attribute. Applies to jobs and executions
    /// created from now on.
    ///
    /// Action `attributes.declare`: requires role `admin` or `operator`.
    pub async fn set_tenant_attributes(
        &self,
        tenant: &str,
        body: &BTreeMap<String, AttributeDeclaration>,
    ) -> Result<BTreeMap<String, Attribute>, ClientError> {
        self.call(
            Request::new("setTenantAttributes", "PUT", format!("/v1/tenants/{}/attributes", segment(tenant)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Show the encryption of a tenant.
    /// Action `tenants.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_tenant_encryption(&self, tenant: &str) -> Result<TenantEncryption, ClientError> {
        self.call(Request::new(
            "getTenantEncryption",
            "GET",
            format!("/v1/tenants/{}/encryption", segment(tenant)),
        ))
        .await
    }

    /// Enable or disable the encryption of a tenant.
    /// Applies to payloads that are stored afterwards; other processes follow within a few seconds. Requires `secrets.keys`
    /// in the settings of all processes. Requires role `admin` and a key that is not bound to a tenant.
    ///
    /// Action `tenants.encrypt`: requires role `admin`.
    pub async fn set_tenant_encryption(
        &self,
        tenant: &str,
        body: &EncryptionRequest,
    ) -> Result<TenantEncryption, ClientError> {
        self.call(
            Request::new("setTenantEncryption", "PUT", format!("/v1/tenants/{}/encryption", segment(tenant)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Rotate the key of a tenant.
    /// New payloads are encrypted with a new key. Earlier keys are kept to decrypt existing payloads. Requires role `admin`
    /// and a key that is not bound to a tenant.
    ///
    /// Action `tenants.encrypt`: requires role `admin`.
    pub async fn rotate_tenant_encryption(&self, tenant: &str) -> Result<TenantEncryption, ClientError> {
        self.call(
            Request::new(
                "rotateTenantEncryption",
                "POST",
                format!("/v1/tenants/{}/encryption/rotate", segment(tenant)),
            )
            .keyed(),
        )
        .await
    }

    /// Erase a tenant.
    /// Removes its jobs, executions, payloads, dead letters, deliveries, logs, schedules, endpoints, triggers, workflows, keys,
    /// secrets and settings in the background; audit log entries stay. From now on its keys are invalid and new work is
    /// rejected with 409 `tenant_erasing`, until the bulk operation is completed (after ten seconds at the earliest);
    /// `done` counts removed rows. 409 `tenant_in_use` if jobs or executions are open and `cancelOpen` is not set. Requires
    /// role `admin` and a key that is not bound to a tenant.
    ///
    /// Action `tenants.erase`: requires role `admin`.
    pub async fn erase_tenant(&self, tenant: &str, body: &TenantErasure) -> Result<Batch, ClientError> {
        self.call(
            Request::new("eraseTenant", "POST", format!("/v1/tenants/{}/erase", segment(tenant)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Show the limits of a tenant.
    /// Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_tenant_limits(
        &self,
        tenant: &str,
    ) -> Result<BTreeMap<String, QueueLimits>, ClientError> {
        self.call(Request::new("getTenantLimits", "GET", format!("/v1/tenants/{}/limits", segment(tenant))))
            .await
    }

    /// Change the limits of a tenant.
    /// Action `limits.set`: requires role `admin` or `operator`.
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
    /// Action `tenants.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_quotas(&self, tenant: &str) -> Result<TenantQuotas, ClientError> {
        self.call(Request::new("getQuotas", "GET", format!("/v1/tenants/{}/quotas", segment(tenant)))).await
    }

    /// Change quotas of a tenant.
    /// Absent fields keep their value, null restores the default, and `"unlimited"` removes the limit. Other processes
    /// apply the change within a few seconds. Requires role `admin` and a key that is not bound to a tenant.
    ///
    /// Action `tenants.quota`: requires role `admin`.
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

    /// Show the retention of a tenant.
    /// Action `retention.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_tenant_retention(&self, tenant: &str) -> Result<Retention, ClientError> {
        self.call(Request::new(
            "getTenantRetention",
            "GET",
            format!("/v1/tenants/{}/retention", segment(tenant)),
        ))
        .await
    }

    /// Change the retention of a tenant.
    /// Absent fields keep their value; null restores the value for all tenants. `audit` and `alerts` cannot be set for one
    /// tenant. Requires role `admin` and a key that is not bound to a tenant.
    ///
    /// Action `retention.set`: requires role `admin`.
    pub async fn set_tenant_retention(
        &self,
        tenant: &str,
        body: &RetentionRequest,
    ) -> Result<Retention, ClientError> {
        self.call(
            Request::new("setTenantRetention", "PUT", format!("/v1/tenants/{}/retention", segment(tenant)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// List the secrets of a tenant by name.
    /// Values are never shown.
    ///
    /// Action `secrets.read`: requires role `admin` or `operator`.
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
    ///
    /// Action `secrets.write`: requires role `admin` or `operator`.
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
    ///
    /// Action `secrets.write`: requires role `admin` or `operator`.
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
    ///
    /// Action `tenants.read`: requires role `admin`, `operator`, `client` or `viewer`.
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
