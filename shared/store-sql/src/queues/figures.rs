//! What is going on in a queue, as it is shown.
//!
//! Counting costs as much as there is. A small queue is counted for each who asks. What is counted in a large one is kept in
//! `queue_figure` and shown to all who ask on any node. Upkeep of one node counts anew when it is a few seconds old, so that
//! nobody who asks waits for that; where no upkeep runs, the first who asks does. So the cost depends neither on how many
//! nodes there are nor on how many look, and never exceeds a small part of one connection's time.

use std::time::{Duration, Instant};

use domain::access::TenantScope;
use domain::names::TenantName;
use domain::queue::{QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use store::queues::{QueueFigures, QueueStore as _, RecentFigures, TierFigures};
use store::{StoreError, StoreResult};

use super::count::count;
use super::counted::{Counted, CountedTier, SHOWN_MAX, Shown};
use crate::dead_letters::open_of_queue;
use crate::errors::corrupt;
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

/// From so many rows on a count is shared, of the queue or of all queues together: they are in one table.
pub(super) const SHARED_FROM: u64 = 10_000;

/// How long a count is shown at least.
const SHOWN_MIN: Duration = Duration::from_secs(5);

/// So long before it is old upkeep counts anew.
const RENEWED_BEFORE: DurationMs = DurationMs::from_secs(3);

/// Counting may take this part of the time: where it is slow, it is done less often.
const SHARE: u32 = 20;

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

// $1 how many
static UNFINISHED: Sql =
    Sql::new("unfinished_jobs_up_to", "SELECT count(*) AS jobs FROM (SELECT 1 AS one FROM job LIMIT $1) j");

static DROP: Sql = Sql::new("drop_figures", "DELETE FROM queue_figure WHERE queue = $1");

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
    if let Some(shown) = &kept
        && (shown.is_shown(now) || !takes_turn(store, queue, shown, now).await?)
    {
        return Ok(shown.counted.clone());
    }
    counted_for_all(store, queue, now, kept, shared_from).await
}

/// `QueueStore::renew_queue_figures`.
pub(super) async fn renew(
    store: &SqlStore,
    queue: QueueName,
    now: Timestamp,
    shared_from: u64,
) -> StoreResult<()> {
    if let Some(shown) = kept(store, queue).await?
        && !shown.is_fresh(now.plus(RENEWED_BEFORE))
        && takes_turn(store, queue, &shown, now).await?
    {
        counted_for_all(store, queue, now, Some(shown), shared_from).await?;
    }
    Ok(())
}

/// Whether this call is the one that counts.
async fn takes_turn(store: &SqlStore, queue: QueueName, shown: &Shown, now: Timestamp) -> StoreResult<bool> {
    let values = vec![queue.code().into(), shown.until.0.into(), shown_until(now, SHOWN_MIN).0.into()];
    Ok(TAKE_TURN.run(store.pool().write(), values).await? > 0)
}

/// Counts, and keeps what was counted where that is much.
async fn counted_for_all(
    store: &SqlStore,
    queue: QueueName,
    now: Timestamp,
    kept: Option<Shown>,
    shared_from: u64,
) -> StoreResult<Counted> {
    let began = Instant::now();
    let counted = match (count(store, &TenantScope::All, queue, now).await, &kept) {
        // Too much to be counted in time: what is known is shown until somebody can.
        (Err(StoreError::Unavailable { .. }), Some(shown)) => {
            keep(store, queue, &shown.counted, shown_until(now, SHOWN_MAX)).await?;
            return Ok(shown.counted.clone());
        }
        // Nothing is known yet: what is claimed next is, up to a number.
        (Err(StoreError::Unavailable { .. }), None) => {
            let load = store.queue_load(queue, now).await?;
            let counted =
                Counted::of_load(&load, open_of_queue(store.pool(), &TenantScope::All, queue).await?);
            keep(store, queue, &counted, shown_until(now, SHOWN_MAX)).await?;
            return Ok(counted);
        }
        (counted, _) => counted?,
    };
    if is_shared(store, &counted, shared_from).await? {
        keep(store, queue, &counted, shown_until(now, began.elapsed() * SHARE)).await?;
    } else if kept.is_some() {
        DROP.run(store.pool().write(), vec![queue.code().into()]).await?;
    }
    Ok(counted)
}

async fn keep(store: &SqlStore, queue: QueueName, counted: &Counted, until: Timestamp) -> StoreResult<()> {
    let figures = serde_json::to_string(counted);
    let figures =
        figures.map_err(|error| StoreError::Refused { statement: KEEP.name(), source: error.into() })?;
    KEEP.run(store.pool().write(), vec![queue.code().into(), until.0.into(), figures.into()]).await?;
    Ok(())
}

/// Whether counting looked at many rows: of other queues too.
async fn is_shared(store: &SqlStore, counted: &Counted, shared_from: u64) -> StoreResult<bool> {
    if counted.rows() >= shared_from {
        return Ok(true);
    }
    let limit = i64::try_from(shared_from).unwrap_or(i64::MAX);
    let row = UNFINISHED.first(store.pool().lists(), vec![limit.into()]).await?;
    let jobs = row.map(|row| Row::new("job", &row).long("jobs")).transpose()?.unwrap_or(0);
    Ok(jobs >= limit)
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

    async fn upkeep_renews_what_is_shown(one: &SqlStore, other: &SqlStore) {
        let all = TenantScope::All;
        enqueue(one, 10).await;
        assert_eq!(queued(one, &all, T0).await, 10);
        enqueue(one, 5).await;
        renew(other, QueueName::Node, T0, 10).await.expect("figures can be renewed");
        assert_eq!(queued(one, &all, T0).await, 10, "what is not old yet is left");
        let of_webhooks = figures(one, &all, QueueName::Webhook, T0, 10).await.expect("figures can be read");
        assert_eq!(of_webhooks.tiers.iter().map(|tier| tier.queued).sum::<u64>(), 0);
        let is_kept = kept(other, QueueName::Webhook).await.expect("it can be read").is_some();
        assert!(is_kept, "counting an empty queue beside a large one is shared too");
        renew(other, QueueName::Node, after_secs(62), 10).await.expect("figures can be renewed");
        enqueue(one, 5).await;
        assert_eq!(queued(one, &all, after_secs(62)).await, 15, "it was counted by upkeep");
        let load = one.queue_load(QueueName::Node, after_secs(62)).await.expect("the load can be read");
        let counted = Counted::of_load(&load, 3);
        assert_eq!(
            (counted.tiers[1].queued, counted.dead_letters),
            (20, 3),
            "what is shown where counting fails"
        );
    }

    #[tokio::test]
    async fn upkeep_counts_a_large_queue_before_somebody_asks_on_sqlite() {
        let store = open_empty("sqlite::memory:".to_owned()).await;
        upkeep_renews_what_is_shown(&store, &store).await;
    }

    #[tokio::test]
    async fn upkeep_counts_a_large_queue_before_somebody_asks_on_postgres() {
        let url = postgres_database().await;
        let (one, other) = (open_empty(url.clone()).await, open_empty(url).await);
        upkeep_renews_what_is_shown(&one, &other).await;
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
