//! What is sent to executions that are there.

use domain::names::NodeId;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::json::{RawJson, present};

/// Options of a cancellation.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = CancelRequest)]
pub(crate) struct CancelBody {
    /// Reason, recorded in the timeline.
    pub(crate) reason: Option<String>,
    /// Whether completed nodes are compensated first (default false).
    #[serde(default)]
    #[schema(required = false)]
    pub(crate) compensate: bool,
}

/// A signal.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SignalRequest)]
pub(crate) struct SignalBody {
    /// Payload (default null). It becomes the output of the node that receives the signal.
    #[schema(value_type = Option<RawJson>)]
    payload: Option<RawJson>,
}

impl SignalBody {
    /// The payload as raw JSON text.
    pub(crate) fn into_text(self) -> String {
        text_of(self.payload)
    }
}

/// The output of a user task.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = UserTaskCompletion)]
pub(crate) struct CompletionBody {
    /// Validated against the task's form (default null). It becomes the output of the node.
    #[schema(value_type = Option<RawJson>)]
    output: Option<RawJson>,
    /// Round of the node (default: the latest).
    #[serde(default)]
    round: Option<u32>,
}

impl CompletionBody {
    /// The round, and the output as raw JSON text.
    pub(crate) fn into_parts(self) -> (Option<u32>, String) {
        (self.round, text_of(self.output))
    }
}

/// Round of a user task.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = UserTaskRound)]
pub(crate) struct RoundBody {
    /// Round of the node (default: the latest).
    #[serde(default)]
    pub(crate) round: Option<u32>,
}

/// Options of a rerun.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = RerunRequest)]
pub(crate) struct RerunBody {
    /// Node to rerun from. It and all nodes after it run again; results of the others are reused.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    pub(crate) from_node: Option<NodeId>,
    /// New input (default: that of the original execution).
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    pub(crate) input: Option<RawJson>,
    /// Whether a failed rerun also compensates nodes whose results it reused (default false).
    #[serde(default)]
    pub(crate) compensate_original: bool,
}

fn text_of(value: Option<RawJson>) -> String {
    value.map_or_else(|| "null".to_owned(), RawJson::into_text)
}
