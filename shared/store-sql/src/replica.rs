//! A replica that lists are read from while it is close behind the primary.
//!
//! Twice a second the replica is asked how far it is, and compared with where the primary was at known instants. That needs no
//! rights and no clocks, and sees a replica that is cut off from its primary. While it is away, too far behind, or another
//! database, lists are read from the primary.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sea_orm::ConnectionTrait;
use store::{StoreError, StoreResult};

use crate::autocommit::{AutocommitPool, Replica};
use crate::connect::postgres_lists;
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::schema_name::Database;
use crate::sql::Sql;
use crate::store::SqlStore;

static PRIMARY: Sql = Sql::new(
    "primary_position",
    "SELECT {postgres:pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint}{sqlite:0} AS position, nonce FROM store_state",
);

static REPLICA: Sql = Sql::new(
    "replica_position",
    "SELECT {postgres:pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
       ELSE pg_current_wal_lsn() END, '0/0')::bigint}{sqlite:0} AS position, nonce FROM store_state",
);

/// How often it is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// How long a look may take.
const LOOK_WITHIN: Duration = Duration::from_secs(2);

/// How long a look counts.
const LOOK_COUNTS: Duration = Duration::from_secs(3);

/// How many positions of the primary are remembered.
const POSITIONS_MAX: usize = 256;

/// A replica of the database.
#[derive(Debug, Clone)]
pub struct ReplicaOptions {
    /// Its address.
    pub url: String,
    /// How far it may be behind.
    pub lag_max: Duration,
}

impl SqlStore {
    /// Reads lists from a replica while it is close behind. It need not be there yet. Only the first call counts.
    pub fn read_from(&self, options: &ReplicaOptions) -> StoreResult<()> {
        let Database::Postgres { is_shared, schema, .. } = self.database() else {
            return Err(refused());
        };
        let Database::Postgres { options: connect, .. } = Database::parse(&options.url, schema.as_str())?
        else {
            return Err(refused());
        };
        let connect = if *is_shared { connect.statement_cache_capacity(0) } else { *connect };
        let of_lists = postgres_lists(&connect, *is_shared, schema, self.opening());
        let lists = AutocommitPool::reading(of_lists.lender, Dialect::Postgres, of_lists.shared_begin);
        let lists = lists.that_is_left();
        let use_until = Arc::default();
        let watching =
            watch(self.pool().read().clone(), lists.clone(), options.lag_max, Arc::clone(&use_until));
        let watch = tokio::spawn(watching).abort_handle();
        if let Err(replica) = self.pool().replica().0.set(Replica { lists, use_until, watch }) {
            replica.watch.abort();
        }
        Ok(())
    }

    /// Whether lists are read from the replica at this moment.
    pub fn reads_from_replica(&self) -> bool {
        self.pool().replica().in_use().is_some()
    }
}

fn refused() -> StoreError {
    StoreError::Url {
        reason: "database.read_url is for PostgreSQL, and expected as postgres://…".to_owned()
    }
}

async fn watch(
    primary: AutocommitPool,
    replica: AutocommitPool,
    lag_max: Duration,
    use_until: Arc<Mutex<Option<Instant>>>,
) {
    let mut positions = Positions::default();
    let mut was_in_use = None;
    let mut ticks = tokio::time::interval(LOOK_EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let looked = tokio::time::timeout(LOOK_WITHIN, look(&primary, &replica, &mut positions)).await;
        let found = match looked {
            Ok(found) => found.map_err(|error| error.to_string()),
            Err(elapsed) => Err(elapsed.to_string()),
        };
        let is_in_use = matches!(found, Ok(Some(lag)) if lag <= lag_max);
        *use_until.lock() = is_in_use.then(|| Instant::now() + LOOK_COUNTS);
        if was_in_use.replace(is_in_use) == Some(is_in_use) {
            continue;
        }
        match found {
            Ok(Some(lag)) if is_in_use => {
                tracing::info!(lag.ms = lag.as_millis(), "lists are read from the replica");
            }
            Ok(Some(lag)) => {
                tracing::warn!(
                    lag.ms = lag.as_millis(),
                    "the replica is too far behind; lists are read from the primary"
                );
            }
            Ok(None) => {
                tracing::warn!(
                    "database.read_url is not a replica of database.url; lists are read from the primary"
                );
            }
            Err(error) => {
                tracing::warn!(error, "the replica is unavailable; lists are read from the primary");
            }
        }
    }
}

/// How far the replica is behind at most; nothing where it is one of another store.
async fn look(
    primary: &AutocommitPool,
    replica: &AutocommitPool,
    positions: &mut Positions,
) -> StoreResult<Option<Duration>> {
    let asked_at = Instant::now();
    let (position, nonce) = position(&PRIMARY, primary).await?;
    positions.record(asked_at, position);
    let (reached, of) = self::position(&REPLICA, replica).await?;
    Ok((nonce == of).then(|| positions.lag(reached, Instant::now())))
}

async fn position(sql: &Sql, on: &impl ConnectionTrait) -> StoreResult<(i64, i64)> {
    let row = sql.first(on, vec![]).await?;
    let row =
        row.ok_or_else(|| StoreError::Corrupt { table: "store_state", column: "nonce", row: String::new() })?;
    let row = Row::new("store_state", &row);
    Ok((row.long("position")?, row.long("nonce")?))
}

/// Where the primary was, oldest first.
#[derive(Debug, Default)]
struct Positions(VecDeque<(Instant, i64)>);

impl Positions {
    fn record(&mut self, at: Instant, position: i64) {
        if self.0.len() == POSITIONS_MAX {
            self.0.pop_front();
        }
        self.0.push_back((at, position));
    }

    /// Whoever has reached a position has all that was written before the primary was seen there.
    fn lag(&self, reached: i64, now: Instant) -> Duration {
        let known = self.0.iter().rev().find(|(_, position)| *position <= reached);
        known.map_or(Duration::MAX, |(at, _)| now.saturating_duration_since(*at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lag_is_the_time_since_the_primary_was_where_the_replica_is() {
        let began = Instant::now();
        let at = |seconds| began + Duration::from_secs(seconds);
        let mut positions = Positions::default();
        assert_eq!(positions.lag(10, began), Duration::MAX, "nothing is known");
        for (seconds, position) in [(1, 100), (2, 100), (3, 250)] {
            positions.record(at(seconds), position);
        }
        assert_eq!(positions.lag(250, at(4)), Duration::from_secs(1));
        assert_eq!(positions.lag(249, at(4)), Duration::from_secs(2), "idle in between");
        assert_eq!(positions.lag(99, at(4)), Duration::MAX);
    }

    #[test]
    fn few_positions_are_remembered() {
        let mut positions = Positions::default();
        for position in 0..1_000 {
            positions.record(Instant::now(), position);
        }
        assert_eq!(positions.0.len(), POSITIONS_MAX);
        assert_eq!(positions.lag(0, Instant::now()), Duration::MAX, "it is further back than that");
    }
}
