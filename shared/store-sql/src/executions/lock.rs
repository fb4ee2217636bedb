//! Locking executions: the first thing that every change of one does, its owner's commits included.
//!
//! Rows of executions are locked parents first, by depth and then by id, and rows of jobs after all of them, so that no
//! two changes ever wait for each other.

use std::collections::HashMap;

use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::names::TenantName;
use domain::queue::{LaneId, QueueName, Tier};
use domain::workflow::execution::ExecutionStatus;
use store::StoreResult;
use store::executions::Parent;
use uuid::Uuid;

use super::read::parent_of;
use crate::claim_row::{Bumps, bump_epoch};
use crate::dialect::Dialect;
use crate::jobs::enqueue::Inserted;
use crate::jobs::revive::Revived;
use crate::memory::CountNumbers;
use crate::metric_names::{EXECUTIONS_FINISHED_TOTAL, JOBS_CANCELLED_TOTAL};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::{DatabaseTransaction, Sql};
use crate::{SqlStore, bind};

// The leases come with the rows, in the same round trip; the count makes sure that they are locked after all of them.
// The state is written so that no partial index fits: what is left is a probe by id.
// $1 executions, $2 those of them whose parents are locked too, $3 jobs whose leases are wanted
static FAMILY: Sql = Sql::new(
    "lock_executions",
    "WITH locked AS MATERIALIZED (
         SELECT e.id, e.job_id, e.tenant, e.status, e.parent_id, e.parent_node_id, e.depth, e.step
         FROM execution e
         WHERE e.id IN (
             SELECT own.id FROM execution own WHERE own.id {any $1 uuid}
             UNION
             SELECT child.parent_id FROM execution child
             WHERE child.id {any $2 uuid} AND child.parent_id IS NOT NULL)
         ORDER BY e.depth, e.id {for_update}
     ), leased AS MATERIALIZED (
         SELECT j.id, j.lease_token, j.crashes FROM job j
         WHERE j.id {any $3 uuid} AND j.state || '' = 'processing' {postgres:AND (SELECT count(*) FROM locked) >= 0}
         ORDER BY j.id {for_update}
     )
     SELECT l.id, l.job_id, l.tenant, l.status, l.parent_id, l.parent_node_id, l.depth, l.step, g.lease_token, g.crashes
     FROM locked l LEFT JOIN leased g ON g.id = l.job_id",
);

static CHILDREN: Sql = Sql::new(
    "lock_children",
    "SELECT e.id, e.job_id, e.tenant, e.status, e.parent_id, e.parent_node_id, e.depth, e.step
     FROM execution e WHERE e.parent_id {any $1 uuid} AND e.completed_at IS NULL
     ORDER BY e.depth, e.id {for_update}",
);

static TOUCH: Sql = Sql::new("touch_execution", "UPDATE execution SET depth = depth WHERE id = $1");

// PostgreSQL only.
static LOCK_KEY: Sql = Sql::new("lock_unique_key", "SELECT pg_advisory_xact_lock($1)");

/// Locks a unique key of executions, by its number, until the end of the transaction; before any row is locked. SQLite has one
/// writer.
pub(super) async fn lock_unique_key(
    on: &DatabaseTransaction,
    dialect: Dialect,
    number: i64,
) -> StoreResult<()> {
    if dialect == Dialect::Sqlite {
        return Ok(());
    }
    LOCK_KEY.run(on, vec![number.into()]).await.map(|_| ())
}

/// What a change has to know of a locked execution.
#[derive(Debug, Clone)]
pub(crate) struct Locked {
    /// Its id.
    pub(crate) id: Uuid,
    /// Its job.
    pub(crate) job_id: Uuid,
    /// Its tenant.
    pub(crate) tenant: TenantName,
    /// Where it is.
    pub(crate) status: ExecutionStatus,
    /// The execution that it is a child of.
    pub(crate) parent: Option<Parent>,
    /// How many steps were committed.
    pub(crate) step: i64,
}

impl Locked {
    /// Its typed id.
    pub(crate) fn execution_id(&self) -> ExecutionId {
        ExecutionId::from_uuid(self.id)
    }
}

/// A lease that holds, of the job of a locked execution.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lease {
    /// Its token.
    pub(crate) token: Uuid,
    /// How often in a row owners were lost.
    pub(crate) crashes: u32,
}

/// Locked executions, and the leases that were asked for, by execution.
#[derive(Debug, Default)]
pub(crate) struct Family {
    /// The executions.
    pub(crate) locked: HashMap<Uuid, Locked>,
    /// The leases of those whose jobs are leased.
    pub(crate) leases: HashMap<Uuid, Lease>,
}

/// Locks an execution, if there is one in the scope.
pub(crate) async fn lock(
    on: &DatabaseTransaction,
    scope: &TenantScope,
    id: ExecutionId,
) -> StoreResult<Option<Locked>> {
    let mut select = Select::new(
        "lock_execution",
        "SELECT e.id, e.job_id, e.tenant, e.status, e.parent_id, e.parent_node_id, e.depth, e.step
         FROM execution e WHERE true",
    );
    select.with("AND e.id = $?", id.uuid());
    select.with_some("AND e.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.push("{for_update}");
    let row = select.first(on).await?;
    row.map(|row| locked_of(Row::new("execution", &row))).transpose()
}

/// Locks executions together with the parents of `with_parents`, which are among them, and with the leases of `jobs`.
pub(crate) async fn lock_family(
    on: &DatabaseTransaction,
    dialect: Dialect,
    ids: &[Uuid],
    with_parents: &[Uuid],
    jobs: &[Uuid],
) -> StoreResult<Family> {
    let values = [ids, with_parents, jobs].map(|list| bind::uuids(dialect, list.iter().copied()));
    let mut family = Family::default();
    for row in &FAMILY.all(on, values.into()).await? {
        let row = Row::new("execution", row);
        let locked = locked_of(row)?;
        if let Some(token) = row.uuid_or_null("lease_token")? {
            family.leases.insert(locked.id, Lease { token, crashes: row.count("crashes")? });
        }
        family.locked.insert(locked.id, locked);
    }
    Ok(family)
}

/// Makes a new version of a locked row, so that a commit whose statement began before sees that something has come: it
/// reads the inbox as it was then. To be called by whoever appends what must not be overlooked. SQLite has one writer.
pub(crate) async fn mark_inbox_changed(
    on: &DatabaseTransaction,
    dialect: Dialect,
    id: Uuid,
) -> StoreResult<()> {
    if dialect == Dialect::Postgres {
        TOUCH.run(on, vec![id.into()]).await?;
    }
    Ok(())
}

/// Locks the children of these executions that have not ended.
pub(crate) async fn lock_children(
    on: &DatabaseTransaction,
    dialect: Dialect,
    parents: &[Uuid],
) -> StoreResult<Vec<Locked>> {
    if parents.is_empty() {
        return Ok(Vec::new());
    }
    let rows = CHILDREN.all(on, vec![bind::uuids(dialect, parents.iter().copied())]).await?;
    rows.iter().map(|row| locked_of(Row::new("execution", row))).collect()
}

fn locked_of(row: Row<'_>) -> StoreResult<Locked> {
    Ok(Locked {
        id: row.uuid("id")?,
        job_id: row.uuid("job_id")?,
        tenant: row.name("tenant", TenantName::trusted)?,
        status: row.parsed("status", ExecutionStatus::parse)?,
        parent: parent_of(row)?,
        step: row.long("step")?,
    })
}

// What a change of executions does to queues: bumps their epochs before its commit, and is recorded in memory after
// it.

/// The moves of jobs within one transaction.
#[derive(Debug)]
pub(crate) struct Moves {
    numbers: CountNumbers,
    revived: Vec<Revived>,
    given_back: Vec<(QueueName, LaneId)>,
    /// How many executions ended without an owner that counts them, and how.
    finished: Vec<(ExecutionStatus, usize)>,
    /// Jobs that were cancelled with their executions or nodes.
    cancelled: Vec<(QueueName, Tier)>,
    bumps: Bumps,
    /// Whether leases that ended were counted: those that only the transaction itself has seen are not.
    counts_leases: bool,
}

impl Moves {
    /// No moves. To be called before the transaction begins.
    pub(crate) fn none(store: &SqlStore) -> Self {
        Self {
            numbers: store.memory().count_numbers(),
            revived: Vec::new(),
            given_back: Vec::new(),
            finished: Vec::new(),
            cancelled: Vec::new(),
            bumps: Bumps::default(),
            counts_leases: true,
        }
    }

    /// The same for a transaction that leases the jobs of executions for itself.
    pub(crate) fn without_leases(store: &SqlStore) -> Self {
        Self { counts_leases: false, ..Self::none(store) }
    }

    /// Adds jobs that became claimable.
    pub(crate) fn revive(&mut self, revived: Revived) {
        self.revived.push(revived);
    }

    /// Adds a lease that its holder gave back, with the lane of its job.
    pub(crate) fn give_back(&mut self, queue: QueueName, lane: LaneId) {
        self.given_back.push((queue, lane));
    }

    /// Adds executions that ended without an owner.
    pub(crate) fn finish(&mut self, status: ExecutionStatus, count: usize) {
        self.finished.push((status, count));
    }

    /// Adds jobs that were cancelled.
    pub(crate) fn cancel(&mut self, jobs: Vec<(QueueName, Tier)>) {
        self.cancelled.extend(jobs);
    }

    /// Bumps the epochs of the queues that changed, for what was inserted as well. To be called last in the
    /// transaction.
    pub(crate) async fn bump(&mut self, on: &DatabaseTransaction, inserted: &[Inserted]) -> StoreResult<()> {
        let mut queues: Vec<QueueName> = self.revived.iter().flat_map(Revived::older).copied().collect();
        queues.extend(inserted.iter().flat_map(Inserted::older));
        self.bumps = bump_epoch(on, &queues).await?;
        Ok(())
    }

    /// Records the changes in memory, new jobs as well. To be called after the commit.
    pub(crate) fn record(&self, store: &SqlStore, inserted: &[Inserted]) {
        if self.counts_leases {
            store.memory().record_ended(&self.numbers, &self.given_back);
        }
        for inserted in inserted {
            inserted.record(store);
        }
        for revived in &self.revived {
            revived.record(store);
        }
        for (status, count) in &self.finished {
            let status = status.as_str().to_lowercase();
            metrics::counter!(EXECUTIONS_FINISHED_TOTAL, "status" => status).increment(*count as u64);
        }
        for (queue, tier) in &self.cancelled {
            let (queue, tier) = (queue.as_str(), tier.as_str());
            metrics::counter!(JOBS_CANCELLED_TOTAL, "queue" => queue, "tier" => tier).increment(1);
        }
        self.bumps.record(store);
    }
}
