//! The workflow that a schedule starts: it has to be there and to take the input, when the schedule is saved and again
//! when a slot fires.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

use domain::names::TenantName;
use domain::queue::WorkflowRef;
use domain::schedule::CheckShares;
use domain::workflow::definition::Definition;
use sha2::{Digest, Sha256};
use store::schedules::ScheduleRecord;
use store::workflows::{WorkflowPause, WorkflowVersion};

use super::memory::InputKey;
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
/// How many workflows are remembered at once, and how many bytes of their definitions.
const TARGETS_MAX: usize = 10_000;
const TARGETS_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Of a share of a check: what it takes to look a workflow up, whatever its size is; how many bytes of its definition count as one
/// look more, as those of text in an input do; and how many looks each byte is that has to be parsed.
const LOOK_UP_LOOKS: u64 = 100;
const BYTES_PER_LOOK: u64 = 64;
const PARSE_LOOKS_PER_BYTE: u64 = 5;
/// An input whose check takes fewer looks is checked each time, also where its tenant has used its share: that takes no longer than
/// to fire its schedule.
const LIGHT_LOOKS: u64 = 1_000;

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
    checked: HashMap<InputKey, bool>,
}

impl Target {
    /// Whether the workflow takes the input of a schedule; `None` where that may not be found out now.
    async fn takes(
        &mut self,
        engine: &Engine,
        schedule: &ScheduleRecord,
        shares: Option<&mut CheckShares>,
    ) -> Result<Option<bool>, EngineError> {
        let key = key_of(&self.version.content_hash, &schedule.input);
        if let Some(known) = self.checked.get(&key) {
            return Ok(Some(*known));
        }
        let is_taken = match shares {
            None => {
                let faults = engine.input_faults(&schedule.tenant, &schedule.input, &self.definition).await?;
                Some(faults.is_empty())
            }
            Some(shares) => self.takes_in_share(engine, schedule, key, shares).await?,
        };
        if let Some(is_taken) = is_taken {
            if self.checked.len() >= INPUTS_MAX {
                self.checked.clear();
            }
            self.checked.insert(key, is_taken);
        }
        Ok(is_taken)
    }

    async fn takes_in_share(
        &self,
        engine: &Engine,
        schedule: &ScheduleRecord,
        key: InputKey,
        shares: &mut CheckShares,
    ) -> Result<Option<bool>, EngineError> {
        // The execution that may be started is made with what is declared now.
        engine.attributes().await?;
        let (input, checked) = (&schedule.input, &engine.memory().schedules.checked);
        let schema = self.definition.input_check.as_ref();
        let is_light = schema.is_none_or(|schema| schema.looks_at(input.len()) < LIGHT_LOOKS);
        if is_light {
            let (is_taken, _looks) = engine.is_input_taken(input, &self.definition).await?;
            return Ok(Some(is_taken));
        }
        if let Some(known) = checked.get(&key) {
            return Ok(Some(known));
        }
        if !shares.may_check(&schedule.tenant) {
            return Ok(None);
        }
        let (is_taken, looks) = engine.is_input_taken(input, &self.definition).await?;
        shares.spend(&schedule.tenant, looks);
        checked.insert(key, is_taken);
        Ok(Some(is_taken))
    }
}

fn key_of(content_hash: &str, input: &str) -> InputKey {
    let hash = Sha256::new().chain_update(content_hash).chain_update([0_u8]).chain_update(input);
    hash.finalize().into()
}

/// A version that a slot starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Startable<'a> {
    /// The version.
    pub(super) version: &'a WorkflowVersion,
    /// Its definition.
    pub(super) definition: &'a Definition,
}

/// What a slot of a schedule comes to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Found<'a> {
    /// It starts this version.
    Starts(Startable<'a>),
    /// It starts nothing, for this reason.
    Refuses(&'static str),
    /// That is found out later: it takes long, or the tenant has used its share of the check.
    PutOff,
}

impl<'a> Found<'a> {
    /// What it comes to for a call.
    pub(super) fn of_call(self) -> Result<Startable<'a>, &'static str> {
        match self {
            Self::Starts(workflow) => Ok(workflow),
            Self::Refuses(reason) => Err(reason),
            Self::PutOff => unreachable!("calls have no share of a check"),
        }
    }
}

/// The workflows of one check or call, each looked up once.
#[derive(Debug, Default)]
pub(super) struct Targets {
    found: HashMap<WorkflowRef, Option<Target>>,
    /// The bytes of their definitions.
    bytes: usize,
}

impl Targets {
    /// The version that a slot of this schedule starts, or why there is none. `shares` are those of a check: it serves all
    /// tenants, and waits for no tenant's calls.
    pub(super) async fn find(
        &mut self,
        engine: &Engine,
        schedule: &ScheduleRecord,
        mut shares: Option<&mut CheckShares>,
    ) -> Result<Found<'_>, EngineError> {
        if !self.found.contains_key(&schedule.workflow) {
            if shares.as_deref().is_some_and(|shares| !shares.has_looks(&schedule.tenant)) {
                return Ok(Found::PutOff);
            }
            let target = look_up(engine, schedule, shares.as_deref_mut()).await?;
            self.keep(schedule.workflow.clone(), target);
        }
        let Some(target) = self.found.get_mut(&schedule.workflow).and_then(Option::as_mut) else {
            return Ok(Found::Refuses(WORKFLOW_MISSING));
        };
        if target.version.pause == Some(WorkflowPause::Refuse) {
            return Ok(Found::Refuses(WORKFLOW_PAUSED));
        }
        Ok(match target.takes(engine, schedule, shares).await? {
            Some(true) => {
                Found::Starts(Startable { version: &target.version, definition: &target.definition })
            }
            Some(false) => Found::Refuses(INPUT_INVALID),
            None => Found::PutOff,
        })
    }

    fn keep(&mut self, workflow: WorkflowRef, target: Option<Target>) {
        let bytes = target.as_ref().map_or(0, |target| target.version.content.len());
        if self.found.len() >= TARGETS_MAX || self.bytes + bytes > TARGETS_BYTES_MAX {
            *self = Self::default();
        }
        self.bytes += bytes;
        self.found.insert(workflow, target);
    }
}

/// A definition that cannot be read must not hold up the schedules of other workflows: it counts as missing.
async fn look_up(
    engine: &Engine,
    schedule: &ScheduleRecord,
    shares: Option<&mut CheckShares>,
) -> Result<Option<Target>, EngineError> {
    let workflow = &schedule.workflow;
    let (owner, name) = (workflow.owner.as_ref(), workflow.name.as_str());
    let caller = shares.is_none().then_some(&schedule.tenant);
    let version = engine.store().workflow(owner, name, None).await?;
    if let Some(shares) = shares {
        shares.spend(&schedule.tenant, looks_of(engine, version.as_ref()));
    }
    let Some(version) = version else {
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

/// What it takes to have read a workflow. One that all tenants share is parsed on nobody's account.
fn looks_of(engine: &Engine, version: Option<&WorkflowVersion>) -> u64 {
    let Some(version) = version else {
        return LOOK_UP_LOOKS;
    };
    let bytes = version.content.len() as u64;
    let is_parsed = version.workflow.owner.is_none() || engine.is_definition_kept(&version.content);
    let parsing = if is_parsed { 0 } else { bytes * PARSE_LOOKS_PER_BYTE };
    LOOK_UP_LOOKS + bytes / BYTES_PER_LOOK + parsing
}
