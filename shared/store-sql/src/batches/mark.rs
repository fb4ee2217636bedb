//! A change of an object marks its entry, and both commit. So do the changes of several.

use domain::id::BatchId;
use domain::time::Timestamp;
use sea_orm::ConnectionTrait as _;
use store::batches::BatchEntry;
use store::{StoreError, StoreResult};
use uuid::Uuid;

use crate::bind;
use crate::dialect::Dialect;
use crate::sql::{DatabaseTransaction, Sql};

// Index: the key. $1 batch, $2 object, $3 now, $4 result, $5 aftermath, $6 owner
static MARK: Sql = Sql::new(
    "mark_batch_item",
    "UPDATE batch_item SET outcome = 'done', at = $3, result_id = $4, aftermath = $5
     WHERE batch_id = $1 AND object_id = $2 AND outcome IS NULL
       AND EXISTS (SELECT 1 FROM batch b WHERE b.id = $1 AND b.owner = $6 AND b.status = 'running')",
);

/// Marks it. Fails where the object has had its turn, or the batch does not run or is another's.
pub(crate) async fn mark(on: &DatabaseTransaction, entry: &BatchEntry) -> StoreResult<()> {
    let values = vec![
        entry.batch.uuid().into(),
        entry.object.into(),
        entry.now.0.into(),
        entry.result.into(),
        entry.has_aftermath.then_some("pending").into(),
        entry.owner.into(),
    ];
    match MARK.run(on, values).await? {
        0 => Err(outdated()),
        _ => Ok(()),
    }
}

fn outdated() -> StoreError {
    StoreError::Outdated { what: "the entry of a batch" }
}

// The same for several dead letters, which start their jobs again. They are not locked in an order before: only the owner of the
// batch marks its entries, none twice at once, and who has lost the batch does not pass the condition. No row source is joined:
// SQLite would go through all entries of the batch for each of its rows. The outcome is written so that the index of those that
// wait does not fit: for many keys at once it would be all that wait.
// Index: the key. $1 batch, $2 now, $3 owner, $4 the letters
static MARK_LETTERS: Sql = Sql::new(
    "mark_batch_letters",
    "UPDATE batch_item SET outcome = 'done', at = $2, aftermath = 'pending',
       result_id = (SELECT d.job_id FROM dead_letter d WHERE d.id = batch_item.object_id)
     WHERE batch_id = $1 AND object_id {any $4 uuid} AND COALESCE(outcome, '') = ''
       AND EXISTS (SELECT 1 FROM batch b WHERE b.id = $1 AND b.owner = $3 AND b.status = 'running')",
);

/// Marks the entries of all these dead letters, each with its job. Fails where one of them has had its turn, or the batch does
/// not run or is another's.
pub(crate) async fn mark_letters(
    on: &DatabaseTransaction,
    (batch, owner): (BatchId, Uuid),
    letters: &[Uuid],
    now: Timestamp,
) -> StoreResult<()> {
    let ids = bind::uuids(Dialect::of(on.get_database_backend()), letters.iter().copied());
    let values = vec![batch.uuid().into(), now.0.into(), owner.into(), ids];
    match MARK_LETTERS.run(on, values).await? {
        marked if marked == letters.len() as u64 => Ok(()),
        _ => Err(outdated()),
    }
}
