//! Workflows: registered versions, which never change.

use async_trait::async_trait;
use domain::names::TenantName;
use domain::queue::WorkflowRef;
use domain::rate::Rate;
use domain::time::Timestamp;

use crate::error::StoreResult;

/// One version of a workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowVersion {
    /// Whose it is, and its name.
    pub workflow: WorkflowRef,
    /// Its version.
    pub version: u32,
    /// Hex SHA-256 of the canonical JSON.
    pub content_hash: String,
    /// The definition as canonical JSON.
    pub content: String,
    /// `limits.maxConcurrent` of the definition.
    pub max_concurrent: Option<u32>,
    /// `limits.rate` of the definition.
    pub rate: Option<Rate>,
    /// When it was registered.
    pub created_at: Timestamp,
    /// Whether the workflow is paused (all versions of it), and what becomes of new runs then.
    pub pause: Option<WorkflowPause>,
}

/// What becomes of new runs of a paused workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkflowPause {
    /// They are accepted and stay queued.
    Queue,
    /// They are refused.
    Refuse,
}

/// What registering a version did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registered {
    /// It is new.
    Created(WorkflowVersion),
    /// The same content was there already.
    Same(WorkflowVersion),
    /// The version holds other content.
    Conflict {
        /// The hash of what is there.
        content_hash: String,
    },
}

/// The store's operations on workflows. Where a tenant is given, its own definition of a name precedes the shared one.
#[async_trait]
pub trait WorkflowStore {
    /// Registers a version, once and for all.
    async fn register_workflow(&self, version: &WorkflowVersion) -> StoreResult<Registered>;

    /// A version as `tenant` sees it (`None`: shared ones only); the latest without `version`.
    async fn workflow(
        &self,
        tenant: Option<&TenantName>,
        name: &str,
        version: Option<u32>,
    ) -> StoreResult<Option<WorkflowVersion>>;

    /// The latest version of each workflow that `tenant` sees, by name; only names after
    /// `after`. Contents of more than 4 KiB are empty.
    async fn list_workflows(
        &self,
        tenant: Option<&TenantName>,
        after: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<WorkflowVersion>>;

    /// The versions of a workflow that `tenant` sees, newest first. Contents of more than 4 KiB are empty.
    async fn workflow_versions(
        &self,
        tenant: Option<&TenantName>,
        name: &str,
        below: Option<u32>,
        limit: u32,
    ) -> StoreResult<Vec<WorkflowVersion>>;

    /// Stores where the nodes of a version are in its source, as raw JSON text, in the place of what was stored before.
    /// Answers whether there is such a version.
    async fn put_workflow_source(
        &self,
        workflow: &WorkflowRef,
        version: u32,
        source: &str,
        now: Timestamp,
    ) -> StoreResult<bool>;

    /// What was stored of where the nodes of a version are.
    async fn workflow_source(&self, workflow: &WorkflowRef, version: u32) -> StoreResult<Option<String>>;

    /// Pauses a workflow, or resumes it (`None`): its executions stay queued meanwhile. Answers whether it exists.
    async fn pause_workflow(
        &self,
        workflow: &WorkflowRef,
        pause: Option<WorkflowPause>,
        now: Timestamp,
    ) -> StoreResult<bool>;
}
