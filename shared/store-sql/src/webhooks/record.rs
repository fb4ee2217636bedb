//! Keeping deliveries that ended at once.

use store::StoreResult;
use store::webhooks::NewDelivery;

use super::lines::{self, Line};
use crate::pool::{Pool, commit};

/// Stores deliveries with their bodies; those that are there already stay as they are.
pub(super) async fn record(pool: &Pool, deliveries: &[NewDelivery]) -> StoreResult<()> {
    if deliveries.is_empty() {
        return Ok(());
    }
    let line = |delivery| Line {
        delivery,
        status: delivery.status,
        job_id: None,
        duplicate_of: None,
        held_at: None,
    };
    let lines: Vec<Line<'_>> = deliveries.iter().map(line).collect();
    let all: Vec<&NewDelivery> = deliveries.iter().collect();
    let transaction = pool.begin().await?;
    lines::insert(&transaction, &lines).await?;
    lines::insert_bodies(&transaction, &all).await?;
    commit(transaction).await
}
