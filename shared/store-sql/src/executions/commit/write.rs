//! What steps write of their executions: status, snapshot, results of nodes, timeline, and what became of entries.
//!
//! One statement on PostgreSQL. SQLite cannot write in a subquery, so there it is one for each table, as far as there
//! is anything to write.

use domain::id::ExecutionId;
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionStatus;
use sea_orm::Value;
use store::StoreResult;
use store::executions::{CompletedJob, EventLine, ExecutionCommit, InboxResult, SettledNode};
use uuid::Uuid;

use crate::bind::{self, Cell, Parameters};
use crate::dialect::Dialect;
use crate::jobs::finish::error_text as job_error_text;
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

use super::super::read;
use super::super::read::error_text;
use super::ending::Parked;
use super::gate::instant_or_null;

// The parts are the four statements for SQLite.
// $1 positions of the entries that are settled
static WRITE_POSTGRES: Sql = Sql::new(
    "commit_executions",
    "WITH changed AS (
         UPDATE execution SET status = r.new_status, state = r.new_state, step = execution.step + 1,
           started_at = COALESCE(r.first_start, execution.started_at), completed_at = r.ended,
           output = COALESCE(r.new_output, execution.output), error = r.new_error
         FROM {rows $2: key uuid, new_status text, new_state bytes, first_start bigint?, ended bigint?, new_output text?, new_error text?} r
         WHERE execution.id = r.key
     ), dropped AS (
         DELETE FROM inbox WHERE position = ANY($1::bigint[]) AND execution_id = ANY($2::uuid[])
           AND status = 'pending' AND kind IN ('node_settled', 'node_requeued', 'child_settled')
         RETURNING position
     ), recorded AS (
         INSERT INTO node_result (execution_id, node_id, round, status, attempts, started_at, finished_at, input, output, error)
         SELECT r.execution_id, r.node_id, r.round, r.status, r.attempts, r.started_at, r.finished_at, r.input, r.output, r.error
         FROM {rows $9: place int, execution_id uuid, node_id text, round int, status text, attempts int, started_at bigint?, finished_at bigint, input text?, output text?, error text?} r
         ORDER BY r.place
     ), history AS (
         INSERT INTO execution_event (execution_id, kind, node_id, detail, at)
         SELECT r.execution_id, r.kind, r.node_id, r.detail, r.at
         FROM {rows $20: place int, execution_id uuid, kind text, node_id text?, detail text?, at bigint} r
         ORDER BY r.place
     )
     SELECT count(*) AS dropped FROM dropped",
);

static UPDATE: Sql = Sql::new(
    "commit_executions_rows",
    "UPDATE execution SET status = r.new_status, state = r.new_state, step = execution.step + 1,
       started_at = COALESCE(r.first_start, execution.started_at), completed_at = r.ended,
       output = COALESCE(r.new_output, execution.output), error = r.new_error
     FROM {rows $1: key uuid, new_status text, new_state bytes, first_start bigint?, ended bigint?, new_output text?, new_error text?} r
     WHERE execution.id = r.key",
);

static RECORD: Sql = Sql::new(
    "append_node_results",
    "INSERT INTO node_result (execution_id, node_id, round, status, attempts, started_at, finished_at, input, output, error)
     SELECT r.execution_id, r.node_id, r.round, r.status, r.attempts, r.started_at, r.finished_at, r.input, r.output, r.error
     FROM {rows $1: place int, execution_id uuid, node_id text, round int, status text, attempts int, started_at bigint?, finished_at bigint, input text?, output text?, error text?} r
     WHERE true ORDER BY r.place",
);

// Results (of nodes and children) are of no use once they are applied; of commands stays what became of them, and in
// which step, so that whoever sent them can ask.
static DROP_RESULTS: Sql = Sql::new(
    "drop_applied_news",
    "DELETE FROM inbox WHERE position {any $1 bigint} AND execution_id {any $2 uuid} AND status = 'pending'
       AND kind IN ('node_settled', 'node_requeued', 'child_settled')",
);

// Index: node_result_execution.
static TRIM: Sql = Sql::new(
    "trim_node_results",
    "DELETE FROM node_result WHERE position IN (
         SELECT n.position FROM {rows $1: key uuid, node text, last int} r
         JOIN node_result n ON n.execution_id = r.key AND n.node_id = r.node AND n.round <= r.last)",
);

static SETTLE: Sql = Sql::new(
    "settle_commands",
    "UPDATE inbox SET status = CASE WHEN r.why IS NULL THEN 'applied' ELSE 'refused' END, reason = r.why, entry = '',
       step = (SELECT e.step FROM execution e WHERE e.id = r.execution)
     FROM {rows $1: execution uuid, place bigint, why text?} r
     WHERE inbox.position = r.place AND inbox.execution_id = r.execution AND inbox.status = 'pending'",
);

/// Adds the leases under which steps are committed and the numbers that they rest on, as a row source of executions,
/// leases, tokens and steps. PostgreSQL only.
pub(super) fn add_leases(to: &mut impl Parameters, steps: &[&ExecutionCommit]) {
    let cells = steps.iter().map(|step| {
        [
            Cell::Uuid(step.id.uuid()),
            Cell::Uuid(step.lease.id.uuid()),
            Cell::Uuid(step.lease.token.0),
            Cell::Long(step.step),
        ]
    });
    bind::add_rows(to, Dialect::Postgres, cells);
}

/// Adds the jobs of nodes that end with the steps, as a row source of executions, jobs, tokens and results. PostgreSQL
/// only.
pub(super) fn add_completed(to: &mut impl Parameters, steps: &[&ExecutionCommit]) {
    let shape =
        [Cell::Uuid(Uuid::nil()), Cell::Uuid(Uuid::nil()), Cell::Uuid(Uuid::nil()), Cell::TextOrNull(None)];
    let of_steps = steps.iter().flat_map(|step| step.completed.iter().map(|job| (step.id, job)));
    let completed: Vec<(ExecutionId, &CompletedJob)> = of_steps.collect();
    let cells = completed.iter().map(|(execution, job)| {
        [
            Cell::Uuid(execution.uuid()),
            Cell::Uuid(job.lease.id.uuid()),
            Cell::Uuid(job.lease.token.0),
            Cell::TextOrNull(job.result.as_deref()),
        ]
    });
    bind::add_rows_or_none(to, Dialect::Postgres, shape, cells);
}

/// Adds the parameters of what PostgreSQL writes in one statement, after the positions of the entries: $2 to $25.
pub(super) fn add_written(
    to: &mut impl Parameters,
    steps: &[&ExecutionCommit],
    written: &Written<'_>,
    parked: &Parked,
    now: Timestamp,
) {
    let dialect = Dialect::Postgres;
    let record_errors = written.errors();
    let errors: Vec<Option<String>> = steps.iter().map(|step| step.error.as_ref().map(error_text)).collect();
    let executions =
        steps.iter().zip(&errors).map(|(step, error)| execution_cells(step, error.as_deref(), parked, now));
    bind::add_rows(to, dialect, executions);
    bind::add_rows_or_none(to, dialect, RECORD_SHAPE, written.record_cells(&record_errors));
    bind::add_rows_or_none(to, dialect, EVENT_SHAPE, written.event_cells());
}

/// Writes the steps.
pub(super) async fn write(
    on: &DatabaseTransaction,
    dialect: Dialect,
    steps: &[&ExecutionCommit],
    parked: &Parked,
    now: Timestamp,
) -> StoreResult<()> {
    let written = Written::of(steps);
    let dropped = match dialect {
        Dialect::Postgres => {
            let mut values: Vec<Value> = vec![bind::longs(dialect, written.positions())];
            add_written(&mut values, steps, &written, parked, now);
            let row = WRITE_POSTGRES.first(on, values).await?;
            row.map(|row| Row::new("inbox", &row).long("dropped")).transpose()?.unwrap_or(0) as u64
        }
        Dialect::Sqlite => {
            let record_errors = written.errors();
            let errors: Vec<Option<String>> =
                steps.iter().map(|step| step.error.as_ref().map(error_text)).collect();
            let executions = steps
                .iter()
                .zip(&errors)
                .map(|(step, error)| execution_cells(step, error.as_deref(), parked, now));
            UPDATE.run(on, bind::rows(dialect, executions)).await?;
            if !written.records.is_empty() {
                RECORD.run(on, bind::rows(dialect, written.record_cells(&record_errors))).await?;
            }
            read::append(on, dialect, &written.events).await?;
            if written.settled.is_empty() {
                0
            } else {
                let ids = bind::uuids(dialect, steps.iter().map(|step| step.id.uuid()));
                DROP_RESULTS.run(on, vec![bind::longs(dialect, written.positions()), ids]).await?
            }
        }
    };
    if dropped < written.settled.len() as u64 {
        settle_commands(on, dialect, &written.settled).await?;
    }
    trim(on, dialect, steps).await
}

/// Removes the results of rounds that nobody asks for any more.
async fn trim(on: &DatabaseTransaction, dialect: Dialect, steps: &[&ExecutionCommit]) -> StoreResult<()> {
    let trimmed = steps.iter().flat_map(|step| step.trimmed().map(|(record, last)| (step.id, record, last)));
    let cells: Vec<[Cell<'_>; 3]> = trimmed
        .map(|(execution, record, last)| {
            let last = Cell::Int(i32::try_from(last).unwrap_or(i32::MAX));
            [Cell::Uuid(execution.uuid()), Cell::Text(record.node.as_str()), last]
        })
        .collect();
    if cells.is_empty() {
        return Ok(());
    }
    TRIM.run(on, bind::rows(dialect, cells.into_iter())).await.map(|_| ())
}

async fn settle_commands(
    on: &DatabaseTransaction,
    dialect: Dialect,
    settled: &[(Uuid, &InboxResult)],
) -> StoreResult<()> {
    let cells = settled.iter().map(|(execution, result)| {
        [Cell::Uuid(*execution), Cell::Long(result.position), Cell::TextOrNull(result.refused.as_deref())]
    });
    SETTLE.run(on, bind::rows(dialect, cells)).await.map(|_| ())
}

fn execution_cells<'a>(
    step: &'a ExecutionCommit,
    error: Option<&'a str>,
    parked: &Parked,
    now: Timestamp,
) -> [Cell<'a>; 7] {
    let status = if parked.contains(&step.id.uuid()) { ExecutionStatus::Waiting } else { step.status };
    [
        Cell::Uuid(step.id.uuid()),
        Cell::Text(status.as_str()),
        Cell::Bytes(&step.state),
        instant_or_null(step.started_at),
        instant_or_null(step.status.is_terminal().then_some(now)),
        Cell::TextOrNull(step.output.as_deref()),
        Cell::TextOrNull(error),
    ]
}

/// Rows of all steps together, each with its execution.
pub(super) struct Written<'a> {
    records: Vec<(Uuid, &'a SettledNode)>,
    events: Vec<(Uuid, &'a EventLine)>,
    pub(super) settled: Vec<(Uuid, &'a InboxResult)>,
}

const RECORD_SHAPE: [Cell<'static>; 11] = [
    Cell::Int(0),
    Cell::Uuid(Uuid::nil()),
    Cell::Text(""),
    Cell::Int(0),
    Cell::Text(""),
    Cell::Int(0),
    Cell::LongOrNull(None),
    Cell::Long(0),
    Cell::TextOrNull(None),
    Cell::TextOrNull(None),
    Cell::TextOrNull(None),
];

const EVENT_SHAPE: [Cell<'static>; 6] = [
    Cell::Int(0),
    Cell::Uuid(Uuid::nil()),
    Cell::Text(""),
    Cell::TextOrNull(None),
    Cell::TextOrNull(None),
    Cell::Long(0),
];

impl<'a> Written<'a> {
    pub(super) fn of(steps: &[&'a ExecutionCommit]) -> Self {
        let mut written = Self { records: Vec::new(), events: Vec::new(), settled: Vec::new() };
        for step in steps {
            let id = step.id.uuid();
            written.records.extend(step.records.iter().map(|record| (id, record)));
            written.events.extend(step.events.iter().map(|line| (id, line)));
            written.settled.extend(step.inbox.iter().map(|result| (id, result)));
        }
        written
    }

    /// Where the settled entries are.
    pub(super) fn positions(&self) -> impl ExactSizeIterator<Item = i64> {
        self.settled.iter().map(|(_, result)| result.position)
    }

    fn errors(&self) -> Vec<Option<String>> {
        self.records.iter().map(|(_, record)| job_error_text(record.error.as_ref())).collect()
    }

    fn record_cells<'t>(
        &'t self,
        errors: &'t [Option<String>],
    ) -> impl ExactSizeIterator<Item = [Cell<'t>; 11]> {
        let rows = self.records.iter().zip(errors).enumerate();
        rows.map(|(place, ((execution, record), error))| {
            [
                Cell::Int(place as i32),
                Cell::Uuid(*execution),
                Cell::Text(record.node.as_str()),
                Cell::Int(i32::try_from(record.round).unwrap_or(i32::MAX)),
                Cell::Text(record.status.as_str()),
                Cell::Int(i32::try_from(record.attempts).unwrap_or(i32::MAX)),
                instant_or_null(record.started_at),
                Cell::Long(record.finished_at.0),
                Cell::TextOrNull(record.input.as_deref()),
                Cell::TextOrNull(record.output.as_deref()),
                Cell::TextOrNull(error.as_deref()),
            ]
        })
    }

    fn event_cells(&self) -> impl ExactSizeIterator<Item = [Cell<'_>; 6]> {
        self.events
            .iter()
            .enumerate()
            .map(|(place, (execution, line))| read::cells_of(place, *execution, line))
    }
}
