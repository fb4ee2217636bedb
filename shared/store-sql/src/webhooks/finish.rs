//! Noting what matching a delivery came to.

use domain::time::Timestamp;
use store::StoreResult;
use store::webhooks::DeliveryOutcome;

use crate::pool::Pool;
use crate::sql::Sql;

// A node that it woke is a match, whoever has noticed. Its job may run again after it recorded an outcome: the last one counts. What never had a job stays what it is.
static FINISH: Sql = Sql::new(
    "finish_delivery",
    "UPDATE webhook_delivery
     SET status = CASE WHEN $2 = 'unmatched' AND woke IS NOT NULL THEN 'matched' ELSE $2 END, reason = $3, outcome = $4, executions = $5, processed_at = $6
     WHERE id = $1 AND job_id IS NOT NULL",
);

/// Records the outcome of a delivery, if it is there.
pub(super) async fn finish(pool: &Pool, outcome: &DeliveryOutcome, now: Timestamp) -> StoreResult<()> {
    let executions = (!outcome.executions.is_empty())
        .then(|| serde_json::to_string(&outcome.executions).expect("ids are strings"));
    let values = vec![
        outcome.id.uuid().into(),
        outcome.status.as_str().into(),
        outcome.reason.as_deref().into(),
        outcome.outcome.as_str().into(),
        executions.into(),
        now.0.into(),
    ];
    FINISH.run(pool.write(), values).await.map(|_| ())
}
