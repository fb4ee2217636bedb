//! Calls of workflows. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::json::Json;
use crate::models::{
    Attribute, AttributeDeclaration, LimitChanges, Page, PauseRequest, QueueLimits, RegisteredWorkflow,
    Simulation, SimulationRequest, SourceRequest, Workflow, WorkflowMode,
};
use crate::transport::{Request, segment};

impl Calls {
    /// List the latest version of each workflow, by name.
    /// Action `workflows.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_workflows(&self, query: &ListWorkflowsQuery) -> Result<Page<Workflow>, ClientError> {
        self.call(Request::new("listWorkflows", "GET", "/v1/workflows").query(query)?).await
    }

    /// Register a version of a workflow.
    /// Versions are immutable: the same content again returns 200, different content under the same version returns 409.
    ///
    /// Action `workflows.register`: requires role `admin` or `operator`.
    pub async fn register_workflow(
        &self,
        body: &Json,
        query: &RegisterWorkflowQuery,
    ) -> Result<RegisteredWorkflow, ClientError> {
        self.call(Request::new("registerWorkflow", "POST", "/v1/workflows").keyed().query(query)?.body(body)?)
            .await
    }

    /// Simulate a workflow.
    /// Runs a definition with the results that you give in place of handlers, people and other systems. Nothing is stored,
    /// no job is created, and the clock jumps to the next timer. At a node without a result, the run ends and reports what
    /// it waits for.
    ///
    /// Action `workflows.simulate`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn simulate_workflow(&self, body: &SimulationRequest) -> Result<Simulation, ClientError> {
        self.call(Request::new("simulateWorkflow", "POST", "/v1/workflows/simulate").keyed().body(body)?)
            .await
    }

    /// Show the latest version of a workflow.
    /// Action `workflows.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_workflow(&self, name: &str, query: &GetWorkflowQuery) -> Result<Workflow, ClientError> {
        self.call(
            Request::new("getWorkflow", "GET", format!("/v1/workflows/{}", segment(name))).query(query)?,
        )
        .await
    }

    /// Show the searchable attributes of a workflow.
    /// Action `attributes.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_workflow_attributes(
        &self,
        name: &str,
        query: &GetWorkflowAttributesQuery,
    ) -> Result<BTreeMap<String, Attribute>, ClientError> {
        self.call(
            Request::new(
                "getWorkflowAttributes",
                "GET",
                format!("/v1/workflows/{}/attributes", segment(name)),
            )
            .query(query)?,
        )
        .await
    }

    /// Declare searchable attributes of a workflow.
    /// Attributes that are absent from the request are kept; null removes an attribute. Applies to executions created from
    /// now on and to their jobs.
    ///
    /// Action `attributes.declare`: requires role `admin` or `operator`.
    pub async fn set_workflow_attributes(
        &self,
        name: &str,
        body: &BTreeMap<String, AttributeDeclaration>,
        query: &SetWorkflowAttributesQuery,
    ) -> Result<BTreeMap<String, Attribute>, ClientError> {
        self.call(
            Request::new(
                "setWorkflowAttributes",
                "PUT",
                format!("/v1/workflows/{}/attributes", segment(name)),
            )
            .keyed()
            .query(query)?
            .body(body)?,
        )
        .await
    }

    /// Show the limits of a workflow.
    /// Action `limits.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_workflow_limits(
        &self,
        name: &str,
        query: &GetWorkflowLimitsQuery,
    ) -> Result<BTreeMap<String, QueueLimits>, ClientError> {
        self.call(
            Request::new("getWorkflowLimits", "GET", format!("/v1/workflows/{}/limits", segment(name)))
                .query(query)?,
        )
        .await
    }

    /// Change the limits of a workflow.
    /// Action `workflows.limit`: requires role `admin` or `operator`.
    pub async fn set_workflow_limits(
        &self,
        name: &str,
        body: &BTreeMap<String, LimitChanges>,
        query: &SetWorkflowLimitsQuery,
    ) -> Result<BTreeMap<String, QueueLimits>, ClientError> {
        self.call(
            Request::new("setWorkflowLimits", "PUT", format!("/v1/workflows/{}/limits", segment(name)))
                .keyed()
                .query(query)?
                .body(body)?,
        )
        .await
    }

    /// Pause a workflow.
    /// Executions stay queued until the workflow is resumed; a running execution continues until it waits or ends. New ones
    /// are queued as well, or rejected with 409 `workflow_paused`.
    ///
    /// Action `workflows.pause`: requires role `admin` or `operator`.
    pub async fn pause_workflow(
        &self,
        name: &str,
        body: &PauseRequest,
        query: &PauseWorkflowQuery,
    ) -> Result<WorkflowMode, ClientError> {
        self.call(
            Request::new("pauseWorkflow", "POST", format!("/v1/workflows/{}/pause", segment(name)))
                .keyed()
                .query(query)?
                .body(body)?,
        )
        .await
    }

    /// Resume a workflow.
    /// Action `workflows.pause`: requires role `admin` or `operator`.
    pub async fn resume_workflow(
        &self,
        name: &str,
        query: &ResumeWorkflowQuery,
    ) -> Result<WorkflowMode, ClientError> {
        self.call(
            Request::new("resumeWorkflow", "POST", format!("/v1/workflows/{}/resume", segment(name)))
                .keyed()
                .query(query)?,
        )
        .await
    }

    /// List the versions of a workflow, newest first.
    /// Action `workflows.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_versions(
        &self,
        name: &str,
        query: &ListVersionsQuery,
    ) -> Result<Page<Workflow>, ClientError> {
        self.call(
            Request::new("listVersions", "GET", format!("/v1/workflows/{}/versions", segment(name)))
                .query(query)?,
        )
        .await
    }

    /// Show a version of a workflow.
    /// Action `workflows.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_version(
        &self,
        name: &str,
        version: i32,
        query: &GetVersionQuery,
    ) -> Result<Workflow, ClientError> {
        self.call(
            Request::new("getVersion", "GET", format!("/v1/workflows/{}/versions/{version}", segment(name)))
                .query(query)?,
        )
        .await
    }

    /// Set the source places of a version.
    /// A source place is the file and line of a node in the program that the version was compiled from. Source places are
    /// not part of the definition or its content hash, and can be set again.
    ///
    /// Action `workflows.register`: requires role `admin` or `operator`.
    pub async fn put_source(
        &self,
        name: &str,
        version: i32,
        body: &SourceRequest,
    ) -> Result<(), ClientError> {
        self.call_empty(
            Request::new(
                "putSource",
                "PUT",
                format!("/v1/workflows/{}/versions/{version}/source", segment(name)),
            )
            .keyed()
            .body(body)?,
        )
        .await
    }
}

/// The query of [`Calls::list_workflows`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListWorkflowsQuery {
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
    /// Shows what this tenant sees: its own workflows and the shared ones; for keys that are not bound to a tenant.
    pub tenant: Option<String>,
}

/// The query of [`Calls::register_workflow`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegisterWorkflowQuery {
    /// Validates the definition without registering it.
    pub validate: Option<bool>,
}

/// The query of [`Calls::get_workflow`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetWorkflowQuery {
    /// Resolves the name for this tenant; for keys that are not bound to a tenant.
    pub tenant: Option<String>,
}

/// The query of [`Calls::get_workflow_attributes`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetWorkflowAttributesQuery {
    /// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
    /// never a tenant's.
    pub tenant: Option<String>,
}

/// The query of [`Calls::set_workflow_attributes`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetWorkflowAttributesQuery {
    /// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
    /// never a tenant's.
    pub tenant: Option<String>,
}

/// The query of [`Calls::get_workflow_limits`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetWorkflowLimitsQuery {
    /// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
    /// never a tenant's.
    pub tenant: Option<String>,
}

/// The query of [`Calls::set_workflow_limits`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetWorkflowLimitsQuery {
    /// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
    /// never a tenant's.
    pub tenant: Option<String>,
}

/// The query of [`Calls::pause_workflow`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PauseWorkflowQuery {
    /// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
    /// never a tenant's.
    pub tenant: Option<String>,
}

/// The query of [`Calls::resume_workflow`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResumeWorkflowQuery {
    /// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
    /// never a tenant's.
    pub tenant: Option<String>,
}

/// The query of [`Calls::list_versions`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListVersionsQuery {
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
    /// Shows what this tenant sees: its own workflows and the shared ones; for keys that are not bound to a tenant.
    pub tenant: Option<String>,
}

/// The query of [`Calls::get_version`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetVersionQuery {
    /// Resolves the name for this tenant; for keys that are not bound to a tenant.
    pub tenant: Option<String>,
}
