//! A change of an object marks its entry, and both commit.

use store::batches::BatchEntry;
use store::{StoreError, StoreResult};

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
        0 => Err(StoreError::Outdated { what: "the entry of a batch" }),
        _ => Ok(()),
    }
}
