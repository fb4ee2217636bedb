//! The port's operations on lines of jobs, each retried where that is safe.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::job_log::LogLevel;
use domain::time::Timestamp;
use store::StoreResult;
use store::job_logs::{JobLogStore, LogPage, LogPosition, LoggedLines, LogsOf};
use store::jobs::LeaseAnswer;

use super::{append, list};
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl JobLogStore for SqlStore {
    async fn append_logs(
        &self,
        scope: &TenantScope,
        logged: &[LoggedLines],
        now: Timestamp,
    ) -> StoreResult<Vec<LeaseAnswer>> {
        self.sealer().ring(self).await?;
        with_retry(RetryBudget::once(), || append::append(self, scope, logged, now)).await
    }

    async fn list_logs(
        &self,
        scope: &TenantScope,
        of: LogsOf,
        level: LogLevel,
        after: Option<LogPosition>,
        limit: u32,
    ) -> StoreResult<LogPage> {
        let page =
            with_retry(RetryBudget::repeatable(), || list::list(self.pool(), scope, of, level, after, limit))
                .await?;
        Ok(LogPage { lines: self.opened_list(page.lines).await?, ..page })
    }
}
