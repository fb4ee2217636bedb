//! Items of a `MAP` that have settled: page by page in the order in which they did, and one by its key.
//!
//! Both go along the results of one execution by their index, a page through a bounded number of them: however many items there
//! are, no call reads all.

use std::collections::BTreeMap;

use domain::access::TenantScope;
use domain::id::{ExecutionId, JobId};
use domain::names::{NodeId, TenantName};
use store::StoreResult;
use store::executions::{ItemPage, NodeView};

use super::detail::{load_inputs, settled_of};
use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

/// How many results of an execution a page goes through.
const WINDOW: i64 = 2_000;

// Index: node_result_execution, without the rows.
static REACH: Sql = Sql::new(
    "node_results_in_reach",
    "SELECT count(*) AS number, max(position) AS last FROM (
         SELECT position FROM node_result WHERE execution_id = $1 AND position > $2 ORDER BY position LIMIT $3) reach",
);

// Payloads beyond 32 MiB are left out. Index: node_result_execution.
// $2 after, $3 up to, $4 how keys of items begin, $5 how many
static ITEMS: Sql = Sql::new(
    "items_of_map",
    "SELECT position, node_id, status, attempts, started_at, finished_at, error,
       CASE WHEN bytes <= 33554432 THEN input END AS input, CASE WHEN bytes <= 33554432 THEN output END AS output
     FROM (SELECT page.*, sum(coalesce(octet_length(input), 0) + coalesce(octet_length(output), 0))
             OVER (ORDER BY position) AS bytes
           FROM (SELECT * FROM node_result
                 WHERE execution_id = $1 AND position > $2 AND position <= $3
                   AND substr(node_id, 1, length(CAST($4 AS text))) = CAST($4 AS text)
                 ORDER BY position LIMIT $5) page) sized
     ORDER BY position",
);

// Index: node_result_execution, from the newest on.
static LATEST: Sql = Sql::new(
    "latest_node_result",
    "SELECT position, node_id, status, attempts, started_at, finished_at, input, error, output FROM node_result
     WHERE execution_id = $1 AND node_id = $2 ORDER BY position DESC LIMIT 1",
);

// Index: job_done_execution.
static JOB: Sql = Sql::new(
    "last_job_of_node",
    "SELECT id, data FROM job_done WHERE execution_id = $1 AND node_id = $2 ORDER BY position DESC LIMIT 1",
);

/// `ExecutionStore::execution_items`.
pub(super) async fn page(
    pool: &Pool,
    scope: &TenantScope,
    id: ExecutionId,
    map: &NodeId,
    (after, limit): (i64, u32),
) -> StoreResult<Option<ItemPage>> {
    if !is_there(pool, scope, id).await? {
        return Ok(None);
    }
    let mut page = ItemPage { execution_id: id, items: Vec::new(), next: None };
    let reach = REACH.first(pool.lists(), vec![id.uuid().into(), after.into(), WINDOW.into()]).await?;
    let Some((number, last)) =
        reach.map(|row| reach_of(Row::new("node_result", &row))).transpose()?.flatten()
    else {
        return Ok(Some(page));
    };
    let values =
        vec![id.uuid().into(), after.into(), last.into(), format!("{map}[").into(), i64::from(limit).into()];
    let rows = ITEMS.all(pool.lists(), values).await?;
    let mut end = last;
    for row in &rows {
        let row = Row::new("node_result", row);
        page.items.push(settled_of(row)?);
        end = row.long("position")?;
    }
    let is_full = page.items.len() == limit as usize;
    page.next = (is_full || number == WINDOW).then_some(if is_full { end } else { last });
    Ok(Some(page))
}

/// How many results there are within reach, and the position of the last one.
fn reach_of(row: Row<'_>) -> StoreResult<Option<(i64, i64)>> {
    let number = row.long("number")?;
    Ok(row.long_or_null("last")?.map(|last| (number, last)))
}

/// `ExecutionStore::execution_item`.
pub(super) async fn one(
    pool: &Pool,
    scope: &TenantScope,
    id: ExecutionId,
    item: &NodeId,
) -> StoreResult<Option<ItemPage>> {
    if !is_there(pool, scope, id).await? {
        return Ok(None);
    }
    let values = || vec![id.uuid().into(), item.as_str().into()];
    let Some(row) = LATEST.first(pool.lists(), values()).await? else {
        return Ok(None);
    };
    let mut view = settled_of(Row::new("node_result", &row))?;
    if let Some(row) = JOB.first(pool.lists(), values()).await? {
        let row = Row::new("job_done", &row);
        view.job_id = Some(JobId::from_uuid(row.uuid("id")?));
        view.input = Some(row.text("data")?);
    }
    let mut views: BTreeMap<NodeId, NodeView> = BTreeMap::from([(item.clone(), view)]);
    load_inputs(pool, &mut views).await?;
    Ok(Some(ItemPage { execution_id: id, items: views.into_values().collect(), next: None }))
}

async fn is_there(pool: &Pool, scope: &TenantScope, id: ExecutionId) -> StoreResult<bool> {
    let mut select = Select::new("execution_exists", "SELECT e.id FROM execution e WHERE true");
    select.with("AND e.id = $?", id.uuid());
    select.with_some("AND e.tenant = $?", scope.tenant().map(TenantName::as_str));
    Ok(select.first(pool.lists()).await?.is_some())
}

#[cfg(test)]
mod tests {
    use sea_orm::Value;
    use testkit::database::postgres_database;
    use uuid::Uuid;

    use super::*;
    use crate::jobs::plans::{assert_plan_uses, open_empty};

    /// No call reads the results of other executions.
    async fn check(url: String) {
        let store = open_empty(url).await;
        let id = || Value::from(Uuid::from_u128(7));
        for (sql, values) in [
            (&REACH, vec![id(), 0_i64.into(), WINDOW.into()]),
            (&ITEMS, vec![id(), 0_i64.into(), 9_i64.into(), "notify[".into(), 50_i64.into()]),
            (&LATEST, vec![id(), "notify[7]".into()]),
        ] {
            assert_plan_uses(&store, sql, values, "node_result_execution").await;
        }
    }

    #[tokio::test]
    async fn i06_items_are_read_by_their_index_on_sqlite() {
        let directory = tempfile::tempdir().expect("the temporary directory can be written");
        check(format!("sqlite://{}", directory.path().join("items.db").display())).await;
    }

    #[tokio::test]
    async fn i06_items_are_read_by_their_index_on_postgres() {
        check(postgres_database().await).await;
    }
}
