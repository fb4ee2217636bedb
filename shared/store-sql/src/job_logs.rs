//! Lines that handlers log: kept beside the jobs, read by position.

mod append;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::JobId;
use domain::job_log::LogLevel;
use domain::names::{NodeId, TenantName};
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::job_logs::{JobLogStore, LogPage, LogPosition, LogRecord, LoggedLines, LogsOf};
use store::jobs::LeaseAnswer;

use crate::SqlStore;
use crate::lists::WINDOW;
use crate::pool::Pool;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

// Reading lines by position, a bounded part of a log at a time.

const COLUMNS: &str = "SELECT job_id, CAST(attempt AS bigint) AS attempt, CAST(line AS bigint) AS line, at,
     CAST(level AS integer) AS level, message, fields, node_id FROM job_log WHERE true";
const PLACES: &str = "SELECT job_id, CAST(attempt AS bigint) AS attempt, CAST(line AS bigint) AS line, at
     FROM job_log WHERE true";

/// `JobLogStore::list_logs`. Lines that do not matter enough are passed over, so many of them at most.
async fn list(
    pool: &Pool,
    scope: &TenantScope,
    of: LogsOf,
    level: LogLevel,
    after: Option<LogPosition>,
    limit: u32,
) -> StoreResult<LogPage> {
    let end = match level {
        LogLevel::Debug => None,
        _ => end_of_window(pool, of, after).await?,
    };
    let mut select = Select::new("list_job_log", COLUMNS);
    part(&mut select, of, after);
    if let Some(end) = end {
        compared(&mut select, of, "<=", end);
    }
    select.with_some("AND tenant = $?", scope.tenant().map(TenantName::as_str));
    if level > LogLevel::Debug {
        select.with("AND level >= $?", level.code());
    }
    select.push(order(of));
    select.with("LIMIT $?", i64::from(limit) + 1);
    let rows = select.all(pool.lists()).await?;
    let mut lines = rows.iter().map(record).collect::<StoreResult<Vec<LogRecord>>>()?;
    let has_more = lines.len() > limit as usize;
    lines.truncate(limit as usize);
    let next = if has_more { lines.last().map(|line| line.position) } else { end };
    Ok(LogPage { lines, next })
}

/// The last line of the window, where there are more beyond it.
async fn end_of_window(
    pool: &Pool,
    of: LogsOf,
    after: Option<LogPosition>,
) -> StoreResult<Option<LogPosition>> {
    let mut select = Select::new("job_log_window", PLACES);
    part(&mut select, of, after);
    select.push(order(of));
    select.with("LIMIT 1 OFFSET $?", WINDOW);
    select.first(pool.lists()).await?.as_ref().map(position).transpose()
}

fn part(select: &mut Select, of: LogsOf, after: Option<LogPosition>) {
    match of {
        LogsOf::Job(id, attempt) => {
            select.with("AND job_id = $?", id.uuid());
            select.with_some("AND attempt = $?", attempt.map(int));
        }
        LogsOf::Execution(id) => select.with("AND execution_id = $?", id.uuid()),
    }
    if let Some(after) = after {
        compared(select, of, ">", after);
    }
}

fn compared(select: &mut Select, of: LogsOf, comparison: &str, with: LogPosition) {
    if let LogsOf::Execution(_) = of {
        select.with(&format!("AND (at, job_id, attempt, line) {comparison} ($?,"), with.at.0);
        select.with("$?,", with.job_id.uuid());
    } else {
        select.push(&format!("AND (attempt, line) {comparison} ("));
    }
    select.with("$?,", int(with.attempt));
    select.with("$?)", int(with.number));
}

fn order(of: LogsOf) -> &'static str {
    match of {
        LogsOf::Job(..) => "ORDER BY attempt, line",
        LogsOf::Execution(_) => "ORDER BY at, job_id, attempt, line",
    }
}

fn int(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn position(row: &QueryResult) -> StoreResult<LogPosition> {
    let row = Row::new("job_log", row);
    Ok(LogPosition {
        at: row.instant("at")?,
        job_id: JobId::from_uuid(row.uuid("job_id")?),
        attempt: row.count("attempt")?,
        number: row.count("line")?,
    })
}

fn record(row: &QueryResult) -> StoreResult<LogRecord> {
    let position = position(row)?;
    let row = Row::new("job_log", row);
    Ok(LogRecord {
        position,
        level: LogLevel::from_code(row.int("level")?).ok_or_else(|| row.fault("level"))?,
        message: row.text("message")?,
        fields: row.text_or_null("fields")?,
        node_id: row.name_or_null("node_id", NodeId::trusted)?,
    })
}

// Retention of lines by their age.

static LINES: Sql = Sql::new(
    "prune_job_log",
    "DELETE FROM job_log WHERE (job_id, attempt, line) IN (
       SELECT job_id, attempt, line FROM job_log WHERE logged_at < $1 ORDER BY logged_at LIMIT $2 {for_update_skip})",
);

// Not while lines are there: an attempt that logs again counts on from the last of them.
static ATTEMPTS: Sql = Sql::new(
    "prune_job_log_attempts",
    "DELETE FROM job_log_attempt WHERE (job_id, attempt) IN (
       SELECT a.job_id, a.attempt FROM job_log_attempt a
       WHERE a.logged_at < $1
         AND NOT EXISTS (SELECT 1 FROM job_log l WHERE l.job_id = a.job_id AND l.attempt = a.attempt)
       ORDER BY a.logged_at LIMIT $2 {for_update_skip})",
);

/// Removes lines that were logged before an instant; answers how many.
pub(crate) async fn prune(store: &SqlStore, before: Timestamp, limit: u32) -> StoreResult<u64> {
    let values = || vec![before.0.into(), i64::from(limit).into()];
    let gone = LINES.run(store.pool().write(), values()).await?;
    ATTEMPTS.run(store.pool().write(), values()).await?;
    Ok(gone)
}

// The port's operations on lines of jobs, each retried where that is safe.

#[async_trait]
impl JobLogStore for SqlStore {
    async fn append_logs(
        &self,
        scope: &TenantScope,
        logged: &[LoggedLines],
        full: &[TenantName],
        now: Timestamp,
    ) -> StoreResult<Vec<LeaseAnswer>> {
        self.sealer().ring(self.pool()).await?;
        with_retry(RetryBudget::once(), || append::append(self, scope, logged, full, now)).await
    }

    async fn tenants_logged(
        &self,
        scope: &TenantScope,
        logged: &[LoggedLines],
    ) -> StoreResult<Vec<Option<TenantName>>> {
        with_retry(RetryBudget::repeatable(), || append::tenants(self, scope, logged)).await
    }

    async fn list_logs(
        &self,
        scope: &TenantScope,
        of: LogsOf,
        level: LogLevel,
        after: Option<LogPosition>,
        limit: u32,
    ) -> StoreResult<LogPage> {
        let page =
            with_retry(RetryBudget::repeatable(), || list(self.pool(), scope, of, level, after, limit))
                .await?;
        Ok(LogPage { lines: self.opened_list(page.lines).await?, ..page })
    }
}
