//! The limits a claim obeys: kept in memory under a version that the lock statement answers.

use domain::build::BuildPins;
use domain::claim::{LimitTable, RateTable};
use domain::lane::WorkflowRef;
use domain::queue::QueueName;
use domain::rate::{KeyRates, Rate};
use sea_orm::ConnectionTrait;
use store::StoreResult;

use crate::builds::pins_of;
use crate::limits::{Overrides, overrides_of};
use crate::memory::CachedLimits;
use crate::rows::{Row, workflow_ref};
use crate::sql::Sql;
use crate::store::SqlStore;

// The latest version of each workflow decides.
static DEFINITIONS: Sql = Sql::new(
    "definition_limits",
    "SELECT w.owner, w.name, w.max_concurrent, w.rate FROM workflow w
     WHERE (w.max_concurrent IS NOT NULL OR w.rate IS NOT NULL) AND w.version = (
         SELECT max(v.version) FROM workflow v WHERE v.owner = w.owner AND v.name = w.name
     )",
);

static PAUSED: Sql = Sql::new("paused_workflows", "SELECT owner, name FROM workflow_pause");

static VERSION: Sql = Sql::new("limits_version", "SELECT limits_version FROM queue_claim WHERE queue = $1");

/// Whether these limits are still in force. Waits for no lock.
pub(super) async fn are_current(
    store: &SqlStore,
    queue: QueueName,
    limits: &CachedLimits,
) -> StoreResult<bool> {
    if store.memory().queue(queue).are_limits_stale() {
        return Ok(false);
    }
    let row = VERSION.first(store.pool().read(), vec![queue.code().into()]).await?;
    let version = row.map(|row| Row::new("queue_claim", &row).long("limits_version")).transpose()?;
    Ok(version == Some(limits.version))
}

/// Reads the limits of a queue. Within the claim's transaction, after its lock, so that they are those of `version`.
pub(super) async fn read<C: ConnectionTrait>(
    store: &SqlStore,
    on: &C,
    queue: QueueName,
    version: i64,
) -> StoreResult<CachedLimits> {
    let Overrides { limits, rates, keys } = overrides_of(on, queue).await?;
    // A definition's limit and a pause are about executions; its nodes have their own queue.
    let is_execution = queue == QueueName::Execution;
    let (limits_of, rates_of) = if is_execution { definitions(on).await? } else { (Vec::new(), Vec::new()) };
    let paused = if is_execution { paused(on).await? } else { Vec::new() };
    let rates = RateTable::resolve(&rates, &rates_of, is_execution).with_keys(KeyRates::resolve(&keys));
    let table = LimitTable::resolve(store.settings_of(queue), &limits, &limits_of).with_rates(rates);
    // Outside workers take jobs of that queue only.
    let pins = if queue == QueueName::Node { pins_of(on).await? } else { Vec::new() };
    Ok(CachedLimits { version, table, paused, pins: BuildPins::new(pins) })
}

/// The limits in force for a queue, and the workflows of which nothing starts, for those who only look.
pub(crate) async fn in_force(
    store: &SqlStore,
    queue: QueueName,
) -> StoreResult<(LimitTable, Vec<WorkflowRef>)> {
    let CachedLimits { table, paused, .. } = read(store, store.pool().lists(), queue, 0).await?;
    Ok((table, paused))
}

/// The limits and the rates of definitions.
async fn definitions<C: ConnectionTrait>(
    on: &C,
) -> StoreResult<(Vec<(WorkflowRef, u32)>, Vec<(WorkflowRef, Rate)>)> {
    let (mut limits, mut rates) = (Vec::new(), Vec::new());
    for row in &DEFINITIONS.all(on, vec![]).await? {
        let row = Row::new("workflow", row);
        let workflow = workflow_ref(row.text("owner")?, row.text("name")?);
        if let Some(rate) = row.rate_or_null("rate")? {
            rates.push((workflow.clone(), rate));
        }
        if let Some(limit) = row.count_or_null("max_concurrent")? {
            limits.push((workflow, limit));
        }
    }
    Ok((limits, rates))
}

async fn paused<C: ConnectionTrait>(on: &C) -> StoreResult<Vec<WorkflowRef>> {
    let rows = PAUSED.all(on, vec![]).await?;
    let paused = rows.iter().map(|row| {
        let row = Row::new("workflow_pause", row);
        Ok(workflow_ref(row.text("owner")?, row.text("name")?))
    });
    paused.collect()
}
