//! Parking: the job of an execution that only waits gives lease, slot and attempt back.

use std::collections::HashSet;

use domain::lane::LaneId;
use domain::time::Timestamp;
use store::StoreResult;
use store::executions::{ExecutionCommit, OwnerNext};
use uuid::Uuid;

use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::jobs::admit::admit;
use crate::jobs::revive::Revived;
use crate::rows::Row;
use crate::sql::Sql;
use crate::transaction::DatabaseTransaction;

use super::super::moves::Moves;

// Whoever appends to an inbox holds the row of the execution, as this transaction does: what is not seen here is
// appended after the commit, and finds the job parked. As in a release, the attempt is as if it had not been started.
// The state is written so that no partial index fits.
// $1 the entries that the same commit settles
static PARK: Sql = Sql::new(
    "park_executions",
    "UPDATE job SET state = 'waiting', attempt = job.attempt - 1, is_resumed = 1, crashes = 0, run_at = r.due, started_at = NULL,
       worker_id = NULL, lease_token = NULL, lease_until = NULL, reap_at = 0, lease_ms = NULL, deadline_at = NULL,
       progress = NULL, look_at = NULL
     FROM {rows $2: key uuid, token uuid, execution uuid, due bigint} r
     WHERE job.id = r.key AND job.lease_token = r.token AND job.state || '' = 'processing'
       AND NOT EXISTS (
         SELECT 1 FROM inbox i
         WHERE i.execution_id = r.execution AND i.status = 'pending' AND NOT (i.position {any $1 bigint}))
     RETURNING job.execution_id, job.queue, job.lane, job.concurrency_key",
);

/// When a job is due that only its inbox takes up: 9999-12-30, as late as an instant can be written out.
pub(crate) const NEVER: i64 = 253_402_128_000_000;

/// The executions that were parked.
pub(super) type Parked = HashSet<Uuid>;

/// Parks those of these executions that ask for it and have nothing else in their inboxes.
pub(super) async fn park(
    on: &DatabaseTransaction,
    dialect: Dialect,
    steps: &[&ExecutionCommit],
    now: Timestamp,
    moves: &mut Moves,
) -> StoreResult<Parked> {
    let mut parked = Parked::new();
    let mut rows: Vec<[Cell<'_>; 4]> = Vec::new();
    let mut settled: Vec<i64> = Vec::new();
    for step in steps {
        if let OwnerNext::Park { due_at } = step.next {
            rows.push([
                Cell::Uuid(step.lease.id.uuid()),
                Cell::Uuid(step.lease.token.0),
                Cell::Uuid(step.id.uuid()),
                Cell::Long(due_at.map_or(NEVER, |instant| instant.0)),
            ]);
            settled.extend(step.inbox.iter().map(|result| result.position));
        }
    }
    if rows.is_empty() {
        return Ok(parked);
    }
    let mut values = vec![bind::longs(dialect, settled.into_iter())];
    values.extend(bind::rows(dialect, rows.into_iter()));
    let mut keys: Vec<String> = Vec::new();
    for row in &PARK.all(on, values).await? {
        let row = Row::new("job", row);
        parked.insert(row.uuid("execution_id")?);
        moves.give_back(row.queue("queue")?, LaneId(row.int("lane")?));
        keys.extend(row.text_or_null("concurrency_key")?);
    }
    let admitted = admit(on, &keys, now).await?;
    let claimable = admitted.iter().map(|job| (job.queue, job.lane, job.position));
    moves.revive(Revived::in_place(claimable.collect()));
    Ok(parked)
}
