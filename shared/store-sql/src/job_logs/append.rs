//! Keeping lines: which attempts go on, how much each has logged, and the lines that fit.

use std::collections::BTreeMap;

use domain::access::TenantScope;
use domain::id::JobId;
use domain::job_log::{AdmittedLines, LogCounts, LogLine, admit, admit_none};
use domain::names::TenantName;
use domain::queue::QueueName;
use domain::time::Timestamp;
use sea_orm::Value;
use store::job_logs::LoggedLines;
use store::jobs::{LeaseAnswer, LeaseRef};
use store::{StoreError, StoreResult};

use crate::SqlStore;
use crate::bind::{self, Cell};
use crate::jobs::mark_cancelled;
use crate::pool::commit;
use crate::rows::Row;
use crate::sealing::Place;
use crate::sql::{DatabaseTransaction, Sql};

// Jobs of executions are not worked on by those who may log.
// Index: job(id).
static LEASED: Sql = Sql::new(
    "log_leases",
    "SELECT r.ord, j.attempt, j.queue, j.execution_id, j.node_id, l.tenant
     FROM {rows $1: ord int, id uuid, token uuid} r
     JOIN job j ON j.id = r.id AND j.lease_token = r.token AND j.state || '' = 'processing'
     JOIN lane l ON l.id = j.lane",
);

// Locks the row, so that two that log for one attempt count one after the other.
static COUNT: Sql = Sql::new(
    "log_count",
    "INSERT INTO job_log_attempt (job_id, attempt, lines, bytes, dropped, sequence, logged_at, tenant)
     VALUES ($1, $2, 0, 0, 0, 0, $3, $4)
     ON CONFLICT (job_id, attempt) DO UPDATE SET logged_at = excluded.logged_at, tenant = excluded.tenant
     RETURNING CAST(lines AS bigint) AS lines, CAST(bytes AS bigint) AS bytes,
       CAST(dropped AS bigint) AS dropped, sequence",
);

static COUNTED: Sql = Sql::new(
    "log_counted",
    "UPDATE job_log_attempt SET lines = $3, bytes = $4, dropped = $5, sequence = $6
     WHERE job_id = $1 AND attempt = $2",
);

// The line that says how many were dropped is written again and again, and stays where it was.
static APPEND: Sql = Sql::new(
    "append_job_log",
    "INSERT INTO job_log (job_id, attempt, tenant, execution_id, node_id, logged_at, line, at, level, message, fields)
     SELECT $1, $2, $3, $4, $5, $6, r.line, r.at, CAST(r.level AS smallint), r.message, r.fields
     FROM {rows $7: line int, at bigint, level int, message text, fields text?} r
     WHERE true
     ON CONFLICT (job_id, attempt, line) DO UPDATE SET message = excluded.message",
);

/// An attempt that goes on and may be spoken for.
struct Attempt {
    job_id: JobId,
    number: i32,
    tenant: String,
    execution_id: Option<uuid::Uuid>,
    node_id: Option<String>,
}

/// `JobLogStore::append_logs`.
pub(super) async fn append(
    store: &SqlStore,
    scope: &TenantScope,
    logged: &[LoggedLines],
    full: &[TenantName],
    now: Timestamp,
) -> StoreResult<Vec<LeaseAnswer>> {
    if logged.is_empty() {
        return Ok(Vec::new());
    }
    let attempts = attempts_of(store, scope, logged).await?;
    // A job may be named twice. Counted in the order of the ids, in which everybody locks them.
    let mut lines: BTreeMap<JobId, (&Attempt, Vec<LogLine>)> = BTreeMap::new();
    for (logged, attempt) in logged.iter().zip(&attempts) {
        if let Some(attempt) = attempt {
            let (_, all) = lines.entry(attempt.job_id).or_insert_with(|| (attempt, Vec::new()));
            all.extend(logged.lines.iter().cloned());
        }
    }
    lines.retain(|_, (_, lines)| !lines.is_empty());
    if !lines.is_empty() {
        let transaction = store.pool().begin().await?;
        for (attempt, lines) in lines.into_values() {
            let is_full = full.iter().any(|tenant| tenant.as_str() == attempt.tenant);
            match append_to(store, &transaction, attempt, (lines, is_full), now).await {
                // Lines are not worth the lines of other tenants, nor that a worker sends all of them again and again.
                Err(error @ StoreError::Sealed { .. }) => tracing::warn!(
                    job.id = %attempt.job_id,
                    error = &error as &dyn std::error::Error,
                    "log lines of a job are discarded"
                ),
                appended => appended?,
            }
        }
        commit(transaction).await?;
    }
    let answer = |attempt: &Option<Attempt>| match attempt {
        Some(_) => LeaseAnswer::Ok(()),
        None => LeaseAnswer::LeaseLost,
    };
    let mut answers: Vec<LeaseAnswer> = attempts.iter().map(answer).collect();
    let leases = logged.iter().map(|logged| logged.lease);
    mark_cancelled(store.pool().read(), store.dialect(), leases, &mut answers).await?;
    Ok(answers)
}

/// `JobLogStore::tenants_logged`.
pub(super) async fn tenants(
    store: &SqlStore,
    scope: &TenantScope,
    logged: &[LoggedLines],
) -> StoreResult<Vec<Option<TenantName>>> {
    let attempts = attempts_of(store, scope, logged).await?;
    Ok(attempts
        .into_iter()
        .map(|attempt| attempt.map(|attempt| TenantName::trusted(attempt.tenant)))
        .collect())
}

/// The attempt of each lease that holds, in order.
async fn attempts_of(
    store: &SqlStore,
    scope: &TenantScope,
    logged: &[LoggedLines],
) -> StoreResult<Vec<Option<Attempt>>> {
    let cells =
        logged.iter().enumerate().map(|(place, LoggedLines { lease: LeaseRef { id, token }, .. })| {
            [Cell::Int(place as i32), Cell::Uuid(id.uuid()), Cell::Uuid(token.0)]
        });
    let mut attempts: Vec<Option<Attempt>> = logged.iter().map(|_| None).collect();
    for row in &LEASED.all(store.pool().read(), bind::rows(store.dialect(), cells)).await? {
        let row = Row::new("job", row);
        let tenant = row.text("tenant")?;
        let is_foreign = scope.tenant().is_some_and(|own| own.as_str() != tenant);
        if is_foreign || row.queue("queue")? == QueueName::Execution {
            continue;
        }
        let place = row.int("ord")? as usize;
        attempts[place] = Some(Attempt {
            job_id: logged[place].lease.id,
            number: row.int("attempt")?,
            tenant,
            execution_id: row.uuid_or_null("execution_id")?,
            node_id: row.text_or_null("node_id")?,
        });
    }
    Ok(attempts)
}

async fn append_to(
    store: &SqlStore,
    transaction: &DatabaseTransaction,
    attempt: &Attempt,
    (lines, is_full): (Vec<LogLine>, bool),
    now: Timestamp,
) -> StoreResult<()> {
    let key = || -> [Value; 2] { [attempt.job_id.uuid().into(), attempt.number.into()] };
    let [job, number] = key();
    let values = vec![job, number, now.0.into(), attempt.tenant.as_str().into()];
    let Some(row) = COUNT.first(transaction, values).await? else {
        return Ok(());
    };
    let row = Row::new("job_log_attempt", &row);
    let counts = LogCounts {
        lines: row.count("lines")?,
        bytes: row.count("bytes")?,
        dropped: row.count("dropped")?,
        sequence: row.count("sequence")?,
    };
    let AdmittedLines { mut kept, note, counts } =
        if is_full { admit_none(counts, lines) } else { admit(counts, lines) };
    kept.extend(note);
    let (ring, place) = (store.sealer().current(), Place::log_line(attempt.job_id.uuid()));
    for (_, line) in &mut kept {
        ring.seal(Some(&attempt.tenant), &mut (place, &mut line.message))?;
        ring.seal(Some(&attempt.tenant), &mut line.fields.as_mut().map(|fields| (place, fields)))?;
    }
    let int = |count: u32| -> Value { i32::try_from(count).unwrap_or(i32::MAX).into() };
    let [job, number] = key();
    let values = vec![
        job,
        number,
        int(counts.lines),
        int(counts.bytes),
        int(counts.dropped),
        i64::from(counts.sequence).into(),
    ];
    COUNTED.run(transaction, values).await?;
    if kept.is_empty() {
        return Ok(());
    }
    let cells = kept.iter().map(|(number, line)| {
        [
            Cell::Int(*number as i32),
            Cell::Long(line.at.0),
            Cell::Int(line.level.code()),
            Cell::Text(&line.message),
            Cell::TextOrNull(line.fields.as_deref()),
        ]
    });
    let [job, number] = key();
    let mut values = vec![
        job,
        number,
        attempt.tenant.as_str().into(),
        attempt.execution_id.into(),
        attempt.node_id.clone().into(),
        now.0.into(),
    ];
    values.extend(bind::rows(store.dialect(), cells));
    APPEND.run(transaction, values).await.map(|_| ())
}
