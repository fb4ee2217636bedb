//! The port's operations on the audit log, each retried where that is safe.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::search::Term;
use domain::time::Timestamp;
use store::StoreResult;
use store::audit::{AuditLine, AuditRecord, AuditStore, Chain, ChainRow, Sealing};

use super::{list, record, seal};
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl AuditStore for SqlStore {
    async fn append_audit(&self, records: &[AuditRecord]) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || {
            record::append(self.pool().write(), self.pool().dialect(), records)
        })
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
        with_retry(RetryBudget::repeatable(), || seal::seal_some(self.pool(), since, limit)).await
    }

    async fn audit_chain(&self) -> StoreResult<Chain> {
        with_retry(RetryBudget::repeatable(), || seal::chain(self.pool().read())).await
    }

    async fn audit_chain_rows(&self, behind: u64, limit: u32) -> StoreResult<Vec<ChainRow>> {
        let pool = self.pool();
        pool.listed(list::chain_rows(pool.lists(), behind, limit)).await
    }
}
