//! How many bytes of log lines a tenant has, by their index alone and some thousands of attempts at a time: no statement takes long
//! or holds a snapshot for long, however many there are.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::job_log::LOG_LINE_ROW_BYTES;
use domain::names::TenantName;
use store::StoreResult;
use uuid::Uuid;

use super::history::used_of;
use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::Sql;

// The last job of a step of 10,000 attempts; none where there are fewer. As in `history`, the order leaves PostgreSQL no other index.
// Index: job_log_attempt_tenant.
static LAST: Sql = Sql::new(
    "log_bytes_step",
    "SELECT job_id FROM job_log_attempt
     WHERE tenant = {postgres:ANY (ARRAY[$1])}{sqlite:$1} AND job_id > $2
     ORDER BY {postgres:tenant,} job_id LIMIT 1 OFFSET 9999",
);

// $4 what a line counts beside its bytes. Index: job_log_attempt_tenant.
static SUM: Sql = Sql::new(
    "log_bytes_of_step",
    "SELECT CAST(COALESCE(SUM(bytes), 0) + COALESCE(SUM(lines), 0) * $4 AS bigint) AS used FROM job_log_attempt
     WHERE tenant = $1 AND job_id > $2 AND job_id <= $3",
);

/// Adds up the bytes. `so_far` is how many are known of, at any time.
pub(super) async fn sum(pool: &Pool, tenant: &TenantName, so_far: &AtomicU64) -> StoreResult<u64> {
    let row_bytes = i64::try_from(LOG_LINE_ROW_BYTES).unwrap_or(i64::MAX);
    let (mut behind, mut bytes) = (Uuid::nil(), 0_u64);
    loop {
        let step = LAST.first(pool.lists(), vec![tenant.as_str().into(), behind.into()]).await?;
        let last = step.as_ref().map(|row| Row::new("job_log_attempt", row).uuid("job_id")).transpose()?;
        let end = last.unwrap_or_else(Uuid::max);
        let values = vec![tenant.as_str().into(), behind.into(), end.into(), row_bytes.into()];
        bytes = bytes.saturating_add(used_of(SUM.first(pool.lists(), values).await?)?);
        so_far.store(bytes, Ordering::Relaxed);
        if last.is_none() {
            return Ok(bytes);
        }
        behind = end;
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::ConnectionTrait as _;
    use testkit::database::postgres_database;

    use super::*;
    use crate::dialect::Dialect;
    use crate::jobs::plans::open_empty;

    async fn bytes_are_added_up_in_steps(url: String) {
        let store = open_empty(url).await;
        let id = match store.dialect() {
            Dialect::Postgres => "CAST(lpad(to_hex(n), 32, '0') AS uuid)",
            Dialect::Sqlite => "unhex(printf('%032x', n))",
        };
        let text = format!(
            "INSERT INTO job_log_attempt (job_id, attempt, lines, bytes, dropped, sequence, logged_at, tenant)
             WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 20500)
             SELECT {id}, 1, 2, 10, 0, 0, 1, CASE WHEN n <= 20000 THEN 'a' WHEN n <= 20400 THEN 'b' END FROM s"
        );
        store.pool().write().execute_unprepared(&text).await.expect("the statement is valid");
        for (tenant, attempts) in [("a", 20_000), ("b", 400), ("c", 0)] {
            let so_far = AtomicU64::new(0);
            let used =
                sum(store.pool(), &TenantName::trusted(tenant), &so_far).await.expect("adding up works");
            assert_eq!(used, attempts * (10 + 2 * LOG_LINE_ROW_BYTES), "{tenant}");
            assert_eq!(so_far.into_inner(), used, "{tenant}");
        }
    }

    #[tokio::test]
    async fn i06_bytes_of_log_lines_are_added_up_in_steps_on_postgres() {
        bytes_are_added_up_in_steps(postgres_database().await).await;
    }

    #[tokio::test]
    async fn i06_bytes_of_log_lines_are_added_up_in_steps_on_sqlite() {
        bytes_are_added_up_in_steps("sqlite::memory:".to_owned()).await;
    }
}
