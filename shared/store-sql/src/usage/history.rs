//! How many jobs and executions of a tenant have ended, by their indexes alone and some thousands at a time: no statement takes
//! long or holds a snapshot for long, however many there are.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::names::TenantName;
use sea_orm::{QueryResult, Value};
use store::StoreResult;
use uuid::Uuid;

use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::Sql;

// Limits are in the texts: of a number that it does not know PostgreSQL expects a tenth of the table, and may read and sort all of
// a lane. Arrays of one value, and orders that begin with it, leave it no index but the one that is named.

/// How many rows of one lane or tenant one statement counts.
const STEP: u64 = 10_000;

/// How many rows of each of several lanes one statement counts.
const OF_EACH_LANE: u64 = 1_000;

/// How many lanes one statement looks at.
const LANES: usize = 100;

// Index: execution_open.
pub(super) static OPEN_EXECUTIONS: Sql = Sql::new(
    "measure_open_executions",
    "SELECT COUNT(*) AS used FROM execution WHERE tenant = $1 AND completed_at IS NULL",
);

// Up to one more than are counted of each.
// Indexes: lane_tenant, job_done_lane.
static OF_LANES: Sql = Sql::new(
    "history_of_lanes",
    "SELECT l.id, (SELECT COUNT(*) FROM (
        SELECT j.id FROM job_done j WHERE j.lane = {postgres:ANY (ARRAY[l.id])}{sqlite:l.id}
        ORDER BY {postgres:j.lane,} j.id LIMIT 1001) c) AS used
     FROM lane l WHERE l.tenant = $1 AND l.id > $2 ORDER BY l.id LIMIT 100",
);

/// Rows behind an id: the last of a step, and how many there are where there is no whole step any more.
struct Steps {
    last: Sql,
    rest: Sql,
}

// Index: job_done_lane.
static OF_LANE: Steps = Steps {
    last: Sql::new(
        "history_step_of_lane",
        "SELECT j.id FROM job_done j WHERE j.lane = {postgres:ANY (ARRAY[$1])}{sqlite:$1} AND j.id > $2
         ORDER BY {postgres:j.lane,} j.id LIMIT 1 OFFSET 9999",
    ),
    rest: Sql::new(
        "history_rest_of_lane",
        "SELECT COUNT(*) AS used FROM (
            SELECT j.id FROM job_done j WHERE j.lane = {postgres:ANY (ARRAY[$1])}{sqlite:$1} AND j.id > $2
            ORDER BY {postgres:j.lane,} j.id LIMIT 10000) c",
    ),
};

// Index: execution_tenant.
static OF_EXECUTIONS: Steps = Steps {
    last: Sql::new(
        "history_step_of_executions",
        "SELECT e.id FROM execution e WHERE e.tenant = {postgres:ANY (ARRAY[$1])}{sqlite:$1} AND e.id > $2
         ORDER BY {postgres:e.tenant,} e.id LIMIT 1 OFFSET 9999",
    ),
    rest: Sql::new(
        "history_rest_of_executions",
        "SELECT COUNT(*) AS used FROM (
            SELECT e.id FROM execution e WHERE e.tenant = {postgres:ANY (ARRAY[$1])}{sqlite:$1} AND e.id > $2
            ORDER BY {postgres:e.tenant,} e.id LIMIT 10000) c",
    ),
};

/// The number that a row says, which counts or sums.
pub(super) fn used_of(row: Option<QueryResult>) -> StoreResult<u64> {
    let used = row.map(|row| Row::new("tenant_quota", &row).long("used")).transpose()?;
    Ok(u64::try_from(used.unwrap_or_default()).unwrap_or_default())
}

/// Counts what has ended. `so_far` is how many are known of, at any time.
pub(super) async fn count(pool: &Pool, tenant: &TenantName, so_far: &AtomicU64) -> StoreResult<u64> {
    let open = used_of(OPEN_EXECUTIONS.first(pool.lists(), vec![tenant.as_str().into()]).await?)?;
    // Executions that are open are in their index as well.
    let mut counted = Counted { open, all: 0, so_far };
    OF_EXECUTIONS.count(pool, &tenant.as_str().into(), &mut counted).await?;
    let mut lane = 0_i64;
    loop {
        let rows = OF_LANES.all(pool.lists(), vec![tenant.as_str().into(), lane.into()]).await?;
        for row in &rows {
            lane = Row::new("lane", row).long("id")?;
            let number = Row::new("lane", row).long("used")?.unsigned_abs();
            if number > OF_EACH_LANE {
                OF_LANE.count(pool, &lane.into(), &mut counted).await?;
            } else {
                counted.add(number);
            }
        }
        if rows.len() < LANES {
            return Ok(counted.used());
        }
    }
}

/// What a count has come to.
struct Counted<'a> {
    open: u64,
    all: u64,
    so_far: &'a AtomicU64,
}

impl Counted<'_> {
    const fn used(&self) -> u64 {
        self.all.saturating_sub(self.open)
    }

    fn add(&mut self, number: u64) {
        self.all += number;
        self.so_far.store(self.used(), Ordering::Relaxed);
    }
}

impl Steps {
    async fn count(&self, pool: &Pool, of: &Value, counted: &mut Counted<'_>) -> StoreResult<()> {
        let mut behind = Uuid::nil();
        loop {
            let values = || vec![of.clone(), behind.into()];
            let Some(row) = self.last.first(pool.lists(), values()).await? else {
                counted.add(used_of(self.rest.first(pool.lists(), values()).await?)?);
                return Ok(());
            };
            behind = Row::new("history", &row).uuid("id")?;
            counted.add(STEP);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sea_orm::ConnectionTrait as _;
    use store::usage::UsageStore as _;
    use testkit::database::postgres_database;

    use super::*;
    use crate::dialect::Dialect;
    use crate::jobs::plans::{open_empty, plan};
    use crate::store::SqlStore;

    /// Jobs of two lanes of the tenant and of one of another, and executions of both, of which one is open.
    async fn filled(url: String) -> Arc<SqlStore> {
        let store = open_empty(url).await;
        let id = |number: &str| match store.dialect() {
            Dialect::Postgres => format!("CAST(lpad(to_hex({number}), 32, '0') AS uuid)"),
            Dialect::Sqlite => format!("unhex(printf('%032x', {number}))"),
        };
        let numbers = |to: u64| {
            format!("WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {to})")
        };
        let lanes = "INSERT INTO lane (id, queue, tier, tenant, workflow_owner, workflow, job_type)
            VALUES (1, 1, 1, 'a', '', '', 'x'), (2, 1, 1, 'a', '', '', 'y'), (3, 1, 1, 'b', '', '', 'x')";
        let jobs = format!(
            "INSERT INTO job_done (id, position, queue, lane, status, attempt, attempt_base, retries_max, run_at, queued_at,
               created_at, finished_at, tier, data)
             {} SELECT {}, n, 1, CASE WHEN n <= 20000 THEN 1 WHEN n <= 21000 THEN 2 ELSE 3 END, 'COMPLETED', 1, 0, 3, 1, 1, 1, 1, 1,
               'null' FROM s",
            numbers(21_500),
            id("n")
        );
        let executions = format!(
            "INSERT INTO execution (id, job_id, tenant, workflow_owner, workflow, version, status, tier, trigger_kind, created_at,
               completed_at, input)
             {} SELECT {}, {}, CASE WHEN n <= 10001 THEN 'a' ELSE 'b' END, '', 'w', 1, 'RUNNING', 1, 'user', 1,
               CASE WHEN n = 7 THEN NULL ELSE 1 END, 'null' FROM s",
            numbers(10_500),
            id("n"),
            id("n")
        );
        for text in [lanes, &jobs, &executions] {
            store.pool().write().execute_unprepared(text).await.expect("the statement is valid");
        }
        store
    }

    async fn history_is_counted_in_steps(url: String) {
        let store = filled(url).await;
        for (tenant, used) in [("a", 21_000 + 10_000), ("b", 500 + 499), ("c", 0)] {
            let so_far = AtomicU64::new(0);
            let counted = store.count_history(&TenantName::trusted(tenant), &so_far).await;
            assert_eq!(counted.expect("counting works"), used, "{tenant}");
            assert_eq!(so_far.into_inner(), used, "{tenant}");
        }
    }

    #[tokio::test]
    async fn i06_history_is_counted_in_steps_on_postgres() {
        history_is_counted_in_steps(postgres_database().await).await;
    }

    #[tokio::test]
    async fn i06_history_is_counted_in_steps_on_sqlite() {
        history_is_counted_in_steps("sqlite::memory:".to_owned()).await;
    }

    async fn history_is_read_by_indexes_alone(url: String) {
        let store = filled(url).await;
        let is_postgres = store.dialect() == Dialect::Postgres;
        let known = if is_postgres { "VACUUM ANALYZE job_done, execution, lane" } else { "ANALYZE" };
        store.pool().write().execute_unprepared(known).await.expect("tables can be analysed");
        let lane: Value = 1_i64.into();
        let nil = || Uuid::nil().into();
        for (sql, values, index) in [
            (&OF_LANES, vec!["a".into(), 0_i64.into()], "job_done_lane"),
            (&OF_LANE.last, vec![lane.clone(), nil()], "job_done_lane"),
            (&OF_LANE.rest, vec![lane, nil()], "job_done_lane"),
            (&OF_EXECUTIONS.last, vec!["a".into(), nil()], "execution_tenant"),
            (&OF_EXECUTIONS.rest, vec!["a".into(), nil()], "execution_tenant"),
        ] {
            let plan = plan(&store, sql, values).await;
            let only = if is_postgres { "Index Only Scan using" } else { "COVERING INDEX" };
            assert!(plan.contains(&format!("{only} {index} ")), "{}:\n{plan}", sql.name());
        }
    }

    #[tokio::test]
    async fn i06_history_is_read_by_indexes_alone_on_postgres() {
        history_is_read_by_indexes_alone(postgres_database().await).await;
    }

    #[tokio::test]
    async fn i06_history_is_read_by_indexes_alone_on_sqlite() {
        history_is_read_by_indexes_alone("sqlite::memory:".to_owned()).await;
    }

    #[test]
    fn texts_say_what_is_added() {
        let limit = |sql: &Sql, end: &str| assert!(sql.text(Dialect::Postgres).contains(end), "{end}");
        for steps in [&OF_LANE, &OF_EXECUTIONS] {
            limit(&steps.last, &format!("LIMIT 1 OFFSET {}", STEP - 1));
            limit(&steps.rest, &format!("LIMIT {STEP})"));
        }
        limit(&OF_LANES, &format!("LIMIT {})", OF_EACH_LANE + 1));
        limit(&OF_LANES, &format!("ORDER BY l.id LIMIT {LANES}"));
    }
}
