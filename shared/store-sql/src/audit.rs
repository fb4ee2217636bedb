//! The audit log: rows that are appended, never changed once they are sealed, and a chain of seals beside them.

mod append;
mod list;
mod seal;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::search::Term;
use domain::time::Timestamp;
use store::StoreResult;
use store::audit::{AuditLine, AuditRecord, AuditStore, Chain, ChainRow, Sealing};

use crate::SqlStore;
use crate::pool::{Pool, commit, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::sql::Sql;
use list::{chain_rows, long};
use seal::lock;

pub(crate) use list::{line_of, select_lines};

// Rows of the audit log: appended and read.

// A part of statements that make the change themselves, behind an expression that is named `made` and has a row for each
// thing that is new: lines are written where one is. Their parameters begin with `$first`. PostgreSQL only.
macro_rules! recorded {
    ($first:literal) => {
        $crate::audit::insert_lines!(
            "), recorded AS (\n",
            $first,
            "WHERE EXISTS (SELECT 1 FROM made) ON CONFLICT DO NOTHING\n"
        )
    };
}

pub(crate) use append::{add_lines, append, insert_lines};
pub(crate) use recorded;

// Retention of the audit log: from the beginning of the chain, in its order, leaving an anchor of the last row that went.

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

// The port's operations on the audit log, each retried where that is safe.

#[async_trait]
impl AuditStore for SqlStore {
    async fn append_audit(&self, records: &[AuditRecord]) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || append(self.pool().write(), self.pool().dialect(), records))
            .await
    }

    async fn audit_in_order(
        &self,
        scope: &TenantScope,
        terms: &[Term],
        behind: u64,
        up_to: u64,
    ) -> StoreResult<Vec<AuditLine>> {
        let pool = self.pool();
        pool.listed(list::in_order(pool, scope, terms, (behind, up_to))).await
    }

    async fn seal_audit(&self, since: Timestamp, limit: u32) -> StoreResult<Sealing> {
        with_retry(RetryBudget::repeatable(), || seal::seal_some(self.pool(), (since, None), limit)).await
    }

    async fn seal_audit_part(
        &self,
        since: Timestamp,
        rows: u32,
        limit: u32,
    ) -> StoreResult<(Sealing, Option<Timestamp>)> {
        with_retry(RetryBudget::repeatable(), || seal::seal_part(self.pool(), since, rows, limit)).await
    }

    async fn audit_chain(&self) -> StoreResult<Chain> {
        with_retry(RetryBudget::repeatable(), || seal::chain(self.pool().read())).await
    }

    async fn audit_chain_rows(&self, behind: u64, limit: u32) -> StoreResult<Vec<ChainRow>> {
        let pool = self.pool();
        pool.listed(list::chain_rows(pool.lists(), behind, limit)).await
    }
}

#[cfg(test)]
mod tests;
