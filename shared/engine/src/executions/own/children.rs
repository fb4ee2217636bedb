//! Children that a step is to start: looked up and checked before the commit. One that cannot be started is a child
//! that failed, and the execution gets that result in the same step.

use domain::failure::JobError;
use domain::time::Timestamp;
use domain::workflow::execution::{ChildStart, Event};
use serde_json::json;
use store::executions::{NewExecution, Parent, Trigger};
use store::workflows::WorkflowPause;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::own::commit::NodeJobTemplate;
use crate::executions::request::ExecutionRequest;
use crate::executions::start::Lookups;

impl Engine {
    /// Checks the children of a step. Answers the events of those that cannot be started; the others are created by
    /// the step's commit.
    pub(super) async fn resolve_children(
        &self,
        template: &NodeJobTemplate,
        depth: u32,
        starts: Vec<ChildStart>,
        now: Timestamp,
    ) -> Result<(Vec<NewExecution>, Vec<Event>), EngineError> {
        let mut lookups = Lookups::new();
        let (mut children, mut refused) = (Vec::with_capacity(starts.len()), Vec::new());
        for start in starts {
            let (node, child_id) = (start.node.clone(), start.id);
            match self.resolve_child(template, depth, start, &mut lookups, now).await? {
                Ok(child) => children.push(child),
                Err(error) => refused.push(Event::ChildRefused { node, child_id, error }),
            }
        }
        Ok((children, refused))
    }

    async fn resolve_child(
        &self,
        template: &NodeJobTemplate,
        depth: u32,
        start: ChildStart,
        lookups: &mut Lookups,
        now: Timestamp,
    ) -> Result<Result<NewExecution, JobError>, EngineError> {
        let depth_max = self.policy().child_depth_max;
        if depth >= depth_max {
            let message = format!("Executions may start others up to {depth_max} levels deep.");
            return Ok(Err(JobError::coded("too_deep", message)));
        }
        let (id, node) = (start.id, start.node.clone());
        let parent = &template.execution;
        let request = request_of(template, start);
        let resolved = match self.resolve(&parent.tenant, &request, lookups).await {
            Ok(resolved) => resolved,
            Err(EngineError::NotFound { .. }) => {
                let message = format!("There is no workflow {}.", described(&request));
                return Ok(Err(JobError::coded("workflow_not_found", message)));
            }
            Err(error) => return Err(error),
        };
        if resolved.version.pause == Some(WorkflowPause::Refuse) {
            let message = format!("The workflow {} is paused and rejects new executions.", request.workflow);
            return Ok(Err(JobError::coded("workflow_paused", message)));
        }
        let faults = self.faults_of(&parent.tenant, &request, &resolved.definition).await?;
        if let Some(fault) = faults.first() {
            let message = format!("The workflow {} does not take the input: {fault}", described(&request));
            let listed: Vec<_> = faults
                .iter()
                .map(|fault| json!({ "pointer": fault.pointer, "message": fault.message }))
                .collect();
            let details = Some(json!({ "faults": listed }));
            return Ok(Err(JobError { details, ..JobError::coded("invalid_input", message) }));
        }
        let request = request.with_terms_of(&resolved.definition);
        let mut child = self.new_execution(id, request, parent.tenant.clone(), &resolved.version, now);
        child.parent = Some(Parent { execution_id: parent.id, node_id: node, depth: depth + 1 });
        Ok(Ok(child))
    }
}

fn request_of(template: &NodeJobTemplate, start: ChildStart) -> ExecutionRequest {
    let parent = &template.execution;
    let detail = json!({ "executionId": parent.id, "nodeId": start.node });
    ExecutionRequest {
        version: start.version,
        tier: Some(start.tier),
        tenant: Some(parent.tenant.clone()),
        expires_in: start.expires_in,
        traceparent: parent.traceparent.clone(),
        trigger: Trigger { kind: "parent".to_owned(), detail: Some(detail.to_string()) },
        ..ExecutionRequest::new(start.workflow, start.input.to_string())
    }
}

fn described(request: &ExecutionRequest) -> String {
    match request.version {
        Some(version) => format!("{}@{version}", request.workflow),
        None => request.workflow.to_string(),
    }
}
