//! Open dead letters by kind of error, the largest kind first.

use std::collections::HashMap;

use domain::access::TenantScope;
use domain::failure::{DeadLetterStatus, JobError};
use domain::names::JobType;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::dead_letters::{DeadLetterFilter, DeadLetterGroup};

use super::counts::{COUNTS, of_kinds, of_tenants};
use crate::bind::{self, Cell};
use crate::lists::WINDOW;
use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;

/// `DeadLetterStore::dead_letter_groups`. The job type is part of the fingerprint, so that a group has one.
pub(super) async fn groups(
    pool: &Pool,
    scope: &TenantScope,
    filter: &DeadLetterFilter,
    limit: u32,
) -> StoreResult<Vec<DeadLetterGroup>> {
    if filter.from.is_some() || filter.to.is_some() {
        let rows = of_time(scope, filter, limit).all(pool.delayed_lists()).await?;
        return rows.iter().map(group_of).collect();
    }
    let text = format!(
        "SELECT d.fingerprint, min(d.job_type) AS job_type, CAST(sum(d.opened) AS bigint) AS number FROM {COUNTS}
         WHERE true"
    );
    let mut select = Select::new("dead_letter_groups", &text);
    of_kinds(&mut select, scope, filter);
    select.with(
        "GROUP BY d.fingerprint HAVING sum(d.opened) > 0 ORDER BY sum(d.opened) DESC, d.fingerprint LIMIT $?",
        i64::from(limit),
    );
    let counted = select.all(pool.delayed_lists()).await?;
    let mut ends = ends(pool, scope, filter, &counted).await?;
    let mut groups = Vec::with_capacity(counted.len());
    for row in &counted {
        let row = Row::new("dead_letter_count", row);
        let fingerprint = row.text("fingerprint")?;
        // What was requeued a moment ago may be counted still.
        if let Some((first_at, last_at, error)) = ends.remove(&fingerprint) {
            let (job_type, count) = (row.name("job_type", JobType::trusted)?, count_of(row)?);
            groups.push(DeadLetterGroup { fingerprint, job_type, error, count, first_at, last_at });
        }
    }
    Ok(groups)
}

/// When the first and the last of each of these groups died, and of what the last.
// Index: dead_letter_fingerprint or dead_letter_tenant_fingerprint, a step for each.
async fn ends(
    pool: &Pool,
    scope: &TenantScope,
    filter: &DeadLetterFilter,
    counted: &[QueryResult],
) -> StoreResult<HashMap<String, (Timestamp, Timestamp, JobError)>> {
    let fingerprint = |row: &QueryResult| Row::new("dead_letter_count", row).text("fingerprint");
    let fingerprints: Vec<String> = counted.iter().map(fingerprint).collect::<StoreResult<_>>()?;
    let mut ends = HashMap::with_capacity(fingerprints.len());
    if fingerprints.is_empty() {
        return Ok(ends);
    }
    let rows =
        ends_of(scope, filter, bind::rows(pool.dialect(), fingerprints.iter().map(|of| [Cell::Text(of)])));
    for row in &rows.all(pool.delayed_lists()).await? {
        let row = Row::new("dead_letter", row);
        if let (Some(first_at), Some(last_at), Some(error)) =
            (row.instant_or_null("first_at")?, row.instant_or_null("last_at")?, row.error_or_null("error")?)
        {
            ends.insert(row.text("fingerprint")?, (first_at, last_at, error));
        }
    }
    Ok(ends)
}

fn ends_of(scope: &TenantScope, filter: &DeadLetterFilter, fingerprints: Vec<sea_orm::Value>) -> Select {
    let mut select = Select::new("dead_letter_group_ends", "SELECT r.fingerprint");
    for (column, order, name) in [
        ("n.died_at", "n.died_at, n.id", "first_at"),
        ("n.died_at", "n.died_at DESC, n.id DESC", "last_at"),
        ("n.error", "n.died_at DESC, n.id DESC", "error"),
    ] {
        select.push(&format!(
            ", (SELECT {column} FROM dead_letter n WHERE n.fingerprint = r.fingerprint AND n.status = 'open'"
        ));
        of_tenants(&mut select, "n", scope, filter.tenant.as_ref());
        select.push(&format!("ORDER BY {order} LIMIT 1) AS {name}"));
    }
    // A row source of one column is one parameter on both databases.
    for value in fingerprints {
        select.with("FROM {rows $?: fingerprint text} r", value);
    }
    select
}

/// Groups of a span of time, of which nothing is counted beforehand: the newest letters of it are looked at, so many as a window
/// has.
// Index: one in the order of deaths.
fn of_time(scope: &TenantScope, filter: &DeadLetterFilter, limit: u32) -> Select {
    let mut select = Select::new(
        "dead_letter_groups_of_time",
        "SELECT g.fingerprint, g.job_type, g.number, g.first_at, g.last_at,
           (SELECT n.error FROM dead_letter n
            WHERE n.fingerprint = g.fingerprint AND n.status = 'open' AND n.died_at = g.last_at",
    );
    of_tenants(&mut select, "n", scope, filter.tenant.as_ref());
    select.push(
        "ORDER BY n.id DESC LIMIT 1) AS error
         FROM (SELECT d.fingerprint, min(d.job_type) AS job_type, count(*) AS number, min(d.died_at) AS first_at,
                 max(d.died_at) AS last_at
               FROM (SELECT n.fingerprint, n.tenant, n.queue, n.job_type, n.workflow, n.reason, n.died_at
                     FROM dead_letter n WHERE",
    );
    select.push(&format!("n.status = '{}'", DeadLetterStatus::Open.as_str()));
    of_tenants(&mut select, "n", scope, filter.tenant.as_ref());
    select.with_some("AND n.fingerprint = $?", filter.fingerprint.as_deref());
    select.with_some("AND n.died_at >= $?", filter.from.map(|instant| instant.0));
    select.with_some("AND n.died_at < $?", filter.to.map(|instant| instant.0));
    select.with("ORDER BY n.died_at DESC, n.id DESC LIMIT $?) d WHERE true", WINDOW);
    of_kinds(&mut select, scope, filter);
    select.with(
        "GROUP BY d.fingerprint ORDER BY count(*) DESC, d.fingerprint LIMIT $?) g
         ORDER BY g.number DESC, g.fingerprint",
        i64::from(limit),
    );
    select
}

fn group_of(row: &QueryResult) -> StoreResult<DeadLetterGroup> {
    let row = Row::new("dead_letter", row);
    Ok(DeadLetterGroup {
        fingerprint: row.text("fingerprint")?,
        job_type: row.name("job_type", JobType::trusted)?,
        error: row.error_or_null("error")?.ok_or_else(|| row.fault("error"))?,
        count: count_of(row)?,
        first_at: row.instant("first_at")?,
        last_at: row.instant("last_at")?,
    })
}

fn count_of(row: Row<'_>) -> StoreResult<u64> {
    Ok(u64::try_from(row.long("number")?).unwrap_or(0))
}
