//! What is sent to executions that are there.

use domain::names::NodeId;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::json::{RawJson, present};

/// How an execution is cancelled.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = CancelRequest)]
pub(crate) struct CancelBody {
    /// For the timeline.
    pub(crate) reason: Option<String>,
    /// Whether what completed is undone first, by the `compensate` of its nodes.
    #[serde(default)]
    #[schema(required = false)]
    pub(crate) compensate: bool,
}

/// A signal.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SignalRequest)]
pub(crate) struct SignalBody {
    /// What it carries; null where absent. It becomes the output of the node that takes the signal.
    #[schema(value_type = Option<RawJson>)]
    payload: Option<RawJson>,
}

impl SignalBody {
    /// The payload as raw JSON text.
    pub(crate) fn into_text(self) -> String {
        text_of(self.payload)
    }
}

/// What a person submits.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = UserTaskCompletion)]
pub(crate) struct CompletionBody {
    /// Checked against the task's form; null where absent. It becomes the output of the node.
    #[schema(value_type = Option<RawJson>)]
    output: Option<RawJson>,
    /// The round of the node that is meant; the latest where absent.
    #[serde(default)]
    round: Option<u32>,
}

impl CompletionBody {
    /// The round, and the output as raw JSON text.
    pub(crate) fn into_parts(self) -> (Option<u32>, String) {
        (self.round, text_of(self.output))
    }
}

/// Which round of a node's user task is meant.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = UserTaskRound)]
pub(crate) struct RoundBody {
    /// The round; the latest where absent.
    #[serde(default)]
    pub(crate) round: Option<u32>,
}

/// From where an execution is run again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = RerunRequest)]
pub(crate) struct RerunBody {
    /// It and all that come after it start again; the results of the others are taken over.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    pub(crate) from_node: Option<NodeId>,
    /// Another input; that of the first run where absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    pub(crate) input: Option<RawJson>,
    /// Whether the rerun, if it fails, undoes what it took over as well. Without it, it undoes only what it did itself.
    #[serde(default)]
    pub(crate) compensate_original: bool,
}

fn text_of(value: Option<RawJson>) -> String {
    value.map_or_else(|| "null".to_owned(), RawJson::into_text)
}
