//! Workflows as they are shown. Definitions are read by the domain, not here.

use std::collections::BTreeMap;

use domain::time::Timestamp;
use domain::workflow::parse::{Parsed, warnings};
use engine::{SourcePlace, SourcePlaces};
use serde::{Deserialize, Serialize};
use store::workflows::{WorkflowPause, WorkflowVersion};
use utoipa::ToSchema;

use crate::json::{RawJson, present};
use crate::problem::{ApiResult, FaultResponse, Problem};

/// One version of a workflow.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Workflow)]
pub(crate) struct WorkflowResponse {
    name: String,
    version: u32,
    /// SHA-256 (hex) of the definition as JSON with sorted keys.
    content_hash: String,
    /// Tenant that owns the workflow; absent for a shared workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    /// `limits.maxConcurrent` of the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_concurrent: Option<u32>,
    /// Whether the workflow is paused.
    paused: bool,
    /// Policy for new executions while the workflow is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_runs: Option<NewRunsSchema>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Definition. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<RawJson>,
    /// Location of each node in the program that the version was compiled from, by node ID. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    source: Option<BTreeMap<String, SourcePlaceBody>>,
    /// Warnings. Only in the response to a registration.
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
            source: None,
            warnings: Vec::new(),
        }
    }

    /// A registered version with its warnings.
    pub(crate) fn registered(version: WorkflowVersion) -> Self {
        let warnings = warnings_of(&version.content);
        Self { warnings, ..Self::whole(version) }
    }

    /// The same with its source places.
    pub(crate) fn with_source(self, places: Option<SourcePlaces>) -> Self {
        let shown = |(node, place): (String, SourcePlace)| {
            (node, SourcePlaceBody { file: place.file, line: place.line, column: place.column })
        };
        Self { source: places.map(|places| places.into_iter().map(shown).collect()), ..self }
    }

    /// A version with its definition.
    pub(crate) fn whole(mut version: WorkflowVersion) -> Self {
        let definition = RawJson::stored(std::mem::take(&mut version.content));
        Self { definition: Some(definition), ..Self::in_list(version) }
    }
}

/// The location of a node in a program.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SourcePlace)]
pub(crate) struct SourcePlaceBody {
    /// Path of the file.
    file: String,
    /// Line, from 1.
    line: u32,
    /// Column, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

/// Source places of a version.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SourceRequest)]
pub(crate) struct SourceBody {
    /// Places by node ID.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = BTreeMap<String, SourcePlaceBody>, required = true)]
    nodes: Option<BTreeMap<String, SourcePlaceBody>>,
}

impl SourceBody {
    /// The places.
    pub(crate) fn into_places(self) -> ApiResult<SourcePlaces> {
        let nodes = self.nodes.ok_or_else(|| Problem::fault("/nodes", "is required"))?;
        let place = |(node, body): (String, SourcePlaceBody)| {
            (node, SourcePlace { file: body.file, line: body.line, column: body.column })
        };
        Ok(nodes.into_iter().map(place).collect())
    }
}

/// A valid definition that was not registered.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ValidatedWorkflow)]
pub(crate) struct ValidatedResponse {
    /// Always true; an invalid definition returns status 422.
    valid: bool,
    name: String,
    version: u32,
    /// SHA-256 (hex) of the definition as JSON with sorted keys.
    content_hash: String,
    /// Warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<FaultResponse>,
}

/// Warnings about a valid definition.
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

/// The response to a registration.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = RegisteredWorkflow)]
pub(crate) enum RegisteredResponse {
    /// The version.
    Version(Box<WorkflowResponse>),
    /// The result of a validation.
    Validated(ValidatedResponse),
}

/// Options of a pause.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = PauseRequest)]
pub(crate) struct PauseBody {
    /// Policy for new executions (default `queue`).
    #[serde(default)]
    #[schema(required = false)]
    pub(crate) new_runs: NewRunsSchema,
}

/// Policy for new executions of a paused workflow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = NewRuns)]
pub(crate) enum NewRunsSchema {
    /// New executions are accepted and stay queued.
    #[default]
    Queue,
    /// New executions are rejected.
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

/// The mode of a workflow.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WorkflowMode)]
pub(crate) struct WorkflowModeResponse {
    pub(crate) name: String,
    /// Whether the workflow is paused.
    pub(crate) paused: bool,
    /// Policy for new executions while the workflow is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) new_runs: Option<NewRunsSchema>,
}
