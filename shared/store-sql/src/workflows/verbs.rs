//! The port's operations on workflows, each retried where that is safe.

use async_trait::async_trait;
use domain::lane::WorkflowRef;
use domain::names::TenantName;
use domain::time::Timestamp;
use store::StoreResult;
use store::workflows::{Registered, WorkflowPause, WorkflowStore, WorkflowVersion};

use super::{pause, read, register, source};
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl WorkflowStore for SqlStore {
    async fn register_workflow(&self, version: &WorkflowVersion) -> StoreResult<Registered> {
        // Not repeated over a broken connection: the second time a new version would look like an old one.
        with_retry(RetryBudget::once(), || register::register(self.pool(), version)).await
    }

    async fn workflow(
        &self,
        tenant: Option<&TenantName>,
        name: &str,
        version: Option<u32>,
    ) -> StoreResult<Option<WorkflowVersion>> {
        with_retry(RetryBudget::repeatable(), || read::one(self.pool(), tenant, name, version)).await
    }

    async fn list_workflows(
        &self,
        tenant: Option<&TenantName>,
        after: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<WorkflowVersion>> {
        with_retry(RetryBudget::repeatable(), || read::latest(self.pool(), tenant, after, limit)).await
    }

    async fn workflow_versions(
        &self,
        tenant: Option<&TenantName>,
        name: &str,
        below: Option<u32>,
        limit: u32,
    ) -> StoreResult<Vec<WorkflowVersion>> {
        with_retry(RetryBudget::repeatable(), || read::versions(self.pool(), tenant, name, below, limit))
            .await
    }

    async fn put_workflow_source(
        &self,
        workflow: &WorkflowRef,
        version: u32,
        source: &str,
        now: Timestamp,
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || source::put(self.pool(), workflow, version, source, now))
            .await
    }

    async fn workflow_source(&self, workflow: &WorkflowRef, version: u32) -> StoreResult<Option<String>> {
        with_retry(RetryBudget::repeatable(), || source::one(self.pool(), workflow, version)).await
    }

    async fn pause_workflow(
        &self,
        workflow: &WorkflowRef,
        pause: Option<WorkflowPause>,
        now: Timestamp,
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || pause::pause(self.pool(), workflow, pause, now)).await
    }
}
