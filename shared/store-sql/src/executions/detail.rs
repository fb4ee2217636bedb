//! An execution with its nodes: what settled, and what is under way. Items of a `MAP` and compensations are rows of
//! their own, under their keys; of items at most 1,000, however many there are.

use std::collections::{BTreeMap, HashSet};

use domain::access::TenantScope;
use domain::id::{ExecutionId, JobId};
use domain::names::{NodeId, TenantName};
use domain::workflow::execution::NodeStatus;
use store::StoreResult;
use store::executions::{ExecutionDetail, NodeView};
use uuid::Uuid;

use crate::bind;
use crate::jobs::status;
use crate::payloads;
use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

use super::inbox;
use super::read::record_of;

// The latest of each node. Of the items of MAPs some, those that did not complete first, of the newest 20,000 results. Outputs
// beyond 32 MiB are left out. $2 how many items
static RESULTS: Sql = Sql::new(
    "node_results",
    "SELECT position, node_id, status, attempts, started_at, finished_at, input, error,
       CASE WHEN sum(coalesce(octet_length(output), 0)) OVER (ORDER BY position) <= 33554432 THEN output END AS output
     FROM node_result WHERE position IN (
         SELECT max(position) FROM node_result
         WHERE execution_id = $1 AND node_id NOT LIKE '%]' GROUP BY node_id
         UNION ALL
         SELECT position FROM (
             SELECT item.position FROM node_result item WHERE item.position IN (
                 SELECT max(position) FROM (
                     SELECT position, node_id FROM node_result
                     WHERE execution_id = $1 ORDER BY position DESC LIMIT 20000) newest
                 WHERE node_id LIKE '%]' GROUP BY node_id)
             ORDER BY CASE WHEN item.status = 'COMPLETED' THEN 1 ELSE 0 END, item.position LIMIT $2) items)
     ORDER BY position",
);

// $2 how many items
static UNFINISHED: Sql = Sql::new(
    "unfinished_node_jobs",
    "SELECT id, node_id, state, attempt, started_at, data FROM job WHERE id IN (
         SELECT id FROM job WHERE execution_id = $1 AND node_id IS NOT NULL AND node_id NOT LIKE '%]'
         UNION ALL
         SELECT id FROM (
             SELECT id FROM job WHERE execution_id = $1 AND node_id LIKE '%]'
             ORDER BY position LIMIT $2) items)",
);

// Of items only those that are listed anyhow, or of whose end the owner does not know yet.
// $2 items, $3 jobs whose results the owner does not know
static ENDED: Sql = Sql::new(
    "ended_node_jobs",
    "SELECT id, node_id, attempt, started_at, data FROM job_done
     WHERE execution_id = $1 AND node_id IS NOT NULL
       AND (node_id NOT LIKE '%]' OR node_id {any $2 text} OR id {any $3 uuid})
     ORDER BY position",
);

// The latest of each of these nodes. Outputs beyond 32 MiB are left out. $2 the nodes
static OUTPUTS: Sql = Sql::new(
    "outputs_of_nodes",
    "SELECT position, node_id, status, attempts, started_at, finished_at, CAST(NULL AS text) AS input, error,
       CASE WHEN sum(coalesce(octet_length(output), 0)) OVER (ORDER BY position) <= 33554432 THEN output END AS output
     FROM node_result WHERE position IN (
         SELECT max(position) FROM node_result WHERE execution_id = $1 AND node_id {any $2 text} GROUP BY node_id)
     ORDER BY position",
);

/// How many items of `MAP`s are listed. How many there are and how many are done stands in the snapshot.
const ITEMS_MAX: usize = 1_000;

/// How much of the inbox is looked at; an owner that is further behind shows some nodes a moment too early.
const SETTLED_MAX: u32 = 1_000;

/// An execution with its definition and nodes.
pub(super) async fn detail(
    pool: &Pool,
    scope: &TenantScope,
    id: ExecutionId,
) -> StoreResult<Option<ExecutionDetail>> {
    let Some(mut detail) = head(pool, scope, id).await? else {
        return Ok(None);
    };
    let nodes = nodes(pool, id, detail.record.status.is_terminal()).await?;
    detail.nodes = nodes.into_values().collect();
    Ok(Some(detail))
}

/// An execution with its definition, without its nodes.
pub(super) async fn head(
    pool: &Pool,
    scope: &TenantScope,
    id: ExecutionId,
) -> StoreResult<Option<ExecutionDetail>> {
    let mut select = Select::new(
        "execution_detail",
        "SELECT e.*, w.content AS definition
         FROM execution e
         LEFT JOIN workflow w ON w.owner = e.workflow_owner AND w.name = e.workflow AND w.version = e.version
         WHERE true",
    );
    select.with("AND e.id = $?", id.uuid());
    select.with_some("AND e.tenant = $?", scope.tenant().map(TenantName::as_str));
    let Some(row) = select.first(pool.read()).await? else {
        return Ok(None);
    };
    let row = Row::new("execution", &row);
    Ok(Some(ExecutionDetail {
        record: record_of(row)?,
        definition: row.text("definition")?,
        state: row.bytes_or_null("state")?,
        nodes: Vec::new(),
    }))
}

/// The latest results of some nodes, without what they were given.
pub(super) async fn outputs(pool: &Pool, id: ExecutionId, nodes: &[NodeId]) -> StoreResult<Vec<NodeView>> {
    if nodes.is_empty() {
        return Ok(Vec::new());
    }
    let nodes = bind::texts(pool.dialect(), nodes.iter().map(NodeId::as_str));
    let rows = OUTPUTS.all(pool.read(), vec![id.uuid().into(), nodes]).await?;
    rows.iter().map(|row| settled_of(Row::new("node_result", row))).collect()
}

/// The nodes by their ids. Read in the order in which results of a node are written, so that none is missed between two
/// reads: what is seen twice is shown as it was.
async fn nodes(pool: &Pool, id: ExecutionId, is_over: bool) -> StoreResult<BTreeMap<NodeId, NodeView>> {
    let execution = id.uuid();
    let items_max = ITEMS_MAX as i64;
    // Jobs that ended and of which the owner does not know yet: until it does, their nodes run.
    let settled_jobs: HashSet<JobId> = if is_over {
        HashSet::new()
    } else {
        inbox::settled_jobs(pool, id, SETTLED_MAX).await?.into_iter().collect()
    };
    let mut nodes = BTreeMap::new();
    for row in &RESULTS.all(pool.read(), vec![execution.into(), items_max.into()]).await? {
        let view = settled_of(Row::new("node_result", row))?;
        nodes.insert(view.node_id.clone(), view);
    }
    let mut under_way = BTreeMap::new();
    for row in &UNFINISHED.all(pool.read(), vec![execution.into(), items_max.into()]).await? {
        let view = under_way_of(Row::new("job", row))?;
        under_way.insert(view.node_id.clone(), view);
    }
    let items: Vec<&str> = nodes.keys().filter(|key| is_item(key)).map(NodeId::as_str).collect();
    let items = bind::texts(pool.dialect(), items.into_iter());
    let jobs = bind::uuids(pool.dialect(), settled_jobs.iter().map(|job| job.uuid()));
    for row in &ENDED.all(pool.read(), vec![execution.into(), items, jobs]).await? {
        let view = running_of(Row::new("job_done", row))?;
        if view.job_id.is_some_and(|job_id| settled_jobs.contains(&job_id)) {
            nodes.insert(view.node_id.clone(), view);
        } else if let Some(settled) = nodes.get_mut(&view.node_id) {
            settled.job_id = view.job_id;
            settled.input = view.input;
        }
    }
    nodes.append(&mut under_way);
    keep_items(&mut nodes);
    load_inputs(pool, &mut nodes).await?;
    Ok(nodes)
}

/// Reads the inputs that are kept out of the rows of jobs: so many that fit together, the others are left out.
pub(super) async fn load_inputs(pool: &Pool, nodes: &mut BTreeMap<NodeId, NodeView>) -> StoreResult<()> {
    let is_large = |view: &&mut NodeView| view.input.as_deref().and_then(payloads::length_of).is_some();
    let mut large: Vec<&mut NodeView> = nodes.values_mut().filter(is_large).collect();
    let count = payloads::fitting(large.iter().filter_map(|view| view.input.as_deref()));
    let jobs: Vec<Uuid> = large[..count].iter().filter_map(|view| view.job_id).map(JobId::uuid).collect();
    let mut loaded = payloads::load(pool.read(), &jobs).await?;
    for view in &mut large {
        view.input = view.job_id.and_then(|job| loaded.remove(&job.uuid()));
    }
    Ok(())
}

fn is_item(key: &NodeId) -> bool {
    key.as_str().ends_with(']')
}

/// Leaves [`ITEMS_MAX`] items: those under way and those that did not complete before the others.
fn keep_items(nodes: &mut BTreeMap<NodeId, NodeView>) {
    let mut items: Vec<(u8, NodeId)> = nodes
        .iter()
        .filter(|(key, _)| is_item(key))
        .map(|(key, view)| {
            let rank = match view.status {
                NodeStatus::Running | NodeStatus::RetryWait => 0,
                NodeStatus::Completed => 2,
                _ => 1,
            };
            (rank, key.clone())
        })
        .collect();
    if items.len() <= ITEMS_MAX {
        return;
    }
    items.sort_unstable();
    for (_, key) in items.drain(ITEMS_MAX..) {
        nodes.remove(&key);
    }
}

pub(super) fn settled_of(row: Row<'_>) -> StoreResult<NodeView> {
    Ok(NodeView {
        node_id: row.name("node_id", NodeId::trusted)?,
        status: row.parsed("status", settled_status)?,
        job_id: None,
        attempts: row.count("attempts")?,
        input: row.text_or_null("input")?,
        output: row.text_or_null("output")?,
        error: row.error_or_null("error")?,
        started_at: row.instant_or_null("started_at")?,
        finished_at: Some(row.instant("finished_at")?),
    })
}

fn under_way_of(row: Row<'_>) -> StoreResult<NodeView> {
    let mut view = running_of(row)?;
    if row.text("state")? == status::RETRY_WAIT {
        view.status = NodeStatus::RetryWait;
    }
    Ok(view)
}

/// A node that runs as this job, or has run as it.
fn running_of(row: Row<'_>) -> StoreResult<NodeView> {
    Ok(NodeView {
        node_id: row.name("node_id", NodeId::trusted)?,
        status: NodeStatus::Running,
        job_id: Some(JobId::from_uuid(row.uuid("id")?)),
        attempts: row.count("attempt")?,
        input: Some(row.text("data")?),
        output: None,
        error: None,
        started_at: row.instant_or_null("started_at")?,
        finished_at: None,
    })
}

/// The status with this stored name, where it is one in which a node can be settled.
fn settled_status(text: &str) -> Option<NodeStatus> {
    [NodeStatus::Completed, NodeStatus::Skipped, NodeStatus::Failed, NodeStatus::Cancelled]
        .into_iter()
        .find(|status| status.as_str() == text)
}
