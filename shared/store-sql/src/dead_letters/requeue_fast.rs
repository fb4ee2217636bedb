//! Requeueing dead letters of the common kind together: the statements of one requeue of a batch (`batches/mark.rs`, `requeue.rs`,
//! `jobs/revive.rs`), in their order, each for all of them, and one commit. On PostgreSQL the jobs go back by one statement.
//!
//! Precondition ([`ELIGIBLE`]): the letter is open, and its job has ended, belongs to no execution, and has neither a unique
//! key, for which the insert could wait for another job, nor a concurrency key, under which it would have to be admitted. It is looked
//! at before the transaction, without locks. So each statement has to change as many rows as there are letters: where it does
//! not, somebody was faster with one of them, and nothing is changed. What becomes of each then, and of what is not eligible,
//! the requeue of one says.
//!
//! The conformance case `i10_letters_requeued_together_are_as_each_by_itself` compares both ways.

use std::collections::{BTreeSet, HashMap};

use domain::access::TenantScope;
use domain::id::{BatchId, DeadLetterId};
use domain::names::TenantName;
use domain::queue::LaneId;
use domain::time::Timestamp;
use store::batches::{REQUEUED_TOGETHER_MAX, RequeuedLetter};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use crate::SqlStore;
use crate::batches::mark::mark_letters;
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::jobs::revive::{Changes, ENDED_ATTEMPT, REVIVED, Revived, ended_attempt};
use crate::pool::{Pool, commit_change, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

// Index: the keys of both. In a CASE, so that no other index fits: SQLite would take one by status, which has all open ones.
static ELIGIBLE: Sql = Sql::new(
    "dead_letters_to_requeue",
    "SELECT d.id, d.job_id, d.tenant, j.lane FROM dead_letter d JOIN job_done j ON j.id = d.job_id
     WHERE d.id {any $1 uuid} AND CASE WHEN d.status = 'open' AND d.execution_id IS NULL AND j.execution_id IS NULL
       AND j.unique_key IS NULL AND j.concurrency_key IS NULL THEN 1 ELSE 0 END = 1",
);

// Locked in the order of their key, for another bulk operation may be at the same letters, and changed where they lie then. One that
// somebody else has changed since the statement began lies elsewhere and is left out.
// Index: the key. The status is written so that no other index fits.
static REQUEUE: Sql = Sql::new(
    "requeue_dead_letters",
    "UPDATE dead_letter SET status = 'requeued', resolved_at = $2
     WHERE {postgres:ctid = ANY (ARRAY(SELECT ctid FROM dead_letter WHERE id {any $1 uuid} ORDER BY id {for_update}))}
       {sqlite:id {any $1 uuid}} AND status || '' = 'open'",
);

// By number, so that two that keep several lanes do not wait for each other. The lanes are those that the jobs had when they were
// looked at: an ended job stays in its lane.
static KEEP_LANES: Sql = Sql::new(
    "revive_jobs_lanes",
    "UPDATE lane SET mark = NULL WHERE id IN (
       SELECT l.id FROM lane l WHERE l.id {any $1 bigint} AND l.mark IS NOT NULL ORDER BY l.id {for_update})",
);

// What the next three do one after the other, by one look for each job. In the order of the letters, which is that of the batch.
// PostgreSQL only: SQLite cannot write in a subquery. The order is looked up, not joined: a join would compare each with each.
// Index: the key.
// $6 the jobs
static MOVE: Sql = Sql::joined(
    "revive_jobs_at_once",
    [
        concat!(
            "WITH ended AS (DELETE FROM job_done WHERE id {any $6 uuid} RETURNING *), saved AS (",
            ended_attempt!("ended"),
            "true ON CONFLICT DO NOTHING) "
        ),
        REVIVED,
        " FROM ended d ORDER BY array_position($6::uuid[], d.id) ON CONFLICT DO NOTHING
     RETURNING id, queue, lane, position",
    ],
);

// In the order of the letters, too.
static INSERT: Sql = Sql::joined(
    "revive_jobs",
    [
        REVIVED,
        " FROM {rows $6: job_id uuid, nth int} r JOIN job_done d ON d.id = r.job_id
     WHERE true ORDER BY r.nth ON CONFLICT DO NOTHING
     RETURNING id, queue, lane, position",
        "",
    ],
);

static SAVE_ATTEMPTS: Sql =
    Sql::joined("revive_jobs_attempts", [ENDED_ATTEMPT, "d.id {any $1 uuid} ON CONFLICT DO NOTHING", ""]);

static REMOVE: Sql = Sql::new("revive_jobs_remove", "DELETE FROM job_done WHERE id {any $1 uuid}");

/// What is requeued, and how.
struct Together<'a> {
    batch: (BatchId, Uuid),
    /// The letters that are eligible.
    letters: Vec<Uuid>,
    /// The job of each, in the same order.
    jobs: Vec<Uuid>,
    /// The lanes of the jobs, each once.
    lanes: BTreeSet<LaneId>,
    changes: Changes<'a>,
    now: Timestamp,
}

impl Together<'_> {
    /// Fails unless a statement changed a row for each.
    fn are_all(&self, changed: u64) -> StoreResult<()> {
        if changed == self.letters.len() as u64 {
            Ok(())
        } else {
            Err(StoreError::Outdated { what: "a dead letter" })
        }
    }
}

/// `BatchStore::requeue_together`.
pub(crate) async fn requeue_together(
    store: &SqlStore,
    scope: &TenantScope,
    batch: (BatchId, Uuid),
    letters: &[DeadLetterId],
    retries_max: Option<u32>,
    now: Timestamp,
) -> StoreResult<Vec<RequeuedLetter>> {
    let letters = &letters[..letters.len().min(REQUEUED_TOGETHER_MAX)];
    let eligible = with_retry(RetryBudget::repeatable(), || eligible(store.pool(), scope, letters)).await?;
    if eligible.is_empty() {
        return Ok(Vec::new());
    }
    let (letters, places): (Vec<Uuid>, Vec<(Uuid, LaneId)>) = eligible.into_iter().unzip();
    let (jobs, lanes) = places.into_iter().unzip();
    let changes = Changes { retries_max, ..Changes::default() };
    let together = Together { batch, letters, jobs, lanes, changes, now };
    // Not repeated over a broken connection: the entries say what was done.
    with_retry(RetryBudget::once(), || requeue_once(store, &together)).await
}

/// Those of these letters that are eligible, in their order, each with its job and the lane of that.
async fn eligible(
    pool: &Pool,
    scope: &TenantScope,
    letters: &[DeadLetterId],
) -> StoreResult<Vec<(Uuid, (Uuid, LaneId))>> {
    let ids = bind::uuids(pool.dialect(), letters.iter().map(|letter| letter.uuid()));
    let mut jobs = HashMap::new();
    for row in &ELIGIBLE.all(pool.read(), vec![ids]).await? {
        let row = Row::new("dead_letter", row);
        let tenant = row.name("tenant", TenantName::trusted)?;
        if scope.tenant().is_none_or(|asked| *asked == tenant) {
            jobs.insert(row.uuid("id")?, (row.uuid("job_id")?, LaneId(row.int("lane")?)));
        }
    }
    Ok(letters.iter().filter_map(|letter| jobs.remove_entry(&letter.uuid())).collect())
}

async fn requeue_once(store: &SqlStore, together: &Together<'_>) -> StoreResult<Vec<RequeuedLetter>> {
    let transaction = store.pool().begin().await?;
    match requeue_in(&transaction, store.pool(), together).await {
        Ok((requeued, revived)) => {
            commit_change(transaction).await?;
            revived.record(store);
            Ok(requeued)
        }
        Err(error) => {
            rollback(transaction).await;
            Err(error)
        }
    }
}

async fn requeue_in(
    on: &DatabaseTransaction,
    pool: &Pool,
    together: &Together<'_>,
) -> StoreResult<(Vec<RequeuedLetter>, Revived)> {
    let Together { batch, letters, jobs, lanes, changes, now } = together;
    let dialect = pool.dialect();
    let of_jobs = || vec![bind::uuids(dialect, jobs.iter().copied())];
    // First, as everybody who changes an object for the batch does.
    mark_letters(on, *batch, letters, *now).await?;
    let ids = bind::uuids(dialect, letters.iter().copied());
    together.are_all(REQUEUE.run(on, vec![ids, now.0.into()]).await?)?;
    KEEP_LANES.run(on, vec![bind::longs(dialect, lanes.iter().map(|lane| lane.0.into()))]).await?;
    let mut values = changes.values(*now);
    let rows = if dialect == Dialect::Postgres {
        values.extend(of_jobs());
        MOVE.all(on, values).await?
    } else {
        let cells = jobs.iter().enumerate().map(|(nth, &job)| [Cell::Uuid(job), Cell::Int(nth as i32)]);
        values.extend(bind::rows(dialect, cells));
        let rows = INSERT.all(on, values).await?;
        SAVE_ATTEMPTS.run(on, of_jobs()).await?;
        together.are_all(REMOVE.run(on, of_jobs()).await?)?;
        rows
    };
    together.are_all(rows.len() as u64)?;

    let letter_of: HashMap<Uuid, Uuid> = jobs.iter().copied().zip(letters.iter().copied()).collect();
    let (mut requeued, mut claimable) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for row in &rows {
        let row = Row::new("job", row);
        let (job, queue) = (row.uuid("id")?, row.queue("queue")?);
        let letter = letter_of.get(&job).ok_or_else(|| row.fault("id"))?;
        requeued.push(RequeuedLetter { id: DeadLetterId::from_uuid(*letter), queue });
        claimable.push((queue, LaneId(row.int("lane")?), row.long("position")?));
    }
    Ok((requeued, Revived::at_new_places(claimable)))
}

#[cfg(test)]
mod tests {
    use sea_orm::{ConnectionTrait as _, Statement};
    use testkit::database::postgres_database;

    use super::*;
    use crate::jobs::plans::{assert_plan_uses, open_empty};

    /// Each letter is looked for once.
    #[tokio::test]
    async fn i06_letters_are_requeued_where_they_were_locked_on_postgres() {
        let store = open_empty(postgres_database().await).await;
        let letters = "INSERT INTO dead_letter (id, job_id, queue, tier, tenant, workflow_owner, workflow, job_type, status,
               reason, error, fingerprint, attempt_count, data, died_at)
             SELECT gen_random_uuid(), gen_random_uuid(), 0, 1, 'a', '', '', 't', 'open', 'x', '{}', 'f', 1, '{}', n
             FROM generate_series(1, 20000) n";
        store.pool().write().execute_unprepared(letters).await.expect("letters are inserted");
        let ids = bind::uuids(store.dialect(), std::iter::once(Uuid::from_u128(1)));
        assert_plan_uses(&store, &REQUEUE, vec![ids, 0_i64.into()], "TID Cond: (ctid = ANY (").await;
        let ids = bind::uuids(store.dialect(), std::iter::once(Uuid::from_u128(1)));
        assert_plan_uses(&store, &REQUEUE, vec![ids, 0_i64.into()], "dead_letter_pkey").await;
    }

    /// PostgreSQL writes an entry for each letter that is requeued to each of these.
    #[tokio::test]
    async fn a_requeued_letter_is_in_few_indexes_on_postgres() {
        let store = open_empty(postgres_database().await).await;
        let indexes = "SELECT CAST(i.indexrelid::regclass AS text) AS name FROM pg_index i
             WHERE i.indrelid = 'dead_letter'::regclass
               AND COALESCE(pg_get_expr(i.indpred, i.indrelid), '') NOT LIKE '%<> ''requeued''%'";
        let statement = Statement::from_string(store.dialect().backend(), indexes);
        let rows = store.pool().lists().query_all_raw(statement).await.expect("the catalog can be read");
        let mut names: Vec<String> =
            rows.iter().map(|row| row.try_get("", "name").expect("it has a name")).collect();
        names.sort();
        let expected = [
            "dead_letter_died",
            "dead_letter_execution",
            "dead_letter_fingerprint",
            "dead_letter_fingerprint_job",
            "dead_letter_job",
            "dead_letter_pkey",
            "dead_letter_resolved",
            "dead_letter_tenant_died",
            "dead_letter_tenant_fingerprint",
        ];
        assert_eq!(names, expected);
    }
}
