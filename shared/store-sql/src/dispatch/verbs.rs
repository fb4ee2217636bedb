//! The port's operations on dispatch, each retried where that is safe.

use async_trait::async_trait;
use domain::dispatch::ShardView;
use domain::names::{JobType, WorkerId};
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;
use store::dispatch::{
    Acceptance, Accepted, DispatchNode, DispatchStore, DispatchView, Joined, RelayView, StandingOffer,
};
use store::jobs::{ClaimedJob, LeaseAnswer, LeaseRef};
use uuid::Uuid;

use super::{nodes, shards};
use crate::SqlStore;
use crate::jobs::offers;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl DispatchStore for SqlStore {
    async fn join_dispatch(&self, node: &DispatchNode, now: Timestamp) -> StoreResult<Joined> {
        with_retry(RetryBudget::repeatable(), || nodes::join(self, node, now)).await
    }

    async fn leave_dispatch(&self, node: Uuid, _now: Timestamp) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || shards::release_all(self, node)).await?;
        with_retry(RetryBudget::repeatable(), || nodes::remove(self, node)).await
    }

    async fn dispatch_view(&self, now: Timestamp) -> StoreResult<DispatchView> {
        let on = self.pool().read();
        let (mode, is_draining) = nodes::state(on).await?;
        let (nodes, shards) = (nodes::nodes(on, now).await?, shards::all(on).await?);
        Ok(DispatchView { mode, is_draining, nodes, shards, offers: offers::figures(self).await? })
    }

    async fn relay_view(&self, now: Timestamp) -> StoreResult<RelayView> {
        let on = self.pool().read();
        let (_, is_draining) = nodes::state(on).await?;
        let relays = nodes::nodes(on, now).await?.iter().filter(|node| node.relays).count();
        Ok(RelayView { is_draining, relays, shards: shards::all(on).await? })
    }

    async fn set_dispatch_draining(&self, is_draining: bool, now: Timestamp) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || nodes::set_draining(self, is_draining, now)).await
    }

    async fn lease_shards(
        &self,
        owner: Uuid,
        numbers: &[u32],
        until: Timestamp,
        now: Timestamp,
    ) -> StoreResult<Vec<ShardView>> {
        with_retry(RetryBudget::repeatable(), || shards::lease(self, owner, numbers, (until, now))).await
    }

    async fn release_shards(&self, owner: Uuid, numbers: &[u32]) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || shards::release(self, owner, numbers)).await
    }

    async fn claimable_types(&self, queue: QueueName, lanes_max: u32) -> StoreResult<Vec<JobType>> {
        offers::claimable_types(self, queue, lanes_max).await
    }

    async fn standing_offers(&self, holders: &[WorkerId]) -> StoreResult<Vec<StandingOffer>> {
        offers::standing(self, holders).await
    }

    async fn offered_jobs(&self, leases: &[LeaseRef]) -> StoreResult<Vec<ClaimedJob>> {
        // Those that cannot be opened are not offered: their leases run out.
        self.openable("a job to offer", offers::jobs(self, leases).await?).await
    }

    async fn keep_offers(
        &self,
        leases: &[LeaseRef],
        span: DurationMs,
        now: Timestamp,
    ) -> StoreResult<Vec<LeaseAnswer<Timestamp>>> {
        offers::keep(self, leases, span, now).await
    }

    async fn accept_offers(
        &self,
        items: &[Acceptance<'_>],
        lease: DurationMs,
        now: Timestamp,
    ) -> StoreResult<Vec<Accepted>> {
        let mut accepted = offers::accept(self, items, lease, now).await?;
        let progress = accepted.iter_mut().filter_map(|accepted| {
            let (lease, _) = accepted.lease?;
            Some((lease.id, &mut accepted.progress))
        });
        self.open_progress(progress.collect()).await?;
        Ok(accepted)
    }
}
