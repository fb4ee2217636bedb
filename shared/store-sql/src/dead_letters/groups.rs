//! Open dead letters by kind of failure.

use domain::access::TenantScope;
use domain::names::JobType;
use sea_orm::QueryResult;
use store::StoreResult;
use store::dead_letters::{DeadLetterFilter, DeadLetterGroup, DeadLetterStatus};

use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;

use super::filter::apply_as;

/// Groups, largest first. The job type is part of the fingerprint, so a group has one. The error of the newest is
/// looked up for the groups that are shown, with the same conditions.
pub(super) async fn groups(
    pool: &Pool,
    scope: &TenantScope,
    filter: &DeadLetterFilter,
    limit: u32,
) -> StoreResult<Vec<DeadLetterGroup>> {
    let mut select = Select::new(
        "dead_letter_groups",
        "SELECT g.fingerprint, g.job_type, g.number, g.first_at, g.last_at,
           (SELECT n.error FROM dead_letter n WHERE n.fingerprint = g.fingerprint AND n.died_at = g.last_at",
    );
    apply_as(&mut select, "n", scope, filter, DeadLetterStatus::Open);
    select.push(
        "ORDER BY n.id DESC LIMIT 1) AS error
         FROM (SELECT d.fingerprint, min(d.job_type) AS job_type, count(*) AS number, min(d.died_at) AS first_at,
                 max(d.died_at) AS last_at
               FROM dead_letter d WHERE true",
    );
    apply_as(&mut select, "d", scope, filter, DeadLetterStatus::Open);
    select.with(
        "GROUP BY d.fingerprint ORDER BY count(*) DESC, d.fingerprint LIMIT $?) g
         ORDER BY g.number DESC, g.fingerprint",
        i64::from(limit),
    );
    select.all(pool.delayed_lists()).await?.iter().map(group_of).collect()
}

fn group_of(row: &QueryResult) -> StoreResult<DeadLetterGroup> {
    let row = Row::new("dead_letter", row);
    Ok(DeadLetterGroup {
        fingerprint: row.text("fingerprint")?,
        job_type: row.name("job_type", JobType::trusted)?,
        error: row.error_or_null("error")?.ok_or_else(|| row.fault("error"))?,
        count: row.long("number").map(|number| number as u64)?,
        first_at: row.instant("first_at")?,
        last_at: row.instant("last_at")?,
    })
}
