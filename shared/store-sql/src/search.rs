//! Finding objects by typed terms: which table and order a list has, what a term becomes in SQL, and bounded windows for
//! what no index answers.

mod attributes;
mod checks;
mod columns;
mod condition;
mod order;
mod parts;
mod shown;
mod source;
mod subject_terms;
mod subjects;
mod walk;

use std::collections::BTreeSet;
use std::time::Duration;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::ScheduleId;
use domain::names::TenantName;
use domain::search::Search;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::audit::AuditLine;
use store::batches::BatchRecord;
use store::dead_letters::DeadLetterRecord;
use store::executions::ExecutionRecord;
use store::jobs::JobRecord;
use store::operations::WorkerRecord;
use store::schedules::{ScheduleRecord, ScheduleRunRecord};
use store::search::{Counted, Found, NEAR_COUNT_MAX, SearchPage, SearchStore, SuggestedValues, may_lag};
use store::user_tasks::UserTaskRecord;
use store::webhooks::DeliveryRecord;
use store::{StoreError, StoreResult};
use uuid::Uuid;

use crate::SqlStore;
use crate::lists::WINDOW;
use crate::pool::Pool;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::select::Select;

pub(crate) use columns::apply_to_audit;
use walk::Counting;

// Values that were seen lately, for completion. What is looked through is bounded: lanes of jobs, workers, or the newest
// rows of a list.

/// How many of the newest rows of a list are looked through.
const NEWEST: i64 = 2_000;

/// How many of the newest lanes are looked through.
const NEWEST_LANES: i64 = 50_000;

/// `SearchStore::suggest_values`.
async fn values(
    pool: &Pool,
    scope: &TenantScope,
    of: SuggestedValues,
    begin: &str,
    since: Timestamp,
    limit: u32,
) -> StoreResult<Vec<String>> {
    let tenant = scope.tenant().map(TenantName::as_str);
    // Lanes that hold no job go: those that are there were used lately. Their rows are narrow.
    let lanes = |column: &str| {
        let text = format!("SELECT DISTINCT n.value FROM (SELECT l.{column} AS value FROM lane l WHERE true");
        let mut select = Select::new("suggest_lanes", &text);
        select.with_some("AND l.tenant = $?", tenant);
        select.with("ORDER BY l.id DESC LIMIT $?) n WHERE n.value <> ''", NEWEST_LANES);
        begins(&mut select, "n.value", begin);
        select.with("ORDER BY n.value LIMIT $?", i64::from(limit));
        select
    };
    // The newest rows in the order of their ids first, so that no filter makes it look further.
    let newest = |column: &str, at: &str, table: &str, is_by_tenant: bool| {
        let text = format!(
            "SELECT n.value FROM (SELECT t.tenant, t.{column} AS value, t.{at} AS at FROM {table} t WHERE true"
        );
        let mut select = Select::new("suggest_newest", &text);
        // Held to the index by tenant, see `Source::lead`: for a small tenant the newest of all would be the whole table.
        let own = tenant.filter(|_| is_by_tenant);
        select.with_some("AND t.tenant {postgres:= ANY (ARRAY[$?])}{sqlite:= $?}", own);
        let lead = if own.is_some() { "{postgres:t.tenant DESC,}" } else { "" };
        select.with(&format!("ORDER BY {lead} t.id DESC LIMIT $?"), NEWEST);
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

// The port's search, on the connections of lists.

/// How long counting may take beside a list.
const COUNTS_WITHIN: Duration = Duration::from_secs(1);

/// How long counting may take where it is what was asked for, and far.
const COUNTS_FAR_WITHIN: Duration = Duration::from_millis(4_500);

#[async_trait]
impl SearchStore for SqlStore {
    async fn search(&self, scope: &TenantScope, search: &Search, page: SearchPage) -> StoreResult<Found> {
        let pool = self.pool();
        with_retry(RetryBudget::repeatable(), || {
            let on = if may_lag() { pool.delayed_lists() } else { pool.lists() };
            pool.listed(walk::search(on, scope, search, page, WINDOW))
        })
        .await
    }

    async fn count_found(&self, scope: &TenantScope, search: &Search, limit: u64) -> StoreResult<Counted> {
        let (counting, within) = if limit > NEAR_COUNT_MAX {
            (Counting::far(limit, WINDOW), COUNTS_FAR_WITHIN)
        } else {
            (Counting::near(limit, WINDOW), COUNTS_WITHIN)
        };
        let counted = walk::count(self.pool().lists(), scope, search, &counting);
        let is_exact = match tokio::time::timeout(within, counted).await {
            Ok(Ok(is_exact)) => is_exact,
            Err(_) | Ok(Err(StoreError::Unavailable { .. })) => false,
            Ok(Err(error)) => return Err(error),
        };
        Ok(Counted { value: counting.so_far(), is_exact })
    }

    async fn jobs_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<JobRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || shown::jobs(self.pool().lists(), scope, ids)).await?;
        self.opened_list(found).await
    }

    async fn executions_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<ExecutionRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || shown::executions(self.pool().lists(), scope, ids))
                .await?;
        self.opened_list(found).await
    }

    async fn dead_letters_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<DeadLetterRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || shown::dead_letters(self.pool().lists(), scope, ids))
                .await?;
        self.opened_list(found).await
    }

    async fn deliveries_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<DeliveryRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || shown::deliveries(self.pool().lists(), scope, ids))
                .await?;
        self.opened_list(found).await
    }

    async fn schedules_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<ScheduleRecord>> {
        with_retry(RetryBudget::repeatable(), || shown::schedules(self.pool().lists(), scope, ids)).await
    }

    async fn runs_of(&self, schedule: ScheduleId, ids: &[Uuid]) -> StoreResult<Vec<ScheduleRunRecord>> {
        with_retry(RetryBudget::repeatable(), || shown::runs(self.pool().lists(), schedule, ids)).await
    }

    async fn user_tasks_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<UserTaskRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || shown::user_tasks(self.pool().lists(), scope, ids))
                .await?;
        self.opened_list(found).await
    }

    async fn workers_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<WorkerRecord>> {
        with_retry(RetryBudget::repeatable(), || shown::workers(self.pool().lists(), scope, ids)).await
    }

    async fn audit_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<AuditLine>> {
        with_retry(RetryBudget::repeatable(), || shown::audit_lines(self.pool().lists(), scope, ids)).await
    }

    async fn batches_of(&self, scope: &TenantScope, ids: &[Uuid]) -> StoreResult<Vec<BatchRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || shown::batches(self.pool().lists(), scope, ids)).await?;
        self.opened_list(found).await
    }

    async fn suggest_values(
        &self,
        scope: &TenantScope,
        of: SuggestedValues,
        begin: &str,
        since: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<String>> {
        with_retry(RetryBudget::repeatable(), || values(self.pool(), scope, of, begin, since, limit)).await
    }
}

#[cfg(test)]
mod plans;
