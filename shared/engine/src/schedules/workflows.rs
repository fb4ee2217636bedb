//! The workflow that a schedule starts: it has to be there and to take the input, when the schedule is saved and again
//! when a slot fires.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

use domain::names::TenantName;
use domain::queue::WorkflowRef;
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
        let target = self.target(Some(tenant), version).await?;
        let faults = self.input_faults(tenant, &request.input, &target.definition).await?;
        if faults.is_empty() { Ok(target.version.workflow) } else { Err(EngineError::Invalid(faults)) }
    }

    /// A version for a call of a tenant, or for a check.
    async fn target(
        &self,
        caller: Option<&TenantName>,
        version: WorkflowVersion,
    ) -> Result<Target, EngineError> {
        let row = format!("{}@{}", version.workflow.name, version.version);
        let definition = match caller {
            Some(_) => self.definition(caller, &version.content, &row).await?,
            None => self.definition_of_check(&version.content, &row).await?,
        };
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
        caller: Option<&TenantName>,
        input: &str,
    ) -> Result<bool, EngineError> {
        if let Some(known) = self.checked.get(input) {
            return Ok(*known);
        }
        if self.checked.len() >= INPUTS_MAX {
            self.checked.clear();
        }
        let faults = match caller {
            Some(tenant) => engine.input_faults(tenant, input, &self.definition).await?,
            None => engine.input_faults_of_check(input, &self.definition).await?,
        };
        self.checked.insert(input.to_owned(), faults.is_empty());
        Ok(faults.is_empty())
    }
}

/// A version that a slot starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Startable<'a> {
    /// The version.
    pub(super) version: &'a WorkflowVersion,
    /// Its definition.
    pub(super) definition: &'a Definition,
}

/// The workflows of one check or call, each looked up once.
#[derive(Debug)]
pub(super) struct Targets {
    found: HashMap<WorkflowRef, Option<Target>>,
    /// Whether they are those of a check: it serves all tenants, and waits for no tenant's calls.
    is_check: bool,
}

impl Targets {
    /// Those of a check.
    pub(super) fn of_check() -> Self {
        Self { found: HashMap::new(), is_check: true }
    }

    /// Those of a call.
    pub(super) fn of_call() -> Self {
        Self { found: HashMap::new(), is_check: false }
    }

    /// The version that a slot of this schedule starts, or why there is none.
    pub(super) async fn find(
        &mut self,
        engine: &Engine,
        schedule: &ScheduleRecord,
    ) -> Result<Result<Startable<'_>, &'static str>, EngineError> {
        let caller = (!self.is_check).then_some(&schedule.tenant);
        if !self.found.contains_key(&schedule.workflow) {
            if self.found.len() >= TARGETS_MAX {
                self.found.clear();
            }
            let target = look_up(engine, caller, schedule).await?;
            self.found.insert(schedule.workflow.clone(), target);
        }
        let Some(target) = self.found.get_mut(&schedule.workflow).and_then(Option::as_mut) else {
            return Ok(Err(WORKFLOW_MISSING));
        };
        if target.version.pause == Some(WorkflowPause::Refuse) {
            return Ok(Err(WORKFLOW_PAUSED));
        }
        if target.takes(engine, caller, &schedule.input).await? {
            Ok(Ok(Startable { version: &target.version, definition: &target.definition }))
        } else {
            Ok(Err(INPUT_INVALID))
        }
    }
}

/// A definition that cannot be read must not hold up the schedules of other workflows: it counts as missing.
async fn look_up(
    engine: &Engine,
    caller: Option<&TenantName>,
    schedule: &ScheduleRecord,
) -> Result<Option<Target>, EngineError> {
    let workflow = &schedule.workflow;
    let (owner, name) = (workflow.owner.as_ref(), workflow.name.as_str());
    let Some(version) = engine.store().workflow(owner, name, None).await? else {
        return Ok(None);
    };
    match engine.target(caller, version).await {
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
