//! Nodes and their mode, and the shards of relays. Offers are leases: their statements are with those of jobs.

use async_trait::async_trait;
use domain::dispatch::{DispatchMode, PublishFault, RelayFigures, ShardView};
use domain::names::{JobType, WorkerId};
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use sea_orm::{ConnectionTrait, Value};
use store::StoreResult;
use store::dispatch::{
    Acceptance, Accepted, DispatchNode, DispatchStore, DispatchView, Joined, RelayView, StandingOffer,
};
use store::jobs::{ClaimedJob, LeaseAnswer, LeaseRef};
use uuid::Uuid;

use crate::errors::corrupt;
use crate::jobs::offers;
use crate::pool::{commit, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use crate::{SqlStore, bind};

// The nodes that are there, all of one mode.

// The row is the lock under which nodes join: two of different modes never both find that they are the first.
static LOCK: Sql = Sql::new("dispatch_lock", "SELECT mode FROM dispatch WHERE id = 1 {for_update}");

static STATE: Sql = Sql::new("dispatch_state", "SELECT mode, is_draining FROM dispatch WHERE id = 1");

static FORGET: Sql = Sql::new("forget_dispatch_nodes", "DELETE FROM dispatch_node WHERE until <= $1");

static NODES: Sql = Sql::new(
    "dispatch_nodes",
    "SELECT id, name, mode, relays, until, broker_away_since, published, publish_errors, unacknowledged,
       published_per_second, last_error, last_error_at, held
     FROM dispatch_node WHERE until > $1 ORDER BY name, id",
);

static SET: Sql = Sql::new(
    "set_dispatch_node",
    "INSERT INTO dispatch_node (id, name, mode, relays, until, broker_away_since, published, publish_errors,
       unacknowledged, published_per_second, last_error, last_error_at, held)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, mode = excluded.mode, relays = excluded.relays,
       until = excluded.until, broker_away_since = excluded.broker_away_since, published = excluded.published,
       publish_errors = excluded.publish_errors, unacknowledged = excluded.unacknowledged,
       published_per_second = excluded.published_per_second, last_error = excluded.last_error,
       last_error_at = excluded.last_error_at, held = excluded.held",
);

// Most of the time a node renews itself, and nobody else has to be looked at.
static RENEW: Sql = Sql::new(
    "renew_dispatch_node",
    "UPDATE dispatch_node
     SET until = $4, relays = $3, broker_away_since = $6, published = $7, publish_errors = $8, unacknowledged = $9,
       published_per_second = $10, last_error = $11, last_error_at = $12, held = $13
     WHERE id = $1 AND mode = $2 AND until > $5",
);

static SET_MODE: Sql = Sql::new(
    "set_dispatch_mode",
    "UPDATE dispatch SET mode = $1, is_draining = 0, changed_at = $2 WHERE id = 1 AND mode <> $1",
);

static SET_DRAINING: Sql =
    Sql::new("set_dispatch_draining", "UPDATE dispatch SET is_draining = $1, changed_at = $2 WHERE id = 1");

static REMOVE: Sql = Sql::new("remove_dispatch_node", "DELETE FROM dispatch_node WHERE id = $1");

async fn join(store: &SqlStore, node: &DispatchNode, now: Timestamp) -> StoreResult<Joined> {
    let mode = node.mode.as_str();
    let relays = i32::from(node.relays);
    let away = node.broker_away_since.map(|since| since.0);
    let figures = figures_of(node);
    let mut renewal =
        vec![node.id.into(), mode.into(), relays.into(), node.until.0.into(), now.0.into(), away.into()];
    renewal.extend(figures.clone());
    if RENEW.run(store.pool().write(), renewal).await? > 0 {
        return Ok(Joined::Yes);
    }
    let transaction = store.pool().begin().await?;
    LOCK.first(&transaction, vec![]).await?;
    FORGET.run(&transaction, vec![now.0.into()]).await?;
    let mut others = nodes(&transaction, now).await?;
    others.retain(|other| other.id != node.id && other.mode != node.mode);
    if !others.is_empty() {
        rollback(transaction).await;
        return Ok(Joined::Differs(others));
    }
    let mut values = vec![
        node.id.into(),
        node.name.as_str().into(),
        mode.into(),
        relays.into(),
        node.until.0.into(),
        away.into(),
    ];
    values.extend(figures);
    SET.run(&transaction, values).await?;
    SET_MODE.run(&transaction, vec![mode.into(), now.0.into()]).await?;
    commit(transaction).await?;
    Ok(Joined::Yes)
}

/// The values of the columns from `published` on.
fn figures_of(node: &DispatchNode) -> [Value; 7] {
    let RelayFigures { published, errors, unacknowledged, published_per_second, last_error, held } =
        &node.figures;
    let long = |count: u64| i64::try_from(count).unwrap_or(i64::MAX).into();
    let held = if held.is_empty() { None } else { serde_json::to_string(held).ok() };
    [
        long(*published),
        long(*errors),
        long(*unacknowledged),
        long(*published_per_second),
        last_error.as_ref().map(|fault| fault.reason.as_str()).into(),
        last_error.as_ref().map(|fault| fault.at.0).into(),
        held.into(),
    ]
}

fn figures(row: Row<'_>) -> StoreResult<RelayFigures> {
    let count = |column| row.long(column).map(|count| u64::try_from(count).unwrap_or_default());
    let fault = (row.text_or_null("last_error")?, row.instant_or_null("last_error_at")?);
    Ok(RelayFigures {
        published: count("published")?,
        errors: count("publish_errors")?,
        unacknowledged: count("unacknowledged")?,
        published_per_second: count("published_per_second")?,
        last_error: match fault {
            (Some(reason), Some(at)) => Some(PublishFault { reason, at }),
            _ => None,
        },
        held: row.json_or_null("held")?.unwrap_or_default(),
    })
}

async fn nodes<C: ConnectionTrait>(on: &C, now: Timestamp) -> StoreResult<Vec<DispatchNode>> {
    let rows = NODES.all(on, vec![now.0.into()]).await?;
    let nodes = rows.iter().map(|row| {
        let row = Row::new("dispatch_node", row);
        Ok(DispatchNode {
            id: row.uuid("id")?,
            name: row.text("name")?,
            mode: row.parsed("mode", DispatchMode::parse)?,
            relays: row.int("relays")? != 0,
            until: row.instant("until")?,
            broker_away_since: row.instant_or_null("broker_away_since")?,
            figures: figures(row)?,
        })
    });
    nodes.collect()
}

/// The mode, and whether no more offers are made.
async fn state<C: ConnectionTrait>(on: &C) -> StoreResult<(DispatchMode, bool)> {
    let row = STATE.first(on, vec![]).await?.ok_or_else(|| corrupt("dispatch", "id", "no row"))?;
    let row = Row::new("dispatch", &row);
    Ok((row.parsed("mode", DispatchMode::parse)?, row.int("is_draining")? != 0))
}

async fn remove(store: &SqlStore, node: Uuid) -> StoreResult<()> {
    REMOVE.run(store.pool().write(), vec![node.into()]).await.map(|_| ())
}

async fn set_draining(store: &SqlStore, is_draining: bool, now: Timestamp) -> StoreResult<()> {
    let values = vec![i32::from(is_draining).into(), now.0.into()];
    SET_DRAINING.run(store.pool().write(), values).await.map(|_| ())
}

// Shards, leased to relays by terms.

static ALL: Sql =
    Sql::new("dispatch_shards", "SELECT shard, owner, term, until FROM dispatch_shard ORDER BY shard");

// An owner whose term ended begins another one, so that what it knew of its offers is read again.
// $1 the relay, $2 until when, $3 now
static LEASE: Sql = Sql::new(
    "lease_dispatch_shards",
    "UPDATE dispatch_shard
     SET term = CASE WHEN owner = $1 AND until > $3 THEN term ELSE term + 1 END, owner = $1, until = $2
     WHERE shard {any $4 bigint} AND (owner IS NULL OR owner = $1 OR until <= $3)
     RETURNING shard, owner, term, until",
);

static RELEASE: Sql = Sql::new(
    "release_dispatch_shards",
    "UPDATE dispatch_shard SET owner = NULL, until = 0 WHERE owner = $1 AND shard {any $2 bigint}",
);

static RELEASE_ALL: Sql =
    Sql::new("free_dispatch_shards", "UPDATE dispatch_shard SET owner = NULL, until = 0 WHERE owner = $1");

async fn all<C: ConnectionTrait>(on: &C) -> StoreResult<Vec<ShardView>> {
    ALL.all(on, vec![]).await?.iter().map(|row| shard(Row::new("dispatch_shard", row))).collect()
}

async fn lease(
    store: &SqlStore,
    owner: Uuid,
    shards: &[u32],
    (until, now): (Timestamp, Timestamp),
) -> StoreResult<Vec<ShardView>> {
    if shards.is_empty() {
        return Ok(Vec::new());
    }
    let numbers = bind::longs(store.dialect(), shards.iter().map(|&shard| i64::from(shard)));
    let values = vec![owner.into(), until.0.into(), now.0.into(), numbers];
    let rows = LEASE.all(store.pool().write(), values).await?;
    rows.iter().map(|row| shard(Row::new("dispatch_shard", row))).collect()
}

async fn release(store: &SqlStore, owner: Uuid, shards: &[u32]) -> StoreResult<()> {
    if shards.is_empty() {
        return Ok(());
    }
    let numbers = bind::longs(store.dialect(), shards.iter().map(|&shard| i64::from(shard)));
    RELEASE.run(store.pool().write(), vec![owner.into(), numbers]).await.map(|_| ())
}

async fn release_all(store: &SqlStore, owner: Uuid) -> StoreResult<()> {
    RELEASE_ALL.run(store.pool().write(), vec![owner.into()]).await.map(|_| ())
}

fn shard(row: Row<'_>) -> StoreResult<ShardView> {
    Ok(ShardView {
        shard: row.count("shard")?,
        owner: row.uuid_or_null("owner")?,
        term: row.long("term")?,
        until: row.instant("until")?,
    })
}

// The port's operations on dispatch, each retried where that is safe.

#[async_trait]
impl DispatchStore for SqlStore {
    async fn join_dispatch(&self, node: &DispatchNode, now: Timestamp) -> StoreResult<Joined> {
        with_retry(RetryBudget::repeatable(), || join(self, node, now)).await
    }

    async fn leave_dispatch(&self, node: Uuid, _now: Timestamp) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || release_all(self, node)).await?;
        with_retry(RetryBudget::repeatable(), || remove(self, node)).await
    }

    async fn dispatch_view(&self, now: Timestamp) -> StoreResult<DispatchView> {
        let on = self.pool().read();
        let (mode, is_draining) = state(on).await?;
        let (nodes, shards) = (self::nodes(on, now).await?, all(on).await?);
        Ok(DispatchView { mode, is_draining, nodes, shards, offers: offers::figures(self).await? })
    }

    async fn dispatch_nodes(&self, now: Timestamp) -> StoreResult<Vec<DispatchNode>> {
        nodes(self.pool().read(), now).await
    }

    async fn relay_view(&self, now: Timestamp) -> StoreResult<RelayView> {
        let on = self.pool().read();
        let (_, is_draining) = state(on).await?;
        let relays = self::nodes(on, now).await?.iter().filter(|node| node.relays).count();
        Ok(RelayView { is_draining, relays, shards: all(on).await? })
    }

    async fn is_dispatch_draining(&self) -> StoreResult<bool> {
        Ok(state(self.pool().read()).await?.1)
    }

    async fn set_dispatch_draining(&self, is_draining: bool, now: Timestamp) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || set_draining(self, is_draining, now)).await
    }

    async fn lease_shards(
        &self,
        owner: Uuid,
        numbers: &[u32],
        until: Timestamp,
        now: Timestamp,
    ) -> StoreResult<Vec<ShardView>> {
        with_retry(RetryBudget::repeatable(), || self::lease(self, owner, numbers, (until, now))).await
    }

    async fn release_shards(&self, owner: Uuid, numbers: &[u32]) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || release(self, owner, numbers)).await
    }

    async fn claimable_types(&self, queue: QueueName, lanes_max: u32) -> StoreResult<Vec<JobType>> {
        offers::claimable_types(self, queue, lanes_max).await
    }

    async fn standing_offers(&self, holders: &[WorkerId]) -> StoreResult<Vec<StandingOffer>> {
        offers::standing(self, holders).await
    }

    async fn standing_among(&self, leases: &[LeaseRef]) -> StoreResult<Vec<bool>> {
        offers::among(self, leases).await
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
