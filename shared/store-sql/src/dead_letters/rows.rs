//! Rows of `dead_letter`.

use domain::failure::DeadReason;
use domain::id::{DeadLetterId, ExecutionId, JobId};
use domain::names::{JobType, NodeId, TenantName};
use store::StoreResult;
use store::dead_letters::{DeadLetterRecord, DeadLetterStatus};

use crate::payloads;
use crate::rows::Row;

/// Reads a dead letter without its attempts.
pub(crate) fn record_of(row: Row<'_>) -> StoreResult<DeadLetterRecord> {
    Ok(DeadLetterRecord {
        id: DeadLetterId::from_uuid(row.uuid("id")?),
        job_id: JobId::from_uuid(row.uuid("job_id")?),
        queue: row.queue("queue")?,
        tier: row.tier("tier")?,
        job_type: row.name("job_type", JobType::trusted)?,
        tenant: row.name("tenant", TenantName::trusted)?,
        workflow: row.workflow()?,
        execution_id: row.uuid_or_null("execution_id")?.map(ExecutionId::from_uuid),
        node_id: row.name_or_null("node_id", NodeId::trusted)?,
        status: row.parsed("status", DeadLetterStatus::parse)?,
        reason: row.parsed("reason", DeadReason::parse)?,
        error: row.error_or_null("error")?.ok_or_else(|| row.fault("error"))?,
        fingerprint: row.text("fingerprint")?,
        data: payloads::held(row.text("data")?),
        attempt_count: row.count("attempt_count")?,
        attempts: Vec::new(),
        died_at: row.instant("died_at")?,
        resolved_at: row.instant_or_null("resolved_at")?,
        archive_reason: row.text_or_null("archive_reason")?,
    })
}
