//! The row of each queue that serialises claims: its epoch, its mode, the version of its limits.
//!
//! Whoever moves jobs of a queue to 'processing' locks the row and adds 1 to the epoch in the same transaction. So
//! does whoever makes a job claimable at an older position than it had, as the last statement of its transaction.

use domain::queue::QueueName;
use sea_orm::ConnectionTrait;
use store::StoreResult;

use crate::sql::Sql;

static BUMP_EPOCH: Sql = Sql::new("bump_epoch", "UPDATE queue_claim SET epoch = epoch + 1 WHERE queue = $1");

static BUMP_LIMITS: Sql = Sql::new(
    "bump_limits_version",
    "UPDATE queue_claim SET epoch = epoch + 1, limits_version = limits_version + 1 WHERE queue = $1",
);

/// Says that jobs of these queues became claimable at older positions. To be called last in a transaction, so that
/// claims wait as shortly as possible; but before jobs are touched that are queued already, because a claim locks the
/// row first and the jobs next.
pub(crate) async fn bump_epoch<C: ConnectionTrait>(on: &C, queues: &[QueueName]) -> StoreResult<()> {
    bump(&BUMP_EPOCH, on, queues).await
}

/// Says that limits, definitions' limits or pauses of workflows changed: a claim that starts after the commit reads
/// them again. To be called last in a transaction.
pub(crate) async fn bump_limits_version<C: ConnectionTrait>(on: &C, queues: &[QueueName]) -> StoreResult<()> {
    bump(&BUMP_LIMITS, on, queues).await
}

async fn bump<C: ConnectionTrait>(sql: &Sql, on: &C, queues: &[QueueName]) -> StoreResult<()> {
    // In the order of the codes, so that two that bump several queues do not wait for each other.
    for queue in QueueName::ALL.into_iter().filter(|queue| queues.contains(queue)) {
        sql.run(on, vec![queue.code().into()]).await?;
    }
    Ok(())
}
