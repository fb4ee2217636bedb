//! Queues: their modes. What is going on in them is in [`figures`].

mod count;
mod counted;
mod figures;
mod load;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::queue::QueueName;
use domain::scaling::QueueLoad;
use domain::time::Timestamp;
use store::StoreResult;
use store::queues::{QueueFigures, QueueMode, QueueStore};

use crate::pool::commit_change;
use crate::sql::Sql;
use crate::store::SqlStore;
use load::modes;

pub(crate) use counted::TenantFigures;

// The epoch moves with the mode: a claim that starts after the commit sees it in its lock statement.
static SET_MODE: Sql = Sql::new(
    "set_queue_mode",
    "UPDATE queue_claim SET mode = $2, epoch = epoch + 1, nonce_before = nonce, nonce = {nonce}, changed_at = $3
     WHERE queue = $1",
);

#[async_trait]
impl QueueStore for SqlStore {
    async fn queue_figures(
        &self,
        scope: &TenantScope,
        queue: QueueName,
        now: Timestamp,
    ) -> StoreResult<QueueFigures> {
        figures::figures(self, scope, queue, now, figures::SHARED_FROM).await
    }

    async fn renew_queue_figures(&self, queue: QueueName, now: Timestamp) -> StoreResult<()> {
        figures::renew(self, queue, now, figures::SHARED_FROM).await
    }

    async fn queue_load(&self, queue: QueueName, now: Timestamp) -> StoreResult<QueueLoad> {
        self.pool().listed(load::load(self, queue, now)).await
    }

    async fn queue_modes(&self) -> StoreResult<Vec<(QueueName, QueueMode)>> {
        modes(self).await
    }

    async fn set_queue_mode(&self, queue: QueueName, mode: QueueMode, now: Timestamp) -> StoreResult<()> {
        let values = vec![queue.code().into(), mode.as_str().into(), now.0.into()];
        let transaction = self.pool().begin().await?;
        SET_MODE.run(&transaction, values).await?;
        commit_change(transaction).await
    }
}
