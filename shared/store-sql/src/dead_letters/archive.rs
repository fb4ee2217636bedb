//! Archiving a dead letter: it stays for audit, and its job stays as it ended.

use domain::access::TenantScope;
use domain::id::DeadLetterId;
use domain::time::Timestamp;
use store::StoreResult;
use store::dead_letters::{DeadLetterChange, DeadLetterStatus};

use crate::SqlStore;
use crate::pool::{commit_change, rollback};
use crate::sql::Sql;

use super::read;

static ARCHIVE: Sql = Sql::new(
    "archive_dead_letter",
    "UPDATE dead_letter SET status = 'archived', resolved_at = $2, archive_reason = $3
     WHERE id = $1 AND status = 'open'",
);

/// Archives one.
pub(super) async fn archive(
    store: &SqlStore,
    scope: &TenantScope,
    id: DeadLetterId,
    reason: &str,
    now: Timestamp,
) -> StoreResult<DeadLetterChange> {
    let transaction = store.pool().begin().await?;
    let Some(record) = read::one(&transaction, scope, id).await? else {
        rollback(transaction).await;
        return Ok(DeadLetterChange::NotFound);
    };
    if ARCHIVE.run(&transaction, vec![id.uuid().into(), now.0.into(), reason.into()]).await? > 0 {
        commit_change(transaction).await?;
        return Ok(DeadLetterChange::Changed {
            job_id: record.job_id,
            queue: record.queue,
            execution_id: None,
        });
    }
    // Read again: somebody may have been faster.
    let status = read::one(&transaction, scope, id).await?.map(|record| record.status);
    rollback(transaction).await;
    Ok(match status {
        Some(DeadLetterStatus::Requeued) => {
            DeadLetterChange::Refused { reason: "the dead letter was requeued; its job is not dead any more" }
        }
        Some(_) => DeadLetterChange::AlreadyDone { job_id: record.job_id },
        None => DeadLetterChange::NotFound,
    })
}
