//! Removal of lanes that hold no job, finished or not: in rounds, a bounded step at a time.
//!
//! A node may remember a lane's number and insert a job into it at any time, and a row that is being inserted is seen by
//! nobody else. So a round
//!
//! 1. marks lanes in which nothing waits and of which nothing finished is kept. From then on no statement inserts into them
//!    (see [`lanes`](crate::lanes)): whoever wants to takes the mark away first;
//! 2. waits until the lanes were idle for long enough, and until the transactions have ended that were writing jobs when
//!    the last mark was made. Whoever begins to write later takes the table's lock first and reads then, and sees the marks;
//! 3. walks through all unfinished jobs and takes the mark from the lanes they are in. No other can have come meanwhile;
//! 4. removes what is still marked, and of which nothing finished is kept.
//!
//! Nobody is waited for: rows that are locked are being kept. Several nodes may do this at once: each removes what it
//! marked itself. What a node marked that died is marked again by a later round. The numbers are not used again until all
//! 32 bits were.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use domain::queue::LaneId;
use domain::time::Timestamp;
use store::StoreResult;
use store::operations::{LaneRemoval, LaneRemovalPace};
use uuid::Uuid;

use crate::bind;
use crate::dialect::Dialect;
use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::Sql;

/// How many lanes a step looks at.
const LANES_PER_STEP: i64 = 1_000;

/// How many jobs a step walks through.
const JOBS_PER_STEP: i64 = 2_000;

/// How many bits of a mark are random; the others are milliseconds.
const RANDOM_BITS: u32 = 20;

/// How many lanes a round marks.
const LANES_PER_ROUND: usize = 200_000;

static STARTS_AT: Sql = Sql::new("lane_removal_starts_at", "SELECT starts_at FROM lane_removal WHERE id = 1");

// Indexes: lane's primary key, job_done_lane, job_claim. $1 after which lane, $2 marks of before are given up, $3 how many
static LOOK: Sql = Sql::new(
    "idle_lanes",
    "SELECT l.id, CASE WHEN (l.mark IS NULL OR l.mark < $2)
        AND (SELECT d.lane FROM job_done d WHERE d.lane = l.id LIMIT 1) IS NULL
        AND (SELECT j.lane FROM job j WHERE j.queue = l.queue AND j.lane = l.id AND j.state = 'queued' LIMIT 1) IS NULL
        THEN 1 ELSE 0 END AS is_idle
     FROM (SELECT id, queue, mark FROM lane WHERE id > $1 ORDER BY id LIMIT $3) l
     ORDER BY l.id",
);

// $1 the mark, $2 the lanes, $3 marks of before are given up
static MARK: Sql = Sql::new(
    "mark_idle_lanes",
    "UPDATE lane SET mark = $1 WHERE id IN (
       SELECT l.id FROM lane l WHERE l.id {any $2 bigint} AND (l.mark IS NULL OR l.mark < $3)
       ORDER BY l.id {for_update_skip})
     RETURNING id",
);

// Who writes jobs now: transactions that hold the table's lock for that, or wait for it.
static WRITERS: Sql = Sql::new(
    "job_writers",
    "SELECT DISTINCT virtualtransaction AS writer FROM pg_locks
     WHERE locktype = 'relation' AND relation = 'job'::regclass AND mode = 'RowExclusiveLock'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND pid IS DISTINCT FROM pg_backend_pid()",
);

// Index: job(id). $1 after which job, $2 how many
static JOBS: Sql = Sql::new("lanes_of_jobs", "SELECT id, lane FROM job WHERE id > $1 ORDER BY id LIMIT $2");

// $1 the mark, $2 the lanes
static UNMARK: Sql = Sql::new(
    "unmark_lanes",
    "UPDATE lane SET mark = NULL WHERE id IN (
       SELECT l.id FROM lane l WHERE l.mark = $1 AND l.id {any $2 bigint} ORDER BY l.id {for_update_skip})",
);

// $1 the mark, $2 the lanes
static REMOVE: Sql = Sql::new(
    "remove_idle_lanes",
    "DELETE FROM lane WHERE id IN (
       SELECT l.id FROM lane l WHERE l.mark = $1 AND l.id {any $2 bigint} ORDER BY l.id {for_update_skip})
       AND (SELECT d.lane FROM job_done d WHERE d.lane = lane.id LIMIT 1) IS NULL
       AND (SELECT j.lane FROM job j WHERE j.queue = lane.queue AND j.lane = lane.id AND j.state = 'queued' LIMIT 1)
         IS NULL",
);

/// How far this node has come.
#[derive(Debug, Default)]
pub(crate) struct LaneRound {
    stage: Stage,
    /// When this round began.
    marked_at: Timestamp,
    /// What it marks lanes with.
    mark: i64,
    /// The lanes with it, except those that were taken out again.
    marked: BTreeSet<i32>,
    /// Transactions that may insert into them.
    writers: Vec<String>,
    /// When the last round ended.
    ended_at: Option<Timestamp>,
    /// The lane after which the next round begins.
    next: i32,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Stage {
    #[default]
    Resting,
    Marking {
        after: i32,
    },
    Waiting,
    Walking {
        after: Uuid,
    },
    Removing,
}

impl LaneRound {
    /// `OperationsStore::remove_idle_lanes`.
    pub(super) async fn step(
        &mut self,
        pool: &Pool,
        pace: &LaneRemovalPace,
        now: Timestamp,
    ) -> StoreResult<LaneRemoval> {
        let mut removed = 0;
        let has_more = match self.stage {
            Stage::Resting => self.begin(pool, pace, now).await?,
            Stage::Marking { after } => self.mark(pool, pace, after).await?,
            Stage::Waiting => self.wait(pool, pace, now).await?,
            Stage::Walking { after } => self.walk(pool, after).await?,
            Stage::Removing => {
                removed = self.remove(pool).await?;
                if self.marked.is_empty() {
                    self.stage = Stage::Resting;
                    self.ended_at = Some(now);
                }
                self.stage == Stage::Removing
            }
        };
        Ok(LaneRemoval { removed, has_more })
    }

    /// Begins a round, if it is time.
    async fn begin(&mut self, pool: &Pool, pace: &LaneRemovalPace, now: Timestamp) -> StoreResult<bool> {
        if self.ended_at.is_some_and(|at| now < at.plus(pace.every)) {
            return Ok(false);
        }
        let row = STARTS_AT.first(pool.read(), vec![]).await?;
        let starts_at = row.map(|row| Row::new("lane_removal", &row).long("starts_at")).transpose()?;
        if starts_at.is_none_or(|at| now.0 < at) {
            return Ok(false);
        }
        self.marked_at = now;
        self.mark = mark_at(now, RandomState::new().build_hasher().finish());
        self.marked.clear();
        self.stage = Stage::Marking { after: self.next };
        Ok(true)
    }

    /// Marks the next lanes.
    async fn mark(&mut self, pool: &Pool, pace: &LaneRemovalPace, after: i32) -> StoreResult<bool> {
        // Whoever marked a lane so long ago does not remove it any more.
        let given_up = mark_at(self.marked_at.minus(pace.idle_for).minus(pace.every), 0);
        let values = vec![after.into(), given_up.into(), LANES_PER_STEP.into()];
        let rows = LOOK.all(pool.read(), values).await?;
        let (mut idle, mut last): (Vec<i64>, i32) = (Vec::new(), after);
        for row in &rows {
            let row = Row::new("lane", row);
            last = row.int("id")?;
            if row.int("is_idle")? == 1 {
                idle.push(i64::from(last));
            }
        }
        if !idle.is_empty() {
            let ids = bind::longs(pool.dialect(), idle.into_iter());
            let values = vec![self.mark.into(), ids, given_up.into()];
            for row in &MARK.all(pool.write(), values).await? {
                self.marked.insert(Row::new("lane", row).int("id")?);
            }
        }
        let is_last = (rows.len() as i64) < LANES_PER_STEP;
        self.stage = Stage::Marking { after: last };
        if is_last || self.marked.len() >= LANES_PER_ROUND {
            self.next = if is_last { 0 } else { last };
            self.writers = writers(pool).await?;
            self.stage = Stage::Waiting;
        }
        Ok(true)
    }

    /// Goes on when the lanes were marked for long enough, and nobody writes jobs who may not have seen that.
    async fn wait(&mut self, pool: &Pool, pace: &LaneRemovalPace, now: Timestamp) -> StoreResult<bool> {
        if self.marked.is_empty() {
            self.stage = Stage::Removing;
            return Ok(true);
        }
        if now < self.marked_at.plus(pace.idle_for) {
            return Ok(false);
        }
        if !self.writers.is_empty() {
            let still = writers(pool).await?;
            self.writers.retain(|writer| still.contains(writer));
        }
        if self.writers.is_empty() {
            self.stage = Stage::Walking { after: Uuid::nil() };
        }
        Ok(self.writers.is_empty())
    }

    /// Takes the marks from the lanes of the next jobs.
    async fn walk(&mut self, pool: &Pool, after: Uuid) -> StoreResult<bool> {
        let rows = JOBS.all(pool.read(), vec![after.into(), JOBS_PER_STEP.into()]).await?;
        let mut used: BTreeSet<i32> = BTreeSet::new();
        let mut last = after;
        for row in &rows {
            let row = Row::new("job", row);
            last = row.uuid("id")?;
            let lane = row.int("lane")?;
            if self.marked.contains(&lane) {
                used.insert(lane);
            }
        }
        if !used.is_empty() {
            let ids: Vec<i64> = used.iter().map(|lane| i64::from(*lane)).collect();
            let ids = bind::longs(pool.dialect(), ids.into_iter());
            UNMARK.run(pool.write(), vec![self.mark.into(), ids]).await?;
            self.marked.retain(|lane| !used.contains(lane));
        }
        let is_last = (rows.len() as i64) < JOBS_PER_STEP;
        self.stage = if is_last { Stage::Removing } else { Stage::Walking { after: last } };
        Ok(true)
    }

    /// Removes the next lanes.
    async fn remove(&mut self, pool: &Pool) -> StoreResult<u64> {
        let lanes: Vec<LaneId> =
            self.marked.iter().take(LANES_PER_STEP as usize).map(|&lane| LaneId(lane)).collect();
        if lanes.is_empty() {
            return Ok(0);
        }
        let ids = bind::longs(pool.dialect(), lanes.iter().map(|lane| i64::from(lane.0)));
        let values = vec![self.mark.into(), ids];
        let removed = REMOVE.run(pool.write(), values.clone()).await?;
        if (removed as usize) < lanes.len() {
            // Something that was finished is kept of the others.
            UNMARK.run(pool.write(), values).await?;
        }
        for lane in lanes {
            self.marked.remove(&lane.0);
        }
        Ok(removed)
    }
}

/// A mark of a round that begins then: no two rounds have the same, so that a lane that was kept, and marked again by another
/// node, is not taken for one that was marked all the time.
fn mark_at(now: Timestamp, random: u64) -> i64 {
    (now.0 << RANDOM_BITS) | (random as i64 & ((1 << RANDOM_BITS) - 1))
}

/// Who writes jobs now. On SQLite nobody else does while this node writes, and what it wrote everybody sees.
async fn writers(pool: &Pool) -> StoreResult<Vec<String>> {
    if pool.dialect() == Dialect::Sqlite {
        return Ok(Vec::new());
    }
    let rows = WRITERS.all(pool.write(), vec![]).await?;
    rows.iter().map(|row| Row::new("pg_locks", row).text("writer")).collect()
}

#[cfg(test)]
mod tests;
