//! The row of each queue that serialises claims: its epoch, its mode, the version of its limits.
//!
//! Whoever moves jobs of a queue to 'processing' locks the row and adds 1 to the epoch in the same transaction. So
//! does whoever makes a job claimable at an older position than it had, as the last statement of its transaction: the
//! row comes last in the [order of locks](crate::lock_order).

use domain::queue::QueueName;
use sea_orm::ConnectionTrait;
use store::StoreResult;

use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

// A process that stops while it has the row keeps every node from claiming: after two seconds the server ends its
// session, which gives the row back. The same goes for the lock of a claim.
static BUMP_EPOCH: Sql = Sql::new(
    "bump_epoch",
    "UPDATE queue_claim SET epoch = epoch + 1 WHERE queue = $1
     RETURNING epoch {postgres:, set_config('idle_in_transaction_session_timeout', '2s', true) AS idle_timeout}",
);

static BUMP_LIMITS: Sql = Sql::new(
    "bump_limits_version",
    "UPDATE queue_claim SET epoch = epoch + 1, limits_version = limits_version + 1 WHERE queue = $1",
);

/// Epochs that a transaction of this process gave to queues.
#[derive(Debug, Default)]
pub(crate) struct Bumps(Vec<(QueueName, i64)>);

impl Bumps {
    /// Tells the claims of this process that the change was its own. To be called after the commit; without it, the
    /// next claim counts again.
    pub(crate) fn note(&self, store: &SqlStore) {
        for &(queue, epoch) in &self.0 {
            store.memory().queue(queue).lanes().counts.note_own_bump(epoch);
        }
    }
}

/// Says that jobs of these queues became claimable at older positions. To be called once in a transaction and last, so
/// that claims wait as shortly as possible and nobody waits for a job while it has the row.
pub(crate) async fn bump_epoch<C: ConnectionTrait>(on: &C, queues: &[QueueName]) -> StoreResult<Bumps> {
    let mut bumps = Bumps::default();
    for queue in in_order(queues) {
        if let Some(row) = BUMP_EPOCH.first(on, vec![queue.code().into()]).await? {
            bumps.0.push((queue, Row::new("queue_claim", &row).long("epoch")?));
        }
    }
    Ok(bumps)
}

/// Says that limits, definitions' limits or pauses of workflows changed: a claim that starts after the commit reads
/// them again. To be called last in a transaction.
pub(crate) async fn bump_limits_version<C: ConnectionTrait>(on: &C, queues: &[QueueName]) -> StoreResult<()> {
    for queue in in_order(queues) {
        BUMP_LIMITS.run(on, vec![queue.code().into()]).await?;
    }
    Ok(())
}

/// In the order of the codes, so that two that bump several queues do not wait for each other.
fn in_order(queues: &[QueueName]) -> impl Iterator<Item = QueueName> {
    QueueName::ALL.into_iter().filter(|queue| queues.contains(queue))
}
