//! Pause and resume a workflow: its executions stay queued meanwhile, and new ones are queued as well or refused.

use domain::access::{Action, Subject, TenantScope};
use domain::names::WorkflowName;
use domain::queue::QueueName;
use store::wakeup::Hint;
use store::workflows::WorkflowPause;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

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
        let workflow = self.known_workflow(caller.scope.tenant(), name, None).await?.workflow;
        if workflow.owner.is_none() && caller.scope != TenantScope::All {
            return caller.require_unscoped();
        }
        let action = if pause.is_some() { "workflow.pause" } else { "workflow.resume" };
        let audited = AuditedAction::new(action, &name).of(workflow.owner.clone());
        let mut recording = self.recording(caller, audited);
        if !recording.of(self.store().pause_workflow(&workflow, pause, self.now())).await? {
            return Err(EngineError::not_found("workflow", &name));
        }
        self.wake(&[Hint::Settings, Hint::Queue(QueueName::Execution)]);
        self.recorded(recording).await;
        Ok(())
    }
}
