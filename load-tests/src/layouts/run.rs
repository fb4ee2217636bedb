//! Runs the life of jobs in a layout: to read what it logs, or to time it.

use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use domain::time::Timestamp;
use engine::{Entropy as _, SystemEntropy};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, Executor, Row};
use tokio::sync::Mutex;
use uuid::Uuid;

use super::{LANES, Layout, Prune};
use crate::database::{Database, Kind};
use crate::jobs::{BULK, EMPTY_PAUSE, payload};
use crate::life::{Course, Life, Phase};
use crate::measure::rate;

/// The planner's settings of the engine's sessions, for layouts whose claims are the engine's.
const PLANNER: [(&str, &str); 5] = [
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("jit", "off"),
];

/// A pool of a server has a name like this.
const WORKER: &str = "pool-node-bq3kd9x2mfa";
const WORKER_NUMBER: i32 = 7;

/// How many jobs are under way at once while the log is read, and how many a claim takes.
const CHUNK: usize = 1_000;
const BATCH: usize = 100;

const TABLES: &str = "
    SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname";

/// A layout with its tables.
struct Running<'a> {
    layout: &'a Layout,
    database: Database,
    pool: PgPool,
    claims: Mutex<Claims>,
    entropy: SystemEntropy,
    /// The database's time at an instant.
    clock: (i64, Instant),
}

/// What is remembered between claims.
#[derive(Debug, Default)]
struct Claims {
    epoch: i64,
    floors: [i64; LANES as usize],
}

/// What one claim took.
#[derive(Debug, Default)]
struct Claimed {
    epoch: i64,
    ids: Vec<Uuid>,
    tokens: Vec<Uuid>,
    positions: Vec<i64>,
}

/// What a layout logs.
#[derive(Debug)]
pub(crate) struct Logged {
    /// Settled in the batches of the claims.
    pub(crate) by_batch: Life,
    pub(crate) jobs: f64,
    /// Each settled by itself.
    pub(crate) one_by_one: Life,
    pub(crate) single_jobs: f64,
}

/// How fast it is, in jobs a second.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Speed {
    pub(crate) enqueue: f64,
    pub(crate) drain: f64,
}

/// Reads what `count` jobs log from enqueue to pruned.
pub(crate) async fn logged(layout: &Layout, server: &str, count: usize) -> Result<Logged> {
    let single = (count / 5).max(CHUNK);
    let by_batch = life(layout, server, count, false).await?;
    let one_by_one = life(layout, server, single, true).await?;
    Ok(Logged { by_batch, jobs: count as f64, one_by_one, single_jobs: single as f64 })
}

/// Times a bulk enqueue, and a drain with two claimers.
pub(crate) async fn speed(layout: &Layout, server: &str, count: usize, batch: usize) -> Result<Speed> {
    let running = Running::start(layout, server).await?;
    let started_at = Instant::now();
    running.enqueue(count).await?;
    let enqueue = rate(count, started_at);
    for table in running.tables().await? {
        running.pool.execute(AssertSqlSafe(format!("VACUUM ANALYZE {table}"))).await?;
    }
    let drain = running.drain(count, batch).await?;
    running.end().await?;
    Ok(Speed { enqueue, drain })
}

async fn life(layout: &Layout, server: &str, count: usize, is_single: bool) -> Result<Life> {
    let running = Running::start(layout, server).await?;
    let tables = running.tables().await?;
    let names: Vec<&str> = tables.iter().map(String::as_str).collect();
    let mut course = Course::begin(&running.database.url, &names).await?;
    running.enqueue(count).await?;
    course.end(Phase::Enqueue).await?;
    let mut done = 0;
    while done < count {
        let mut held = Vec::new();
        for _ in 0..CHUNK / BATCH {
            held.push(running.claim(BATCH).await?);
        }
        course.end(Phase::Claim).await?;
        let before = done;
        for claimed in &held {
            done += claimed.positions.len();
            if is_single {
                running.settle_each(claimed).await?;
            } else {
                running.settle(claimed).await?;
            }
        }
        ensure!(done > before, "{}: {} jobs were not claimed", layout.name, count - done);
        course.end(Phase::Settle).await?;
    }
    running.check(count).await?;
    running.prune().await?;
    course.end(Phase::Prune).await?;
    let left = running.tables().await?;
    course.wal.vacuum(&left.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    course.end(Phase::Vacuum).await?;
    let Course { wal, life, .. } = course;
    wal.close().await;
    running.end().await?;
    Ok(life)
}

impl<'a> Running<'a> {
    async fn start(layout: &'a Layout, server: &str) -> Result<Self> {
        let database = Database::create(Kind::Postgres, server).await?;
        let mut options = PgConnectOptions::from_str(&database.url)?;
        if layout.is_serial {
            options = options.options(PLANNER);
        }
        let pool =
            PgPoolOptions::new().max_connections(4).test_before_acquire(false).connect_with(options).await?;
        for part in layout.schema {
            pool.execute(*part).await?;
        }
        let now = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        let clock = (sqlx::query_scalar(now).fetch_one(&pool).await?, Instant::now());
        let claims = Mutex::new(Claims::default());
        Ok(Self { layout, database, pool, claims, entropy: SystemEntropy::new(), clock })
    }

    fn now(&self) -> i64 {
        self.clock.0 + self.clock.1.elapsed().as_millis() as i64
    }

    async fn tables(&self) -> Result<Vec<String>> {
        Ok(sqlx::query_scalar(TABLES).fetch_all(&self.pool).await?)
    }

    async fn enqueue(&self, count: usize) -> Result<()> {
        for start in (0..count).step_by(BULK) {
            let numbers = start..count.min(start + BULK);
            let now = self.now();
            let ids: Vec<Uuid> = numbers.clone().map(|_| self.entropy.uuid(Timestamp(now))).collect();
            let lanes: Vec<i32> = numbers.clone().map(|number| number as i32 % LANES + 1).collect();
            let payloads: Vec<String> = numbers.map(payload).collect();
            let insert = sqlx::query(self.layout.enqueue).bind(now).bind(ids).bind(lanes).bind(payloads);
            insert.fetch_all(&self.pool).await?;
        }
        Ok(())
    }

    /// Claims up to so many, of each lane as many as of the others.
    async fn claim(&self, batch: usize) -> Result<Claimed> {
        let tokens: Vec<Uuid> = self.entropy.tokens(batch).into_iter().map(|token| token.0).collect();
        let mut claims = if self.layout.is_serial { Some(self.claims.lock().await) } else { None };
        let (epoch, floors) = claims.as_ref().map_or((0, [0; LANES as usize]), |c| (c.epoch, c.floors));
        let rows = sqlx::query(self.layout.claim)
            .bind(epoch)
            .bind(self.now())
            .bind(WORKER)
            .bind(WORKER_NUMBER)
            .bind(&tokens)
            .bind((1..=LANES).collect::<Vec<i32>>())
            .bind(floors.to_vec())
            .bind(vec![batch as i32 / LANES; LANES as usize])
            .fetch_all(&self.pool)
            .await?;
        let mut claimed = Claimed { epoch: epoch + 1, tokens, ..Claimed::default() };
        for row in &rows {
            let (id, position, lane): (Option<Uuid>, i64, i32) =
                (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            let _: String = row.try_get(3)?;
            claimed.ids.push(id.unwrap_or_default());
            claimed.positions.push(position);
            if let Some(claims) = &mut claims {
                let floor = &mut claims.floors[lane as usize - 1];
                *floor = position.max(*floor);
            }
        }
        claimed.tokens.truncate(rows.len());
        if let Some(claims) = &mut claims {
            claims.epoch += 1;
        }
        Ok(claimed)
    }

    async fn settle(&self, claimed: &Claimed) -> Result<()> {
        sqlx::query(self.layout.settle)
            .bind(self.now())
            .bind(&claimed.ids)
            .bind(&claimed.tokens)
            .bind(&claimed.positions)
            .bind(claimed.epoch)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn settle_each(&self, claimed: &Claimed) -> Result<()> {
        let sql = self.layout.settle_one.unwrap_or(self.layout.settle);
        for ((id, token), position) in claimed.ids.iter().zip(&claimed.tokens).zip(&claimed.positions) {
            sqlx::query(sql)
                .bind(self.now())
                .bind([*id].as_slice())
                .bind([*token].as_slice())
                .bind([*position].as_slice())
                .bind(claimed.epoch)
                .execute(&self.pool)
                .await?;
        }
        Ok(())
    }

    async fn drain(&self, count: usize, batch: usize) -> Result<f64> {
        let done = AtomicUsize::new(0);
        let started_at = Instant::now();
        let claimer = async || {
            while done.load(Ordering::Relaxed) < count {
                ensure!(started_at.elapsed() < Duration::from_mins(5), "{} is stuck", self.layout.name);
                let claimed = self.claim(batch).await?;
                if claimed.positions.is_empty() {
                    tokio::time::sleep(EMPTY_PAUSE).await;
                    continue;
                }
                self.settle(&claimed).await?;
                done.fetch_add(claimed.positions.len(), Ordering::Relaxed);
            }
            Ok::<_, anyhow::Error>(())
        };
        tokio::try_join!(claimer(), claimer())?;
        let drained = rate(count, started_at);
        self.check(count).await?;
        Ok(drained)
    }

    /// Each job has ended once.
    async fn check(&self, count: usize) -> Result<()> {
        let ended: i64 = sqlx::query_scalar(self.layout.ended).fetch_one(&self.pool).await?;
        ensure!(ended as usize == count, "{}: {ended} jobs of {count} have ended", self.layout.name);
        Ok(())
    }

    async fn prune(&self) -> Result<()> {
        match self.layout.prune {
            Prune::Delete(sql) => {
                while sqlx::query(sql).bind(CHUNK as i64).execute(&self.pool).await?.rows_affected() > 0 {}
            }
            Prune::Drop(sql) => {
                self.pool.execute(sql).await?;
            }
        }
        Ok(())
    }

    async fn end(self) -> Result<()> {
        self.pool.close().await;
        self.database.remove().await
    }
}
