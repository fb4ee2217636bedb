//! The workflow that a schedule starts: it has to be there and to take the input, when the schedule is saved and again
//! when a slot fires.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

use domain::lane::WorkflowRef;
use domain::names::TenantName;
use domain::workflow::definition::Definition;
use store::schedules::ScheduleRecord;
use store::workflows::{WorkflowPause, WorkflowVersion};

use super::request::ScheduleRequest;
use crate::engine::Engine;
use crate::error::EngineError;

/// The workflow is not there any more, or cannot be read.
pub(super) const WORKFLOW_MISSING: &str = "workflow_missing";
/// The latest version of the workflow does not take the schedule's input.
pub(super) const INPUT_INVALID: &str = "input_invalid";

/// The workflow is paused and refuses new runs.
pub(super) const WORKFLOW_PAUSED: &str = "workflow_paused";

/// How many inputs of one workflow are remembered as checked.
const INPUTS_MAX: usize = 1_000;
/// How many workflows are remembered at once.
const TARGETS_MAX: usize = 10_000;

impl Engine {
    /// The latest version of the workflow that a request names, as its tenant sees it. Fails with a pointer if there
    /// is none, or if it does not take the input.
    pub(super) async fn checked_workflow(
        &self,
        tenant: &TenantName,
        request: &ScheduleRequest,
    ) -> Result<WorkflowRef, EngineError> {
        let name = request.workflow.as_str();
        let Some(version) = self.store().workflow(Some(tenant), name, None).await? else {
            let message = format!("there is no workflow {name}: register it first");
            return Err(EngineError::invalid("/workflow", message));
        };
        let target = self.target(tenant, version).await?;
        let faults = self.input_faults(tenant, &request.input, &target.definition).await?;
        if faults.is_empty() { Ok(target.version.workflow) } else { Err(EngineError::Invalid(faults)) }
    }

    async fn target(&self, tenant: &TenantName, version: WorkflowVersion) -> Result<Target, EngineError> {
        let row = format!("{}@{}", version.workflow.name, version.version);
        let definition = self.definition(Some(tenant), &version.content, &row).await?;
        Ok(Target { version, definition, checked: HashMap::new() })
    }
}

/// A version with its parsed definition.
#[derive(Debug)]
struct Target {
    version: WorkflowVersion,
    definition: Arc<Definition>,
    /// Inputs that were checked already. Schedules in a crowd tend to have the same one.
    checked: HashMap<String, bool>,
}

impl Target {
    async fn takes(
        &mut self,
        engine: &Engine,
        tenant: &TenantName,
        input: &str,
    ) -> Result<bool, EngineError> {
        if let Some(known) = self.checked.get(input) {
            return Ok(*known);
        }
        if self.checked.len() >= INPUTS_MAX {
            self.checked.clear();
        }
        let takes = engine.input_faults(tenant, input, &self.definition).await?.is_empty();
        self.checked.insert(input.to_owned(), takes);
        Ok(takes)
    }
}

/// The workflows of one check, each looked up once.
#[derive(Debug, Default)]
pub(super) struct Targets(HashMap<WorkflowRef, Option<Target>>);

impl Targets {
    /// The version that a slot of this schedule starts, or why there is none.
    pub(super) async fn find(
        &mut self,
        engine: &Engine,
        schedule: &ScheduleRecord,
    ) -> Result<Result<&WorkflowVersion, &'static str>, EngineError> {
        if !self.0.contains_key(&schedule.workflow) {
            if self.0.len() >= TARGETS_MAX {
                self.0.clear();
            }
            let target = look_up(engine, schedule).await?;
            self.0.insert(schedule.workflow.clone(), target);
        }
        let Some(target) = self.0.get_mut(&schedule.workflow).and_then(Option::as_mut) else {
            return Ok(Err(WORKFLOW_MISSING));
        };
        if target.version.pause == Some(WorkflowPause::Refuse) {
            return Ok(Err(WORKFLOW_PAUSED));
        }
        if target.takes(engine, &schedule.tenant, &schedule.input).await? {
            Ok(Ok(&target.version))
        } else {
            Ok(Err(INPUT_INVALID))
        }
    }
}

/// A definition that cannot be read must not hold up the schedules of other workflows: it counts as missing.
async fn look_up(engine: &Engine, schedule: &ScheduleRecord) -> Result<Option<Target>, EngineError> {
    let workflow = &schedule.workflow;
    let (owner, name) = (workflow.owner.as_ref(), workflow.name.as_str());
    let Some(version) = engine.store().workflow(owner, name, None).await? else {
        return Ok(None);
    };
    match engine.target(&schedule.tenant, version).await {
        Ok(target) => Ok(Some(target)),
        Err(error) if error.is_retryable() => Err(error),
        Err(error) => {
            tracing::error!(
                workflow.name = name,
                error = &error as &dyn Error,
                "a definition cannot be read"
            );
            Ok(None)
        }
    }
}
