//! Models of tenants. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::json::Json;
use crate::timestamp::Timestamp;

/// A change of the encryption of a tenant.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EncryptionRequest {
    /// Whether payloads are encrypted from now on.
    pub enabled: bool,
}

/// A key for payloads, without the key itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PayloadKey {
    /// `createdAt`.
    pub created_at: Timestamp,
    /// Whether new payloads are encrypted with it. Other keys only decrypt.
    pub current: bool,
    /// `id`.
    pub id: String,
    /// Name of the key in `secrets.keys` that encrypts this key.
    pub sealed_with: String,
    /// Whether the responding server has that key.
    pub usable: bool,
}

/// A figure for the last hour and the last day, rounded up to whole minutes and hours.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RecentFigure {
    /// Last hour.
    #[serde(rename = "1h")]
    pub in_1h: i64,
    /// Last day.
    #[serde(rename = "24h")]
    pub in_24h: i64,
}

/// A secret without its value.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Secret {
    /// `createdAt`.
    pub created_at: Timestamp,
    /// Hosts that may receive the secret.
    pub hosts: Vec<String>,
    /// `name`.
    pub name: String,
    /// Source of the value: `store`, `environment`, `file` or `vault`.
    pub provider: String,
    /// Name of the environment variable or file, or path in the secret manager.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// `tenant`.
    pub tenant: String,
    /// When its value, source or hosts last changed.
    pub updated_at: Timestamp,
}

/// A secret to store. One of `value`, `environment`, `file` and `vault`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SecretRequest {
    /// Environment variable of the server, `TRUNKLINE_SECRET_…`. For keys that are not bound to a tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// File in the directory `secrets.directory`. For keys that are not bound to a tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Hosts that may receive the secret: names, `*.example.com` or addresses.
    pub hosts: Vec<String>,
    /// The value, encrypted at rest and never shown again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Path and field in the secret manager of the settings, such as `apps/stripe#token`. For keys that are not bound to a
    /// tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vault: Option<String>,
}

/// A tenant.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Tenant {
    /// When it was first used. Absent in the response to its creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// `name`.
    pub name: String,
}

/// The encryption of a tenant.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TenantEncryption {
    /// Whether payloads are encrypted from now on. Payloads that are already stored do not change.
    pub enabled: bool,
    /// Keys of the tenant, newest first.
    pub keys: Vec<PayloadKey>,
}

/// A tenant to erase.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TenantErasure {
    /// Whether unfinished jobs and executions are cancelled, without compensation (default false).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel_open: Option<bool>,
    /// The name of the tenant, repeated as a confirmation.
    pub confirm: String,
}

/// The effective quotas.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TenantQuotas {
    /// `apiKeys`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_keys: Option<i64>,
    /// `definitionBytes`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition_bytes: Option<i64>,
    /// `deliveryBytes`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery_bytes: Option<i64>,
    /// `historyRows`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_rows: Option<i64>,
    /// Quota of each API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_keys: Option<i64>,
    /// `logBytes`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_bytes: Option<i64>,
    /// `openExecutions`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_executions: Option<i64>,
    /// `openJobs`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_jobs: Option<i64>,
    /// `payloadBytes`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload_bytes: Option<i64>,
    /// `schedules`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedules: Option<i64>,
    /// `waitingStartBytes`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_start_bytes: Option<i64>,
    /// `webhooks`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhooks: Option<i64>,
    /// `workflowVersions`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_versions: Option<i64>,
}

/// Quotas to change: a number, `"unlimited"`, or null for the default.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TenantQuotasRequest {
    /// API keys, at most 1,000,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_keys: Option<Json>,
    /// Bytes of workflow versions, schedule inputs and webhook configurations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition_bytes: Option<Json>,
    /// Bytes of deliveries that are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery_bytes: Option<Json>,
    /// Rows of history that are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_rows: Option<Json>,
    /// Idempotency keys of each API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_keys: Option<Json>,
    /// Bytes of stored log lines of jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_bytes: Option<Json>,
    /// Executions that have not ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_executions: Option<Json>,
    /// Jobs that have not ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_jobs: Option<Json>,
    /// Bytes of payloads that are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload_bytes: Option<Json>,
    /// Schedules, at most 1,000,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedules: Option<Json>,
    /// Bytes of waiting starts of triggers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_start_bytes: Option<Json>,
    /// Webhooks, at most 1,000,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhooks: Option<Json>,
    /// Workflow versions, at most 1,000,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_versions: Option<Json>,
}

/// A tenant to create.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TenantRequest {
    /// The name, unique.
    pub name: String,
}

/// The usage of a tenant.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TenantUsage {
    /// API keys that are bound to the tenant, including revoked ones.
    pub api_keys: UsageFigure,
    /// When the usage was counted. A large `historyRows` is counted again after at most a minute.
    pub as_of: Timestamp,
    /// Bytes of workflow versions, schedule inputs and webhook configurations.
    pub definition_bytes: UsageFigure,
    /// Bytes of stored webhook deliveries: each counts its body plus 4 KiB.
    pub delivery_bytes: UsageFigure,
    /// Finished jobs and executions within their retention.
    pub history_rows: UsageFigure,
    /// Responses stored for idempotency keys.
    pub idempotency_keys: UsageFigure,
    /// Bytes of stored log lines of jobs: each counts its message, its fields and 128 bytes.
    pub log_bytes: UsageFigure,
    /// Unfinished executions.
    pub open_executions: UsageFigure,
    /// Unfinished jobs.
    pub open_jobs: UsageFigure,
    /// Bytes of payloads of unfinished jobs and inputs of unfinished executions.
    pub payload_bytes: UsageFigure,
    /// Schedules.
    pub schedules: UsageFigure,
    /// Starts of jobs on `workflow-node`, retries included.
    pub starts: RecentFigure,
    /// `tenant`.
    pub tenant: String,
    /// Bytes of waiting starts of triggers: inputs and gathered events, and 1 KiB for each start.
    pub waiting_start_bytes: UsageFigure,
    /// Webhooks.
    pub webhooks: UsageFigure,
    /// Seconds that attempts of jobs on `workflow-node` ran, by when they ended.
    pub worker_seconds: RecentFigure,
    /// Workflow versions of the tenant, without shared workflows.
    pub workflow_versions: UsageFigure,
}

/// Usage and quota of a resource.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UsageFigure {
    /// False while a large `historyRows` is still being counted, and if `logBytes` takes long to count: `used` is a lower
    /// bound then.
    pub exact: bool,
    /// Quota; null is unlimited. For idempotency keys, the quota applies to each API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota: Option<i64>,
    /// Current usage.
    pub used: i64,
}
