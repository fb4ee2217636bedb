//! Workflows as they are shown. Definitions are read by the domain, not here.

use domain::time::Timestamp;
use domain::workflow::parse::{Parsed, warnings};
use serde::{Deserialize, Serialize};
use store::workflows::{WorkflowPause, WorkflowVersion};
use utoipa::ToSchema;

use crate::json::RawJson;
use crate::problem::FaultResponse;

/// One version of a workflow.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Workflow)]
pub(crate) struct WorkflowResponse {
    name: String,
    version: u32,
    /// Hex SHA-256 of the definition as JSON with sorted keys.
    content_hash: String,
    /// The tenant that owns it; absent for one that all tenants share.
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    /// `limits.maxConcurrent` of the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_concurrent: Option<u32>,
    /// Whether executions of it stay queued.
    paused: bool,
    /// What becomes of new runs while it is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_runs: Option<NewRunsSchema>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// The definition. Not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<RawJson>,
    /// What is better done otherwise. Only in the answer to a registration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<FaultResponse>,
}

impl WorkflowResponse {
    /// A version in a list, without its definition.
    pub(crate) fn in_list(version: WorkflowVersion) -> Self {
        Self {
            name: version.workflow.name.to_string(),
            version: version.version,
            content_hash: version.content_hash,
            tenant: version.workflow.owner.map(|owner| owner.to_string()),
            max_concurrent: version.max_concurrent,
            paused: version.pause.is_some(),
            new_runs: version.pause.map(NewRunsSchema::from),
            created_at: version.created_at,
            definition: None,
            warnings: Vec::new(),
        }
    }

    /// A version as it was registered, with what is better done otherwise.
    pub(crate) fn registered(version: WorkflowVersion) -> Self {
        let warnings = warnings_of(&version.content);
        Self { warnings, ..Self::whole(version) }
    }

    /// A version with its definition.
    pub(crate) fn whole(mut version: WorkflowVersion) -> Self {
        let definition = RawJson::stored(std::mem::take(&mut version.content));
        Self { definition: Some(definition), ..Self::in_list(version) }
    }
}

/// A definition that passed every check and was not registered.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ValidatedWorkflow)]
pub(crate) struct ValidatedResponse {
    /// Always true: faults are a problem with status 422.
    valid: bool,
    name: String,
    version: u32,
    /// Hex SHA-256 of the definition as JSON with sorted keys.
    content_hash: String,
    /// What is better done otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<FaultResponse>,
}

/// What is better done otherwise in a definition that passed every check.
fn warnings_of(content: &str) -> Vec<FaultResponse> {
    let definition: serde_json::Value = serde_json::from_str(content).unwrap_or_default();
    warnings(&definition).into_iter().map(FaultResponse::from).collect()
}

impl From<Parsed> for ValidatedResponse {
    fn from(parsed: Parsed) -> Self {
        Self {
            valid: true,
            warnings: warnings_of(&parsed.canonical_json),
            name: parsed.definition.name.to_string(),
            version: parsed.definition.version,
            content_hash: parsed.content_hash,
        }
    }
}

/// What a registration answers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = RegisteredWorkflow)]
pub(crate) enum RegisteredResponse {
    /// The version.
    Version(Box<WorkflowResponse>),
    /// It was only checked.
    Validated(ValidatedResponse),
}

/// How a workflow is paused.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = PauseRequest)]
pub(crate) struct PauseBody {
    /// `queue` where absent.
    #[serde(default)]
    #[schema(required = false)]
    pub(crate) new_runs: NewRunsSchema,
}

/// What becomes of new runs of a paused workflow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = NewRuns)]
pub(crate) enum NewRunsSchema {
    /// They are accepted and stay queued.
    #[default]
    Queue,
    /// They are refused.
    Refuse,
}

impl From<NewRunsSchema> for WorkflowPause {
    fn from(word: NewRunsSchema) -> Self {
        match word {
            NewRunsSchema::Queue => Self::Queue,
            NewRunsSchema::Refuse => Self::Refuse,
        }
    }
}

impl From<WorkflowPause> for NewRunsSchema {
    fn from(pause: WorkflowPause) -> Self {
        match pause {
            WorkflowPause::Queue => Self::Queue,
            WorkflowPause::Refuse => Self::Refuse,
        }
    }
}

/// Whether a workflow is paused.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WorkflowMode)]
pub(crate) struct WorkflowModeResponse {
    pub(crate) name: String,
    /// Whether executions of it stay queued.
    pub(crate) paused: bool,
    /// What becomes of new runs while it is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) new_runs: Option<NewRunsSchema>,
}
