//! Knowing that there is nothing to do without asking for it.
//!
//! A file of SQLite has one process, which counts its writes. What a read did not find is not there before
//! something is written or a time comes, so that the ticks of an idle server need not ask again. On PostgreSQL others
//! write, too, and every tick asks.

use std::time::{Duration, Instant};

use domain::time::Timestamp;
use parking_lot::Mutex;

use crate::pool::Pool;
use crate::writes::Mark;

/// For how long an answer is believed at most: nothing keeps people from changing the file by hand.
const BELIEVED_FOR: Duration = Duration::from_secs(5);

/// What is known since a read found nothing to do.
#[derive(Debug, Default)]
pub(crate) struct EmptyReadCache(Mutex<Option<Known>>);

#[derive(Debug, Clone, Copy)]
struct Known {
    mark: Mark,
    /// When something is to be done although nothing is written.
    until: Timestamp,
    believed_until: Instant,
}

impl EmptyReadCache {
    /// Whether there is still nothing to do.
    pub(crate) fn is_still_empty(&self, pool: &Pool, now: Timestamp) -> bool {
        let known = *self.0.lock();
        known.is_some_and(|known| {
            now < known.until && Instant::now() < known.believed_until && pool.is_unchanged_since(known.mark)
        })
    }

    /// Forgets it.
    pub(crate) fn forget(&self) {
        *self.0.lock() = None;
    }

    /// Records that a read found nothing that is to be done before `until`. `mark` was taken before it.
    pub(crate) fn record(&self, mark: Option<Mark>, until: Timestamp) {
        let believed_until = Instant::now() + BELIEVED_FOR;
        *self.0.lock() = mark.map(|mark| Known { mark, until, believed_until });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::build::WorkerBuild;
    use domain::names::{TENANT_DEFAULT, TenantName, WorkerId};
    use domain::queue::QueueName;
    use domain::time::DurationMs;
    use store::executions::ExecutionStore;
    use store::jobs::{ClaimRequest, JobStore};
    use store::{Store, StoreResult};
    use testkit::eventually;

    use super::*;
    use crate::lanes::record_tenants;
    use crate::options::{Pooler, StoreOptions, Synchronous, TimeSource};
    use crate::store::SqlStore;

    const NOW: Timestamp = Timestamp(1_000_000);

    async fn open(url: String) -> Arc<SqlStore> {
        let options = StoreOptions {
            url,
            connections_max: 2,
            synchronous: Synchronous::Normal,
            migrate: true,
            pooler: Pooler::Session,
            listen_url: None,
            schema: "public".to_owned(),
            statement_timeout: Duration::from_secs(10),
            limits: Vec::new(),
            lease_time: TimeSource::Caller,
        };
        SqlStore::connect(&options).await.expect("a new database can be opened")
    }

    /// Everything that an idle server does again and again.
    async fn tick(store: &SqlStore) -> StoreResult<()> {
        store.promote_due(&[], NOW, 10).await?;
        store.expired_leases(NOW, 10).await?;
        store.wake_parked(10, NOW).await?;
        let claim = ClaimRequest {
            build: WorkerBuild::Any,
            queue: QueueName::Node,
            tenant: None,
            job_types: None,
            jobs_max: 1,
            lease: DurationMs::from_secs(30),
            worker_id: WorkerId::trusted("w"),
            others: Vec::new(),
            tokens: vec![domain::id::LeaseToken(uuid::Uuid::nil())],
            now: NOW,
        };
        store.claim(&claim).await.map(|_| ())
    }

    /// Ticks until everything is remembered: a connection comes back a moment after its statement.
    async fn settle_down(store: &SqlStore) {
        eventually("nothing to do", || async {
            tick(store).await.expect("ticks work");
            let memory = store.memory();
            let node = &memory.queue(QueueName::Node).nothing_waits;
            let all = [&memory.nothing_due, &memory.nothing_expires, &memory.nothing_pending, node];
            all.into_iter().all(|quiet| quiet.is_still_empty(store.pool(), NOW))
        })
        .await;
    }

    #[tokio::test]
    async fn what_was_not_found_is_not_looked_for_until_something_is_written() {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let store = open(format!("sqlite://{}", directory.path().join("quiet.db").display())).await;
        settle_down(&store).await;
        store.pool().read().lender().close().await;
        tick(&store).await.expect("nobody asks the readers");
        let tenant = TenantName::trusted(TENANT_DEFAULT);
        record_tenants(&store, std::iter::once(&tenant), NOW).await.expect("the writer is there");
        tick(&store).await.expect_err("after a write it is looked again");
    }

    #[tokio::test]
    async fn a_time_ends_it() {
        let store = open("sqlite::memory:".to_owned()).await;
        let quiet = EmptyReadCache::default();
        assert!(!quiet.is_still_empty(store.pool(), Timestamp(0)), "nothing is known");
        eventually("the connection comes back", || async { store.pool().mark().is_some() }).await;
        quiet.record(store.pool().mark(), NOW);
        assert!(quiet.is_still_empty(store.pool(), Timestamp(NOW.0 - 1)));
        assert!(!quiet.is_still_empty(store.pool(), NOW));
    }

    #[tokio::test]
    async fn nothing_is_remembered_while_somebody_writes() {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        let store = open(format!("sqlite://{}", directory.path().join("quiet.db").display())).await;
        settle_down(&store).await;
        let before = store.pool().mark().expect("nobody writes");
        let transaction = store.pool().begin().await.expect("the writer is free");
        assert_eq!(store.pool().mark(), None);
        assert!(!store.pool().is_unchanged_since(before));
        crate::pool::rollback(transaction).await;
        store.close().await;
    }
}
