//! Workflows: register, read, pause, simulate.

mod simulate;
mod source;

use std::sync::Arc;

use domain::access::{Action, Permission, Subject, TenantScope};
use domain::names::{TenantName, WorkflowName};
use domain::problem::ProblemCode;
use domain::queue::{QueueName, WorkflowRef};
use domain::quota::QuotaKind;
use domain::workflow::definition::Definition;
use domain::workflow::parse::{Format, Parsed, parse};
use store::wakeup::Hint;
use store::workflows::{Registered, WorkflowPause, WorkflowVersion};

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

pub use simulate::{SimulatedWorkflow, Simulation, SimulationRequest};
pub use source::{SourcePlace, SourcePlaces};

// Register a version of a workflow, or only check it.

/// Whether a version is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registration {
    /// It is.
    Created,
    /// The same content was there already.
    Same,
}

impl Engine {
    /// Checks a definition and answers what would be stored. Every fault has a pointer.
    pub async fn validate_workflow(
        &self,
        caller: &Caller,
        body: &[u8],
        format: Format,
    ) -> Result<Parsed, EngineError> {
        // Whoever may not register has no use for it, and it takes the processor for longer than a look.
        caller.require(Permission::Operate)?;
        let (body, limits) = (body.to_vec(), self.policy().definition_limits);
        let parsed = self.workbench().call(caller.scope.tenant(), move || parse(&body, format, &limits));
        parsed.await?.map_err(EngineError::Invalid)
    }

    /// Registers a version, once and for all. A key that is bound to a tenant registers for its tenant, any other
    /// key for all of them.
    pub async fn register_workflow(
        &self,
        caller: &Caller,
        body: &[u8],
        format: Format,
    ) -> Result<(Registration, WorkflowVersion), EngineError> {
        let parsed = self.validate_workflow(caller, body, format).await?;
        let workflow = Some(parsed.definition.name.as_str());
        caller.require_on(Action::WorkflowsRegister, &Subject { workflow, ..Subject::default() })?;
        let owner = caller.scope.tenant().cloned();
        // Those of a workflow for all tenants are declared for the others as their executions set them.
        let declares_for = caller.tenant_or_default(None)?;
        self.check_defined(&declares_for, &parsed.definition).await?;
        let version = WorkflowVersion {
            workflow: WorkflowRef { owner: owner.clone(), name: parsed.definition.name.clone() },
            version: parsed.definition.version,
            content_hash: parsed.content_hash,
            content: parsed.canonical_json,
            max_concurrent: parsed.definition.max_concurrent,
            rate: parsed.definition.rate,
            created_at: self.now(),
            pause: None,
        };
        self.refuse_version_over_quota(&version).await?;
        let subject = format!("{}@{}", version.workflow.name, version.version);
        let audited = AuditedAction::new("workflow.register", &subject).of(owner);
        let mut recording = self.recording(caller, audited);
        match recording.of(self.store().register_workflow(&version)).await? {
            Registered::Created(stored) => {
                self.recorded(recording).await;
                self.declare_defined(caller, &declares_for, &parsed.definition).await?;
                // The latest version's limit may be another now.
                self.wake(&[Hint::Settings]);
                Ok((Registration::Created, stored))
            }
            Registered::Same(stored) => Ok((Registration::Same, stored)),
            Registered::Conflict { content_hash } => Err(EngineError::Conflict {
                code: ProblemCode::WorkflowVersionConflict,
                message: format!(
                    "Version {} of workflow {} has different content ({content_hash}). The content of a version never \
                     changes: register it as another version.",
                    version.version, version.workflow.name
                ),
            }),
        }
    }

    /// Fails where the owner of a version may not have another one. A version that is there is not another one.
    async fn refuse_version_over_quota(&self, version: &WorkflowVersion) -> Result<(), EngineError> {
        let WorkflowRef { owner: Some(owner), name } = &version.workflow else {
            return Ok(());
        };
        let found = self.store().workflow(Some(owner), name.as_str(), Some(version.version)).await?;
        if found.is_some_and(|found| found.workflow.owner.as_ref() == Some(owner)) {
            return Ok(());
        }
        let bytes = version.content.len() as u64;
        self.refuse_over_quota(
            owner,
            &[(QuotaKind::WorkflowVersions, 1), (QuotaKind::DefinitionBytes, bytes)],
        )
        .await
    }
}

// Look at workflows.

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

// Pause and resume a workflow: its executions stay queued meanwhile, and new ones are queued as well or refused.

impl Engine {
    /// Pauses all versions of a workflow, or resumes them (`None`). A caller that speaks for a tenant may do so to the
    /// tenant's own ones, one that speaks for none to those that all tenants share: never to another's by its name alone.
    pub async fn pause_workflow(
        &self,
        caller: &Caller,
        name: &WorkflowName,
        pause: Option<WorkflowPause>,
    ) -> Result<(), EngineError> {
        let subject = Subject { workflow: Some(name.as_str()), ..Subject::default() };
        caller.require_on(Action::WorkflowsPause, &subject)?;
        let version = self.known_workflow(caller.scope.tenant(), name, None).await?;
        let workflow = version.workflow;
        if workflow.owner.is_none() && caller.scope != TenantScope::All {
            return caller.require_unscoped();
        }
        let action = if pause.is_some() { "workflow.pause" } else { "workflow.resume" };
        let paused = |is_paused: bool| serde_json::json!({ "paused": is_paused });
        let audited = AuditedAction::new(action, &name)
            .of(workflow.owner.clone())
            .changing(paused(version.pause.is_some()), paused(pause.is_some()));
        let mut recording = self.recording(caller, audited);
        if !recording.of(self.store().pause_workflow(&workflow, pause, self.now())).await? {
            return Err(EngineError::not_found("workflow", &name));
        }
        self.wake(&[Hint::Settings, Hint::Queue(QueueName::Execution)]);
        self.recorded(recording).await;
        Ok(())
    }
}
