//! Register a version of a workflow, or only check it.

use domain::access::{Action, Permission, Subject};
use domain::lane::WorkflowRef;
use domain::workflow::parse::{Format, Parsed, parse};
use store::wakeup::Hint;
use store::workflows::{Registered, WorkflowVersion};

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

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
                code: "workflow_version_conflict",
                message: format!(
                    "Version {} of workflow {} holds other content ({content_hash}). Content never changes under a \
                     version: register it under another number.",
                    version.version, version.workflow.name
                ),
            }),
        }
    }
}
