//! The row of each queue that serialises claims: its epoch, its mode, the version of its limits.
//!
//! Whoever moves jobs of a queue to 'processing' locks the row and adds 1 to the epoch in the same transaction, and
//! leaves a new random nonce beside it. So does whoever makes a job claimable at an older position than it had, as the
//! last statement of its transaction: the row comes last in the [order of locks](crate::lock_order).
//!
//! Claims add 1 to `claims`, too. So the difference says whether anything else happened: what a node knows of the
//! beginnings of lanes outlives the claims of others (see [`Counts`](crate::memory_counts::Counts)), and a node of a
//! version that does not count them makes others look again.

use domain::queue::QueueName;
use sea_orm::ConnectionTrait;
use store::StoreResult;

use crate::errors::corrupt;
use crate::memory_counts::{Change, Epoch};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

// A process that stops while it has the row keeps every node from claiming: after two seconds the server ends its
// session, which gives the row back. The same goes for the lock of a claim.
static BUMP_EPOCH: Sql = Sql::new(
    "bump_epoch",
    "UPDATE queue_claim SET epoch = epoch + 1, nonce_before = nonce, nonce = {nonce} WHERE queue = $1
     RETURNING epoch, nonce, nonce_before {postgres:, set_config('idle_in_transaction_session_timeout', '2s', true) AS idle_timeout}",
);

static BUMP_LIMITS: Sql = Sql::new(
    "bump_limits_version",
    "UPDATE queue_claim SET epoch = epoch + 1, nonce_before = nonce, nonce = {nonce}, limits_version = limits_version + 1
     WHERE queue = $1",
);

/// Epochs that a transaction of this process gave to queues.
#[derive(Debug, Default)]
pub(crate) struct Bumps(Vec<(QueueName, Change)>);

impl Bumps {
    /// Records for the claims of this process that the change was its own. To be called after the commit; without it,
    /// the next claim counts again.
    pub(crate) fn record(&self, store: &SqlStore) {
        for &(queue, change) in &self.0 {
            store.memory().queue(queue).lanes().counts.record_own_bump(change);
        }
    }
}

/// Says that jobs of these queues became claimable at older positions. To be called once in a transaction and last, so
/// that claims wait as shortly as possible and nobody waits for a job while it has the row.
pub(crate) async fn bump_epoch<C: ConnectionTrait>(on: &C, queues: &[QueueName]) -> StoreResult<Bumps> {
    let mut bumps = Bumps::default();
    for queue in in_order(queues) {
        if let Some(row) = BUMP_EPOCH.first(on, vec![queue.code().into()]).await? {
            bumps.0.push((queue, change(Row::new("queue_claim", &row))?));
        }
    }
    Ok(bumps)
}

/// The change that a statement made of the row, from its new `epoch`, `nonce` and `nonce_before`.
pub(crate) fn change(row: Row<'_>) -> StoreResult<Change> {
    let number = row.long("epoch")?;
    Ok(Change {
        before: Epoch { number: number - 1, nonce: row.long("nonce_before")? },
        after: Epoch { number, nonce: row.long("nonce")? },
    })
}

/// The epoch that a statement expects, as its parameter: its nonce, and where the row lies if that is known.
pub(crate) fn expected_mark(epoch: Epoch, place: Option<&str>) -> String {
    format!("{} {}", epoch.nonce, place.unwrap_or_default())
}

/// The epoch after the expected one, and where the row lies, from what such a statement answers: its nonce and the
/// place.
pub(crate) fn left(expected: Epoch, mark: &str) -> StoreResult<(Epoch, String)> {
    let read = |(nonce, place): (&str, &str)| Some((nonce.parse().ok()?, place.to_owned()));
    let (nonce, place) = mark
        .split_once(' ')
        .and_then(read)
        .ok_or_else(|| corrupt("queue_claim", "nonce", expected.number))?;
    Ok((Epoch { number: expected.number + 1, nonce }, place))
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
