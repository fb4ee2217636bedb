//! Counts of open dead letters by kind of error. Triggers of the database append what changes, whichever process of whichever
//! version changes it, and upkeep adds it up; whoever reads takes what has not been added along. So no number here costs a look
//! at each letter.

use std::collections::BTreeMap;

use domain::access::TenantScope;
use domain::failure::DeadReason;
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::QueueName;
use domain::time::Timestamp;
use store::StoreResult;
use store::dead_letters::DeadLetterFilter;

use crate::bind::{self, Cell};
use crate::lock_order::begin_upkeep;
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

/// Where open letters are counted, as `d`.
pub(super) const COUNTS: &str =
    "(SELECT fingerprint, tenant, queue, job_type, workflow, reason, opened FROM dead_letter_count
      UNION ALL
      SELECT fingerprint, tenant, queue, job_type, workflow, reason, opened FROM dead_letter_change WHERE opened <> 0) d";

/// Where letters of the last day are counted by the hour in which they died, whatever became of them, as `d`.
pub(super) const HOURS: &str = "(SELECT fingerprint, tenant, at, died FROM dead_letter_hour
      UNION ALL
      SELECT fingerprint, tenant, at, died FROM dead_letter_change WHERE died <> 0) d";

static HAS_CHANGED: Sql =
    Sql::new("dead_letters_have_changed", "SELECT position FROM dead_letter_change LIMIT 1");

// Whoever adds up beside another one waits for it, and finds what it left. Index: the key. $1 how many
//
// What is removed here and below is an array on PostgreSQL: of tables that are filled and emptied again it often believes that they
// have one row, and then finds it as good to look for the rows anew for each row of the table.
static TAKE: Sql = Sql::new(
    "take_dead_letter_changes",
    "DELETE FROM dead_letter_change WHERE position {postgres:= ANY (ARRAY(}{sqlite:IN (}
       SELECT position FROM dead_letter_change ORDER BY position LIMIT $1){postgres:)}
     RETURNING fingerprint, tenant, queue, job_type, workflow, reason, at, opened, died",
);

static ADD: Sql = Sql::new(
    "add_dead_letters",
    "INSERT INTO dead_letter_count (fingerprint, tenant, queue, job_type, workflow, reason, opened)
     SELECT r.fingerprint, r.tenant, r.queue, r.job_type, r.workflow, r.reason, r.opened
     FROM {rows $1: fingerprint text, tenant text, queue int, job_type text, workflow text, reason text, opened bigint} r
     WHERE true ORDER BY r.fingerprint, r.tenant, r.queue, r.job_type, r.workflow, r.reason
     ON CONFLICT (fingerprint, tenant, queue, job_type, workflow, reason)
     DO UPDATE SET opened = dead_letter_count.opened + excluded.opened",
);

// Those that were counted down are locked already. Index: the key.
static FORGET_EMPTY: Sql = Sql::new(
    "forget_empty_dead_letter_counts",
    "DELETE FROM dead_letter_count WHERE opened = 0 AND (fingerprint, tenant, queue, job_type, workflow, reason) IN (
       SELECT r.fingerprint, r.tenant, r.queue, r.job_type, r.workflow, r.reason
       FROM {rows $1: fingerprint text, tenant text, queue int, job_type text, workflow text, reason text} r)",
);

static ADD_HOURS: Sql = Sql::new(
    "add_dead_letter_hours",
    "INSERT INTO dead_letter_hour (fingerprint, at, tenant, died)
     SELECT r.fingerprint, r.at, r.tenant, r.died FROM {rows $1: fingerprint text, at bigint, tenant text, died bigint} r
     WHERE true ORDER BY r.fingerprint, r.at, r.tenant
     ON CONFLICT (fingerprint, at, tenant) DO UPDATE SET died = dead_letter_hour.died + excluded.died",
);

// Those that are locked lie still. Index: dead_letter_hour_age, and then the place.
static FORGET_HOURS: Sql = Sql::new(
    "forget_dead_letter_hours",
    "DELETE FROM dead_letter_hour WHERE {postgres:ctid = ANY (ARRAY(SELECT ctid}{sqlite:rowid IN (SELECT rowid}
       FROM dead_letter_hour WHERE at < $1 ORDER BY at LIMIT $2 {for_update_skip}){postgres:)}",
);

/// Letters of which open ones are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Counted {
    fingerprint: String,
    tenant: String,
    queue: i32,
    job_type: String,
    workflow: String,
    reason: String,
}

impl Counted {
    fn of(row: Row<'_>) -> StoreResult<Self> {
        Ok(Self {
            fingerprint: row.text("fingerprint")?,
            tenant: row.text("tenant")?,
            queue: i32::from(row.queue("queue")?.code()),
            job_type: row.text("job_type")?,
            workflow: row.text("workflow")?,
            reason: row.text("reason")?,
        })
    }

    fn cells(&self) -> [Cell<'_>; 6] {
        [
            Cell::Text(&self.fingerprint),
            Cell::Text(&self.tenant),
            Cell::Int(self.queue),
            Cell::Text(&self.job_type),
            Cell::Text(&self.workflow),
            Cell::Text(&self.reason),
        ]
    }
}

/// What is added together.
#[derive(Debug, Default)]
struct Changes {
    opened: BTreeMap<Counted, i64>,
    /// By fingerprint, hour and tenant.
    died: BTreeMap<(String, i64, String), i64>,
}

impl Changes {
    fn add(&mut self, row: Row<'_>) -> StoreResult<()> {
        let (counted, opened, died) = (Counted::of(row)?, row.long("opened")?, row.long("died")?);
        if died != 0 {
            let hour = (counted.fingerprint.clone(), row.long("at")?, counted.tenant.clone());
            *self.died.entry(hour).or_default() += died;
        }
        *self.opened.entry(counted).or_default() += opened;
        Ok(())
    }
}

/// `DeadLetterStore::add_up_dead_letters`.
pub(super) async fn add_up(pool: &Pool, hours_from: Timestamp, limit: u32) -> StoreResult<u64> {
    if HAS_CHANGED.first(pool.read(), vec![]).await?.is_none() {
        return Ok(0);
    }
    FORGET_HOURS.run(pool.write(), vec![hours_from.0.into(), i64::from(limit).into()]).await?;
    let transaction = begin_upkeep(pool).await?;
    let taken = TAKE.all(&transaction, vec![i64::from(limit).into()]).await?;
    if taken.is_empty() {
        rollback(transaction).await;
        return Ok(0);
    }
    let mut changes = Changes::default();
    for row in &taken {
        changes.add(Row::new("dead_letter_change", row))?;
    }
    let dialect = pool.dialect();
    changes.opened.retain(|_, opened| *opened != 0);
    if !changes.opened.is_empty() {
        let cells = changes.opened.iter().map(|(of, opened)| {
            let [fingerprint, tenant, queue, job_type, workflow, reason] = of.cells();
            [fingerprint, tenant, queue, job_type, workflow, reason, Cell::Long(*opened)]
        });
        ADD.run(&transaction, bind::rows(dialect, cells)).await?;
    }
    let fewer: Vec<&Counted> =
        changes.opened.iter().filter(|(_, opened)| **opened < 0).map(|(of, _)| of).collect();
    if !fewer.is_empty() {
        FORGET_EMPTY.run(&transaction, bind::rows(dialect, fewer.iter().map(|of| of.cells()))).await?;
    }
    if !changes.died.is_empty() {
        let cells = changes.died.iter().map(|((fingerprint, at, tenant), died)| {
            [Cell::Text(fingerprint), Cell::Long(*at), Cell::Text(tenant), Cell::Long(*died)]
        });
        ADD_HOURS.run(&transaction, bind::rows(dialect, cells)).await?;
    }
    commit(transaction).await?;
    Ok(taken.len() as u64)
}

/// Appends scope and filter, but for status and instants, to a select from letters or [`COUNTS`] of them as `d`.
pub(super) fn of_kinds(select: &mut Select, scope: &TenantScope, filter: &DeadLetterFilter) {
    of_tenants(select, "d", scope, filter.tenant.as_ref());
    select.with_some("AND d.queue = $?", filter.queue.map(QueueName::code));
    select.with_some("AND d.workflow = $?", filter.workflow.as_ref().map(WorkflowName::as_str));
    select.with_some("AND d.job_type = $?", filter.job_type.as_ref().map(JobType::as_str));
    select.with_some("AND d.fingerprint = $?", filter.fingerprint.as_deref());
    select.with_some("AND d.reason = $?", filter.reason.map(DeadReason::as_str));
}

/// Appends whose letters, of a table under this alias, are meant.
pub(super) fn of_tenants(select: &mut Select, alias: &str, scope: &TenantScope, tenant: Option<&TenantName>) {
    let is_of = format!("AND {alias}.tenant = $?");
    select.with_some(&is_of, scope.tenant().map(TenantName::as_str));
    select.with_some(&is_of, tenant.map(TenantName::as_str));
}

/// How many are open, of a queue.
pub(crate) async fn open_of_queue(pool: &Pool, scope: &TenantScope, queue: QueueName) -> StoreResult<u64> {
    let text =
        format!("SELECT CAST(COALESCE(sum(d.opened), 0) AS bigint) AS opened FROM {COUNTS} WHERE true");
    let mut select = Select::new("queue_dead_letters", &text);
    let filter = DeadLetterFilter { queue: Some(queue), ..DeadLetterFilter::default() };
    of_kinds(&mut select, scope, &filter);
    let row = select.first(pool.lists()).await?;
    let opened = row.map(|row| Row::new("dead_letter_count", &row).long("opened")).transpose()?;
    Ok(opened.and_then(|opened| u64::try_from(opened).ok()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use testkit::database::postgres_database;

    use super::*;
    use crate::dialect::Dialect;
    use crate::jobs::plans::{assert_plan_uses, open_empty};

    /// What is removed is looked for once, however many rows the tables are believed to have.
    async fn plans(url: String) {
        let store = open_empty(url).await;
        let (changes, hours) = match store.dialect() {
            Dialect::Postgres => ("= ANY (", "TID Cond: (ctid = ANY ("),
            Dialect::Sqlite => ("INTEGER PRIMARY KEY", "INTEGER PRIMARY KEY"),
        };
        assert_plan_uses(&store, &TAKE, vec![5_i64.into()], changes).await;
        assert_plan_uses(&store, &FORGET_HOURS, vec![0_i64.into(), 5_i64.into()], hours).await;
    }

    #[tokio::test]
    async fn i06_counts_are_added_up_without_a_join_on_postgres() {
        plans(postgres_database().await).await;
    }

    #[tokio::test]
    async fn i06_counts_are_added_up_without_a_join_on_sqlite() {
        plans("sqlite::memory:".to_owned()).await;
    }
}
