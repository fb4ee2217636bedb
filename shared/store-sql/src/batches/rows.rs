//! Rows of `batch` and `batch_item`.

use domain::bulk::BatchCounts;
use domain::id::BatchId;
use domain::names::TenantName;
use sea_orm::QueryResult;
use store::StoreResult;
use store::batches::{BatchItem, BatchRecord, BatchStatus, ItemOutcome, OpenItem};
use store::search::Place;

use crate::rows::Row;

/// Reads a batch.
pub(crate) fn batch_of(row: &QueryResult) -> StoreResult<BatchRecord> {
    let row = Row::new("batch", row);
    let count = |column| row.long(column).and_then(|long| u64::try_from(long).map_err(|_| row.fault(column)));
    let cursor = match (row.long_or_null("cursor_at")?, row.uuid_or_null("cursor_id")?) {
        (Some(at), Some(id)) => Some(Place { at, id }),
        _ => None,
    };
    Ok(BatchRecord {
        id: BatchId::from_uuid(row.uuid("id")?),
        tenant: row.name_or_null("tenant", TenantName::trusted)?,
        kind: row.text("kind")?,
        request: row.text("request")?,
        status: row.parsed("status", BatchStatus::parse)?,
        status_reason: row.text_or_null("status_reason")?,
        is_past_canary: row.count("is_past_canary")? > 0,
        counts: BatchCounts {
            total: count("total")?,
            done: count("done")?,
            failed: count("failed")?,
            skipped: count("skipped")?,
            pending: count("pending")?,
            ended_badly: count("ended_badly")?,
        },
        reason: row.text_or_null("reason")?,
        actor: row.text("actor")?,
        cursor,
        created_at: row.instant("created_at")?,
        updated_at: row.instant("updated_at")?,
        finished_at: row.instant_or_null("finished_at")?,
    })
}

/// Reads an object that waits.
pub(super) fn open_item_of(row: &QueryResult) -> StoreResult<OpenItem> {
    let row = Row::new("batch_item", row);
    Ok(OpenItem {
        position: row.long("position")?,
        object: row.uuid("object_id")?,
        result: row.uuid_or_null("result_id")?,
    })
}

/// Reads an object that has had its turn.
pub(super) fn item_of(row: &QueryResult) -> StoreResult<BatchItem> {
    let row = Row::new("batch_item", row);
    Ok(BatchItem {
        position: row.long("position")?,
        object: row.uuid("object_id")?,
        outcome: row.parsed("outcome", ItemOutcome::parse)?,
        at: row.instant("at")?,
        result: row.uuid_or_null("result_id")?,
        error: row.text_or_null("error")?,
    })
}
