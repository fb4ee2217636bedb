//! What tenants use, and their quotas.

use domain::quota::{QuotaKind, Quotas};
use domain::time::Timestamp;
use engine::{QuotaEdit, UsageView};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::problem::{ApiResult, Problem};

/// How much there is of something, and how much there may be.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UsageFigure)]
pub(crate) struct UsageFigureResponse {
    /// How much there is.
    used: u64,
    /// How much there may be; null is unlimited. Of idempotency keys it is for each API key.
    quota: Option<u64>,
}

/// What a tenant uses.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TenantUsage)]
pub(crate) struct UsageResponse {
    tenant: String,
    /// When it was counted.
    #[schema(value_type = String, format = DateTime)]
    as_of: Timestamp,
    /// Jobs that have not ended.
    open_jobs: UsageFigureResponse,
    /// Executions that have not ended.
    open_executions: UsageFigureResponse,
    /// Bytes of the data of open jobs and of the inputs of open executions.
    payload_bytes: UsageFigureResponse,
    /// Jobs and executions that have ended and are kept.
    history_rows: UsageFigureResponse,
    /// Bytes of deliveries of webhooks that are kept, with 4 KiB for each beside its body.
    delivery_bytes: UsageFigureResponse,
    /// Answers kept for repeats.
    idempotency_keys: UsageFigureResponse,
}

impl From<UsageView> for UsageResponse {
    fn from(usage: UsageView) -> Self {
        let figure = |kind: QuotaKind| {
            let line = usage.lines.iter().find(|line| line.kind == kind);
            line.map_or_else(UsageFigureResponse::default, |line| UsageFigureResponse {
                used: line.used,
                quota: line.quota,
            })
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
        }
    }
}

/// The quotas in force.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TenantQuotas)]
pub(crate) struct QuotasResponse {
    open_jobs: Option<u64>,
    open_executions: Option<u64>,
    payload_bytes: Option<u64>,
    history_rows: Option<u64>,
    delivery_bytes: Option<u64>,
    /// For each API key.
    idempotency_keys: Option<u64>,
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
        }
    }
}

/// Quotas to change: a number, `"unlimited"`, or null for the default.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schema(as = TenantQuotasRequest)]
pub(crate) struct QuotasBody {
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<Object>)]
    open_jobs: Option<Value>,
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<Object>)]
    open_executions: Option<Value>,
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<Object>)]
    payload_bytes: Option<Value>,
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<Object>)]
    history_rows: Option<Value>,
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<Object>)]
    delivery_bytes: Option<Value>,
    #[serde(deserialize_with = "there")]
    #[schema(value_type = Option<Object>)]
    idempotency_keys: Option<Value>,
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
