//! Source places: where the nodes of a version are in the program that it was compiled from. Outside of its content, which
//! never changes: lines move.

use std::collections::BTreeMap;

use domain::access::{Action, Permission, Subject};
use domain::names::WorkflowName;
use domain::queue::WorkflowRef;
use domain::quota::QuotaKind;
use serde::{Deserialize, Serialize};
use store::workflows::WorkflowVersion;

use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// The most nodes with a place.
const PLACES_MAX: usize = 2_000;
/// The longest path of a file, in bytes.
const FILE_BYTES_MAX: usize = 500;
/// The longest id of a node, in bytes.
const NODE_BYTES_MAX: usize = 100;

/// Where a node is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePlace {
    /// The file, as whoever compiled it named it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

/// Where the nodes of a version are, by their ids.
pub type SourcePlaces = BTreeMap<String, SourcePlace>;

impl Engine {
    /// Stores the places of a version of the caller's own workflow, or of a shared one where the caller is bound to no
    /// tenant.
    pub async fn set_workflow_source(
        &self,
        caller: &Caller,
        name: &WorkflowName,
        version: u32,
        places: &SourcePlaces,
    ) -> Result<(), EngineError> {
        caller.require(Permission::Operate)?;
        let subject = Subject { workflow: Some(name.as_str()), ..Subject::default() };
        caller.require_on(Action::WorkflowsRegister, &subject)?;
        check(places)?;
        let owner = caller.scope.tenant().cloned();
        let workflow = WorkflowRef { owner: owner.clone(), name: name.clone() };
        // Strings and numbers always encode.
        let text = serde_json::to_string(places).unwrap_or_default();
        if let Some(owner) = &owner {
            let present = self.store().workflow_source(&workflow, version).await?;
            let more = text.len().saturating_sub(present.map_or(0, |present| present.len())) as u64;
            self.refuse_over_quota(owner, &[(QuotaKind::DefinitionBytes, more)]).await?;
        }
        let subject = format!("{name}@{version}");
        let mut recording = self.recording(caller, AuditedAction::new("workflow.source", &subject).of(owner));
        let put = self.store().put_workflow_source(&workflow, version, &text, self.now());
        if !recording.of(put).await? {
            return Err(EngineError::not_found("workflow", &format!("{name} in version {version}")));
        }
        self.recorded(recording).await;
        Ok(())
    }

    /// The places of a version that the caller has looked at.
    pub async fn workflow_source(
        &self,
        caller: &Caller,
        version: &WorkflowVersion,
    ) -> Result<Option<SourcePlaces>, EngineError> {
        caller.require(Permission::Read)?;
        let text = self.store().workflow_source(&version.workflow, version.version).await?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }
}

fn check(places: &SourcePlaces) -> Result<(), EngineError> {
    let mut faults = Faults::default();
    if places.len() > PLACES_MAX {
        faults.add("/nodes", format!("expected at most {PLACES_MAX} nodes"));
        return faults.check();
    }
    for (node, place) in places {
        let bad_file = place.file.is_empty()
            || place.file.len() > FILE_BYTES_MAX
            || place.file.chars().any(char::is_control);
        if node.len() > NODE_BYTES_MAX || node.chars().any(char::is_control) {
            faults.add("/nodes", format!("expected ids of at most {NODE_BYTES_MAX} bytes"));
        } else if bad_file {
            faults.add(
                &format!("/nodes/{node}/file"),
                format!("expected a path of 1 to {FILE_BYTES_MAX} bytes"),
            );
        } else if place.line == 0 || place.column == Some(0) {
            faults.add(&format!("/nodes/{node}/line"), "lines and columns count from 1");
        }
    }
    faults.check()
}
