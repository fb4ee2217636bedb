//! Values that were seen lately, for completion. What is looked through is bounded: lanes of jobs, workers, or the newest
//! rows of a list.

use std::collections::BTreeSet;

use domain::access::TenantScope;
use domain::names::TenantName;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::search::SuggestedValues;

use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;

/// How many of the newest rows of a list are looked through.
const NEWEST: i64 = 2_000;

/// `SearchStore::suggest_values`.
pub(super) async fn values(
    pool: &Pool,
    scope: &TenantScope,
    of: SuggestedValues,
    begin: &str,
    since: Timestamp,
    limit: u32,
) -> StoreResult<Vec<String>> {
    let tenant = scope.tenant().map(TenantName::as_str);
    // Lanes that hold no job go: those that are there were used lately.
    let lanes = |column: &str| {
        let text = format!("SELECT DISTINCT l.{column} AS value FROM lane l WHERE l.{column} <> ''");
        let mut select = Select::new("suggest_lanes", &text);
        select.with_some("AND l.tenant = $?", tenant);
        begins(&mut select, &format!("l.{column}"), begin);
        select.with("ORDER BY value LIMIT $?", i64::from(limit));
        select
    };
    // The newest rows in the order of their ids first, so that no filter makes it look further.
    let newest = |column: &str, at: &str, table: &str, is_by_tenant: bool| {
        let text = format!(
            "SELECT n.value FROM (SELECT t.tenant, t.{column} AS value, t.{at} AS at FROM {table} t WHERE true"
        );
        let mut select = Select::new("suggest_newest", &text);
        select.with_some("AND t.tenant = $?", tenant.filter(|_| is_by_tenant));
        select.with("ORDER BY t.id DESC LIMIT $?", NEWEST);
        select.with(") n WHERE n.at >= $?", since.0);
        select.with_some("AND n.tenant = $?", tenant);
        select
    };
    let select = match of {
        SuggestedValues::Tenants => lanes("tenant"),
        SuggestedValues::Workflows => lanes("workflow"),
        SuggestedValues::JobTypes => lanes("job_type"),
        SuggestedValues::Workers => {
            let mut select =
                Select::new("suggest_workers", "SELECT DISTINCT w.id AS value FROM worker w WHERE true");
            select.with_some("AND w.tenant = $?", tenant);
            select.with("AND w.last_seen_at >= $?", since.0);
            begins(&mut select, "w.id", begin);
            select.with("ORDER BY value LIMIT $?", i64::from(limit));
            select
        }
        SuggestedValues::EventTypes => newest("event_type", "received_at", "webhook_delivery", true),
        SuggestedValues::Fingerprints => newest("fingerprint", "died_at", "dead_letter", false),
        SuggestedValues::ExecutionTags => {
            return tags(pool, newest("tags", "created_at", "execution", true), begin, limit).await;
        }
        SuggestedValues::JobTags => return tags(pool, job_tags(tenant, since), begin, limit).await,
    };
    let rows = select.all(pool.lists()).await?;
    let values = rows.iter().map(|row| Row::new("suggestion", row).text_or_null("value"));
    let values: BTreeSet<String> = values.filter_map(Result::transpose).collect::<StoreResult<_>>()?;
    Ok(values.into_iter().filter(|value| value.starts_with(begin)).take(limit as usize).collect())
}

/// Tags of the newest jobs that ended, whose lanes know the tenant.
fn job_tags(tenant: Option<&str>, since: Timestamp) -> Select {
    let mut select = Select::new(
        "suggest_job_tags",
        "SELECT n.value FROM (SELECT t.lane, t.tags AS value, t.finished_at FROM job_done t",
    );
    select.with("ORDER BY t.id DESC LIMIT $?", NEWEST);
    select.with(") n JOIN lane l ON l.id = n.lane WHERE n.finished_at >= $?", since.0);
    select.with_some("AND l.tenant = $?", tenant);
    select
}

async fn tags(pool: &Pool, select: Select, begin: &str, limit: u32) -> StoreResult<Vec<String>> {
    let rows: Vec<QueryResult> = select.all(pool.lists()).await?;
    let mut all = BTreeSet::new();
    for row in &rows {
        all.extend(Row::new("suggestion", row).tags("value")?);
    }
    Ok(all.into_iter().filter(|tag| tag.starts_with(begin)).take(limit as usize).collect())
}

fn begins(select: &mut Select, column: &str, begin: &str) {
    if begin.is_empty() {
        return;
    }
    select.with(&format!("AND substr({column}, 1, length(CAST($? AS text))) = $?"), begin);
}
