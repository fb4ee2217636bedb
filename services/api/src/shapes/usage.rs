//! What tenants use, and their quotas.

use domain::quota::{QuotaKind, Quotas};
use domain::time::Timestamp;
use engine::{QuotaEdit, UsageView};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::problem::{ApiResult, Problem};

/// Usage and quota of a resource.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UsageFigure)]
pub(crate) struct UsageFigureResponse {
    /// Current usage.
    used: u64,
    /// False while a large `historyRows` is still being counted, and if `logBytes` takes long to count: `used` is a lower
    /// bound then.
    exact: bool,
    /// Quota; null is unlimited. For idempotency keys, the quota applies to each API key.
    quota: Option<u64>,
}

/// The usage of a tenant.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TenantUsage)]
pub(crate) struct UsageResponse {
    tenant: String,
    /// When the usage was counted. A large `historyRows` is counted again after at most a minute.
    #[schema(value_type = String, format = DateTime)]
    as_of: Timestamp,
    /// Unfinished jobs.
    open_jobs: UsageFigureResponse,
    /// Unfinished executions.
    open_executions: UsageFigureResponse,
    /// Bytes of payloads of unfinished jobs and inputs of unfinished executions.
    payload_bytes: UsageFigureResponse,
    /// Finished jobs and executions within their retention.
    history_rows: UsageFigureResponse,
    /// Bytes of stored webhook deliveries: each counts its body plus 4 KiB.
    delivery_bytes: UsageFigureResponse,
    /// Responses stored for idempotency keys.
    idempotency_keys: UsageFigureResponse,
    /// Workflow versions of the tenant, without shared workflows.
    workflow_versions: UsageFigureResponse,
    /// Schedules.
    schedules: UsageFigureResponse,
    /// Webhooks.
    webhooks: UsageFigureResponse,
    /// API keys that are bound to the tenant, including revoked ones.
    api_keys: UsageFigureResponse,
    /// Bytes of workflow versions, schedule inputs and webhook configurations.
    definition_bytes: UsageFigureResponse,
    /// Bytes of stored log lines of jobs: each counts its message, its fields and 128 bytes.
    log_bytes: UsageFigureResponse,
    /// Bytes of waiting starts of triggers: inputs and gathered events, and 1 KiB for each start.
    waiting_start_bytes: UsageFigureResponse,
    /// Seconds that attempts of jobs on `workflow-node` ran, by when they ended.
    worker_seconds: RecentResponse,
    /// Starts of jobs on `workflow-node`, retries included.
    starts: RecentResponse,
}

/// A figure for the last hour and the last day, rounded up to whole minutes and hours.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecentFigure)]
pub(crate) struct RecentResponse {
    /// Last hour.
    #[serde(rename = "1h")]
    hour: u64,
    /// Last day.
    #[serde(rename = "24h")]
    day: u64,
}

impl From<UsageView> for UsageResponse {
    fn from(usage: UsageView) -> Self {
        let recent = |(hour, day)| RecentResponse { hour, day };
        let figure = |kind: QuotaKind| {
            let line = usage.lines.iter().find(|line| line.kind == kind);
            UsageFigureResponse {
                used: line.map_or(0, |line| line.used),
                exact: line.is_none_or(|line| line.is_exact),
                quota: line.and_then(|line| line.quota),
            }
        };
        Self {
            tenant: usage.tenant.to_string(),
            as_of: usage.as_of,
            open_jobs: figure(QuotaKind::OpenJobs),
            open_executions: figure(QuotaKind::OpenExecutions),
            payload_bytes: figure(QuotaKind::PayloadBytes),
            history_rows: figure(QuotaKind::HistoryRows),
            delivery_bytes: figure(QuotaKind::DeliveryBytes),
            idempotency_keys: figure(QuotaKind::IdempotencyKeys),
            workflow_versions: figure(QuotaKind::WorkflowVersions),
            schedules: figure(QuotaKind::Schedules),
            webhooks: figure(QuotaKind::Webhooks),
            api_keys: figure(QuotaKind::ApiKeys),
            definition_bytes: figure(QuotaKind::DefinitionBytes),
            log_bytes: figure(QuotaKind::LogBytes),
            waiting_start_bytes: figure(QuotaKind::WaitingStartBytes),
            worker_seconds: recent(usage.work.worker_seconds),
            starts: recent(usage.work.starts),
        }
    }
}

/// The effective quotas.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TenantQuotas)]
pub(crate) struct QuotasResponse {
    open_jobs: Option<u64>,
    open_executions: Option<u64>,
    payload_bytes: Option<u64>,
    history_rows: Option<u64>,
    delivery_bytes: Option<u64>,
    /// Quota of each API key.
    idempotency_keys: Option<u64>,
    workflow_versions: Option<u64>,
    schedules: Option<u64>,
    webhooks: Option<u64>,
    api_keys: Option<u64>,
    definition_bytes: Option<u64>,
    log_bytes: Option<u64>,
    waiting_start_bytes: Option<u64>,
}

impl From<Quotas> for QuotasResponse {
    fn from(quotas: Quotas) -> Self {
        Self {
            open_jobs: quotas.of(QuotaKind::OpenJobs),
            open_executions: quotas.of(QuotaKind::OpenExecutions),
            payload_bytes: quotas.of(QuotaKind::PayloadBytes),
            history_rows: quotas.of(QuotaKind::HistoryRows),
            delivery_bytes: quotas.of(QuotaKind::DeliveryBytes),
            idempotency_keys: quotas.of(QuotaKind::IdempotencyKeys),
            workflow_versions: quotas.of(QuotaKind::WorkflowVersions),
            schedules: quotas.of(QuotaKind::Schedules),
            webhooks: quotas.of(QuotaKind::Webhooks),
            api_keys: quotas.of(QuotaKind::ApiKeys),
            definition_bytes: quotas.of(QuotaKind::DefinitionBytes),
            log_bytes: quotas.of(QuotaKind::LogBytes),
            waiting_start_bytes: quotas.of(QuotaKind::WaitingStartBytes),
        }
    }
}

/// Quotas to change: a number, `"unlimited"`, or null for the default.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schema(as = TenantQuotasRequest)]
pub(crate) struct QuotasBody {
    /// Jobs that have not ended.
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<serde_json::Value>)]
    open_jobs: Option<Value>,
    /// Executions that have not ended.
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<serde_json::Value>)]
    open_executions: Option<Value>,
    /// Bytes of payloads that are kept.
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<serde_json::Value>)]
    payload_bytes: Option<Value>,
    /// Rows of history that are kept.
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<serde_json::Value>)]
    history_rows: Option<Value>,
    /// Bytes of deliveries that are kept.
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<serde_json::Value>)]
    delivery_bytes: Option<Value>,
    /// Idempotency keys of each API key.
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<serde_json::Value>)]
    idempotency_keys: Option<Value>,
    /// Workflow versions, at most 1,000,000.
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<serde_json::Value>)]
    workflow_versions: Option<Value>,
    /// Schedules, at most 1,000,000.
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<serde_json::Value>)]
    schedules: Option<Value>,
    /// Webhooks, at most 1,000,000.
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<serde_json::Value>)]
    webhooks: Option<Value>,
    /// API keys, at most 1,000,000.
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<serde_json::Value>)]
    api_keys: Option<Value>,
    /// Bytes of workflow versions, schedule inputs and webhook configurations.
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<serde_json::Value>)]
    definition_bytes: Option<Value>,
    /// Bytes of stored log lines of jobs.
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<serde_json::Value>)]
    log_bytes: Option<Value>,
    /// Bytes of waiting starts of triggers.
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<serde_json::Value>)]
    waiting_start_bytes: Option<Value>,
}

/// A value that is there, null too.
fn there<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl QuotasBody {
    /// The changes.
    pub(crate) fn into_edits(self) -> ApiResult<Vec<QuotaEdit>> {
        let all = [
            (QuotaKind::OpenJobs, self.open_jobs),
            (QuotaKind::OpenExecutions, self.open_executions),
            (QuotaKind::PayloadBytes, self.payload_bytes),
            (QuotaKind::HistoryRows, self.history_rows),
            (QuotaKind::DeliveryBytes, self.delivery_bytes),
            (QuotaKind::IdempotencyKeys, self.idempotency_keys),
            (QuotaKind::WorkflowVersions, self.workflow_versions),
            (QuotaKind::Schedules, self.schedules),
            (QuotaKind::Webhooks, self.webhooks),
            (QuotaKind::ApiKeys, self.api_keys),
            (QuotaKind::DefinitionBytes, self.definition_bytes),
            (QuotaKind::LogBytes, self.log_bytes),
            (QuotaKind::WaitingStartBytes, self.waiting_start_bytes),
        ];
        let given = all.into_iter().filter_map(|(kind, value)| Some((kind, value?)));
        given.map(|(kind, value)| edit_of(kind, &value)).collect()
    }
}

fn edit_of(kind: QuotaKind, value: &Value) -> ApiResult<QuotaEdit> {
    let quota = match value {
        Value::Null => None,
        Value::String(text) if text == "unlimited" => Some(None),
        other => Some(Some(other.as_u64().ok_or_else(|| {
            let pointer = format!("/{}", kind.as_str());
            Problem::fault(pointer, "expected a whole number, \"unlimited\", or null for the default")
        })?)),
    };
    Ok(QuotaEdit { kind, quota })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_stays_and_null_is_the_default() {
        let body: QuotasBody =
            serde_json::from_str(r#"{"openJobs": 7, "historyRows": "unlimited", "payloadBytes": null}"#)
                .expect("it fits");
        let edits = body.into_edits().expect("they are valid");
        let edits: Vec<_> = edits.iter().map(|edit| (edit.kind, edit.quota)).collect();
        let expected = [
            (QuotaKind::OpenJobs, Some(Some(7))),
            (QuotaKind::PayloadBytes, None),
            (QuotaKind::HistoryRows, Some(None)),
        ];
        assert_eq!(edits, expected);
        for wrong in ["-1", "1.5", "\"7\"", "true", "[]"] {
            let body: QuotasBody =
                serde_json::from_str(&format!(r#"{{"openJobs": {wrong}}}"#)).expect("JSON");
            assert!(body.into_edits().is_err(), "{wrong}");
        }
    }
}
