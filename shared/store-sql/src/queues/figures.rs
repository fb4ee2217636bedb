//! What is going on in a queue, as it is shown.
//!
//! Counting costs as much as there is. A small queue is counted for each who asks. What is counted in a large one is kept in
//! `queue_figure` and shown to all who ask on any node, until it is a few seconds old; then the first who asks counts anew,
//! and the others go on seeing what is kept. So the cost depends neither on how many nodes there are nor on how many
//! look, and never exceeds a small part of one connection's time.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::access::TenantScope;
use domain::names::TenantName;
use domain::queue::{QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use store::queues::{QueueFigures, QueueStore as _, RecentFigures, TierFigures};
use store::{StoreError, StoreResult};

use super::count::{Counted, CountedTier, count};
use crate::errors::corrupt;
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

/// From so many rows on a count is shared.
pub(super) const SHARED_FROM: u64 = 10_000;

/// How long a count is shown at least.
const SHOWN_MIN: Duration = Duration::from_secs(5);

/// How long it is shown at most.
const SHOWN_MAX: Duration = Duration::from_mins(1);

/// Counting may take this part of the time: where it is slow, it is done less often.
const SHARE: u32 = 20;

/// The figures of so many tenants' queues are remembered at most.
const TENANTS_MAX: usize = 1_000;

// Index: the key.
static KEPT: Sql = Sql::new("kept_figures", "SELECT shown_until, figures FROM queue_figure WHERE queue = $1");

// Whoever changes the row counts. $1 the queue, $2 until when it was shown, $3 until when it is
static TAKE_TURN: Sql = Sql::new(
    "take_turn_to_count",
    "UPDATE queue_figure SET shown_until = $3 WHERE queue = $1 AND shown_until = $2",
);

static KEEP: Sql = Sql::new(
    "keep_figures",
    "INSERT INTO queue_figure (queue, shown_until, figures) VALUES ($1, $2, $3)
     ON CONFLICT (queue) DO UPDATE SET shown_until = excluded.shown_until, figures = excluded.figures",
);

static DROP: Sql = Sql::new("drop_figures", "DELETE FROM queue_figure WHERE queue = $1");

/// What was counted for tenants in large queues, on this node.
#[derive(Debug, Clone, Default)]
pub(crate) struct TenantFigures(Arc<Mutex<HashMap<(QueueName, TenantName), Shown>>>);

/// A count, and until when it is shown.
#[derive(Debug, Clone)]
struct Shown {
    until: Timestamp,
    counted: Counted,
}

impl Shown {
    /// Whether it is still to be shown. One that is shown for longer than ever was written by another clock.
    fn is_fresh(&self, now: Timestamp) -> bool {
        now < self.until && self.until.since(now).to_std() <= SHOWN_MAX
    }
}

impl TenantFigures {
    fn get(&self, key: &(QueueName, TenantName), now: Timestamp) -> Option<Counted> {
        self.0.lock().get(key).filter(|shown| shown.is_fresh(now)).map(|shown| shown.counted.clone())
    }

    fn keep(&self, key: (QueueName, TenantName), shown: Shown) {
        let mut all = self.0.lock();
        if all.len() >= TENANTS_MAX {
            all.clear();
        }
        all.insert(key, shown);
    }
}

/// `QueueStore::queue_figures`; counts from so many rows on are shared.
pub(super) async fn figures(
    store: &SqlStore,
    scope: &TenantScope,
    queue: QueueName,
    now: Timestamp,
    shared_from: u64,
) -> StoreResult<QueueFigures> {
    let modes = store.queue_modes().await?;
    let mode = modes.into_iter().find(|(named, _)| *named == queue);
    let (_, mode) = mode.ok_or_else(|| corrupt("queue_claim", "queue", queue))?;
    let counted = match scope.tenant() {
        None => of_all(store, queue, now, shared_from).await?,
        Some(tenant) => of_tenant(store, (queue, tenant.clone()), now).await?,
    };
    let span = |of: Option<[i64; 3]>| of.map(|of| of.map(DurationMs));
    Ok(QueueFigures {
        queue,
        mode,
        tiers: Tier::ALL.into_iter().zip(&counted.tiers).map(|(tier, of)| shown(tier, of, now)).collect(),
        recent: RecentFigures {
            ended: counted.ended,
            failed: counted.failed,
            wait: span(counted.wait_ms),
            run: span(counted.run_ms),
        },
        dead_letters: counted.dead_letters,
    })
}

fn shown(tier: Tier, of: &CountedTier, now: Timestamp) -> TierFigures {
    TierFigures {
        tier,
        queued: of.queued,
        processing: of.processing,
        retry_wait: of.retry_wait,
        scheduled: of.scheduled,
        waiting: of.waiting,
        oldest_age: of.oldest_ms.map(|oldest| now.since(Timestamp(oldest))),
    }
}

async fn of_all(
    store: &SqlStore,
    queue: QueueName,
    now: Timestamp,
    shared_from: u64,
) -> StoreResult<Counted> {
    let kept = kept(store, queue).await?;
    if let Some(shown) = &kept {
        if shown.is_fresh(now) {
            return Ok(shown.counted.clone());
        }
        let values = vec![queue.code().into(), shown.until.0.into(), shown_until(now, SHOWN_MIN).0.into()];
        if TAKE_TURN.run(store.pool().write(), values).await? == 0 {
            return Ok(shown.counted.clone());
        }
    }
    let began = Instant::now();
    let counted = match (count(store, &TenantScope::All, queue, now).await, kept) {
        (Ok(counted), Some(_)) if counted.rows() < shared_from => {
            DROP.run(store.pool().write(), vec![queue.code().into()]).await?;
            return Ok(counted);
        }
        // Too much to be counted in time: what is known is shown until somebody can.
        (Err(StoreError::Unavailable { .. }), Some(shown)) => return Ok(shown.counted),
        (counted, _) => counted?,
    };
    if counted.rows() >= shared_from {
        let figures = serde_json::to_string(&counted);
        let figures =
            figures.map_err(|error| StoreError::Refused { statement: KEEP.name(), source: error.into() })?;
        let until = shown_until(now, began.elapsed() * SHARE);
        KEEP.run(store.pool().write(), vec![queue.code().into(), until.0.into(), figures.into()]).await?;
    }
    Ok(counted)
}

/// A tenant's figures: counted for each who asks where the queue is small, and else remembered on this node.
async fn of_tenant(store: &SqlStore, key: (QueueName, TenantName), now: Timestamp) -> StoreResult<Counted> {
    let scope = TenantScope::One(key.1.clone());
    if kept(store, key.0).await?.is_none() {
        return count(store, &scope, key.0, now).await;
    }
    if let Some(counted) = store.tenant_figures().get(&key, now) {
        return Ok(counted);
    }
    let began = Instant::now();
    let counted = count(store, &scope, key.0, now).await?;
    let until = shown_until(now, began.elapsed() * SHARE);
    store.tenant_figures().keep(key, Shown { until, counted: counted.clone() });
    Ok(counted)
}

/// What is kept of a queue. What another version keeps in another form is not there.
async fn kept(store: &SqlStore, queue: QueueName) -> StoreResult<Option<Shown>> {
    let Some(row) = KEPT.first(store.pool().lists(), vec![queue.code().into()]).await? else {
        return Ok(None);
    };
    let row = Row::new("queue_figure", &row);
    let (until, figures) = (row.instant("shown_until")?, row.text("figures")?);
    let counted = serde_json::from_str::<Counted>(&figures).ok();
    Ok(counted
        .filter(|counted| counted.tiers.len() == Tier::ALL.len())
        .map(|counted| Shown { until, counted }))
}

fn shown_until(now: Timestamp, wanted: Duration) -> Timestamp {
    let span = wanted.clamp(SHOWN_MIN, SHOWN_MAX).as_millis();
    now.plus(DurationMs(i64::try_from(span).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests {
    use store::conformance::fixture::{T0, after_secs, job, tenant};
    use store::jobs::{JobStore as _, NewJob};
    use testkit::database::postgres_database;

    use super::*;
    use crate::jobs::plans::{open_empty, plan_of};
    use crate::select::Select;

    async fn enqueue(store: &SqlStore, count: usize) {
        let jobs: Vec<NewJob> = (0..count).map(|_| job()).collect();
        store.enqueue(&jobs, T0).await.expect("enqueue works");
    }

    /// How many normal jobs wait, as this node shows it.
    async fn queued(store: &SqlStore, scope: &TenantScope, now: Timestamp) -> u64 {
        let of = figures(store, scope, QueueName::Node, now, 10).await.expect("figures can be read");
        of.tiers.iter().map(|tier| tier.queued).sum()
    }

    async fn one_counts_for_all(one: &SqlStore, other: &SqlStore) {
        let (all, own) = (TenantScope::All, TenantScope::One(job().tenant));
        enqueue(one, 5).await;
        assert_eq!(queued(one, &all, T0).await, 5);
        enqueue(one, 5).await;
        assert_eq!(queued(one, &all, T0).await, 10, "a small queue is counted for each who asks");
        assert_eq!(queued(other, &own, T0).await, 10);
        enqueue(one, 5).await;
        assert_eq!(queued(other, &all, after_secs(4)).await, 10, "a large one has been counted for all");
        assert_eq!(queued(other, &own, after_secs(4)).await, 10, "and for the tenant");
        assert_eq!(queued(one, &TenantScope::One(tenant("nobody")), T0).await, 0);
        assert_eq!(queued(other, &all, after_secs(70)).await, 15, "until it is old");
        let shown =
            figures(one, &all, QueueName::Node, after_secs(71), 10).await.expect("figures can be read");
        assert_eq!(shown.tiers[1].oldest_age, Some(DurationMs::from_secs(71)), "ages grow meanwhile");
        assert_eq!(
            figures(one, &all, QueueName::Node, after_secs(200), 100).await.expect("read").tiers[1].queued,
            15
        );
        enqueue(one, 1).await;
        assert_eq!(
            queued(other, &all, after_secs(200)).await,
            16,
            "what became small is counted for each again"
        );
    }

    #[tokio::test]
    async fn a_large_queue_is_counted_once_for_all_on_sqlite() {
        let store = open_empty("sqlite::memory:".to_owned()).await;
        one_counts_for_all(&store, &store).await;
    }

    #[tokio::test]
    async fn a_large_queue_is_counted_once_for_all_on_postgres() {
        let url = postgres_database().await;
        let (one, other) = (open_empty(url.clone()).await, open_empty(url).await);
        one_counts_for_all(&one, &other).await;
        let mut select = Select::new("kept", "SELECT shown_until FROM queue_figure WHERE true");
        select.with("AND queue = $?", QueueName::Node.code());
        let plan = plan_of(&one, select).await;
        assert!(plan.contains("queue_figure_pkey"), "whoever is shown what is kept reads one row: {plan}");
    }
}
