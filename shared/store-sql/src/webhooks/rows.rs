//! Rows of `webhook`, `webhook_secret` and `webhook_delivery`.

use domain::id::{DeliveryId, ExecutionId, JobId, SecretId, WebhookId};
use domain::names::{NodeId, TenantName};
use sea_orm::QueryResult;
use store::StoreResult;
use store::events::WaitingNode;
use store::webhooks::{
    DeliveryRecord, DeliveryStatus, SealedSecret, SecretPurpose, WebhookRecord, WokenNode,
};

use crate::rows::Row;

/// The stored name of a purpose.
pub(super) fn purpose_text(purpose: SecretPurpose) -> &'static str {
    match purpose {
        SecretPurpose::Signature => "signature",
        SecretPurpose::VerifyToken => "verify_token",
    }
}

fn purpose(text: &str) -> Option<SecretPurpose> {
    [SecretPurpose::Signature, SecretPurpose::VerifyToken]
        .into_iter()
        .find(|&purpose| purpose_text(purpose) == text)
}

/// Reads a row with the columns of `webhook`.
pub(super) fn webhook_of(row: &QueryResult) -> StoreResult<WebhookRecord> {
    let row = Row::new("webhook", row);
    Ok(WebhookRecord {
        id: WebhookId::from_uuid(row.uuid("id")?),
        tenant: row.name("tenant", TenantName::trusted)?,
        name: row.text("name")?,
        config: row.text("config")?,
        is_paused: row.long("is_paused")? != 0,
        version: row.long("version")?,
        created_at: row.instant("created_at")?,
        updated_at: row.instant("updated_at")?,
    })
}

/// Reads a row with the columns of `webhook_secret`.
pub(super) fn secret_of(row: &QueryResult) -> StoreResult<SealedSecret> {
    let row = Row::new("webhook_secret", row);
    Ok(SealedSecret {
        id: SecretId::from_uuid(row.uuid("id")?),
        purpose: row.parsed("purpose", purpose)?,
        key_id: row.text("key_id")?,
        sealed: row.bytes_or_null("sealed")?.ok_or_else(|| row.fault("sealed"))?,
        created_at: row.instant("created_at")?,
        expires_at: row.instant_or_null("expires_at")?,
    })
}

/// What stands for a status in the row. One that is held is an accepted one of which `held_at` says so.
pub(super) const fn stored_status(status: DeliveryStatus) -> &'static str {
    match status {
        DeliveryStatus::Held => DeliveryStatus::Accepted.as_str(),
        status => status.as_str(),
    }
}

/// Reads a row with the columns of `webhook_delivery`.
pub(crate) fn delivery_of(row: &QueryResult) -> StoreResult<DeliveryRecord> {
    let row = Row::new("webhook_delivery", row);
    let executions: Option<Vec<ExecutionId>> = row.json_or_null("executions")?;
    let status = match row.parsed("status", DeliveryStatus::parse)? {
        DeliveryStatus::Accepted if row.instant_or_null("held_at")?.is_some() => DeliveryStatus::Held,
        status => status,
    };
    Ok(DeliveryRecord {
        id: DeliveryId::from_uuid(row.uuid("id")?),
        webhook_id: WebhookId::from_uuid(row.uuid("webhook_id")?),
        tenant: row.name("tenant", TenantName::trusted)?,
        status,
        reason: row.text_or_null("reason")?,
        event_type: row.text_or_null("event_type")?,
        provider_event_id: row.text_or_null("provider_event_id")?,
        secret_id: row.uuid_or_null("secret_id")?.map(SecretId::from_uuid),
        job_id: row.uuid_or_null("job_id")?.map(JobId::from_uuid),
        duplicate_of: row.uuid_or_null("duplicate_of")?.map(DeliveryId::from_uuid),
        replay_of: row.uuid_or_null("replay_of")?.map(DeliveryId::from_uuid),
        remote_address: row.text_or_null("remote_address")?,
        method: row.text("method")?,
        target: row.text("target")?,
        headers: row.text("headers")?,
        body_bytes: u64::from(row.count("body_bytes")?),
        traceparent: row.text_or_null("traceparent")?,
        received_at: row.instant("received_at")?,
        processed_at: row.instant_or_null("processed_at")?,
        outcome: row.text_or_null("outcome")?,
        executions: executions.unwrap_or_default(),
        woke: woke_of(row)?,
        payload_dropped_at: row.instant_or_null("payload_dropped_at")?,
    })
}

/// A node that a delivery woke, as it is stored.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredNode {
    execution_id: ExecutionId,
    node_id: NodeId,
}

/// Nodes as they are stored: the elements of a JSON list, with commas between them.
pub(crate) fn woke_text<'a>(nodes: impl Iterator<Item = &'a WaitingNode>) -> String {
    let elements = nodes.map(|node| {
        let stored = StoredNode { execution_id: node.execution_id, node_id: node.node_id.clone() };
        serde_json::to_string(&stored).expect("ids are strings")
    });
    elements.collect::<Vec<String>>().join(",")
}

fn woke_of(row: Row<'_>) -> StoreResult<Vec<WokenNode>> {
    let Some(text) = row.text_or_null("woke")? else {
        return Ok(Vec::new());
    };
    let nodes: Vec<StoredNode> =
        serde_json::from_str(&format!("[{text}]")).map_err(|_error| row.fault("woke"))?;
    let woken = |node: StoredNode| WokenNode { execution_id: node.execution_id, node_id: node.node_id };
    Ok(nodes.into_iter().map(woken).collect())
}
