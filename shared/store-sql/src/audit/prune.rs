//! Retention of the audit log: from the beginning of the chain, in its order, leaving an anchor of the last row that went.

use domain::time::Timestamp;
use store::StoreResult;
use store::audit::ChainRow;

use super::list::{chain_rows, long};
use super::seal::lock;
use crate::pool::{Pool, commit, rollback};
use crate::sql::Sql;

static ROWS: Sql = Sql::new(
    "prune_audit",
    "DELETE FROM audit WHERE id IN (SELECT audit_id FROM audit_seal WHERE seq <= $1)",
);

static SEALS: Sql = Sql::new("prune_audit_seals", "DELETE FROM audit_seal WHERE seq <= $1");

static MOVE_ANCHOR: Sql =
    Sql::new("move_audit_anchor", "UPDATE audit_chain SET anchor_seq = $1, anchor_hash = $2 WHERE id = 1");

/// Removes rows that were written before then; answers how many. Rows that are not sealed yet stay.
pub(crate) async fn prune(pool: &Pool, before: Timestamp, limit: u32) -> StoreResult<u64> {
    let first = chain_rows(pool.read(), 0, 1).await?;
    let is_old = |row: &ChainRow| row.record.as_ref().is_none_or(|record| record.at < before);
    if !first.iter().any(is_old) {
        return Ok(0);
    }
    let transaction = pool.begin().await?;
    lock(&transaction).await?;
    let rows = chain_rows(&transaction, 0, limit).await?;
    let old: Vec<&ChainRow> = rows.iter().take_while(|row| is_old(row)).collect();
    // A row that somebody has removed goes with the rows around it, and not by itself.
    let last = old.iter().rposition(|row| row.record.is_some());
    let Some(last) = last.map(|at| old[at]) else {
        rollback(transaction).await;
        return Ok(0);
    };
    let seq = long(last.seal.seq);
    let gone = ROWS.run(&transaction, vec![seq.into()]).await?;
    SEALS.run(&transaction, vec![seq.into()]).await?;
    MOVE_ANCHOR.run(&transaction, vec![seq.into(), last.seal.hash.to_vec().into()]).await?;
    commit(transaction).await?;
    Ok(gone)
}
