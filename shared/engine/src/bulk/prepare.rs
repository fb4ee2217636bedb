//! List the objects of a batch, a page in each commit, so that another process goes on where one died.

use domain::access::TenantScope;
use store::batches::{BatchRecord, BatchStatus};
use store::search::SearchPage;
use uuid::Uuid;

use super::request::StoredBulk;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::fail_points;

/// How many objects are listed at once.
const PAGE: u32 = 500;

impl Engine {
    /// Lists what is left to list. Answers the batch as it is then; `None` where it is another's or has ended.
    pub(super) async fn prepare_batch(
        &self,
        mut batch: BatchRecord,
        stored: &StoredBulk,
    ) -> Result<Option<BatchRecord>, EngineError> {
        let scope = batch.tenant.clone().map_or(TenantScope::All, TenantScope::One);
        while batch.status == BatchStatus::Preparing {
            if self.shutdown_started() {
                return Ok(None);
            }
            let Some(search) = &stored.search else {
                // The process died before it had stored the objects that were named; nobody was answered.
                let to = (BatchStatus::Failed, Some("error"));
                self.store().move_batch(batch.id, &BatchStatus::OPEN, to, self.now()).await?;
                return Ok(None);
            };
            let left = stored.pace.limit.map_or(u64::MAX, |limit| limit.saturating_sub(batch.counts.total));
            let limit = PAGE.min(u32::try_from(left).unwrap_or(PAGE)).max(1);
            let page = SearchPage { limit, after: batch.cursor };
            let found = self.store().search(&scope, search, page).await?;
            let ids: Vec<Uuid> = found.places.iter().map(|place| place.id).collect();
            let next = found.next.filter(|_| (ids.len() as u64) < left);
            let added =
                self.store().add_batch_items((batch.id, self.process()), &ids, next, self.now()).await?;
            fail_points::reach("batch-prepared");
            match added {
                Some(added) => batch = added,
                None => return Ok(None),
            }
        }
        Ok((!batch.status.is_ended() || batch.counts.pending > 0).then_some(batch))
    }
}
