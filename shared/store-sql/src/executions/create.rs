//! Creating executions with their jobs.

use domain::failure::JobError;
use domain::id::ExecutionId;
use domain::names::{CallerKey, NodeId};
use domain::queue::LaneId;
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait as _, Value};
use store::StoreResult;
use store::audit::{lines_taken, riding_lines};
use store::executions::NewExecution;
use store::jobs::{ClaimRequest, EagerlyEnqueued, Enqueued, NewJob};
use uuid::Uuid;

use crate::audit::recorded;
use crate::bind::{self, Cell, Parameters};
use crate::claim_row::bump_epoch;
use crate::columns::{Arguments, Columns};
use crate::dialect::Dialect;
use crate::jobs::eager::{self, EagerLeasePermit};
use crate::jobs::enqueue::{
    ENQUEUE, INSERTED, Inserted, fit_one_statement, insert, inserted_at_once, prepare,
};
use crate::jobs::enqueue_fast::{add_rows_of, tags_text};
use crate::jobs::finish::error_text;
use crate::pool::{commit, commit_change};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::{Row, workflow_columns};
use crate::sealing::{NewError, Place, Ring};
use crate::sql::{DatabaseTransaction, Sql};
use crate::{SqlStore, attributes, audit, columns};

// $1 now
static INSERT: Sql = Sql::new(
    "create_executions",
    "INSERT INTO execution (id, job_id, tenant, workflow_owner, workflow, version, status, tier, trigger_kind,
       trigger_detail, correlation_id, tags, traceparent, created_at, schedule_id, parent_id, parent_node_id, depth,
       input)
     SELECT r.id, r.job_id, r.tenant, r.workflow_owner, r.workflow, r.version, 'PENDING', r.tier, r.trigger_kind,
       r.trigger_detail, r.correlation_id, r.tags, r.traceparent, $1, r.schedule_id, r.parent_id, r.parent_node_id,
       r.depth, r.input
     FROM {rows $2: id uuid, job_id uuid, tenant text, workflow_owner text, workflow text, version int, tier int, trigger_kind text, trigger_detail text?, correlation_id text?, tags text?, traceparent text?, schedule_id uuid?, parent_id uuid?, parent_node_id text?, depth int, input text} r
     WHERE true ON CONFLICT (id) DO NOTHING",
);

// The columns are those of `create_executions`.
macro_rules! created {
    ($first:literal) => {
        concat!(
            "), created AS (
     INSERT INTO execution (id, job_id, tenant, workflow_owner, workflow, version, status, tier, trigger_kind,
       trigger_detail, correlation_id, tags, traceparent, created_at, schedule_id, parent_id, parent_node_id, depth,
       input)
     SELECT r.id, r.job_id, r.tenant, r.workflow_owner, r.workflow, r.version, 'PENDING', r.tier, r.trigger_kind,
       r.trigger_detail, r.correlation_id, r.tags, r.traceparent, $1, r.schedule_id, r.parent_id, r.parent_node_id,
       r.depth, r.input
     FROM {rows $",
            $first,
            ": id uuid, job_id uuid, tenant text, workflow_owner text, workflow text, version int, tier int, trigger_kind text, trigger_detail text?, correlation_id text?, tags text?, traceparent text?, schedule_id uuid?, parent_id uuid?, parent_node_id text?, depth int, input text} r
     WHERE r.job_id IN (SELECT made.id FROM made) ON CONFLICT (id) DO NOTHING
 "
        )
    };
}

const CREATED: &str = concat!(created!("20"), ") SELECT id, position, state FROM made");
const CREATED_RECORDED: &str =
    concat!(created!("20"), recorded!("37"), ") SELECT id, position, state FROM made");

// Jobs and executions in one statement, without and with lines of the audit log. PostgreSQL only.
static CREATE: Sql = Sql::joined("create_executions_at_once", ["WITH made AS (\n", ENQUEUE, CREATED]);
static CREATE_RECORDED: Sql =
    Sql::joined("create_recorded_executions", ["WITH made AS (\n", ENQUEUE, CREATED_RECORDED]);

// The same, with the jobs leased at once.
static CREATE_LEASED: Sql =
    Sql::joined("create_leased_executions", [eager::INSERT, created!("29"), eager::INSERTED]);
static CREATE_LEASED_RECORDED: Sql = Sql::joined(
    "create_leased_recorded_executions",
    [eager::INSERT, concat!(created!("29"), recorded!("46")), eager::INSERTED],
);

/// How many executions go into the one statement with their jobs: it compares each with each. Beyond, the round trips
/// of the others do not count.
const AT_ONCE_MAX: usize = 32;

/// How many executions one statement inserts.
const CHUNK: usize = 1_000;

/// Creates executions, all or nothing. One whose job is there already, or whose job's unique key is held, changes
/// nothing and is answered with the job that is there.
pub(super) async fn create(
    store: &SqlStore,
    executions: &[NewExecution],
    now: Timestamp,
) -> StoreResult<Vec<Enqueued>> {
    if executions.is_empty() {
        return Ok(Vec::new());
    }
    let jobs: Vec<NewJob> = executions.iter().map(|execution| execution.job.clone()).collect();
    let lanes = prepare(store, &jobs, now).await?;
    let is_short = executions.len() <= AT_ONCE_MAX && store.dialect() == Dialect::Postgres;
    if is_short && fit_one_statement(&jobs) && executions.iter().all(is_plain) {
        return with_retry(RetryBudget::repeatable(), || {
            create_at_once(store, executions, &jobs, &lanes, now)
        })
        .await;
    }
    with_retry(RetryBudget::repeatable(), || create_once(store, executions, &jobs, &lanes, now)).await
}

/// Creates executions and leases their jobs, where that may be.
pub(super) async fn create_eagerly(
    store: &SqlStore,
    executions: &[NewExecution],
    claim: &ClaimRequest,
) -> StoreResult<EagerlyEnqueued> {
    let jobs: Vec<NewJob> = executions.iter().map(|execution| execution.job.clone()).collect();
    let is_short = executions.len() <= AT_ONCE_MAX;
    if is_short && executions.iter().all(is_plain) {
        let lanes = prepare(store, &jobs, claim.now).await?;
        if let Some(leave) = EagerLeasePermit::try_acquire(store, &jobs, &lanes, claim) {
            let rows: Vec<NewRow<'_>> = executions.iter().map(NewRow::of).collect();
            let statements = [&CREATE_LEASED, &CREATE_LEASED_RECORDED];
            if let Some(made) =
                leave.use_for(statements, |arguments| add_rows(arguments, Dialect::Postgres, &rows)).await?
            {
                return Ok(made);
            }
        }
    }
    let enqueued = create(store, executions, claim.now).await?;
    Ok(EagerlyEnqueued { enqueued, leased: Vec::new() })
}

/// Whether nothing is stored beside it and its job.
fn is_plain(execution: &NewExecution) -> bool {
    execution.seed.is_none() && execution.attributes.is_empty()
}

async fn create_once(
    store: &SqlStore,
    executions: &[NewExecution],
    jobs: &[NewJob],
    lanes: &[LaneId],
    now: Timestamp,
) -> StoreResult<Vec<Enqueued>> {
    let rows: Vec<NewRow<'_>> = executions.iter().map(NewRow::of).collect();
    let transaction = store.pool().begin().await?;
    let inserted = create_in(&transaction, &rows, jobs, lanes, now).await?;
    // The copies of one that was there before are sealed for it already.
    let created = executions.iter().zip(&inserted.answers).filter(|(_, answer)| !answer.existing);
    let created: Vec<&NewExecution> = created.map(|(execution, _)| execution).collect();
    reseal(&store.sealer().current(), &transaction, &created).await?;
    let bumps = bump_epoch(&transaction, inserted.older()).await?;
    // Lines record what is new.
    if created.is_empty() {
        commit(transaction).await?;
    } else {
        commit_change(transaction).await?;
    }
    inserted.record(store);
    bumps.record(store);
    Ok(inserted.answers)
}

/// The same in one statement that is its own transaction, where nothing is to be admitted or seeded.
async fn create_at_once(
    store: &SqlStore,
    executions: &[NewExecution],
    jobs: &[NewJob],
    lanes: &[LaneId],
    now: Timestamp,
) -> StoreResult<Vec<Enqueued>> {
    let rows: Vec<NewRow<'_>> = executions.iter().map(NewRow::of).collect();
    let mut arguments = Arguments::new().with(now.0);
    add_rows_of(&mut arguments, Dialect::Postgres, (jobs, lanes), 0..jobs.len(), now);
    add_rows(&mut arguments, Dialect::Postgres, &rows);
    let lines = riding_lines();
    let statement = if lines.is_empty() { &CREATE } else { &CREATE_RECORDED };
    if !lines.is_empty() {
        audit::add_lines(&mut arguments, Dialect::Postgres, &lines);
    }
    let made = columns::all(store, statement, arguments).await?;
    if !made.is_empty() {
        lines_taken();
    }
    let made: Vec<Columns<'_>> = made.iter().map(|row| Columns::of_postgres("job", INSERTED, row)).collect();
    let inserted = inserted_at_once(store, jobs, lanes, &made, now).await?;
    inserted.record(store);
    Ok(inserted.answers)
}

/// An execution to create, with what only the store knows of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewRow<'a> {
    /// The execution.
    pub(crate) execution: &'a NewExecution,
    /// The schedule that starts it.
    pub(crate) schedule_id: Option<Uuid>,
}

impl<'a> NewRow<'a> {
    /// One that somebody else starts than a schedule.
    pub(super) fn of(execution: &'a NewExecution) -> Self {
        Self { execution, schedule_id: None }
    }
}

/// Creates executions within a transaction. `jobs` are theirs, in order, and `lanes` what [`prepare`] gave for them
/// before the transaction. The answer is to be recorded after the commit.
pub(crate) async fn create_in(
    transaction: &DatabaseTransaction,
    executions: &[NewRow<'_>],
    jobs: &[NewJob],
    lanes: &[LaneId],
    now: Timestamp,
) -> StoreResult<Inserted> {
    let inserted = insert(transaction, jobs, lanes, now).await?;
    let new = executions.iter().zip(&inserted.answers).filter(|(_, answer)| !answer.existing);
    let new: Vec<NewRow<'_>> = new.map(|(execution, _)| *execution).collect();
    insert_new(transaction, &new, now).await?;
    Ok(inserted)
}

/// Inserts the rows of executions whose jobs were new.
pub(super) async fn insert_new(
    transaction: &DatabaseTransaction,
    new: &[NewRow<'_>],
    now: Timestamp,
) -> StoreResult<()> {
    for chunk in new.chunks(CHUNK) {
        insert_rows(transaction, chunk, now).await?;
    }
    for row in new {
        seed_rerun(transaction, row.execution).await?;
    }
    let executions = new.iter().map(|row| row.execution);
    let objects = executions.map(|execution| (execution.id.uuid(), execution.attributes.as_slice()));
    attributes::insert(transaction, objects).await
}

async fn insert_rows(
    transaction: &DatabaseTransaction,
    rows: &[NewRow<'_>],
    now: Timestamp,
) -> StoreResult<()> {
    let mut values: Vec<Value> = vec![now.0.into()];
    add_rows(&mut values, Dialect::of(transaction.get_database_backend()), rows);
    INSERT.run(transaction, values).await.map(|_| ())
}

/// Adds the parameters of executions as a row source.
fn add_rows(to: &mut impl Parameters, dialect: Dialect, rows: &[NewRow<'_>]) {
    let tags: Vec<Option<String>> = rows.iter().map(|row| tags_text(&row.execution.tags)).collect();
    let cells = rows.iter().zip(&tags).map(|(row, tags)| {
        let execution = row.execution;
        let parent = execution.parent.as_ref();
        let (owner, workflow) = workflow_columns(Some(&execution.workflow));
        [
            Cell::Uuid(execution.id.uuid()),
            Cell::Uuid(execution.job.id.uuid()),
            Cell::Text(execution.job.tenant.as_str()),
            Cell::Text(owner),
            Cell::Text(workflow),
            Cell::Int(i32::try_from(execution.version).unwrap_or(i32::MAX)),
            Cell::Int(i32::from(execution.job.tier.code())),
            Cell::Text(&execution.trigger.kind),
            Cell::TextOrNull(execution.trigger.detail.as_deref()),
            Cell::TextOrNull(execution.correlation_id.as_ref().map(CallerKey::as_str)),
            Cell::TextOrNull(tags.as_deref()),
            Cell::TextOrNull(execution.job.traceparent.as_deref()),
            Cell::UuidOrNull(row.schedule_id),
            Cell::UuidOrNull(parent.map(|parent| parent.execution_id.uuid())),
            Cell::TextOrNull(parent.map(|parent| parent.node_id.as_str())),
            Cell::Int(parent.map_or(0, |parent| i32::try_from(parent.depth).unwrap_or(i32::MAX))),
            Cell::Text(&execution.input),
        ]
    });
    bind::add_rows(to, dialect, cells);
}

// What a rerun begins with: a snapshot, and copies of the latest results of the nodes that do not run again.

static STATE: Sql = Sql::new("seed_state", "UPDATE execution SET state = $2 WHERE id = $1");

// Results of other tenants' executions are never taken over. The copies keep the order of the originals.
static RESULTS: Sql = Sql::new(
    "seed_node_results",
    "INSERT INTO node_result (execution_id, node_id, round, status, attempts, started_at, finished_at, input, output, error)
     SELECT $1, n.node_id, n.round, n.status, n.attempts, n.started_at, n.finished_at, n.input, n.output, n.error
     FROM node_result n
     WHERE n.execution_id = $2 AND n.position IN (
         SELECT max(latest.position) FROM node_result latest
         WHERE latest.execution_id = $2 AND latest.node_id {any $4 text} GROUP BY latest.node_id)
       AND EXISTS (SELECT 1 FROM execution e WHERE e.id = $2 AND e.tenant = $3)
     ORDER BY n.position",
);

// What is sealed is bound to its execution: copies are opened and sealed anew, and plain ones where the tenant's payloads are
// sealed by now. $2 after, $3 all of them, $4 how many
static COPIES: Sql = Sql::new(
    "copied_node_results",
    "SELECT position, node_id, input, output, error FROM node_result
     WHERE execution_id = $1 AND position > $2 AND ($3 = 1 OR input LIKE '~%' OR output LIKE '~%') ORDER BY position LIMIT $4",
);

static RESEAL: Sql = Sql::new(
    "reseal_node_result",
    "UPDATE node_result SET input = $2, output = $3, error = $4 WHERE position = $1",
);

/// So many copies are in memory at once.
const PAGE: i64 = 20;

/// Seals the copies of results for the executions that they are of now.
pub(super) async fn reseal(ring: &Ring, on: &DatabaseTransaction, new: &[&NewExecution]) -> StoreResult<()> {
    if ring.is_empty() {
        return Ok(());
    }
    for (execution, seed) in new.iter().filter_map(|&new| Some((new, new.seed.as_ref()?))) {
        let is_sealing = i64::from(ring.seals(Some(execution.job.tenant.as_str())));
        let mut after = 0_i64;
        loop {
            let values = vec![execution.id.uuid().into(), after.into(), is_sealing.into(), PAGE.into()];
            let rows = COPIES.all(on, values).await?;
            for row in &rows {
                let row = Row::new("node_result", row);
                after = row.long("position")?;
                reseal_copy(ring, on, row, (execution, seed.from)).await?;
            }
            if rows.len() < PAGE as usize {
                break;
            }
        }
    }
    Ok(())
}

async fn reseal_copy(
    ring: &Ring,
    on: &DatabaseTransaction,
    row: Row<'_>,
    (of, from): (&NewExecution, ExecutionId),
) -> StoreResult<()> {
    let (id, from, tenant) = (of.id.uuid(), from.uuid(), Some(of.job.tenant.as_str()));
    let node = row.text("node_id")?;
    let (mut input, mut output) = (row.text_or_null("input")?, row.text_or_null("output")?);
    let mut error: Option<JobError> = row.json_or_null("error")?;
    ring.open(&mut (Place::node_input(from, &node), &mut input))?;
    ring.open(&mut (Place::node_output(from, &node), &mut output))?;
    ring.open(&mut error)?;
    ring.seal(tenant, &mut (Place::node_input(id, &node), &mut input))?;
    ring.seal(tenant, &mut (Place::node_output(id, &node), &mut output))?;
    ring.seal(tenant, &mut error.as_mut().map(NewError))?;
    let error = error_text(error.as_ref());
    let values = vec![row.long("position")?.into(), input.into(), output.into(), error.into()];
    RESEAL.run(on, values).await.map(|_| ())
}

/// Seeds an execution that was created in the same transaction.
pub(super) async fn seed_rerun(on: &DatabaseTransaction, new: &NewExecution) -> StoreResult<()> {
    let Some(seed) = &new.seed else {
        return Ok(());
    };
    STATE.run(on, vec![new.id.uuid().into(), seed.state.clone().into()]).await?;
    if seed.nodes.is_empty() {
        return Ok(());
    }
    let dialect = Dialect::of(on.get_database_backend());
    let values = vec![
        new.id.uuid().into(),
        seed.from.uuid().into(),
        new.job.tenant.as_str().into(),
        bind::texts(dialect, seed.nodes.iter().map(NodeId::as_str)),
    ];
    RESULTS.run(on, values).await.map(|_| ())
}
