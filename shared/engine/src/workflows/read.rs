//! Look at workflows.

use std::sync::Arc;

use domain::access::Permission;
use domain::names::{TenantName, WorkflowName};
use domain::workflow::definition::Definition;
use store::workflows::WorkflowVersion;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// A version of a workflow, the latest without `version`, as the tenant sees it: its own definition of a name
    /// goes before the shared one.
    pub async fn workflow(
        &self,
        caller: &Caller,
        name: &WorkflowName,
        version: Option<u32>,
        tenant: Option<TenantName>,
    ) -> Result<WorkflowVersion, EngineError> {
        caller.require(Permission::Read)?;
        let tenant = caller.tenant(tenant)?;
        self.known_workflow(tenant.as_ref(), name, version).await
    }

    /// The latest version of each workflow that the caller sees, by name, after `after`.
    pub async fn list_workflows(
        &self,
        caller: &Caller,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<WorkflowVersion>, EngineError> {
        caller.require(Permission::Read)?;
        Ok(self.store().list_workflows(caller.scope.tenant(), after, limit).await?)
    }

    /// The versions of a workflow, newest first, below `below`.
    pub async fn workflow_versions(
        &self,
        caller: &Caller,
        name: &WorkflowName,
        below: Option<u32>,
        limit: u32,
    ) -> Result<Vec<WorkflowVersion>, EngineError> {
        caller.require(Permission::Read)?;
        let versions =
            self.store().workflow_versions(caller.scope.tenant(), name.as_str(), below, limit).await?;
        if versions.is_empty() && below.is_none() {
            return Err(EngineError::not_found("workflow", &name));
        }
        Ok(versions)
    }

    /// The definition of a version that the caller has looked at.
    pub async fn parsed_workflow(
        &self,
        caller: &Caller,
        version: &WorkflowVersion,
    ) -> Result<Arc<Definition>, EngineError> {
        caller.require(Permission::Read)?;
        let row = format!("{}@{}", version.workflow.name, version.version);
        self.definition(caller.scope.tenant(), &version.content, &row).await
    }

    pub(crate) async fn known_workflow(
        &self,
        tenant: Option<&TenantName>,
        name: &WorkflowName,
        version: Option<u32>,
    ) -> Result<WorkflowVersion, EngineError> {
        let found = self.store().workflow(tenant, name.as_str(), version).await?;
        found.ok_or_else(|| match version {
            Some(version) => EngineError::not_found("workflow", &format!("{name} in version {version}")),
            None => EngineError::not_found("workflow", &name),
        })
    }
}
